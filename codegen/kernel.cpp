#include "codegen/kernel.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "codegen/statement.h"
#include "codegen/types.h"
#include "dsl/loop/features.h"
#include "dsl/loop/shared_layout.h"
#include "dsl/loop/walk.h"
#include "dsl/plan/variants.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {
namespace {

std::string special_name(loop::Special special, const loop::Kernel& kernel) {
  static constexpr const char* kPlain[] = {
      "threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z",
      "blockDim.x",  "blockDim.y",  "blockDim.z",  "gridDim.x",  "gridDim.y",  "gridDim.z"};
  const auto index = static_cast<std::size_t>(special);
  if (index < std::size(kPlain)) return kPlain[index];
  if (special == loop::Special::Rank) return "cluster_rank()";
  const bool flat = kernel.block[1] == 1 && kernel.block[2] == 1;
  const std::string thread =
      flat ? "threadIdx.x"
           : fmt::format("((threadIdx.z * {} + threadIdx.y) * {} + threadIdx.x)", kernel.block[1],
                         kernel.block[0]);
  return fmt::format("({} {})", thread, special == loop::Special::Lane ? "& 31" : "/ 32");
}

// By parameter: does some launch pass the same memory under another parameter too?
std::vector<bool> shared_parameters(const std::vector<const plan::Launch*>& launches,
                                    std::size_t count) {
  std::vector<bool> shared(count);
  for (const plan::Launch* launch : launches) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        const auto* one = std::get_if<plan::BufferRef>(&launch->arguments[a].value);
        const auto* two = std::get_if<plan::BufferRef>(&launch->arguments[b].value);
        if (a != b && one != nullptr && two != nullptr && one->buffer == two->buffer)
          shared[a] = true;
      }
    }
  }
  return shared;
}

/// Bytes of the scalars of an element.
std::set<int> scalar_sizes(const loop::Buffer& buffer) {
  std::set<int> sizes;
  for (const Leaf& leaf : buffer.element.leaves) sizes.insert(size_of(leaf.type));
  return sizes;
}

/// Sizes of scalars that the kernel reads from memory that it also writes. NVRTC 13.0 joins two loads of one size from different
/// pointers (`c ? x[i] : y[i]`, and what it makes into one) and reads the joint address past the coherent caches as soon as one of
/// the two is `const __restrict__`: what the kernel wrote before may then be missed.
std::set<int> sizes_read_back(const loop::Program& program, const loop::Kernel& kernel, const KernelUses& uses) {
  std::set<int> sizes;
  for (const BufferId id : kernel.buffers) {
    const loop::Buffer& buffer = program.buffer(id);
    if (buffer.space == loop::Space::Global && !buffer.read_only && uses.loaded[id.index()]) sizes.merge(scalar_sizes(buffer));
  }
  return sizes;
}

// `const` where the kernel only reads; `__restrict__` where no other parameter shows the same
// memory and, for what is written, no other thread's writes must become visible meanwhile.
std::string pointer(Module& module, const loop::Buffer& buffer, const std::string& name,
                    bool shared, bool synchronizes) {
  if (buffer.element.is_scalar()) module.prelude.use_type(buffer.element.leaves[0].type);
  for (const Leaf& leaf : buffer.element.leaves) module.prelude.use_type(leaf.type);
  const bool restricted = !shared && (buffer.read_only || !synchronizes);
  return fmt::format("{}{}* {}{}", buffer.read_only ? "const " : "",
                     module.records.spelled(buffer.element), restricted ? "__restrict__ " : "",
                     name);
}

std::vector<std::string> parameters(Module& module, std::size_t index, const KernelUses& uses,
                                    KernelContext& context) {
  const loop::Program& program = module.program;
  const loop::Kernel& kernel = program.kernels[index];
  std::vector<std::string> list;
  const auto is_global = [&](BufferId id) {
    return program.buffer(id).space == loop::Space::Global;
  };
  const auto count = static_cast<std::size_t>(
      std::count_if(kernel.buffers.begin(), kernel.buffers.end(), is_global));
  const std::vector<bool> shared = shared_parameters(module.launches[index], count);
  const std::set<int> read_back = sizes_read_back(program, kernel, uses);
  for (const BufferId id : kernel.buffers) {
    if (!is_global(id)) continue;
    const std::string name = context.spellings.buffers[id.index()] =
        context.names.declare(program.buffer(id).name);
    const loop::Buffer& buffer = program.buffer(id);
    // What is loaded past the coherent caches nobody may write meanwhile.
    if (std::ranges::find(kernel.streamed, id) != kernel.streamed.end() && !shared[list.size()]) context.streamed.insert(id.value);
    const bool joined = buffer.read_only && std::ranges::any_of(scalar_sizes(buffer), [&](int size) { return read_back.contains(size); });
    list.push_back(pointer(module, buffer, name, shared[list.size()] || joined, uses.synchronizes));
  }
  for (const SymbolId symbol : kernel.scalars) {
    const SymbolInfo& info = program.arena.symbol(symbol);
    module.prelude.use_type(info.type);
    context.spellings.symbols[symbol.index()] = context.names.declare(info.name);
    list.push_back(
        fmt::format("{} {}", cuda_type(info.type), context.spellings.symbols[symbol.index()]));
  }
  for (const uint32_t map : kernel.maps) {
    module.prelude.use("TensorMap", ScalarType::Bool);
    context.maps[map] = context.names.declare(program.maps[map].name);
    list.push_back("const __grid_constant__ TensorMap " + context.maps[map]);
  }
  if (uses.reports) {
    context.reports = context.names.declare("reports");
    list.push_back("cdsl_report* " + context.reports);
  }
  return list;
}

/// Shared memory is laid out in steps of 16 bytes; what only plain loads and stores reach needs no word about it.
constexpr int64_t kPlainAlignment = 16;

/// Buffers that instructions of up to 16 bytes reach: vectors, copies, matrix tiles.
std::set<uint32_t> reached_by_wide_accesses(const loop::Kernel& kernel) {
  std::set<uint32_t> reached;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    const auto& node = statement.node;
    const auto* load = std::get_if<loop::VectorLoad>(&node);
    const bool wide = (load != nullptr && load->locals.size() > 1) || std::holds_alternative<loop::VectorStore>(node) ||
                      std::holds_alternative<loop::VectorMove>(node) ||
                      std::holds_alternative<loop::CopyAsync>(node) || std::holds_alternative<loop::CopyBulk>(node) ||
                      std::holds_alternative<loop::MatrixLoad>(node) || std::holds_alternative<loop::MatrixStore>(node);
    if (!wide) return;
    loop::for_each_access(statement, [&](const loop::Access& access) { reached.insert(access.buffer.value); });
  });
  return reached;
}

loop::SharedBuffer place_of(const loop::SharedLayout& layout, BufferId id) {
  const auto found = std::find_if(layout.buffers.begin(), layout.buffers.end(),
                                  [&](const loop::SharedBuffer& b) { return b.buffer == id; });
  return *found;
}

void print_local_buffers(Module& module, const loop::Kernel& kernel, KernelContext& context,
                         Writer& out) {
  const loop::SharedLayout layout = loop::shared_layout(module.program, kernel);
  const std::set<uint32_t> wide_accesses = reached_by_wide_accesses(kernel);
  std::set<uint32_t> fragments;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    loop::for_each_fragment(statement, [&](const loop::Fragment& f) { fragments.insert(f.buffer.value); });
  });
  std::string memory;
  if (layout.is_dynamic()) {
    memory = context.names.declare("shared_memory");
    out.line(fmt::format("extern __shared__ __align__(1024) unsigned char {}[];  // {} bytes",
                         memory, layout.bytes));
  }
  for (const BufferId id : kernel.buffers) {
    const loop::Buffer& buffer = module.program.buffer(id);
    if (buffer.space == loop::Space::Global) continue;
    for (const Leaf& leaf : buffer.element.leaves) module.prelude.use_type(leaf.type);
    const std::string name = context.spellings.buffers[id.index()] =
        context.names.declare(buffer.name);
    const std::string element = module.records.spelled(buffer.element);
    if (buffer.space == loop::Space::Register) {
      // Elements of less than a word may be taken together by matrix instructions.
      const char* whole_words = buffer.element.size < 4 && fragments.contains(id.value) ? "alignas(4) " : "";
      out.line(fmt::format("{}{} {}[{}];", whole_words, element, name, buffer.count));
      continue;
    }
    const loop::SharedBuffer place = place_of(layout, id);
    if (layout.is_dynamic()) {
      out.line(fmt::format("{0}* const {1} = ({0}*)({2} + {3});  // {4}", element, name, memory,
                           place.offset, buffer.count));
    } else {
      const bool wide = place.alignment > kPlainAlignment || wide_accesses.contains(id.value);
      out.line(fmt::format("__shared__ {}{} {}[{}];",
                           wide ? fmt::format("alignas({}) ", place.alignment) : "", element, name,
                           buffer.count));
    }
  }
}

std::string join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items)
    out += (out.empty() ? "" : std::string(",") + kBreak) + item;
  return out;
}

}  // namespace

Module::Module(File& file, const CudaUnit& unit)
    : function(unit.function),
      program(unit.program),
      remarks(unit.remarks),
      options(file.options),
      names(file.names),
      records(file.records),
      prelude(file.prelude),
      support(file.support) {
  if (unit.locate) options.locate = unit.locate;
  for (const loop::Kernel& kernel : program.kernels) kernels.push_back(names.declare(kernel.name));
  launches.resize(kernels.size());
  for (const plan::Variant& variant : program.plan.variants) {
    plan::for_each_launch(variant.steps, [this](const plan::Launch& launch) {
      launches[launch.kernel].push_back(&launch);
    });
  }
  // Types before parameters: a parameter must not take the name of the type of the next one.
  for (const loop::Buffer& buffer : program.buffers) records.spelled(buffer.element);
}

int threads_of(const loop::Kernel& kernel) {
  return kernel.block[0] * kernel.block[1] * kernel.block[2];
}

std::string block_shape(const loop::Kernel& kernel) {
  if (kernel.block[1] == 1 && kernel.block[2] == 1) return std::to_string(kernel.block[0]);
  return fmt::format("dim3({}, {}, {})", kernel.block[0], kernel.block[1], kernel.block[2]);
}

void print_kernel(Module& module, std::size_t index, Writer& out) {
  const loop::Program& program = module.program;
  const loop::Kernel& kernel = program.kernels[index];
  const std::string missing = loop::missing_feature(program, kernel, module.options.architecture);
  CDSL_CHECK(missing.empty(), "kernel " + kernel.name + ": " + missing);
  const KernelUses uses = uses_of(program, kernel);
  IndexFacts facts(program.arena);
  Spellings spellings;
  for (int s = 0; s < loop::kSpecialCount; ++s) {
    const auto special = static_cast<loop::Special>(s);
    spellings.symbols[program.special(special).index()] = special_name(special, kernel);
  }
  if (uses.read[program.special(loop::Special::Rank).index()])
    module.prelude.use("cluster_rank", ScalarType::Bool);
  Scopes names(&module.names);
  KernelContext context{program,        kernel, uses,      module.options, module.records,
                        module.prelude, names,  spellings, facts,          {}};

  const std::string list = join(parameters(module, index, uses, context));
  if (!kernel.note.empty()) out.comment(kernel.note);
  const bool cluster = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 1;
  // setmaxnreg shares out what a block of which one fits has.
  out.line(fmt::format("extern \"C\" __global__ void {}__launch_bounds__({}{})",
                       cluster ? fmt::format("__cluster_dims__({}, {}, {}) ", kernel.cluster[0],
                                             kernel.cluster[1], kernel.cluster[2])
                               : "",
                       threads_of(kernel), uses.budgets ? ", 1" : kernel.resident > 0 ? fmt::format(", {}", kernel.resident) : ""));
  out.open(fmt::format("{}({})", module.kernels[index], list));
  for (ExprId id : uses.constants) {
    const std::string& name = program.arena.constant_name(id);
    const int64_t value = program.arena.constant_value(id)->i;
    const std::string spelled = spellings.constants[{name, value}] = names.declare(name);
    out.line(fmt::format("constexpr int {} = {};", spelled, value));
  }
  print_local_buffers(module, kernel, context, out);
  StatementPrinter body(context, out);
  body.print(kernel.body);
  out.close();
  if (body.printed_line_directive()) out.directive(kOwnLine);
}

}  // namespace cdsl::cuda
