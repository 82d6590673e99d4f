// The executor on a device that only writes down what it is asked to do.
#include <gtest/gtest.h>

#include "runtime_fixture.h"

namespace cdsl::runtime {
namespace {

TEST(Executor, GridIsAThreadAnItemUpToWhatIsResident) {
  for (const auto& [items, blocks] :
       {std::pair<int64_t, int64_t>{1, 1}, {256, 1}, {257, 2}, {100000, 8}}) {
    Fixture f;
    f.plan.general().steps.push_back({launch_over(f.n(), {{plan::BufferRef{0}}, {f.n()}})});
    f.run(items);
    ASSERT_EQ(f.device.notes.size(), 1u);
    EXPECT_EQ(f.device.notes[0],
              "launch 0 x" + std::to_string(blocks) + " x " + std::to_string(items));
  }
}

TEST(Executor, NothingIsLaunchedForNothing) {
  Fixture f;
  f.plan.general().steps.push_back({launch_over(f.n(), {})});
  const Execution execution = f.run(0);
  EXPECT_TRUE(f.device.notes.empty());
  EXPECT_TRUE(execution.outputs.at("y").bytes.empty());
}

TEST(Executor, LoopsGiveTheirIndexInEitherOrder) {
  for (const bool descending : {false, true}) {
    Fixture f;
    plan::Loop loop;
    loop.index = f.index;
    loop.lo = f.plan.arena.integer(1);
    loop.hi = f.n();
    loop.descending = descending;
    loop.steps.push_back(
        {launch_over(f.plan.arena.integer(5), {{f.plan.arena.symbol_ref(f.index)}})});
    f.plan.general().steps.push_back({std::move(loop)});
    f.run(4);
    const std::vector<std::string> up{"launch 0 x1 1", "launch 0 x1 2", "launch 0 x1 3"};
    EXPECT_EQ(f.device.notes, descending ? std::vector<std::string>(up.rbegin(), up.rend()) : up);
  }
}

TEST(Executor, OutputsStartPoisonedAndCopiesArrive) {
  Fixture f;
  const Execution poisoned = f.run(2);
  EXPECT_EQ(poisoned.outputs.at("y").bytes, std::vector<std::byte>(8, std::byte{0xFF}));
  Fixture g;
  g.plan.general().steps.push_back({plan::Fill{{2}, {std::byte{1}, std::byte{2}}}});
  g.plan.general().steps.push_back({plan::Copy{{1}, {2}, g.plan.buffers[2].bytes}});
  EXPECT_EQ(g.run(1).outputs.at("y").bytes,
            (std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{1}, std::byte{2}}));
}

TEST(Executor, LaunchErrorsRunNothingAndMemoryIsReleased) {
  Fixture f;
  f.plan.general().steps.push_back({launch_over(f.n(), {})});
  EXPECT_FALSE(execute(f.function, f.plan, f.sites, {}, f.device).errors.empty());
  EXPECT_TRUE(f.device.notes.empty());
  f.run(3);
  EXPECT_EQ(f.device.live, 0);
}

TEST(Executor, ReportsSpeakOfTheirSite) {
  Fixture f;
  const Execution execution = f.run(1);
  ASSERT_EQ(execution.reports.size(), 1u);
  EXPECT_EQ(execution.reports[0].message, "x[i]: index 7 lies outside, read as 0");
  EXPECT_EQ(execution.reports[0].count, 2u);
}

TEST(Executor, RunsTheFirstVariantWhoseGuardsHold) {
  for (const auto& [count, variant] : {std::pair<int64_t, std::size_t>{4, 0}, {5, 1}}) {
    Fixture f;
    f.add_variant({f.even()});
    EXPECT_EQ(f.run(count).variant, variant) << count;
    EXPECT_EQ(f.device.notes.size(), variant == 0 ? 1u : 0u);
    EXPECT_EQ(f.device.live, 0);
  }
  Fixture passed_over;
  passed_over.add_variant({passed_over.even()});
  EXPECT_EQ(passed_over.run(4, 1).variant, 1u);
}

TEST(Executor, OnlyTheChosenVariantHasWorkspace) {
  Fixture f;
  f.plan.buffers[2].bytes = f.plan.arena.integer(-1);  // allocating it throws
  f.add_variant({f.even()});
  EXPECT_EQ(f.run(3).variant, 1u);
  EXPECT_ANY_THROW(f.run(4));
  EXPECT_EQ(f.device.live, 0);
}

TEST(Executor, GuardsLookAtAddresses) {
  for (const auto& [base, variant] :
       {std::pair<uint64_t, std::size_t>{4096, 0}, {4096 + 8, 1}, {4096 + 16, 0}}) {
    Fixture f;
    f.add_variant({plan::Aligned{{0}, 16}, plan::Aligned{{1}, 16}});
    f.device.base = base;
    EXPECT_EQ(f.run(3).variant, variant) << base;
  }
  // Memory of the device lies 4096 bytes apart.
  for (const auto& [count, variant] :
       {std::pair<int64_t, std::size_t>{0, 0}, {1024, 0}, {1025, 1}}) {
    Fixture f;
    f.add_variant({plan::NoAlias{{{0}, {1}}}});
    EXPECT_EQ(f.run(count).variant, variant) << count;
  }
}

}  // namespace
}  // namespace cdsl::runtime
