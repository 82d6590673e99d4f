// Programs of one function joined into one with variants.
#include <gtest/gtest.h>

#include "dsl/loop/builder.h"
#include "dsl/loop/variants.h"
#include "dsl/plan/variants.h"

namespace cdsl::loop {
namespace {

constexpr ScalarType F32 = ScalarType::F32;

// `y[i] = factor` over n elements, reported at a site of its own, through workspace `w`; a second
// kernel clears y.
Program setting(float factor, int64_t workspace) {
  ExprArena base;
  for (int k = 0; k < static_cast<int>(factor); ++k)
    base.integer(100 + k);  // other ids in each program
  const SymbolId n = base.add_symbol("n", SymbolKind::Size);
  Program program = Program::over(base, "f");
  program.sites.push_back({ReportSite::Kind::ReadOutside, "x[i]", "f_y", {}});
  for (const auto& [name, value] : {std::pair{"f_y", factor}, std::pair{"f_clear", 0.0F}}) {
    Builder b(program, name);
    const BufferId y = b.global("y", scalar_record(F32));
    const ExprId count = b.parameter(n);
    b.grid_stride("i", count, [&](ExprId i) {
      b.store(y, i, b.arena().real(static_cast<double>(value), F32));
      if (value > 0) b.report(0, i);
    });
    plan::Launch launch;
    launch.kernel = b.finish();
    launch.grid.items = count;
    launch.arguments = {{plan::BufferRef{value > 0 ? 0U : 1U}}, {count}};
    program.plan.general().steps.push_back({launch});
  }
  const ExprId bytes =
      program.arena.apply(Op::Mul, {program.arena.symbol_ref(n), program.arena.integer(4)});
  program.plan.buffers = {
      {"y", plan::Buffer::Kind::Parameter, TensorId(std::size_t{0}), 0, bytes, {}},
      {"w", plan::Buffer::Kind::Workspace, {}, 0, program.arena.integer(workspace), {}}};
  program.plan.arena = program.arena;
  return program;
}

TEST(JoinVariants, SharesWhatIsEqual) {
  std::vector<Program> programs;
  programs.push_back(setting(2, 64));
  programs.push_back(setting(3, 64));
  plan::Variant& fast = programs[0].plan.general();
  fast.name = "fast";
  fast.guards = {plan::no_larger_than(programs[0].arena, programs[0].plan.buffers, 1000),
                 plan::all_aligned(programs[0].plan.buffers, 16)[0]};
  programs[0].plan.arena = programs[0].arena;
  const Program joined = join_variants(std::move(programs));
  EXPECT_EQ(verify(joined), std::vector<std::string>{});
  const std::string text = to_string(joined);
  EXPECT_EQ(text.substr(text.find("plan {")), R"(plan {
  parameter y: tensor 0 part 0 bytes n * 4;
  workspace w: bytes 64;
  variant fast when n * 4 <= 1000, aligned(y, 16) {
    launch f_y items(n) (buffer y, n);
    launch f_clear items(n) (buffer w, n);
  }
  variant general {
    launch f_y_general items(n) (buffer y, n);
    launch f_clear items(n) (buffer w, n);
  }
}
)");
  ASSERT_EQ(joined.kernels.size(), 3U);
  ASSERT_EQ(joined.sites.size(), 2U);
  EXPECT_EQ(joined.sites[1].kernel, "f_y_general");
  EXPECT_NE(text.find("y[i] = 3.0;\n    report 1, i;"), std::string::npos) << text;
}

TEST(JoinVariants, DropsAVariantThatDoesWhatTheNextOneDoes) {
  std::vector<Program> programs;
  for (int k = 0; k < 2; ++k) programs.push_back(setting(2, 64));
  programs[0].plan.general().name = "same";
  const Program joined = join_variants(std::move(programs));
  EXPECT_EQ(joined.plan.variants.size(), 1U);
  EXPECT_EQ(joined.kernels.size(), 2U);
}

TEST(JoinVariants, KeepsDifferentWorkspaceApart) {
  std::vector<Program> programs;
  programs.push_back(setting(2, 64));
  programs.push_back(setting(3, 32));
  programs[0].plan.general().name = "wide";
  const Program joined = join_variants(std::move(programs));
  EXPECT_EQ(verify(joined), std::vector<std::string>{});
  ASSERT_EQ(joined.plan.buffers.size(), 3U);
  EXPECT_EQ(joined.plan.buffers[2].name, "w_2");
  EXPECT_FALSE(plan::share_workspace(joined.plan));
}

TEST(JoinVariants, AKernelIsCalledAfterTheMostGeneralOfItsVariants) {
  std::vector<Program> joined;
  for (const float factor : {2.0F, 3.0F}) joined.push_back(setting(factor, 64));
  joined[0].plan.general().name = "facts";
  std::vector<Program> programs;
  programs.push_back(setting(4, 64));
  programs[0].plan.general().name = "tiled";
  programs[0].kernels[1].block[0] = 128;
  programs.push_back(join_variants(std::move(joined)));
  const Program all = join_variants(std::move(programs));
  EXPECT_EQ(verify(all), std::vector<std::string>{});
  std::vector<std::string> names;
  for (const Kernel& kernel : all.kernels) names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"f_y", "f_clear", "f_y_facts", "f_clear_general",
                                             "f_y_general"}));
}

}  // namespace
}  // namespace cdsl::loop
