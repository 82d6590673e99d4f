// One variant of the plan as host code: workspace, constants, launches, fills, copies and loops.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "codegen/launcher_context.h"
#include "codegen/literal.h"
#include "codegen/types.h"
#include "dsl/plan/variants.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::cuda {
namespace {

void print_guarded(const std::string& call, Writer& out) {
  out.guarded("cudaError_t error = " + call, "return error;");
}

// One element of a constant buffer as an initializer, which may not call a helper.
std::string constant_literal(LauncherContext& c, const std::byte* at, ScalarType type) {
  const Value value = load_element(at, type);
  const bool real = type == ScalarType::F32 || type == ScalarType::F64;
  if (real && std::isnan(value.re)) return "NAN";
  if (real && std::isinf(value.re))
    return std::string(value.re < 0 ? "-" : "") +
           (type == ScalarType::F32 ? "HUGE_VALF" : "HUGE_VAL");
  return literal(value, type, false, c.module.prelude, true);
}

class StepPrinter {
 public:
  StepPrinter(LauncherContext& context, Writer& out) : c_(context), out_(out) {}

  void run(const std::vector<plan::Step>& steps) {
    find_fills(steps);
    for (const auto& [kernel, name] : fill_names_) {
      c_.module.support.need(Support::Resident);
      const std::string& spelled = c_.module.kernels[kernel];
      out_.line(fmt::format("const long long {} = resident_blocks({},{}{});", name, spelled, kBreak,
                            threads_of(c_.module.program.kernels[kernel])));
    }
    print(steps);
  }

 private:
  void find_fills(const std::vector<plan::Step>& steps) {
    plan::for_each_launch(steps, [this](const plan::Launch& launch) {
      if (!launch.grid.items.valid() || fill_names_.contains(launch.kernel)) return;
      fill_names_[launch.kernel] = c_.names.declare("most_" + c_.module.kernels[launch.kernel]);
    });
  }

  void print_guarded(const std::string& call) { cuda::print_guarded(call, out_); }

  void print(const std::vector<plan::Step>& steps) {
    for (const plan::Step& step : steps) {
      std::visit([&](const auto& node) { print(node); }, step.what);
    }
  }

  std::string arguments(const plan::Launch& launch) {
    std::string list;
    for (const plan::Argument& argument : launch.arguments) {
      const auto* ref = std::get_if<plan::BufferRef>(&argument.value);
      const std::string text = ref != nullptr ? c_.buffers[ref->buffer]
                                              : c_.expression(std::get<ExprId>(argument.value));
      list += (list.empty() ? "" : std::string(",") + kBreak) + text;
    }
    if (takes_reports(c_.module.program.kernels[launch.kernel])) {
      list += (list.empty() ? "" : std::string(",") + kBreak) + "args.reports";
    }
    return list;
  }

  void print(const plan::Launch& launch) {
    const loop::Kernel& kernel = c_.module.program.kernels[launch.kernel];
    std::string blocks;
    if (launch.grid.items.valid()) {
      c_.module.support.need(Support::Grid);
      blocks = fmt::format("grid_for({},{}{},{}{})", c_.expression(launch.grid.items), kBreak,
                           threads_of(kernel), kBreak, fill_names_.at(launch.kernel));
    } else {
      blocks = "(unsigned int)" + c_.expression(launch.grid.blocks, {kUnary});
      const Value* fixed = c_.plan.arena.constant_value(launch.grid.blocks);
      if (fixed != nullptr) return print_launch(launch, kernel, std::to_string(fixed->i));
    }
    out_.open(fmt::format("if (const unsigned int blocks = {})", blocks));
    print_launch(launch, kernel, "blocks");
    out_.close();
  }

  void print_launch(const plan::Launch& launch, const loop::Kernel& kernel,
                    const std::string& blocks) {
    out_.line(fmt::format("{}<<<{}, {}, 0, stream>>>({});", c_.module.kernels[launch.kernel],
                          blocks, block_shape(kernel), arguments(launch)));
    print_guarded("cudaGetLastError()");
  }

  void print(const plan::Fill& fill) {
    const plan::Buffer& buffer = c_.plan.buffers[fill.buffer.buffer];
    const std::string& name = c_.buffers[fill.buffer.buffer];
    const auto& pattern = fill.pattern;
    if (std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern[0]; })) {
      return print_guarded(fmt::format("cudaMemsetAsync({},{}{},{}{},{}stream)", name, kBreak,
                                       static_cast<int>(pattern[0]), kBreak, c_.bytes(buffer),
                                       kBreak));
    }
    c_.module.support.need(Support::FillWords);
    c_.module.support.need(Support::Grid);
    const auto [word, one] = fill_value(fill);
    const std::string count =
        fmt::format("{} / {}", c_.expression(buffer.bytes, {kProduct}), pattern.size());
    out_.open(fmt::format("if (const unsigned int blocks = grid_for({}, 256, 1 << 16))", count));
    out_.line(fmt::format("fill_words<{}><<<blocks, 256, 0, stream>>>({},{}{},{}{});", word, name,
                          kBreak, one, kBreak, count));
    print_guarded("cudaGetLastError()");
    out_.close();
  }

  // Type and value of one element: a number of the buffer's type, or bytes.
  std::pair<std::string, std::string> fill_value(const plan::Fill& fill) {
    const std::size_t b = fill.buffer.buffer;
    const ScalarType type = c_.scalar_types[b];
    if (!c_.pointer_types[b].empty() && cuda_type(type) == c_.pointer_types[b] &&
        static_cast<std::size_t>(size_of(type)) == fill.pattern.size()) {
      return {c_.pointer_types[b], constant_literal(c_, fill.pattern.data(), type)};
    }
    c_.module.support.need(Support::FillWord);
    std::string bytes;
    for (const std::byte byte : fill.pattern)
      bytes += fmt::format("{}0x{:02x}", bytes.empty() ? "" : ", ", static_cast<int>(byte));
    const std::string word = fmt::format("fill_word<{}>", fill.pattern.size());
    return {word, fmt::format("{}{{{{{}}}}}", word, bytes)};
  }

  void print(const plan::Copy& copy) {
    print_guarded(fmt::format("cudaMemcpyAsync({},{}{},{}{},{}cudaMemcpyDeviceToDevice,{}stream)",
                              c_.buffers[copy.to.buffer], kBreak, c_.buffers[copy.from.buffer],
                              kBreak, c_.expression(copy.bytes), kBreak, kBreak));
  }

  void print(const plan::Loop& loop) {
    c_.names.push();
    const std::string lo = c_.expression(loop.lo, {kShift}), hi = c_.expression(loop.hi, {kShift});
    const std::string index = c_.names.declare(c_.plan.arena.symbol(loop.index).name);
    c_.spellings.symbols[loop.index.index()] = index;
    out_.open(loop.descending
                  ? fmt::format("for (long long {0} = {2} - 1; {0} >= {1}; --{0})", index, lo, hi)
                  : fmt::format("for (long long {0} = {1}; {0} < {2}; ++{0})", index, lo, hi));
    print(loop.steps);
    out_.close();
    c_.names.pop();
  }

  LauncherContext& c_;
  Writer& out_;
  std::map<uint32_t, std::string>
      fill_names_;  // by kernel: the variable that holds how many blocks fill the device
};

std::string constant_name(const LauncherContext& c, std::size_t b) {
  return c.function_name + "_" + c.buffers[b];
}

void print_memory(LauncherContext& c, const std::vector<bool>& used, Writer& out) {
  bool first = true;
  for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
    const plan::Buffer& buffer = c.plan.buffers[b];
    if (!used[b]) continue;
    if (buffer.kind == plan::Buffer::Kind::Constant) {
      out.line(fmt::format("const {}* {} = nullptr;", c.pointer_types[b], c.buffers[b]));
      if (buffer.contents.empty()) continue;
      print_guarded(
          fmt::format("cudaGetSymbolAddress((void**)&{}, {})", c.buffers[b], constant_name(c, b)),
          out);
    }
    if (buffer.kind != plan::Buffer::Kind::Workspace) continue;
    if (first) out.line("char* unused = static_cast<char*>(workspace);");
    first = false;
    out.line(fmt::format("auto* const {} = reinterpret_cast<{}*>(unused);", c.buffers[b],
                         c.pointer_types[b]));
    out.line(fmt::format("unused += aligned_256({});", c.bytes(buffer)));
  }
}

}  // namespace

void print_constants(LauncherContext& c, Writer& out) {
  for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
    const plan::Buffer& buffer = c.plan.buffers[b];
    if (buffer.kind != plan::Buffer::Kind::Constant || buffer.contents.empty()) continue;
    const ScalarType type = c.scalar_types[b];
    const auto size = static_cast<std::size_t>(size_of(type));
    std::string values;
    for (std::size_t at = 0; at < buffer.contents.size(); at += size) {
      values += (at == 0 ? "" : std::string(",") + kBreak) +
                constant_literal(c, &buffer.contents[at], type);
    }
    out.line(fmt::format("__device__ const {} {}[{}] = {{{}}};", c.pointer_types[b],
                         constant_name(c, b), buffer.contents.size() / size, values));
    out.blank();
  }
}

void print_variant(LauncherContext& c, const plan::Variant& variant, Writer& out) {
  print_memory(c, plan::used_buffers(c.plan, variant), out);
  StepPrinter(c, out).run(variant.steps);
}

}  // namespace cdsl::cuda
