// Statements in which threads meet: atomics, barriers, shuffles, votes and reports, and vector
// accesses.
#include <fmt/format.h>

#include "codegen/statement.h"
#include "codegen/types.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {
namespace {

Op operator_of(loop::AtomicOp op) {
  switch (op) {
    case loop::AtomicOp::Add: return Op::Add;
    case loop::AtomicOp::Mul: return Op::Mul;
    case loop::AtomicOp::Min: return Op::Min;
    case loop::AtomicOp::Max: return Op::Max;
    case loop::AtomicOp::And: return Op::And;
    case loop::AtomicOp::Or: return Op::Or;
    case loop::AtomicOp::Xor: return Op::Xor;
    case loop::AtomicOp::Exchange:
    case loop::AtomicOp::CompareExchange: break;
  }
  CDSL_UNREACHABLE("an atomic that does not combine");
}

const char* function_of(loop::AtomicOp op) {
  switch (op) {
    case loop::AtomicOp::Add: return "atomicAdd";
    case loop::AtomicOp::Min: return "atomicMin";
    case loop::AtomicOp::Max: return "atomicMax";
    case loop::AtomicOp::And: return "atomicAnd";
    case loop::AtomicOp::Or: return "atomicOr";
    case loop::AtomicOp::Xor: return "atomicXor";
    case loop::AtomicOp::Exchange: return "atomicExch";
    case loop::AtomicOp::Mul:
    case loop::AtomicOp::CompareExchange: break;
  }
  return nullptr;
}

// Does CUDA have the update for the type, with the language's meaning?
bool is_native(loop::AtomicOp op, ScalarType type) {
  const bool integer = type == ScalarType::I32 || type == ScalarType::U32 ||
                       type == ScalarType::I64 || type == ScalarType::U64;
  switch (op) {
    case loop::AtomicOp::Add:
      return (integer && type != ScalarType::I64) || type == ScalarType::F32 ||
             type == ScalarType::F64;
    case loop::AtomicOp::Exchange:
      return (integer && type != ScalarType::I64) || type == ScalarType::F32;
    case loop::AtomicOp::Mul:
    case loop::AtomicOp::CompareExchange: return false;
    default: return integer;
  }
}

const char* suffix_of(loop::Scope scope) {
  switch (scope) {
    case loop::Scope::Block: return "_block";
    case loop::Scope::System: return "_system";
    case loop::Scope::Cluster:
    case loop::Scope::Device: return "";
  }
  return "";
}

const char* fence_of(loop::Scope scope) {
  switch (scope) {
    case loop::Scope::Block: return "__threadfence_block();";
    case loop::Scope::System: return "__threadfence_system();";
    case loop::Scope::Cluster:
    case loop::Scope::Device: return "__threadfence();";
  }
  return "";
}

}  // namespace

std::string StatementPrinter::atomic_call(const loop::Atomic& atomic, const std::string& element) {
  const ScalarType type = leaf_type(atomic.access);
  std::string update = value(atomic.value, {.exact = true});
  if (is_native(atomic.op, type)) {
    return fmt::format("{}{}(&{},{}{})", function_of(atomic.op), suffix_of(atomic.scope), element,
                       kBreak, update);
  }
  if (atomic.op == loop::AtomicOp::Add && (type == ScalarType::I64 || is_complex(type))) {
    return fmt::format("{}(&{},{}{})", c_.prelude.use("atomic_add", type), element, kBreak, update);
  }
  // Evaluated once, before the loop that an update without an instruction of its own becomes.
  const std::string name = type_name(type);
  const auto fixed = [&](ExprId id, const std::string& text, std::string_view wanted) {
    const ExprArena& arena = c_.program.arena;
    if (arena.constant_value(id) != nullptr || arena.get_if<Symbol>(id) != nullptr) return text;
    const std::string local = c_.names.declare(wanted);
    out_.line(fmt::format("const {} {} ={}{};", name, local, kBreak, text));
    return local;
  };
  update = fixed(atomic.value, update, "update");
  std::string after;
  switch (atomic.op) {
    case loop::AtomicOp::Exchange: after = update; break;
    case loop::AtomicOp::CompareExchange:
      after = fmt::format(
          "before == {} ? {} : before",
          fixed(atomic.expected, value(atomic.expected, {kRelation, true}), "expected"), update);
      break;
    default: after = expressions_.combined(operator_of(atomic.op), type, "before", update); break;
  }
  const std::string lambda = fmt::format("[&]({} before) {{{}return {}; }}", name, kBreak, after);
  switch (size_of(type)) {
    case 1:
      return fmt::format("{}(&{},{}{})", c_.prelude.use("atomic_update_byte", type), element,
                         kBreak, lambda);
    case 2:
    case 4:
    case 8: {
      const char* word = size_of(type) == 2   ? "unsigned short"
                         : size_of(type) == 4 ? "unsigned int"
                                              : "unsigned long long";
      return fmt::format("{}<{}>(&{},{}{})", c_.prelude.use("atomic_update", type), word, element,
                         kBreak, lambda);
    }
    default:
      CDSL_UNREACHABLE("an atomic update of 16 bytes, which the oldest architectures have not");
  }
}

// A load of global memory that acquires: no update, and no fence of its own.
bool StatementPrinter::is_acquiring_load(const loop::Atomic& atomic) const {
  const auto* zero = c_.program.arena.constant_value(atomic.value);
  return atomic.op == loop::AtomicOp::Or && zero != nullptr && zero->i == 0 && atomic.old.valid() && atomic.order == loop::Order::Acquire &&
         atomic.scope == loop::Scope::Device && leaf_type(atomic.access) == ScalarType::I32 &&
         c_.program.buffer(atomic.access.buffer).space == loop::Space::Global;
}

void StatementPrinter::print(const loop::Atomic& atomic) {
  if (is_acquiring_load(atomic)) {
    return out_.line(fmt::format("const int {} = {}(&{});", declare(atomic.old), c_.prelude.use("load_acquire", ScalarType::I32), element(atomic.access)));
  }
  const bool release =
      atomic.order == loop::Order::Release || atomic.order == loop::Order::AcquireRelease;
  const bool acquire =
      atomic.order == loop::Order::Acquire || atomic.order == loop::Order::AcquireRelease;
  std::string text = atomic_call(atomic, element(atomic.access));
  if (atomic.old.valid() && c_.uses.read[atomic.old.index()]) {
    text = fmt::format("const {} {} ={}", type_name(info(atomic.old).type), declare(atomic.old),
                       kBreak) +
           text;
  }
  if (release) out_.line(fence_of(atomic.scope));
  out_.line(text + ";");
  if (acquire) out_.line(fence_of(atomic.scope));
}

void StatementPrinter::print(const loop::Barrier& barrier) {
  switch (barrier.scope) {
    case loop::BarrierScope::Warp: return out_.line("__syncwarp();");
    case loop::BarrierScope::Block: return out_.line("__syncthreads();");
    case loop::BarrierScope::Cluster:
      return out_.line(c_.prelude.use("cluster_sync", ScalarType::Bool) + "();");
  }
}

void StatementPrinter::print(const loop::Fence& fence) {
  out_.line(fence_of(fence.scope));
}

void StatementPrinter::print(const loop::Shuffle& shuffle) {
  const ScalarType type = info(shuffle.result).type;
  const char* kind = shuffle.kind == loop::ShuffleKind::Index  ? "__shfl_sync"
                     : shuffle.kind == loop::ShuffleKind::Up   ? "__shfl_up_sync"
                     : shuffle.kind == loop::ShuffleKind::Down ? "__shfl_down_sync"
                                                               : "__shfl_xor_sync";
  const std::string lane = value(shuffle.lane);
  const auto moved = [&](const std::string& what) {
    return fmt::format("{}(0x{:08x}u,{}{},{}{})", kind, shuffle.mask, kBreak, what, kBreak, lane);
  };
  const std::string name = type_name(type);
  if (is_complex(type) || is_storage_only(type)) {
    const std::string sent = c_.names.declare(info(shuffle.result).name + "_sent");
    out_.line(fmt::format("const {} {} ={}{};", name, sent, kBreak, value(shuffle.value)));
    const std::string parts =
        is_complex(type) ? moved(sent + ".re") + "," + kBreak + moved(sent + ".im")
                         : fmt::format("(decltype({0}.bits)){1}", sent, moved(sent + ".bits"));
    return out_.line(fmt::format("const {} {} = {{{}}};", name, declare(shuffle.result), parts));
  }
  const bool narrow = size_of(type) < 4;
  const std::string sent = value(shuffle.value, {narrow ? kUnary : kLoosest, true});
  const std::string text =
      narrow ? fmt::format("({}){}", name, moved("(int)" + sent)) : moved(sent);
  out_.line(fmt::format("const {} {} ={}{};", name, declare(shuffle.result), kBreak, text));
}

void StatementPrinter::print(const loop::Vote& vote) {
  const char* kind = vote.kind == loop::VoteKind::Any   ? "__any_sync"
                     : vote.kind == loop::VoteKind::All ? "__all_sync"
                                                        : "__ballot_sync";
  const char* test = vote.kind == loop::VoteKind::Ballot ? "" : " != 0";
  const std::string text =
      fmt::format("{}(0x{:08x}u,{}{}){}", kind, vote.mask, kBreak, value(vote.predicate), test);
  const std::string type = type_name(info(vote.result).type);
  out_.line(fmt::format("const {} {} ={}{};", type, declare(vote.result), kBreak, text));
}

void StatementPrinter::print(const loop::Report& report) {
  out_.line(fmt::format("{}({}, {},{}{});", c_.prelude.use("report_at", ScalarType::Bool),
                        c_.reports, report.site, kBreak, value(report.value)));
}

void StatementPrinter::print(const loop::VectorLoad& load) {
  if (load.locals.size() == 1) {  // of another block of the cluster
    const std::string text = element(load.access);
    return out_.line(fmt::format("const {} {} ={}{};", type_name(info(load.locals[0]).type),
                                 declare(load.locals[0]), kBreak, text));
  }
  const std::string vector =
      fmt::format("{}<{}, {}>", c_.prelude.use("vector_of", ScalarType::Bool),
                  type_name(leaf_type(load.access)), load.locals.size());
  const std::string whole = c_.names.declare(info(load.locals[0]).name + "_vector");
  out_.line(fmt::format("const {0} {1} ={2}*(const {0}*)&{3};", vector, whole, kBreak,
                        element(load.access)));
  for (std::size_t k = 0; k < load.locals.size(); ++k) {
    if (!c_.uses.read[load.locals[k].index()]) continue;
    out_.line(fmt::format("const {} {} = {}.at[{}];", type_name(info(load.locals[k]).type),
                          declare(load.locals[k]), whole, k));
  }
}

void StatementPrinter::print(const loop::VectorMove& move) {
  const bool loads = c_.program.buffer(move.to.buffer).space == loop::Space::Register;
  const bool packed = leaf_type(move.to) != leaf_type(move.from);
  const std::string to = element(move.to), from = element(move.from);
  const int bytes = static_cast<int>(c_.program.arena.constant_value(move.width)->i) * size_of(leaf_type(move.from));
  if (packed) {
    const std::string word = type_name(leaf_type(move.to));
    return out_.line(fmt::format("{}<{}>(&{},{}(const {}*)&{});", helper("load_vector"), bytes / size_of(leaf_type(move.to)), to, kBreak, word, from));
  }
  if (loads && c_.streamed.contains(move.from.buffer.value) && (bytes == 4 || bytes == 8 || bytes == 16)) {
    out_.line(fmt::format("{}<{}>(&{},{}&{});", helper("load_streamed"), value(move.width), to, kBreak, from));
    return;
  }
  out_.line(fmt::format("{}<{}>(&{},{}&{});", helper(loads ? "load_vector" : "store_vector"), value(move.width), to, kBreak, from));
}

void StatementPrinter::print(const loop::VectorStore& store) {
  const std::string vector =
      fmt::format("{}<{}, {}>", c_.prelude.use("vector_of", ScalarType::Bool),
                  type_name(leaf_type(store.access)), store.values.size());
  const ScalarType type = leaf_type(store.access);
  const std::string cast =
      size_of(type) < 4 && is_integer(type) ? fmt::format("({})", cuda_type(type)) : "";
  std::string values;
  for (ExprId id : store.values) {
    values += (values.empty() ? "" : std::string(",") + kBreak) + cast +
              value(id, {cast.empty() ? kLoosest : kUnary, true});
  }
  out_.line(fmt::format("*({0}*)&{1} ={2}{0}{{{{{3}}}}};", vector, element(store.access), kBreak,
                        values));
}

}  // namespace cdsl::cuda
