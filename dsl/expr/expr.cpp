#include "dsl/expr/expr.h"

#include <algorithm>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
  return hash * 0xFF51AFD7ED558CCDull;
}

struct NodeHash {
  uint64_t operator()(const Constant& n) const {
    return mix(n.value.bits(), std::bit_cast<uint64_t>(n.value.im));
  }
  uint64_t operator()(const Symbol& n) const { return n.symbol.value; }
  uint64_t operator()(const Apply& n) const { return static_cast<uint64_t>(n.op); }
  uint64_t operator()(const Read& n) const { return mix(mix(n.tensor.value, n.leaf), n.rules); }
  uint64_t operator()(const Reduce& n) const { return mix(n.reduction.value, n.part); }
  uint64_t operator()(const Load& n) const { return mix(n.buffer.value, n.leaf); }
};

struct NodeEqual {
  bool operator()(const Constant& a, const Constant& b) const { return same_bits(a.value, b.value) && a.name == b.name; }
  bool operator()(const Symbol& a, const Symbol& b) const { return a.symbol == b.symbol; }
  bool operator()(const Apply& a, const Apply& b) const { return a.op == b.op; }
  bool operator()(const Read& a, const Read& b) const {
    return a.tensor == b.tensor && a.leaf == b.leaf && a.rules == b.rules;
  }
  bool operator()(const Reduce& a, const Reduce& b) const {
    return a.reduction == b.reduction && a.part == b.part;
  }
  bool operator()(const Load& a, const Load& b) const { return a.buffer == b.buffer && a.leaf == b.leaf; }
  template <class A, class B>
  bool operator()(const A&, const B&) const { return false; }
};

ScalarType operand_type(const ExprArena& arena, Op op, std::span<const ExprId> args) {
  return arena.type(op == Op::Select ? args[1] : args[0]);
}

}  // namespace

std::string_view name_of(Monoid monoid) {
  constexpr std::string_view kNames[] = {"sum", "prod", "min", "max", "any", "all", "count", "argmin", "argmax", "user"};
  return kNames[static_cast<std::size_t>(monoid)];
}

SymbolId ExprArena::add_symbol(std::string name, SymbolKind kind, ScalarType type) {
  symbols_.push_back({std::move(name), kind, type});
  return SymbolId(symbols_.size() - 1);
}

ExprId ExprArena::constant(ScalarType type, Value value, std::string_view name) {
  uint32_t number = 0;
  if (!name.empty()) {
    while (number < constant_names_.size() && constant_names_[number] != name) ++number;
    if (number == constant_names_.size()) constant_names_.push_back(std::string(name));
    ++number;
  }
  return intern(Constant{value, number}, type, {});
}

ExprId ExprArena::integer(int64_t value, ScalarType type) {
  CDSL_CHECK(is_integer(type), "integer constant of a type that is none");
  return constant(type, Value::of_int(value));
}

ExprId ExprArena::boolean(bool value) { return constant(ScalarType::Bool, Value::of_bool(value)); }

ExprId ExprArena::real(double value, ScalarType type) {
  CDSL_CHECK(is_float(type), "float constant of a type that is none");
  return constant(type, Value::of_float(value));
}

ExprId ExprArena::symbol_ref(SymbolId id) { return intern(Symbol{id}, symbol(id).type, {}); }

ExprId ExprArena::apply(Op op, std::span<const ExprId> args) {
  CDSL_CHECK(op != Op::Cast, "casts are made by cast()");
  CDSL_CHECK(static_cast<int>(args.size()) == info(op).arity, "operands of " + std::string(info(op).spelling));
  return intern(Apply{op}, result_type(op, operand_type(*this, op, args)), args);
}

ExprId ExprArena::cast(ExprId value, ScalarType to) {
  if (type(value) == to) return value;
  return intern(Apply{Op::Cast}, to, std::span(&value, 1));
}

ExprId ExprArena::read(TensorId tensor, uint32_t leaf, ScalarType type, std::span<const ExprId> subscripts,
                       std::span<const AxisRule> rules, SourceRange where) {
  CDSL_CHECK(subscripts.size() == rules.size(), "a read has one rule a subscript");
  uint64_t hash = rules.size();
  for (const AxisRule& rule : rules) {
    hash = mix(hash, static_cast<uint64_t>(rule.boundary) * 8 + static_cast<uint64_t>(rule.bounds));
    hash = mix(mix(hash, rule.fill.value), rule.holes.value);
  }
  const auto key = static_cast<uint32_t>(hash ^ hash >> 32);
  const auto [found, is_new] = rule_runs_.try_emplace(key, static_cast<uint32_t>(rules_.size()));
  uint32_t run = found->second;
  if (is_new || !std::equal(rules.begin(), rules.end(), rules_[run].begin(), rules_[run].end())) {
    run = static_cast<uint32_t>(rules_.size());
    rules_.push_back({rules.begin(), rules.end()});
  }
  return intern(Read{tensor, leaf, run}, type, subscripts, where);
}

ReductionId ExprArena::add_reduction(Reduction reduction) {
  reductions_.push_back(std::move(reduction));
  return ReductionId(reductions_.size() - 1);
}

ExprId ExprArena::reduce(ReductionId id, uint32_t part) {
  const Reduction& r = reduction(id);
  const bool is_position = part == 1 && (r.monoid == Monoid::ArgMin || r.monoid == Monoid::ArgMax);
  const bool is_count = r.monoid == Monoid::Count;
  const ScalarType type = is_position || is_count ? ScalarType::I64 : r.types[part];
  return intern(Reduce{id, part}, type, {});
}

ExprId ExprArena::load(BufferId buffer, uint32_t leaf, ScalarType type, ExprId index, ExprId within, SourceRange where) {
  const ExprId both[] = {index, within};
  return intern(Load{buffer, leaf}, type, std::span(both, within.valid() ? 2 : 1), where);
}

std::span<const ExprId> ExprArena::args(ExprId id) const {
  return args_[nodes_[id.index()].args];
}

SourceRange ExprArena::where(ExprId id) const { return nodes_[id.index()].where; }

std::span<const AxisRule> ExprArena::rules(ExprId id) const {
  const auto* node = get_if<Read>(id);
  CDSL_CHECK(node != nullptr, "rules belong to reads");
  return rules_[node->rules];
}

bool ExprArena::is_apply(ExprId id, Op op) const {
  const auto* node = get_if<Apply>(id);
  return node != nullptr && node->op == op;
}

const Value* ExprArena::constant_value(ExprId id) const {
  const auto* node = get_if<Constant>(id);
  return node != nullptr ? &node->value : nullptr;
}

const std::string& ExprArena::constant_name(ExprId id) const {
  static const std::string none;
  const auto* node = get_if<Constant>(id);
  return node == nullptr || node->name == 0 ? none : constant_names_[node->name - 1];
}

bool ExprArena::same(const Stored& stored, const ExprNode& node, ScalarType type, std::span<const ExprId> args) const {
  if (stored.type != type || stored.args.count != args.size() || !std::visit(NodeEqual{}, stored.node, node)) return false;
  return std::equal(args.begin(), args.end(), args_[stored.args].begin());
}

ExprId ExprArena::intern(ExprNode node, ScalarType type, std::span<const ExprId> args, SourceRange where) {
  uint64_t hash = mix(node.index() * 32 + static_cast<uint64_t>(type), std::visit(NodeHash{}, node));
  for (ExprId arg : args) hash = mix(hash, arg.value);
  for (auto [it, end] = consed_.equal_range(hash); it != end; ++it) {
    if (same(nodes_[it->second.index()], node, type, args)) return it->second;
  }
  nodes_.push_back({node, type, args_.add(args), where});
  const ExprId id(nodes_.size() - 1);
  consed_.emplace(hash, id);
  return id;
}

}  // namespace cdsl
