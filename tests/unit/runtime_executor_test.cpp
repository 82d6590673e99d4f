// The executor on a device that only writes down what it is asked to do.
#include <gtest/gtest.h>

#include <map>

#include "dsl/expr/integer.h"
#include "runtime/executor.h"

namespace cdsl::runtime {
namespace {

class NotingDevice final : public Device {
 public:
  std::vector<std::string> notes;
  LaunchShape limits{256, 8};
  int live = 0;
  uint64_t base = 4096;

  std::string name() const override { return "notes"; }
  MemoryHandle allocate(std::string_view name, int64_t bytes) override {
    names_.emplace_back(name);
    memory_.emplace_back(static_cast<std::size_t>(bytes));
    ++live;
    return {static_cast<uint32_t>(memory_.size() - 1)};
  }
  void release(MemoryHandle) override { --live; }
  uint64_t address(MemoryHandle memory) const override { return base + 4096 * memory.value; }
  void poison(MemoryHandle memory, std::byte value) override {
    std::fill(at(memory).begin(), at(memory).end(), value);
  }
  void upload(MemoryHandle to, std::span<const std::byte> bytes) override {
    std::copy(bytes.begin(), bytes.end(), at(to).begin());
  }
  void download(MemoryHandle from, std::span<std::byte> bytes) override {
    std::copy_n(at(from).begin(), bytes.size(), bytes.begin());
  }
  void fill(MemoryHandle memory, std::span<const std::byte> pattern) override {
    notes.push_back("fill " + names_[memory.value]);
    for (std::size_t k = 0; k < at(memory).size(); ++k) at(memory)[k] = pattern[k % pattern.size()];
  }
  void copy(MemoryHandle to, MemoryHandle from, int64_t bytes) override {
    notes.push_back("copy " + names_[to.value] + " " + std::to_string(bytes));
    std::copy_n(at(from).begin(), bytes, at(to).begin());
  }
  LaunchShape shape(uint32_t) override { return limits; }
  void launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) override {
    std::string note = "launch " + std::to_string(kernel) + " x" + std::to_string(blocks);
    for (const KernelArgument& argument : arguments) {
      note += " " + (argument.is_memory ? names_[argument.memory.value]
                                        : std::to_string(argument.value.i));
    }
    notes.push_back(note);
  }
  std::vector<SiteReport> take_reports() override { return {{0, 7, 2}}; }
  std::vector<Fault> take_faults() override { return {}; }

 private:
  std::vector<std::byte>& at(MemoryHandle memory) { return memory_[memory.value]; }
  std::vector<std::string> names_;
  std::vector<std::vector<std::byte>> memory_;
};

/// fn f(x: f32[N]) -> (y: f32[N]), and a plan to be filled in.
struct Fixture {
  tir::Function function;
  plan::Plan plan;
  SymbolId size, index;
  std::vector<loop::ReportSite> sites{{loop::ReportSite::Kind::ReadOutside, "x[i]", "k", {}}};
  NotingDevice device;

  Fixture() {
    function.name = "f";
    function.records.push_back(scalar_record(ScalarType::F32));
    size = function.arena.add_symbol("N", SymbolKind::Size);
    const ExprId n = function.arena.symbol_ref(size);
    for (const auto& [name, role] :
         {std::pair{"x", tir::Role::Input}, std::pair{"y", tir::Role::Output}}) {
      tir::Tensor tensor;
      tensor.name = name;
      tensor.element = RecordId(0);
      tensor.shape = {n};
      tensor.role = role;
      function.parameters.push_back({TensorId(function.tensors.size())});
      function.tensors.push_back(tensor);
    }
    function.sizes.push_back({size, false, TensorId(0), 0, 1, 0, {}});
    plan.arena = function.arena;
    index = plan.arena.add_symbol("t", SymbolKind::Index);
    const ExprId bytes = index_mul(plan.arena, n, plan.arena.integer(4));
    plan.buffers.push_back({"x", plan::Buffer::Kind::Parameter, TensorId(0), 0, bytes, {}});
    plan.buffers.push_back({"y", plan::Buffer::Kind::Parameter, TensorId(1), 0, bytes, {}});
    plan.buffers.push_back({"w", plan::Buffer::Kind::Workspace, {}, 0, bytes, {}});
  }

  ExprId n() { return plan.arena.symbol_ref(size); }

  Execution run(int64_t count, std::size_t first_variant = 0) {
    Arguments arguments;
    arguments.arrays["x"] = Array::zeros(scalar_record(ScalarType::F32), {count});
    ExecuteOptions options;
    options.first_variant = first_variant;
    return execute(function, plan, sites, arguments, device, options);
  }

  /// A variant before the others, which fills the workspace.
  void add_variant(std::vector<plan::Guard> guards) {
    plan::Variant variant;
    variant.name = "guarded";
    variant.guards = std::move(guards);
    variant.steps.push_back({plan::Fill{{2}, {std::byte{1}}}});
    plan.variants.insert(plan.variants.begin(), std::move(variant));
  }

  plan::Guard even() {
    const ExprId rest = plan.arena.apply(Op::FloorMod, {n(), plan.arena.integer(2)});
    return plan::Holds{plan.arena.apply(Op::Eq, {rest, plan.arena.integer(0)})};
  }
};

plan::Launch launch_over(ExprId items, std::vector<plan::Argument> arguments) {
  plan::Launch launch;
  launch.grid.items = items;
  launch.arguments = std::move(arguments);
  return launch;
}

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
