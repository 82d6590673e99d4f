// A device that only writes down what it is asked to do, and a function with a plan to be filled in.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "dsl/expr/integer.h"
#include "runtime/executor.h"

namespace cdsl::runtime {

/// Its n-th sample takes n microseconds.
class NotingStopwatch final : public Stopwatch {
 public:
  explicit NotingStopwatch(std::vector<std::string>& notes) : notes_(notes) {}
  void evict() override { notes_.push_back("evict"); }
  void hold(double) override { notes_.push_back("hold"); }
  void start() override { notes_.push_back("start"); }
  void stop() override { notes_.push_back("stop"); }
  double microseconds() override { return ++taken_; }

 private:
  std::vector<std::string>& notes_;
  int taken_ = 0;
};

class NotingDevice final : public Device {
 public:
  std::vector<std::string> notes;
  LaunchShape limits{256, 8};
  int live = 0, allocations = 0;
  uint64_t base = 4096;
  bool has_clock = false;

  std::string name() const override { return "notes"; }
  MemoryHandle allocate(std::string_view name, int64_t bytes) override {
    names_.emplace_back(name);
    memory_.emplace_back(static_cast<std::size_t>(bytes));
    ++live, ++allocations;
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
  std::unique_ptr<Stopwatch> stopwatch() override {
    return has_clock ? std::make_unique<NotingStopwatch>(notes) : nullptr;
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

inline plan::Launch launch_over(ExprId items, std::vector<plan::Argument> arguments) {
  plan::Launch launch;
  launch.grid.items = items;
  launch.arguments = std::move(arguments);
  return launch;
}

}  // namespace cdsl::runtime
