// Each helper that holds PTX has a twin in C++, or stands in the list of those that have none.
#include "twins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/helpers.h"
#include "codegen/matrix_text.h"

namespace cdsl::emulation {
namespace {

bool has_twin(std::string_view name) {
  return std::any_of(twins().begin(), twins().end(), [&](const Twin& twin) { return twin.name == name; });
}

bool is_listed(std::string_view name) {
  return std::any_of(without_twin().begin(), without_twin().end(), [&](std::string_view listed) {
    return listed.ends_with('*') ? name.starts_with(listed.substr(0, listed.size() - 1)) : name == listed;
  });
}

std::set<std::string, std::less<>> helpers_with_asm() {
  std::set<std::string, std::less<>> names;
  for (const auto table : cuda::helper_tables()) {
    for (const cuda::Helper& helper : table) {
      for (const std::string_view text : {helper.text, helper.strict}) {
        if (text.find("asm(") != std::string_view::npos || text.find("asm volatile(") != std::string_view::npos) names.emplace(helper.name);
      }
    }
  }
  return names;
}

TEST(Twins, EachHelperWithPtxHasOneOrIsListed) {
  const auto names = helpers_with_asm();
  EXPECT_GT(names.size(), 20u);
  for (const std::string& name : names) EXPECT_NE(has_twin(name), is_listed(name)) << name;
}

TEST(Twins, NoneIsForAHelperThatIsNone) {
  const auto names = helpers_with_asm();
  for (const Twin& twin : twins()) EXPECT_TRUE(names.contains(twin.name)) << twin.name;
  for (const std::string_view name : without_twin()) EXPECT_TRUE(name.ends_with('*') || names.contains(name)) << name;
}

TEST(Twins, FunctionsOfMatrixInstructionsAreListed) {
  using namespace cuda;
  const MatrixOperand f16{ScalarType::F16, {0, 1, 2, 3}}, f32{ScalarType::F32, {0, 1, 2, 3}};
  for (const MatrixText& made : {matrix_load_text(2, false, f16), matrix_store_text(2, true, f16), mma_text({16, 8, 8}, f32, f16, f16, false),
                                 wgmma_text({64, 8, 16}, {f32, {}, ScalarType::F16, ScalarType::F16, false, false, false}), copy_box_text(2, false),
                                 store_box_text(2), add_bulk_text(ScalarType::F32)}) {
    EXPECT_NE(has_twin(made.stem), is_listed(made.stem)) << made.stem;
  }
}

TEST(Twins, TakeTheBodyAlone) {
  std::string problem;
  const std::string text =
      "__device__ __forceinline__ float half_to_f32(unsigned short bits) {\n  float x;\n  asm(\"cvt.f32.f16 %0, %1; {\" : \"=f\"(x) : \"h\"(bits));\n  return x;\n}\n"
      "__device__ __forceinline__ int plain(int asmara) { return asmara; }\n";
  const std::string made = with_twins(text, problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(made, "__device__ __forceinline__ float half_to_f32(unsigned short bits) { return emulated::to_float(bits, 10); }\n"
                  "__device__ __forceinline__ int plain(int asmara) { return asmara; }\n");
}

TEST(Twins, TextWithoutOneIsRefused) {
  std::string problem;
  with_twins("__device__ __forceinline__ void fence_proxy() { asm volatile(\"fence.proxy.async;\" ::: \"memory\"); }\n", problem);
  EXPECT_EQ(problem, "the helper 'fence_proxy' holds PTX that has no twin in C++ (tests/emulated/twins.cpp)");
}

}  // namespace
}  // namespace cdsl::emulation
