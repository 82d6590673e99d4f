#include "dsl/loop/distribution.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

/// Conditions of roles are on small numbers, so that types do not matter.
constexpr int64_t kLargestConstant = 1 << 20;

bool is_number(ScalarType type) { return is_integer(type) || type == ScalarType::Bool; }

int64_t wrap(uint64_t bits) { return static_cast<int64_t>(bits); }

/// Value of an operator of role conditions; nothing for other operators.
std::optional<int64_t> evaluate(Op op, std::span<const int64_t> a) {
  const auto bits = [&](std::size_t k) { return static_cast<uint64_t>(a[k]); };
  switch (op) {
    case Op::Cast: return a[0];
    case Op::Add: return wrap(bits(0) + bits(1));
    case Op::Sub: return wrap(bits(0) - bits(1));
    case Op::Div: return a[1] <= 0 ? 0 : a[0] / a[1];
    case Op::Rem: return a[1] <= 0 ? a[0] : a[0] % a[1];
    case Op::Lt: return a[0] < a[1];
    case Op::Le: return a[0] <= a[1];
    case Op::Gt: return a[0] > a[1];
    case Op::Ge: return a[0] >= a[1];
    case Op::Eq: return a[0] == a[1];
    case Op::Ne: return a[0] != a[1];
    case Op::LogicalAnd: return a[0] != 0 && a[1] != 0;
    case Op::LogicalOr: return a[0] != 0 || a[1] != 0;
    case Op::LogicalNot: return a[0] == 0;
    default: return std::nullopt;
  }
}

}  // namespace

int WarpSet::first() const { return mask == 0 ? 0 : std::countr_zero(mask); }
int WarpSet::count() const { return std::popcount(mask); }
bool WarpSet::contiguous() const {
  return mask != 0 && first() + count() == 32 - std::countl_zero(mask);
}

/// One walk over the statements, in order: axes and places of all, and which registers are lane-wise as far as this
/// walk can tell (an Assign below a loop's head tells the next walk).
struct Distribution::Walk {
  Distribution& d;
  std::unordered_map<SymbolId, WarpSet> declared = {};   // the warps that run a Var's declaration
  bool changed = false;

  void mark(SymbolId symbol) { changed |= symbol.valid() && d.lane_wise_.insert(symbol).second; }

  void block(const Block& block, const Place& around) {
    for (const Statement& statement : block.statements) visit(statement, around);
  }

  void visit(const Statement& statement, const Place& around) {
    if (const auto* axis = std::get_if<TileAxis>(&statement.node)) d.add_axis(*axis);
    Facts all;
    for_each_expression(statement, [&](ExprId id) {
      const Facts& facts = d.facts(id);
      all = {d.join(all.axes, facts.axes), all.thread || facts.thread, all.warp || facts.warp, all.free || facts.free};
    });
    Place place = around;
    place.axes = d.join(place.axes, all.axes);
    place.role = std::holds_alternative<If>(statement.node) && all.warp && !all.thread && !all.free;
    place.lane_wise |= !place.role && (all.thread || all.warp);
    std::visit([&](const auto& node) { define(node, place); }, statement.node);
    d.places_[&statement] = place;
    enter(statement, place, around);
  }

  void set(SymbolId symbol, SetId axes) {
    if (symbol.valid()) d.symbols_[symbol] = axes;
  }

  SetId set_of(SymbolId symbol) const {
    const auto found = d.symbols_.find(symbol);
    return found == d.symbols_.end() ? 0 : found->second;
  }

  void define(const Let& n, Place& place) {
    set(n.local, place.axes);
    if (n.value.valid() && d.lane_wise(n.value)) mark(n.local);
  }

  void define(const Var& n, Place& place) {
    place.axes = d.join(place.axes, d.set_of(n.over));
    set(n.local, place.axes);
    declared[n.local] = place.warps;
    if (n.value.valid() && d.lane_wise(n.value)) mark(n.local);
  }

  void define(const Assign& n, Place& place) {
    place.axes = d.join(place.axes, set_of(n.local));
    const auto found = declared.find(n.local);
    const bool by_all = found != declared.end() && found->second == place.warps;
    if (place.lane_wise || !by_all) mark(n.local);
  }

  void define(const VectorLoad& n, Place& place) {
    for (SymbolId local : n.locals) {
      set(local, place.axes);
      if (place.lane_wise) mark(local);
    }
  }

  void define(const Atomic& n, Place& place) {
    set(n.old, place.axes);
    if (place.lane_wise) mark(n.old);
  }

  void define(const For& n, Place& place) {
    if (place.lane_wise) mark(n.index);
  }

  void define(const Shuffle& n, Place&) { mark(n.result); }
  void define(const Vote& n, Place&) { mark(n.result); }
  void define(const Elect& n, Place&) { mark(n.local); }
  void define(const TileAxis& n, Place&) { set(n.index, d.set_of({n.index})); }

  void define(const TileReduce& n, Place& place) {
    const SetId rest = d.without(place.axes, n.axes);
    for (SymbolId result : n.results) set(result, rest);
  }

  void define(const TileScan& n, Place& place) {
    place.axes = d.join(place.axes, d.set_of({n.axis}));
    for (SymbolId result : n.results) set(result, place.axes);
    const SetId rest = d.without(place.axes, std::span(&n.axis, 1));
    for (SymbolId total : n.totals) set(total, rest);
  }

  void define(const TileMultiply& n, Place& place) {
    for (SymbolId symbol : {n.d, n.a, n.b}) place.axes = d.join(place.axes, set_of(symbol));
  }

  template <class Node>
  void define(const Node&, Place&) {}

  // A body runs where its statement does: for the points and by the threads for which the condition holds.
  void enter(const Statement& statement, const Place& place, const Place& around) {
    Place inner = place;
    if (const auto* branch = std::get_if<If>(&statement.node)) {
      const uint32_t mask = place.role ? d.warps_where(branch->condition).mask : ~0u;
      inner.role = false;
      inner.warps.mask = around.warps.mask & mask;
      block(*branch->then_body, inner);
      if (place.role) inner.warps.mask = around.warps.mask & ~mask;
      if (branch->else_body != nullptr) block(*branch->else_body, inner);
      return;
    }
    inner.axes = around.axes;
    for_each_block(statement, [&](const Block& body) { block(body, inner); });
  }
};

Distribution::Distribution(const Program& program, const Kernel& kernel) : program_(program) {
  set_of({});
  const int64_t threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  const int64_t warps = std::clamp<int64_t>((threads + 31) / 32, 1, 32);
  all_warps_ = static_cast<uint32_t>((uint64_t{1} << warps) - 1);
  Place everywhere;
  everywhere.warps.mask = all_warps_;
  for (bool changed = true; changed;) {
    facts_.clear();
    Walk walk{*this};
    walk.block(kernel.body, everywhere);
    changed = walk.changed;
  }
}

void Distribution::add_axis(const TileAxis& axis) {
  if (axes_.contains(axis.index)) return;
  AxisFacts facts;
  facts.first_warp = axis.first_warp;
  facts.position = static_cast<uint32_t>(order_.size());
  for (const Factor& f : axis.factors) facts.digits.push_back({f.level, f.extent, f.stride, 1});
  for (auto digit = facts.digits.rbegin(); digit != facts.digits.rend(); ++digit) {
    digit->weight = facts.extent;
    facts.extent *= digit->extent;
  }
  std::copy_if(facts.digits.begin(), facts.digits.end(), std::back_inserter(facts.registers),
               [](const Digit& d) { return d.level == Level::Register || d.level == Level::Vector; });
  order_.push_back(axis.index);
  axes_.emplace(axis.index, std::move(facts));
}

std::vector<Digit> Distribution::digits(SymbolId axis, Level level) const {
  std::vector<Digit> out;
  std::copy_if(digits(axis).begin(), digits(axis).end(), std::back_inserter(out),
               [&](const Digit& d) { return d.level == level; });
  return out;
}

std::span<const SymbolId> Distribution::axes_of(SymbolId symbol) const {
  const auto found = symbols_.find(symbol);
  return sets_[found == symbols_.end() ? 0 : found->second];
}

std::span<const SymbolId> Distribution::axes_of(ExprId expression) const {
  return expression.valid() ? std::span<const SymbolId>(sets_[facts(expression).axes]) : sets_[0];
}

int64_t Distribution::registers_of(std::span<const SymbolId> axes) const {
  int64_t count = 1;
  for (SymbolId axis : axes) {
    for (const Digit& digit : register_digits(axis)) count *= digit.extent;
  }
  return count;
}

bool Distribution::lane_wise(ExprId expression) const {
  if (!expression.valid()) return false;
  const Facts& f = facts(expression);
  return f.thread || f.warp;
}

// Operands first, with a stack of its own; what is known already is not entered.
const Distribution::Facts& Distribution::facts(ExprId root) const {
  std::vector<std::pair<ExprId, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [id, ready] = stack.back();
    stack.pop_back();
    if (facts_.contains(id)) continue;
    if (ready) {
      facts_.emplace(id, facts_of_node(id));
      continue;
    }
    stack.push_back({id, true});
    for (ExprId arg : program_.arena.args(id)) stack.push_back({arg, false});
  }
  return facts_.at(root);
}

Distribution::Facts Distribution::facts_of_node(ExprId id) const {
  const ExprArena& arena = program_.arena;
  Facts out;
  for (ExprId arg : arena.args(id)) {
    const Facts& facts = facts_.at(arg);
    out = {join(out.axes, facts.axes), out.thread || facts.thread, out.warp || facts.warp, out.free || facts.free};
  }
  if (const auto* load = arena.get_if<Load>(id)) {
    out.free = true;
    const bool known = load->buffer.valid() && load->buffer.index() < program_.buffers.size();
    out.thread |= known && program_.buffer(load->buffer).space == Space::Register;
  } else if (const auto* node = arena.get_if<Symbol>(id)) {
    const SymbolId symbol = node->symbol;
    const auto is = [&](Special special) { return program_.special(special) == symbol; };
    out.warp = is(Special::Warp);
    out.thread = is(Special::ThreadX) || is(Special::ThreadY) || is(Special::ThreadZ) || is(Special::Lane) ||
                 lane_wise_.contains(symbol);
    out.free = !out.warp;
    if (const auto found = symbols_.find(symbol); found != symbols_.end()) out.axes = found->second;
  } else if (const auto* apply = arena.get_if<Apply>(id)) {
    out.free |= !evaluate(apply->op, std::vector<int64_t>(3, 1)) || !is_number(arena.type(id));
  } else if (const Value* value = arena.constant_value(id)) {
    out.free = !is_number(arena.type(id)) || value->i < 0 || value->i > kLargestConstant;
  }
  return out;
}

std::span<const SymbolId> Distribution::axes_of(const Statement& statement) const {
  return sets_[places_.at(&statement).axes];
}

bool Distribution::lane_wise(const Statement& statement) const { return places_.at(&statement).lane_wise; }

WarpSet Distribution::warps_of(const Statement& statement) const { return places_.at(&statement).warps; }

bool Distribution::is_role(const Statement& statement) const { return places_.at(&statement).role; }

WarpSet Distribution::warps_where(ExprId condition) const {
  const ExprArena& arena = program_.arena;
  const std::vector<ExprId> nodes = postorder(arena, std::span(&condition, 1));
  WarpSet set;
  for (uint32_t warp = 0; warp < 32; ++warp) {
    if ((all_warps_ >> warp & 1) == 0) continue;
    std::unordered_map<ExprId, int64_t> values;
    for (ExprId id : nodes) {
      std::vector<int64_t> args;
      for (ExprId arg : arena.args(id)) args.push_back(values.at(arg));
      if (const Value* value = arena.constant_value(id)) {
        values[id] = value->i;
      } else if (const auto* apply = arena.get_if<Apply>(id)) {
        values[id] = evaluate(apply->op, args).value_or(0);
      } else {
        values[id] = warp;
      }
    }
    if (values.at(condition) != 0) set.mask |= 1u << warp;
  }
  return set;
}

std::vector<Factor> Distribution::unnamed(std::span<const SymbolId> axes, Level level, int64_t total) const {
  std::vector<Digit> named;
  for (SymbolId axis : axes) {
    for (const Digit& digit : digits(axis)) named.push_back(digit);
  }
  return unnamed(std::move(named), level, total);
}

std::vector<Factor> Distribution::unnamed(std::vector<Digit> named, Level level, int64_t total) {
  std::erase_if(named, [&](const Digit& digit) { return digit.level != level || digit.extent == 1; });
  std::sort(named.begin(), named.end(), [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
  std::vector<Factor> gaps;
  int64_t place = 1;                  // digits below this stride are done
  for (const Digit& digit : named) {
    if (digit.stride > place) gaps.push_back({level, digit.stride / place, place});
    place = digit.stride * digit.extent;
  }
  if (total > place) gaps.push_back({level, (total + place - 1) / place, place});
  return gaps;
}

Distribution::SetId Distribution::set_of(std::vector<SymbolId> axes) const {
  std::erase_if(axes, [&](SymbolId s) { return !axes_.contains(s); });
  const auto before = [&](SymbolId a, SymbolId b) { return axes_.at(a).position < axes_.at(b).position; };
  std::sort(axes.begin(), axes.end(), before);
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  const auto [found, is_new] = set_ids_.emplace(axes, static_cast<SetId>(sets_.size()));
  if (is_new) sets_.push_back(std::move(axes));
  return found->second;
}

Distribution::SetId Distribution::join(SetId a, SetId b) const {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const auto known = joins_.find({a, b});
  if (known != joins_.end()) return known->second;
  std::vector<SymbolId> both = sets_[a];
  both.insert(both.end(), sets_[b].begin(), sets_[b].end());
  return joins_[{a, b}] = set_of(std::move(both));
}

Distribution::SetId Distribution::without(SetId set, std::span<const SymbolId> axes) const {
  std::vector<SymbolId> rest = sets_[set];
  std::erase_if(rest, [&](SymbolId s) { return std::find(axes.begin(), axes.end(), s) != axes.end(); });
  return set_of(std::move(rest));
}

}  // namespace cdsl::loop
