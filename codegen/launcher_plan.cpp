// One variant of the plan as host code: workspace, constants, launches, fills, copies and loops.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "codegen/launcher_context.h"
#include "codegen/literal.h"
#include "codegen/types.h"
#include "dsl/loop/shared_layout.h"
#include "dsl/plan/tensor_map_abi.h"
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
    for (const uint32_t kernel : limits_) print_limits(kernel);
    for (const auto& [kernel, name] : fill_names_) {
      c_.module.support.need(Support::Resident);
      const std::string& spelled = c_.module.kernels[kernel];
      const LaunchNeeds needs = needs_of(kernel);
      std::string more;
      if (!needs.is_plain()) {
        c_.module.support.need(Support::ResidentOf);
        more = fmt::format(",{}{},{}{}", kBreak, needs.shared_bytes, kBreak, needs.cluster);
      }
      out_.line(fmt::format("const long long {} = resident_blocks({},{}{}{});", name, spelled, kBreak,
                            threads_of(c_.module.program.kernels[kernel]), more));
    }
    print(steps);
  }

 private:
  /// What a launch of a kernel asks for besides threads.
  struct LaunchNeeds {
    int64_t shared_bytes = 0, cluster = 1;
    bool is_plain() const { return shared_bytes == 0 && cluster == 1; }
  };

  LaunchNeeds needs_of(uint32_t index) const {
    const loop::Kernel& kernel = c_.module.program.kernels[index];
    return {loop::shared_layout(c_.module.program, kernel).dynamic_bytes(),
            int64_t{kernel.cluster[0]} * kernel.cluster[1] * kernel.cluster[2]};
  }

  void find_fills(const std::vector<plan::Step>& steps) {
    plan::for_each_launch(steps, [this](const plan::Launch& launch) {
      if (!needs_of(launch.kernel).is_plain()) limits_.insert(launch.kernel);
      const bool fills = !launch.grid.blocks.valid() || launch.grid.resident;
      if (!fills || fill_names_.contains(launch.kernel)) return;
      fill_names_[launch.kernel] = c_.names.declare("most_" + c_.module.kernels[launch.kernel]);
    });
  }

  /// More than every launch may have is asked for first.
  void print_limits(uint32_t index) {
    const LaunchNeeds needs = needs_of(index);
    const auto allow = [&](const char* what, int64_t value) {
      print_guarded(fmt::format("cudaFuncSetAttribute({},{}{},{}{})", c_.module.kernels[index], kBreak, what, kBreak, value));
    };
    if (needs.shared_bytes > 0) allow("cudaFuncAttributeMaxDynamicSharedMemorySize", needs.shared_bytes);
    constexpr int64_t kPortableCluster = 8;
    if (needs.cluster > kPortableCluster) allow("cudaFuncAttributeNonPortableClusterSizeAllowed", 1);
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
    for (const std::string& map : maps_) list += (list.empty() ? "" : std::string(",") + kBreak) + map;
    if (takes_reports(c_.module.program.kernels[launch.kernel])) {
      list += (list.empty() ? "" : std::string(",") + kBreak) + "args.reports";
    }
    return list;
  }

  /// How many blocks, as an expression.
  std::string blocks_of(const plan::Launch& launch) {
    const loop::Kernel& kernel = c_.module.program.kernels[launch.kernel];
    const int64_t cluster = needs_of(launch.kernel).cluster;
    if (launch.grid.blocks.valid()) return "(unsigned int)" + c_.expression(launch.grid.blocks, {kUnary});
    const std::string& most = fill_names_.at(launch.kernel);
    std::string wanted;
    if (launch.grid.items.valid()) {
      c_.module.support.need(Support::Grid);
      wanted = fmt::format("grid_for({},{}{},{}{})", c_.expression(launch.grid.items), kBreak,
                           threads_of(kernel), kBreak, most);
      if (cluster == 1) return wanted;
    } else {
      wanted = c_.expression(launch.grid.tiles);
    }
    c_.module.support.need(Support::Tiles);
    return fmt::format("blocks_for({},{}{},{}{})", wanted, kBreak, cluster, kBreak, most);
  }

  void print(const plan::Launch& launch) {
    const loop::Kernel& kernel = c_.module.program.kernels[launch.kernel];
    const Value* fixed = launch.grid.blocks.valid() ? c_.plan.arena.constant_value(launch.grid.blocks) : nullptr;
    if (fixed != nullptr) return print_launch(launch, kernel, std::to_string(fixed->i));
    out_.open(fmt::format("if (const unsigned int blocks = {})", blocks_of(launch)));
    print_launch(launch, kernel, "blocks");
    out_.close();
  }

  void print_launch(const plan::Launch& launch, const loop::Kernel& kernel,
                    const std::string& blocks) {
    maps_.clear();
    for (const uint32_t map : kernel.maps) print_map(c_.module.program.maps[map]);
    const std::string& name = c_.module.kernels[launch.kernel];
    const int64_t shared = needs_of(launch.kernel).shared_bytes;
    if (launch.grid.resident) {
      c_.module.support.need(Support::Refuse);
      c_.module.support.need(Support::LaunchResident);
      out_.guarded(fmt::format("{} > {}", blocks, fill_names_.at(launch.kernel)),
                   fmt::format("return refuse(why, {});", string_literal("not all blocks of " + name + " can run at once")));
      const std::string list = arguments(launch);
      return print_guarded(fmt::format("launch_resident({},{}{},{}dim3({}),{}{},{}stream{}{})", name, kBreak, blocks, kBreak,
                                       block_shape(kernel), kBreak, shared, kBreak, list.empty() ? "" : std::string(",") + kBreak, list));
    }
    if (c_.module.options.library) {
      const std::string list = arguments(launch);
      return print_guarded(fmt::format("cdsl_launch({},{}{},{}{},{}{},{}stream{}{})", name, kBreak, blocks, kBreak, block_shape(kernel),
                                       kBreak, shared, kBreak, list.empty() ? "" : std::string(",") + kBreak, list));
    }
    out_.line(fmt::format("{}<<<{}, {}, {}, stream>>>({});", name, blocks, block_shape(kernel), shared, arguments(launch)));
    print_guarded("cudaGetLastError()");
  }

  /// A variable that holds the encoded map.
  void print_map(const loop::TensorMap& map) {
    c_.module.support.need(Support::EncodeMap);
    const std::string name = c_.names.declare(map.name);
    maps_.push_back(name);
    const auto list = [&](const auto& items, auto&& spelled) {
      std::string out;
      for (const auto& item : items) out += (out.empty() ? "" : ", ") + spelled(item);
      return out;
    };
    const auto value = [&](ExprId id) { return "(unsigned long long)" + c_.expression(id, {kUnary}); };
    const std::string outer = list(map.strides, value);
    const std::string strides = std::to_string(size_of(map.type)) + (outer.empty() ? "" : ", " + outer);
    const std::string box = list(map.box, [](int extent) { return std::to_string(extent); });
    out_.line(fmt::format("TensorMap {};", name));
    print_guarded(fmt::format("encode_map(&{},{}{},{}{},{}{{{}}},{}{{{}}},{}{{{}}},{}{})", name, kBreak, plan::tensor_map_type(map.type), kBreak,
                              c_.buffers[map.buffer], kBreak, list(map.extents, value), kBreak, strides, kBreak, box, kBreak,
                              plan::tensor_map_swizzle(map.swizzle)));
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
    const auto [word, one] = fill_value(fill);
    const std::string count =
        fmt::format("{} / {}", c_.expression(buffer.bytes, {kProduct}), pattern.size());
    if (c_.module.options.library)
      return print_guarded(fmt::format("cdsl_fill<{}>({},{}{},{}{},{}stream)", word, name, kBreak, one, kBreak, count, kBreak));
    c_.module.support.need(Support::FillWords);
    c_.module.support.need(Support::Grid);
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
  std::set<uint32_t> limits_;      // kernels whose launches ask for more than every launch may have
  std::vector<std::string> maps_;  // of the launch at hand, as variables
};

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

std::string constant_name(const LauncherContext& c, std::size_t b) {
  return c.function_name + "_" + c.buffers[b];
}

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
