#include "passes/lower/expression.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/reduction.h"

namespace cdsl::lowering {
namespace {

// A line that nests deeper, or has more operands, is split by Let.
constexpr int kDepthLimit = 32, kSizeLimit = 48;

ExprId fold_index(ExprArena& arena, Op op, ExprId a, ExprId b) {
  switch (op) {
    case Op::Add: return index_add(arena, a, b);
    case Op::Sub: return index_sub(arena, a, b);
    case Op::Mul: return index_mul(arena, a, b);
    case Op::FloorDiv: return index_floordiv(arena, a, b);
    case Op::FloorMod: return index_floormod(arena, a, b);
    case Op::Min: return index_min(arena, a, b);
    case Op::Max: return index_max(arena, a, b);
    default: return arena.apply(op, {a, b});
  }
}

}  // namespace

ExprId zero(ExprArena& arena, ScalarType type) {
  if (is_float(type)) return arena.real(0, type);
  return arena.constant(type, is_complex(type) ? Value::of_complex(0, 0) : Value::of_int(0));
}

ExprId widened(ExprArena& arena, ExprId value) {
  return arena.cast(value, evaluation_type(arena.type(value)));
}

Lowerer::Scope::Scope(Lowerer& lowerer)
    : lowerer_(lowerer),
      values_(lowerer.value_undo_.size()),
      symbols_(lowerer.symbol_undo_.size()),
      ranges_(lowerer.ranges_.count()),
      names_(lowerer.kernel_.names_taken()),
      flats_(lowerer.flats_.size()) {}

Lowerer::Scope::~Scope() {
  const auto roll_back = [](auto& map, auto& undo, std::size_t count) {
    for (; undo.size() > count; undo.pop_back()) {
      if (undo.back().before.valid())
        map[undo.back().key] = undo.back().before;
      else
        map.erase(undo.back().key);
    }
  };
  roll_back(lowerer_.values_, lowerer_.value_undo_, values_);
  roll_back(lowerer_.symbols_, lowerer_.symbol_undo_, symbols_);
  lowerer_.ranges_.shrink(ranges_);
  lowerer_.flats_.resize(flats_);
  lowerer_.kernel_.release_names(names_);
}

void Lowerer::begin(std::span<const ExprId> roots, const Redirects* reads) {
  for (const auto& undo : value_undo_) values_.erase(undo.key);
  value_undo_.clear();
  CDSL_CHECK(values_.empty(), "values outlive their statement");
  uses_ = UseCounts(arena(), roots);
  reads_ = reads;
}

void Lowerer::bind(SymbolId index, ExprId value, ExprId lo, ExprId hi, bool occupied) {
  const auto found = symbols_.find(index.value);
  symbol_undo_.push_back({index.value, found == symbols_.end() ? ExprId{} : found->second});
  symbols_[index.value] = value;
  if (lo.valid() && hi.valid()) ranges_.push(value, lo, hi, occupied);
}

void Lowerer::bind_inside(SymbolId index, ExprId value, ExprId lo, ExprId hi) {
  bind(index, value);
  ranges_.push_sum(value, lo, hi);
}

void Lowerer::remember(ExprId id, ExprId value) {
  value_undo_.push_back({id.value, {}});
  values_[id.value] = value;
}

void Lowerer::prepare(std::span<const ExprId> roots) {
  for (ExprId id : eager_nodes(arena(), roots, known(), hooks_.selected)) {
    if (!is_known(id)) remember(id, finish(id, lower(id)));
  }
}

ExprId Lowerer::value(ExprId root) {
  prepare(std::span(&root, 1));
  return lookup(root);
}

ExprId Lowerer::fixed(ExprId root, std::string_view hint) {
  return named(widened(arena(), value(root)), hint);
}

void Lowerer::keep(ExprId root) {
  if (is_known(root)) return;
  const ExprId now = value(root);
  values_[root.value] = named(now, hint_for(root));
}

ExprId Lowerer::lookup(ExprId id) {
  if (const auto found = values_.find(id.value); found != values_.end()) return found->second;
  if (arena().constant_value(id) != nullptr) return lower_constant(id);
  const auto* symbol = arena().get_if<Symbol>(id);
  CDSL_CHECK(symbol != nullptr, "an operand was not evaluated before its user");
  const auto bound = symbols_.find(symbol->symbol.value);
  if (bound != symbols_.end()) return bound->second;
  CDSL_CHECK(arena().symbol(symbol->symbol).kind != SymbolKind::Local,
             "an accumulator outside its reducer");
  return kernel_.scalar(symbol->symbol);
}

ExprId Lowerer::at_bound(ExprId id) {
  Rewriter rewrite(
      arena(),
      [&](ExprId node) -> std::optional<ExprId> {
        const auto* symbol = arena().get_if<Symbol>(node);
        if (symbol == nullptr) return std::nullopt;
        const auto bound = symbols_.find(symbol->symbol.value);
        return bound != symbols_.end() ? bound->second : kernel_.scalar(symbol->symbol);
      },
      [&](ExprId node) {
        const auto* apply = arena().get_if<Apply>(node);
        const auto args = arena().args(node);
        return apply != nullptr && args.size() == 2 && arena().type(node) == ScalarType::I64
                   ? fold_index(arena(), apply->op, args[0], args[1])
                   : node;
      });
  return rewrite(id);
}

ExprId Lowerer::lower_constant(ExprId id) {
  const ScalarType type = arena().type(id);
  return is_storage_only(type)
             ? arena().constant(evaluation_type(type), *arena().constant_value(id))
             : id;
}

ExprId Lowerer::lower(ExprId id) {
  const ExprNode node = arena().node(id);
  if (const auto* apply = std::get_if<Apply>(&node)) return lower_apply(id, apply->op);
  if (std::holds_alternative<Read>(node)) return lower_read(id);
  if (const auto* reduce = std::get_if<Reduce>(&node)) {
    const auto shared_out = hooks_.reduce ? hooks_.reduce(reduce->reduction) : std::nullopt;
    const std::vector<ExprId> parts =
        shared_out ? *shared_out : ReductionLowering(*this, reduce->reduction).run();
    for (uint32_t part = 0; part < parts.size(); ++part) {
      const ExprId result = arena().reduce(reduce->reduction, part);
      if (result != id && !is_known(result)) remember(result, parts[part]);
    }
    return parts[reduce->part];
  }
  CDSL_CHECK(!std::holds_alternative<Load>(node), "a load in Tensor IR");
  return lookup(id);
}

ExprId Lowerer::lower_apply(ExprId id, Op op) {
  if (op == Op::Cast) return lower_cast(id);
  if (op == Op::Select) return lower_select(id);
  if (op == Op::LogicalAnd || op == Op::LogicalOr) return lower_logic(id, op);
  const auto old_args = arena().args(id);
  std::vector<ExprId> args(old_args.begin(), old_args.end());
  for (ExprId& arg : args) arg = widened(arena(), lookup(arg));
  if (arena().type(id) == ScalarType::I64 && args.size() == 2)
    return fold_index(arena(), op, args[0], args[1]);
  if (info(op).op_class == OpClass::Compare && arena().type(args[0]) == ScalarType::I64) {
    if (const auto holds = ranges_.decided(op, args[0], args[1])) return arena().boolean(*holds);
  }
  return arena().apply(op, args);
}

ExprId Lowerer::lower_cast(ExprId id) {
  const ScalarType to = arena().type(id);
  const ExprId value = lookup(arena().args(id)[0]);
  if (const auto number = constant_integer(arena(), value); number && to == ScalarType::I64)
    return arena().integer(*number);
  return arena().cast(value, to);
}

// A cast to f8e5m2 saturates (docs/decisions/0013), which an infinity that is only moved must not: where it went through a
// register of f32, it is put back.
ExprId Lowerer::stored(ExprId target_value, ExprId value, ScalarType held) {
  const bool from_memory = is_storage_only(held) && arena().is_apply(value, Op::Cast) &&
                           arena().type(arena().args(value)[0]) == held;
  if (from_memory) return arena().args(value)[0];
  const bool moved = held == ScalarType::F8E5M2 && arena().type(target_value) == held &&
                     !arena().is_apply(target_value, Op::Cast) &&
                     arena().type(value) == ScalarType::F32 &&
                     arena().constant_value(value) == nullptr;
  if (!moved) return arena().cast(value, held);
  const ExprId whole = named(value, "moved");
  const auto infinity = [&](double sign) { return arena().real(sign * std::numeric_limits<double>::infinity(), held); };
  const ExprId positive = arena().apply(Op::Gt, {whole, zero(arena(), ScalarType::F32)});
  const ExprId kept = arena().apply(Op::Select, {positive, infinity(1), infinity(-1)});
  return arena().apply(Op::Select, {arena().apply(Op::IsInf, {whole}), kept, arena().cast(whole, held)});
}

// Names what is used again, and cuts what has grown too large for one line.
ExprId Lowerer::finish(ExprId id, ExprId value) {
  if (arm_depth_ > 0 || is_trifle(arena(), value)) return value;
  const Weight w = weight(value);
  if (uses_[id] < 2 && w.depth < kDepthLimit && w.size < kSizeLimit) return value;
  return named(widened(arena(), value), hint_for(id));
}

ExprId Lowerer::named(ExprId value, std::string_view hint) {
  if (arm_depth_ > 0 || is_trifle(arena(), value)) return value;
  return builder().let(kernel_.fresh(hint), value);
}

Lowerer::Weight Lowerer::weight(ExprId value) {
  if (const auto found = weights_.find(value.value); found != weights_.end()) return found->second;
  Weight w;
  const auto args = arena().args(value);
  const std::vector<ExprId> kept(args.begin(), args.end());
  for (ExprId arg : kept) {
    const Weight inner = weight(arg);
    w.depth = std::max(w.depth, inner.depth + 1);
    w.size += inner.size;
  }
  return weights_[value.value] = w;
}

std::string Lowerer::hint_for(ExprId id) const {
  const ExprArena& exprs = std::as_const(kernel_).arena();
  if (const auto* read = exprs.get_if<Read>(id)) {
    std::string name = kernel_.function().tensor(read->tensor).name;
    const std::string& path = kernel_.function().leaf(read->tensor, read->leaf).path;
    if (!path.empty()) name += "_" + path;
    for (ExprId subscript : exprs.args(id)) {
      const auto* symbol = exprs.get_if<Symbol>(subscript);
      if (symbol == nullptr) return name + "_at";
      name += "_" + exprs.symbol(symbol->symbol).name;
    }
    return exprs.args(id).empty() ? name + "_now" : name;
  }
  if (const auto* reduce = exprs.get_if<Reduce>(id))
    return std::string(name_of_accumulator(exprs.reduction(reduce->reduction).monoid));
  if (const auto* apply = exprs.get_if<Apply>(id)) {
    const std::string_view spelling = info(apply->op).spelling;
    const bool is_word = std::all_of(spelling.begin(), spelling.end(),
                                     [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    if (is_word && apply->op != Op::Cast && apply->op != Op::Select)
      return std::string(spelling) + "_of";
    if (info(apply->op).op_class == OpClass::Compare || info(apply->op).op_class == OpClass::Logic)
      return "holds";
  }
  return "t";
}

}  // namespace cdsl::lowering
