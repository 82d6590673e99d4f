#include "codegen/statement.h"

#include <fmt/format.h>

#include "codegen/types.h"
#include "dsl/expr/walk.h"

namespace cdsl::cuda {
namespace {

// `x = x op v` for an operator that C++ has an assignment of, where plain arithmetic is what the
// language means.
const char* compound(Op op, ScalarType type, Prelude& prelude) {
  if (op == Op::Add && is_complex(type)) {
    prelude.use("c_add_assign", type);
    return "+=";
  }
  const bool plain = type == ScalarType::F32 || type == ScalarType::F64 ||
                     type == ScalarType::U32 || type == ScalarType::U64;
  if (!plain) return nullptr;
  switch (op) {
    case Op::Add: return "+=";
    case Op::Sub: return "-=";
    case Op::Mul: return "*=";
    case Op::Div: return is_float(type) ? "/=" : nullptr;
    default: return nullptr;
  }
}

}  // namespace

StatementPrinter::StatementPrinter(KernelContext& context, Writer& out)
    : c_(context),
      out_(out),
      expressions_({context.program.arena, context.program.buffers, context.spellings,
                    context.records, context.prelude, context.facts, context.options.strict,
                    false}),
      mutable_(context.program.arena.symbol_count()) {}

void StatementPrinter::print(const loop::Block& block) {
  for (const loop::Statement& statement : block.statements) print(statement);
}

void StatementPrinter::print_nested(const loop::Block& block) {
  c_.names.push();
  print(block);
  c_.names.pop();
}

void StatementPrinter::print(const loop::Statement& statement) {
  if (c_.options.number) {
    print_line_directive({std::string(kStatementFile), c_.options.number(statement)});
  } else if (!std::holds_alternative<loop::Comment>(statement.node)) {
    print_line_directive(statement.where);
  }
  std::visit([&](const auto& node) { print(node); }, statement.node);
}

void StatementPrinter::print_line_directive(SourceRange where) {
  if (!c_.options.line_directives || !c_.options.locate || !where.valid()) return;
  print_line_directive(c_.options.locate(where));
}

void StatementPrinter::print_line_directive(std::pair<std::string, int> place) {
  if (place == line_ || place.second <= 0) return;
  out_.directive(fmt::format("#line {} {}", place.second, string_literal(place.first)));
  line_ = std::move(place);
}

std::string StatementPrinter::declare(SymbolId symbol) {
  return c_.spellings.symbols[symbol.index()] = c_.names.declare(info(symbol).name);
}

std::string StatementPrinter::type_name(ScalarType type) {
  c_.prelude.use_type(type);
  return std::string(cuda_type(type));
}

std::string StatementPrinter::element(const loop::Access& access) {
  const std::string own =
      expressions_.element(access.buffer, access.leaf, access.index, access.within);
  if (!access.rank.valid()) return own;
  const std::string rank = value(access.rank);
  return fmt::format("*{}(&{},{}{})", helper("at_rank"), own, kBreak, rank);
}

ScalarType StatementPrinter::leaf_type(const loop::Access& access) const {
  return c_.program.buffer(access.buffer).element.leaves[access.leaf].type;
}

void StatementPrinter::print(const loop::Let& let) {
  if (!c_.uses.read[let.local.index()]) return;
  const bool address = c_.uses.in_address[let.local.index()];
  const std::string text = value(let.value, {.address = address});
  let.lo.valid() ? c_.facts.define_within(let.local, let.value, let.lo, let.hi) : c_.facts.define(let.local, let.value);
  out_.line(fmt::format("const {} {} ={}{};", type_name(info(let.local).type), declare(let.local),
                        kOuterBreak, text));
}

void StatementPrinter::print(const loop::Var& var) {
  const std::string text = value(var.value);
  mutable_[var.local.index()] = true;
  out_.line(fmt::format("{} {} ={}{};", type_name(info(var.local).type), declare(var.local), kBreak,
                        text));
}

void StatementPrinter::print(const loop::Assign& assign) {
  const ExprArena& arena = c_.program.arena;
  const Apply* apply = arena.get_if<Apply>(assign.value);
  const std::string& target = name(assign.local);
  if (apply != nullptr && arena.args(assign.value).size() == 2) {
    const auto args = arena.args(assign.value);
    const Symbol* self = arena.get_if<Symbol>(args[0]);
    const bool strict_product = c_.options.strict && apply->op == Op::Mul;
    const bool same = self != nullptr && self->symbol == assign.local;
    const char* op = same ? compound(apply->op, arena.type(assign.value), c_.prelude) : nullptr;
    if (op != nullptr && !strict_product) {
      return out_.line(fmt::format("{} {}{}{};", target, op, kBreak, value(args[1])));
    }
  }
  out_.line(fmt::format("{} ={}{};", target, kBreak, value(assign.value)));
}

void StatementPrinter::print(const loop::Store& store) {
  const ExprArena& arena = c_.program.arena;
  const std::string target = element(store.access);
  const Apply* apply = arena.get_if<Apply>(store.value);
  if (apply != nullptr && arena.args(store.value).size() == 2) {
    const auto args = arena.args(store.value);
    const Load* self = arena.get_if<Load>(args[0]);
    const bool strict_product = c_.options.strict && apply->op == Op::Mul;
    const bool same = self != nullptr && self->buffer == store.access.buffer &&
                      self->leaf == store.access.leaf &&
                      arena.args(args[0])[0] == store.access.index &&
                      !store.access.within.valid() && !store.access.rank.valid();
    const char* op = same ? compound(apply->op, arena.type(store.value), c_.prelude) : nullptr;
    if (op != nullptr && !strict_product) {
      return out_.line(fmt::format("{} {}{}{};", target, op, kBreak, value(args[1])));
    }
  }
  out_.line(fmt::format("{} ={}{};", target, kBreak, value(store.value)));
}

// Immutable while a loop runs: constants and registers that never change.
bool StatementPrinter::is_fixed(ExprId id) const {
  const ExprArena& arena = c_.program.arena;
  for (const ExprId node : postorder(arena, std::span(&id, 1))) {
    if (arena.get_if<Load>(node) != nullptr) return false;
    const Symbol* symbol = arena.get_if<Symbol>(node);
    if (symbol != nullptr && mutable_[symbol->symbol.index()]) return false;
  }
  return true;
}

// A bound of a loop; one that could change meanwhile gets a name first.
std::string StatementPrinter::bound(ExprId id, const char* suffix, SymbolId index) {
  std::string text = value(id, {kShift, false, true});
  if (is_fixed(id)) return text;
  const std::string fixed = c_.names.declare(info(index).name + suffix);
  out_.line(fmt::format("const {} {} ={}{};", type_name(info(index).type), fixed, kBreak, text));
  return fixed;
}

void StatementPrinter::print(const loop::For& loop) {
  const ExprArena& arena = c_.program.arena;
  if (!loop.note.empty()) out_.comment(loop.note);
  const Value* step = arena.constant_value(loop.step);
  const bool up = step != nullptr ? step->i > 0 : c_.facts.nonnegative(loop.step);
  const bool down = step != nullptr && step->i <= 0;
  const std::string last = bound(loop.hi, "_end", loop.index);
  const std::string stride = step == nullptr ? bound(loop.step, "_step", loop.index) : "";
  c_.names.push();
  const std::string first = value(loop.lo, {.address = true});
  c_.facts.define_loop(loop.index, loop.lo, loop.hi, loop.step);
  const bool from_zero = c_.facts.nonnegative(loop.lo) && up;
  const std::string index = declare(loop.index);

  std::string condition = fmt::format("{} {} {}", index, up ? "<" : ">", last);
  if (!up && !down) condition = fmt::format("{0} > 0 ? {1} < {2} : {1} > {2}", stride, index, last);
  std::string advance = fmt::format("{} += {}", index, stride);
  if (step != nullptr && step->i == 1) advance = "++" + index;
  if (step != nullptr && step->i == -1) advance = "--" + index;
  if (step != nullptr && step->i > 1) advance = fmt::format("{} += {}", index, step->i);
  if (step != nullptr && step->i < -1) advance = fmt::format("{} -= {}", index, 0 - step->bits());
  if (loop.unroll > 0) out_.line(fmt::format("#pragma unroll {}", loop.unroll));
  out_.open(fmt::format("for ({} {} = {};{}{};{}{})", cuda_type(info(loop.index).type), index,
                        first, kOuterBreak, condition, kOuterBreak, advance));
  const std::size_t mark = c_.facts.mark();
  if (from_zero) c_.facts.assume_positive(loop.hi);
  print_nested(*loop.body);
  c_.facts.forget(mark);
  out_.close();
  c_.names.pop();
}

void StatementPrinter::print(const loop::While& loop) {
  out_.open(fmt::format("while ({})", value(loop.condition)));
  print_nested(*loop.body);
  out_.close();
}

void StatementPrinter::print(const loop::If& branch) {
  out_.open(fmt::format("if ({})", value(branch.condition)));
  const std::size_t mark = c_.facts.mark();
  c_.facts.assume(branch.condition);
  print_nested(*branch.then_body);
  c_.facts.forget(mark);
  // A chain of choices stays flat.
  const loop::Block* rest = branch.else_body.get();
  while (rest != nullptr && rest->statements.size() == 1) {
    const auto* next = std::get_if<loop::If>(&rest->statements[0].node);
    if (next == nullptr) break;
    out_.dedent();
    out_.open(fmt::format("}} else if ({})", value(next->condition)));
    print_nested(*next->then_body);
    rest = next->else_body.get();
  }
  if (rest != nullptr && !rest->statements.empty()) {
    out_.dedent();
    out_.open("} else");
    print_nested(*rest);
  }
  out_.close();
}

void StatementPrinter::print(const loop::Comment& comment) {
  out_.comment(comment.text);
}

}  // namespace cdsl::cuda
