#include "dsl/eval/code.h"

#include <algorithm>
#include <utility>

#include "dsl/eval/number.h"
#include "dsl/eval/sharing.h"
#include "dsl/support/check.h"

namespace cdsl::eval {
namespace {

constexpr double kMatrixRoundoff = 0x1p-21;      // sums of products of f16, bf16 or tf32 (docs/language.md, 7.8)
constexpr double kEightBitRoundoff = 0x1p-13;    // within a chunk of f8 products

}  // namespace

Compiler::Compiler(const tir::Function& function)
    : function_(function), next_slot_(static_cast<Slot>(function.arena.symbol_count())) {}

CodeId Compiler::compile(const std::vector<ExprId>& roots) {
  CDSL_CHECK(scopes_.empty(), "compile starts at a statement");
  note_shared(roots);
  return compile_in_scope(roots);
}

void Compiler::note_shared(const std::vector<ExprId>& roots) { shared_.merge(shared_expressions(function_.arena, roots)); }

AxisCode Compiler::compile(const Axis& axis) {
  if (scopes_.empty()) note_shared({axis.lo, axis.hi});
  return {static_cast<Slot>(axis.index.index()), compile_in_scope({axis.lo}), compile_in_scope({axis.hi})};
}

CodeId Compiler::compile_in_scope(const std::vector<ExprId>& roots) {
  scopes_.emplace_back();
  reduced_.emplace_back();
  Code code;
  for (ExprId root : roots) code.results.push_back(emit(root, code.instructions));
  scopes_.pop_back();
  reduced_.pop_back();
  codes_.push_back(std::move(code));
  return static_cast<CodeId>(codes_.size() - 1);
}

const Slot* Compiler::find(ExprId id) const {
  for (const Scope& scope : scopes_) {
    if (const auto found = scope.find(id); found != scope.end()) return &found->second;
  }
  return nullptr;
}

// Operands that are evaluated whenever the node is.
std::vector<ExprId> Compiler::eager_children(ExprId id) const {
  if (is_memo(id)) return {};
  const ExprArena& arena = function_.arena;
  const auto args = arena.args(id);
  if (arena.is_apply(id, Op::Select) || arena.is_apply(id, Op::LogicalAnd) || arena.is_apply(id, Op::LogicalOr)) {
    return {args[0]};
  }
  std::vector<ExprId> children(args.begin(), args.end());
  if (arena.get_if<Read>(id) != nullptr) {
    for (const AxisRule& rule : arena.rules(id)) {
      if (rule.holes.valid()) children.push_back(rule.holes);
    }
  }
  return children;
}

Slot Compiler::emit(ExprId root, std::vector<Instruction>& out) {
  std::vector<std::pair<ExprId, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [id, ready] = stack.back();
    stack.pop_back();
    if (function_.arena.get_if<Symbol>(id) != nullptr || find(id) != nullptr) continue;
    if (ready) {
      scopes_.back()[id] = emit_node(id, out);
      continue;
    }
    stack.push_back({id, true});
    const auto children = eager_children(id);
    for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back({*child, false});
  }
  if (const auto* symbol = function_.arena.get_if<Symbol>(root)) return static_cast<Slot>(symbol->symbol.index());
  return *find(root);
}

// Its code stands alone: it is run from wherever the value is first needed.
Slot Compiler::emit_memo(ExprId id, std::vector<Instruction>& out) {
  const auto [found, is_new] = memo_of_.try_emplace(id, static_cast<uint32_t>(memos_.size()));
  const uint32_t detail = found->second;
  if (is_new) {
    MemoCode& memo = memos_.emplace_back();
    for (SymbolId symbol : shared_.at(id)) memo.depends.push_back(static_cast<Slot>(symbol.index()));
    auto scopes = std::exchange(scopes_, {});
    auto reduced = std::exchange(reduced_, {});
    const ExprId outer = std::exchange(memo_root_, id);
    memo.code = compile_in_scope({id});
    memo_root_ = outer;
    scopes_ = std::move(scopes);
    reduced_ = std::move(reduced);
  }
  Instruction i;
  i.kind = Instruction::Kind::Memo;
  i.detail = detail;
  i.to = fresh();
  out.push_back(i);
  return i.to;
}

Slot Compiler::emit_node(ExprId id, std::vector<Instruction>& out) {
  if (is_memo(id)) return emit_memo(id, out);
  const ExprNode node = function_.arena.node(id);
  if (const auto* constant = std::get_if<Constant>(&node)) {
    Instruction i;
    i.constant = constant->value;
    i.to = fresh();
    out.push_back(i);
    return i.to;
  }
  if (const auto* apply = std::get_if<Apply>(&node)) return emit_apply(id, apply->op, out);
  if (const auto* read = std::get_if<Read>(&node)) return emit_read(id, *read, out);
  if (const auto* reduce = std::get_if<Reduce>(&node)) return emit_reduce(id, *reduce, out);
  CDSL_UNREACHABLE("a node that Tensor IR does not have");
}

Slot Compiler::emit_apply(ExprId id, Op op, std::vector<Instruction>& out) {
  const ExprArena& arena = function_.arena;
  const auto args = arena.args(id);
  Instruction i;
  i.kind = Instruction::Kind::Apply;
  i.op = op;
  i.type = arena.type(args[op == Op::Select ? 1 : 0]);
  i.result = arena.type(id);
  i.args[0] = emit(args[0], out);
  i.arity = static_cast<uint8_t>(args.size());
  if (op == Op::Select) {
    i.kind = Instruction::Kind::Select;
    i.then_code = compile_in_scope({args[1]});
    i.else_code = compile_in_scope({args[2]});
  } else if (op == Op::LogicalAnd || op == Op::LogicalOr) {
    i.kind = op == Op::LogicalAnd ? Instruction::Kind::And : Instruction::Kind::Or;
    i.else_code = compile_in_scope({args[1]});
  } else {
    if (op == Op::Cast) i.kind = Instruction::Kind::Cast;
    for (std::size_t k = 1; k < args.size(); ++k) i.args[k] = emit(args[k], out);
  }
  i.to = fresh();
  out.push_back(i);
  return i.to;
}

Slot Compiler::emit_read(ExprId id, const Read& read, std::vector<Instruction>& out) {
  ReadCode code{read.tensor, read.leaf, {}, {}, {}, {}, function_.arena.where(id)};
  const auto rules = function_.arena.rules(id);
  code.rules.assign(rules.begin(), rules.end());
  for (ExprId subscript : function_.arena.args(id)) code.subscripts.push_back(emit(subscript, out));
  for (const AxisRule& rule : code.rules) {
    code.fills.push_back(rule.fill.valid() ? compile_in_scope({rule.fill}) : kNoCode);
    code.holes.push_back(rule.holes.valid() ? emit(rule.holes, out) : 0);
  }
  Instruction i;
  i.kind = Instruction::Kind::Read;
  i.result = function_.arena.type(id);
  i.detail = static_cast<uint32_t>(reads_.size());
  i.to = fresh();
  reads_.push_back(std::move(code));
  out.push_back(i);
  return i.to;
}

Slot Compiler::emit_reduce(ExprId, const Reduce& reduce, std::vector<Instruction>& out) {
  for (const auto& level : reduced_) {
    if (const auto found = level.find(reduce.reduction.value); found != level.end()) {
      return reductions_[found->second].first_result + reduce.part;
    }
  }
  const Reduction& r = function_.arena.reduction(reduce.reduction);
  ReduceCode code;
  code.reduction = &r;
  scopes_.emplace_back();                                    // what uses the indices dies with the reduction
  reduced_.emplace_back();
  for (const Axis& axis : r.axes) code.axes.push_back(compile(axis));
  if (r.guard.valid()) code.guard = compile_in_scope({r.guard});
  code.lifted = compile_in_scope(r.lifted);
  if (r.monoid == Monoid::User) {
    code.identity = compile_in_scope(r.identity);
    code.combine = compile_in_scope(r.combine);
    for (SymbolId s : r.left) code.left.push_back(static_cast<Slot>(s.index()));
    for (SymbolId s : r.right) code.right.push_back(static_cast<Slot>(s.index()));
  }
  scopes_.pop_back();
  reduced_.pop_back();
  if (r.monoid == Monoid::Sum) code.roundoff = roundoff_of(r);
  code.first_result = next_slot_;
  next_slot_ += static_cast<Slot>(std::max<std::size_t>(r.types.size(), 2));
  Instruction i;
  i.kind = Instruction::Kind::Reduce;
  i.detail = static_cast<uint32_t>(reductions_.size());
  i.to = code.first_result;
  reduced_.back()[reduce.reduction.value] = i.detail;
  reductions_.push_back(std::move(code));
  out.push_back(i);
  return i.to + reduce.part;
}

double Compiler::roundoff_of(const Reduction& r) const {
  const ExprArena& arena = function_.arena;
  const ScalarType type = r.types[0];
  if (type == ScalarType::F32 && arena.is_apply(r.lifted[0], Op::Mul)) {
    const auto factors = arena.args(r.lifted[0]);
    const auto storage = [&](ExprId id) {
      return arena.is_apply(id, Op::Cast) ? arena.type(arena.args(id)[0]) : arena.type(id);
    };
    const auto is = [&](auto test) { return test(storage(factors[0])) && test(storage(factors[1])); };
    if (is([](ScalarType t) { return t == ScalarType::F8E4M3 || t == ScalarType::F8E5M2; })) return kEightBitRoundoff;
    if (function_.tf32 || is([](ScalarType t) { return is_storage_only(t); })) return kMatrixRoundoff;
  }
  return unit_roundoff(type);
}

}  // namespace cdsl::eval
