// Host arrays packed into every layout and back; kernels' resources read from logs and damaged
// cubins.
#include <cstring>

#include <gtest/gtest.h>

#include "runtime/host_layout.h"
#include "runtime/kernel_resources.h"

namespace cdsl::runtime {
namespace {

RecordType particle() {
  RecordType record;
  record.name = "P";
  record.leaves = {{"tag", ScalarType::U8, {}, 0},
                   {"pos", ScalarType::F32, {3}, 0},
                   {"m", ScalarType::F64, {}, 0}};
  lay_out(record);
  return record;
}

Array numbered(const RecordType& element, std::vector<int64_t> shape) {
  Array array = Array::zeros(element, std::move(shape));
  double next = 1;
  for (int64_t flat = 0; flat < array.count(); ++flat) {
    for (uint32_t leaf = 0; leaf < element.leaves.size(); ++leaf) {
      for (int64_t k = 0; k < element.leaves[leaf].count(); ++k, ++next) {
        const bool is_int = is_integer(element.leaves[leaf].type);
        array.set(flat,
                  is_int ? Value::of_int(static_cast<int64_t>(next) % 250) : Value::of_float(next),
                  leaf, k);
      }
    }
  }
  return array;
}

void expect_round_trip(const tir::Tensor& tensor, const Array& array, int64_t gap) {
  const Placement placement = place(tensor, array.element, array.shape, gap);
  Array back = Array::zeros(array.element, array.shape);
  for (uint32_t part = 0; part < placement.parts.size(); ++part) {
    unpack(back, placement, part, pack(array, placement, part, std::byte{0xAA}));
  }
  for (int64_t flat = 0; flat < array.count(); ++flat) {
    for (uint32_t leaf = 0; leaf < array.element.leaves.size(); ++leaf) {
      for (int64_t k = 0; k < array.element.leaves[leaf].count(); ++k) {
        EXPECT_TRUE(same_bits(back.get(flat, leaf, k), array.get(flat, leaf, k)));
      }
    }
  }
}

TEST(HostLayout, RoundTripsInEveryLayoutOrderAndSize) {
  for (const int64_t n : {0, 1, 2, 7, 8, 9, 33}) {
    const Array array = numbered(particle(), {n, 3});
    for (const Layout& layout :
         {Layout{}, Layout{Layout::Kind::Soa, 0, {}}, Layout{Layout::Kind::Aosoa, 8, {}},
          Layout{Layout::Kind::Split, 0, {{0, 2}, {1}}}, Layout{Layout::Kind::Auto, 0, {}}}) {
      for (const tir::Order order :
           {tir::Order::RowMajor, tir::Order::ColMajor, tir::Order::Strided}) {
        tir::Tensor tensor;
        tensor.layout = layout;
        tensor.order = order;
        expect_round_trip(tensor, array, 0);
        if (order == tir::Order::Strided) expect_round_trip(tensor, array, 2);
      }
    }
  }
}

TEST(HostLayout, AddressesFollowTheLanguage) {
  const Array array = numbered(particle(), {5});
  tir::Tensor tensor;
  tensor.layout = {Layout::Kind::Aosoa, 4, {}};
  const Placement placement = place(tensor, array.element, {5}, 0);
  ASSERT_EQ(placement.parts.size(), 1u);
  const RecordType& group = placement.parts[0].element;
  const auto bytes = pack(array, placement, 0, std::byte{0});
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), 2 * group.size);
  // Element 4 is the first of the second group; pos[2] of it lies at O + (0 * 3 + 2) * 4.
  float pos = 0;
  std::memcpy(&pos, bytes.data() + group.size + group.leaves[1].offset + 2 * 4, sizeof pos);
  EXPECT_EQ(pos, array.get(4, 1, 2).re);
}

TEST(KernelResources, AreReadFromTheLog) {
  const auto kernels = resources_in_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
      "ptxas info    : Function properties for a\n"
      "ptxas         .     160 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 160 bytes cumulative stack size, 1200 "
      "bytes smem, 364 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "a");
  EXPECT_EQ(kernels[0].registers, 32);
  EXPECT_EQ(kernels[0].stack_bytes, 160);
  EXPECT_EQ(kernels[0].spill_store_bytes, 8);
  EXPECT_EQ(kernels[0].spill_load_bytes, 12);
  EXPECT_EQ(kernels[0].shared_bytes, 1200);
  EXPECT_EQ(kernels[0].constant_bytes, 364);
  EXPECT_EQ(kernels[1].registers, 8);
  EXPECT_EQ(kernels[1].shared_bytes, 0);
  EXPECT_TRUE(resources_in_log("").empty());
}

TEST(KernelResources, DamagedCubinsAreRefused) {
  EXPECT_FALSE(kernels_in_cubin({}).has_value());
  std::vector<std::byte> header(64, std::byte{0xFF});
  std::memcpy(header.data(),
              "\x7f"
              "ELF\2\1",
              6);
  EXPECT_FALSE(kernels_in_cubin(header).has_value());
}

}  // namespace
}  // namespace cdsl::runtime
