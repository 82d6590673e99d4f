#include "passes/decide/scan.h"

#include <algorithm>
#include <optional>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/types/record.h"
#include "passes/recognize/sizes.h"

namespace cdsl {
namespace {

constexpr int64_t kBlock = 64;
constexpr int64_t kShort = 1024;   // elements that are not worth more launches
constexpr int kMostLevels = 2;     // 2^27 elements, 2^21 blocks, 2^15 blocks of blocks

/// A reduction that runs from one end to the statement's own index.
struct Running {
  ExprId node;                     // the Reduce
  ReductionId reduction;
  std::size_t axis = 0;            // of the stage
  bool down = false;               // from the index to the end
  int64_t shift = 0;               // up: to index + shift, excluded; down: from index + shift
  ExprId lo, hi;                   // over all indices
};

std::optional<Op> combining(Monoid monoid) {
  switch (monoid) {
    case Monoid::Sum: return Op::Add;
    case Monoid::Prod: return Op::Mul;
    case Monoid::Min: return Op::Min;
    case Monoid::Max: return Op::Max;
    case Monoid::Any: return Op::LogicalOr;
    case Monoid::All: return Op::LogicalAnd;
    default: return std::nullopt;
  }
}

class Cutter {
 public:
  Cutter(tir::Function& function, PassContext& context)
      : function_(function), arena_(function.arena), context_(context), sizes_(function) {}

  void run(tir::Block& block) {
    std::vector<tir::Statement> statements;
    for (tir::Statement& statement : block.statements) {
      if (auto* loop = std::get_if<tir::Loop>(&statement)) run(*loop->body);
      auto* stage = std::get_if<tir::Stage>(&statement);
      if (stage != nullptr) cut(*stage, statements, kMostLevels);
      statements.push_back(std::move(statement));
    }
    block.statements = std::move(statements);
  }

 private:
  void cut(tir::Stage& stage, std::vector<tir::Statement>& before, int levels) {
    if (stage.targets.size() != 1 || stage.domain.guard.valid()) return;
    // What was cut is no running reduction any more; a statement may hold several.
    for (bool first = true; const auto running = find(stage); first = false) {
      if (!cut(stage, *running, before, levels, first)) return;
    }
  }

  bool cut(tir::Stage& stage, const Running& running, std::vector<tir::Statement>& before, int levels, bool first) {
    const std::string name = function_.tensor(stage.targets[0].tensor).name;
    const ExprId length = index_sub(arena_, running.hi, running.lo);
    const auto known = sizes_.known(length);
    const bool is_short = known && *known <= kShort;
    const auto asked = context_.schedule.overrides.find(name + ".scan");
    const bool is_asked = asked != context_.schedule.overrides.end() && levels == kMostLevels;
    if (is_asked && asked->second != "whole" && asked->second != "blocks")
      context_.impossible[name + ".scan"] = {asked->second, "possible: whole, blocks"};
    else if (is_asked)
      context_.settled.insert(name + ".scan");
    const bool fires = is_asked ? asked->second == "blocks" : !is_short;
    if (levels == kMostLevels && first) remark(stage, name, length, fires, known.has_value());
    if (fires) apply(stage, running, name, before, levels);
    return fires;
  }

  void remark(const tir::Stage& stage, const std::string& name, ExprId length, bool fires, bool is_known) const {
    const double n = static_cast<double>(std::max<int64_t>(sizes_.likely(length), 1));
    Remark remark{"scan", name, fires, fires ? "blocks" : "whole",
                  fires ? "each element would add up all before it" : "too short for more launches", {}, {}, stage.where, name + ".scan"};
    remark.numbers = {{is_known ? "elements" : "elements likely", n, ""}, {"terms an element whole", (n + 1) / 2, ""},
                      {"terms an element in blocks", 1.0 + (kBlock + 1) / 2.0, ""}};
    context_.remarks.push_back(std::move(remark));
  }

  // A choice or a logical operator may not evaluate what stands below it.
  std::optional<Running> find(const tir::Stage& stage) const {
    std::vector<ExprId> open{stage.targets[0].value};
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (const auto* reduce = arena_.get_if<Reduce>(id)) {
        if (const auto running = match(stage, id, reduce->reduction)) return running;
        continue;
      }
      const auto* apply = arena_.get_if<Apply>(id);
      if (apply == nullptr || apply->op == Op::Select || apply->op == Op::LogicalAnd || apply->op == Op::LogicalOr) continue;
      for (const ExprId arg : arena_.args(id)) open.push_back(arg);
    }
    return std::nullopt;
  }

  std::optional<Running> match(const tir::Stage& stage, ExprId node, ReductionId id) const {
    const Reduction& reduction = arena_.reduction(id);
    if (reduction.axes.size() != 1 || !combining(reduction.monoid)) return std::nullopt;
    const Axis& inner = reduction.axes[0];
    for (std::size_t axis = 0; axis < stage.domain.axes.size(); ++axis) {
      const Axis& outer = stage.domain.axes[axis];
      Running running{node, id, axis, false, 0, {}, {}};
      if (constant_integer(arena_, outer.lo) != 0 || !is_box(stage)) continue;
      if (const auto shift = distance(inner.hi, outer.index); shift && *shift >= 0 && *shift <= 1 && constant_integer(arena_, inner.lo) == 0) {
        running.shift = *shift;
        running.lo = inner.lo;
        running.hi = index_add(arena_, outer.hi, arena_.integer(*shift - 1));
      } else if (const auto from = distance(inner.lo, outer.index); from && *from >= 0 && *from <= 1 && inner.hi == outer.hi) {
        running.down = true;
        running.shift = *from;
        running.lo = outer.lo;
        running.hi = inner.hi;
      } else {
        continue;
      }
      if (!uses(reduction.lifted[0], outer.index) && !uses(reduction.guard, outer.index) && has_own_shape(stage, running)) return running;
    }
    return std::nullopt;
  }

  /// Temporaries have shapes over sizes alone, and are computed wherever their axes have points: also where another axis of the
  /// statement has none, which must not be seen.
  bool has_own_shape(const tir::Stage& stage, const Running& running) const {
    const Reduction& reduction = arena_.reduction(running.reduction);
    bool drops_axis = false;
    for (std::size_t k = 0; k < stage.domain.axes.size(); ++k) {
      const Axis& axis = stage.domain.axes[k];
      const bool is_kept = uses(reduction.lifted[0], axis.index) || uses(reduction.guard, axis.index);
      drops_axis |= k != running.axis && !is_kept;
      if ((k == running.axis || is_kept) && !is_over_sizes(axis.hi)) return false;
    }
    const ExprId terms[] = {reduction.lifted[0], reduction.guard};
    const auto all = postorder(arena_, terms);
    return !drops_axis || std::none_of(all.begin(), all.end(), [&](ExprId id) {
      if (arena_.get_if<Read>(id) == nullptr) return false;
      const auto rules = arena_.rules(id);
      return std::any_of(rules.begin(), rules.end(), [](const AxisRule& rule) { return rule.bounds == Bounds::PerElement && rule.boundary == Boundary::None; });
    });
  }

  bool is_over_sizes(ExprId id) const {
    const auto nodes = postorder(arena_, std::span(&id, 1));
    return std::all_of(nodes.begin(), nodes.end(), [&](ExprId node) {
      const auto* symbol = arena_.get_if<Symbol>(node);
      if (symbol != nullptr) return arena_.symbol(symbol->symbol).kind == SymbolKind::Size;
      return arena_.constant_value(node) != nullptr || arena_.get_if<Apply>(node) != nullptr;
    });
  }

  /// Not below 0, as extents are.
  ExprId extent(ExprId id) const { return is_natural(id) ? id : index_max(arena_, id, arena_.integer(0)); }

  bool is_natural(ExprId id) const {
    if (const auto* symbol = arena_.get_if<Symbol>(id)) return arena_.symbol(symbol->symbol).kind == SymbolKind::Size;
    if (const auto constant = constant_integer(arena_, id)) return *constant >= 0;
    const auto* apply = arena_.get_if<Apply>(id);
    if (apply == nullptr) return false;
    const auto args = arena_.args(id);
    const auto natural = [this](ExprId arg) { return is_natural(arg); };
    if (apply->op == Op::Max) return std::any_of(args.begin(), args.end(), natural);
    const bool keeps = apply->op == Op::Add || apply->op == Op::Mul || apply->op == Op::FloorDiv || apply->op == Op::Min;
    return keeps && std::all_of(args.begin(), args.end(), natural);
  }

  /// Extents of all axes hang on none of them, and none starts below 0.
  bool is_box(const tir::Stage& stage) const {
    return std::all_of(stage.domain.axes.begin(), stage.domain.axes.end(), [&](const Axis& axis) {
      return constant_integer(arena_, axis.lo).value_or(-1) >= 0 && std::none_of(stage.domain.axes.begin(), stage.domain.axes.end(),
                          [&](const Axis& other) { return uses(axis.lo, other.index) || uses(axis.hi, other.index); });
    });
  }

  bool uses(ExprId id, SymbolId symbol) const {
    if (!id.valid()) return false;
    const auto free = free_symbols(arena_, id);
    return std::find(free.begin(), free.end(), symbol) != free.end();
  }

  /// bound - index, where that is a constant.
  std::optional<int64_t> distance(ExprId bound, SymbolId index) const {
    const auto* symbol = arena_.get_if<Symbol>(bound);
    if (symbol != nullptr) return symbol->symbol == index ? std::optional<int64_t>(0) : std::nullopt;
    if (!arena_.is_apply(bound, Op::Add)) return std::nullopt;
    const auto args = arena_.args(bound);
    const auto* of = arena_.get_if<Symbol>(args[0]);
    return of != nullptr && of->symbol == index ? constant_integer(arena_, args[1]) : std::nullopt;
  }

  ExprId number(int64_t value) const { return arena_.integer(value); }

  TensorId add_temporary(const std::string& wanted, ScalarType type, std::vector<ExprId> shape, SourceRange where) {
    tir::Tensor tensor;
    tensor.name = wanted;
    for (int k = 2; function_.find_tensor(tensor.name).valid(); ++k) tensor.name = wanted + "_" + std::to_string(k);
    const RecordType element = scalar_record(type);
    const auto found = std::find(function_.records.begin(), function_.records.end(), element);
    tensor.element = RecordId(static_cast<std::size_t>(found - function_.records.begin()));
    if (found == function_.records.end()) function_.records.push_back(element);
    tensor.may_be_one.assign(shape.size(), false);
    tensor.shape = std::move(shape);
    tensor.declared = true;
    tensor.where = where;
    function_.tensors.push_back(std::move(tensor));
    return TensorId(function_.tensors.size() - 1);
  }

  ExprId reduce(const Reduction& like, SymbolId index, ExprId lo, ExprId hi, ExprId term, ExprId guard) {
    Reduction reduction;
    reduction.monoid = like.monoid;
    reduction.axes = {{index, lo, hi}};
    reduction.guard = guard;
    reduction.types = like.types;
    reduction.lifted = {term};
    reduction.where = like.where;
    return arena_.reduce(arena_.add_reduction(std::move(reduction)));
  }

  /// `like`'s own term and guard, over other bounds and with an index of its own.
  ExprId part_of(const Reduction& like, ExprId lo, ExprId hi, const std::unordered_map<SymbolId, ExprId>& outer) {
    const SymbolId old = like.axes[0].index;
    const SymbolId index = arena_.add_symbol(arena_.symbol(old).name, SymbolKind::Index);
    auto with = outer;
    with[old] = arena_.symbol_ref(index);
    const ExprId guard = like.guard.valid() ? substitute(arena_, like.guard, with) : ExprId();
    return reduce(like, index, lo, hi, substitute(arena_, like.lifted[0], with), guard);
  }

  void apply(tir::Stage& stage, const Running& running, const std::string& name, std::vector<tir::Statement>& before, int levels) {
    const Reduction like = arena_.reduction(running.reduction);
    const Axis own = stage.domain.axes[running.axis];
    std::vector<Axis> others;                 // that terms use
    for (const Axis& axis : stage.domain.axes) {
      if (axis.index != own.index && (uses(like.lifted[0], axis.index) || uses(like.guard, axis.index))) others.push_back(axis);
    }
    const ExprId block = number(kBlock);
    const ExprId blocks = index_floordiv(arena_, index_add(arena_, extent(running.hi), number(kBlock - 1)), block);
    const ScalarType type = like.types[0];

    // What each block adds up to.
    auto [block_axes, block_with] = copied(others);
    const SymbolId b = arena_.add_symbol("b", SymbolKind::Index);
    const ExprId b_ref = arena_.symbol_ref(b);
    block_axes.push_back({b, number(0), blocks});
    const ExprId first = index_mul(arena_, b_ref, block);
    const ExprId end = index_min(arena_, index_add(arena_, first, block), running.hi);
    const TensorId sums = add_temporary(name + "_block", type, extents(block_axes), like.where);
    before.push_back(stage_of(block_axes, sums, part_of(like, first, end, block_with), stage.where));

    // What stands before each block, or behind it; one past the last where an index may ask for it.
    auto [before_axes, unused] = copied(others);
    const SymbolId q = arena_.add_symbol("b", SymbolKind::Index), d = arena_.add_symbol("d", SymbolKind::Index);
    const ExprId q_ref = arena_.symbol_ref(q);
    before_axes.push_back({q, number(0), running.down ? index_add(arena_, blocks, number(2)) : index_add(arena_, blocks, number(1 - running.shift))});
    std::vector<ExprId> at = references(before_axes);
    at.back() = arena_.symbol_ref(d);
    const ExprId term = read(sums, type, at, like.where);
    const ExprId whole = running.down ? reduce(like, d, q_ref, blocks, term, {}) : reduce(like, d, number(0), q_ref, term, {});
    const TensorId rest = add_temporary(name + (running.down ? "_behind" : "_before"), type, extents(before_axes), like.where);
    tir::Stage prefix = stage_of(before_axes, rest, whole, stage.where);
    if (levels > 1 && !running.down) cut(prefix, before, levels - 1);
    before.push_back(std::move(prefix));

    // The statement: what its block holds up to it, and what stands before.
    const ExprId i = index_add(arena_, arena_.symbol_ref(own.index), number(running.down ? running.shift : 0));
    const ExprId its = index_floordiv(arena_, i, block);
    const ExprId its_first = index_mul(arena_, its, block);
    std::vector<ExprId> place;
    for (const Axis& axis : others) place.push_back(arena_.symbol_ref(axis.index));
    place.push_back(running.down ? index_add(arena_, its, number(1)) : its);
    const ExprId inside = running.down ? part_of(like, i, index_min(arena_, index_add(arena_, its_first, block), running.hi), {})
                                       : part_of(like, its_first, like.axes[0].hi, {});
    const ExprId total = arena_.apply(*combining(like.monoid), {read(rest, type, place, like.where), inside});
    Rewriter rewrite(arena_, [&](ExprId id) { return id == running.node ? std::optional(total) : std::nullopt; });
    stage.targets[0].value = rewrite(stage.targets[0].value);
  }

  std::pair<std::vector<Axis>, std::unordered_map<SymbolId, ExprId>> copied(const std::vector<Axis>& axes) {
    std::vector<Axis> out;
    std::unordered_map<SymbolId, ExprId> with;
    for (const Axis& axis : axes) {
      const SymbolId index = arena_.add_symbol(arena_.symbol(axis.index).name, SymbolKind::Index);
      out.push_back({index, axis.lo, axis.hi});
      with[axis.index] = arena_.symbol_ref(index);
    }
    return {std::move(out), std::move(with)};
  }

  std::vector<ExprId> references(const std::vector<Axis>& axes) const {
    std::vector<ExprId> out;
    for (const Axis& axis : axes) out.push_back(arena_.symbol_ref(axis.index));
    return out;
  }
  /// Temporaries start at 0 on each axis.
  std::vector<ExprId> extents(const std::vector<Axis>& axes) const {
    std::vector<ExprId> out;
    for (const Axis& axis : axes) out.push_back(extent(axis.hi));
    return out;
  }

  ExprId read(TensorId tensor, ScalarType type, std::span<const ExprId> at, SourceRange where) const {
    AxisRule rule;
    rule.bounds = Bounds::Proved;
    const std::vector<AxisRule> rules(at.size(), rule);
    return arena_.read(tensor, 0, type, at, rules, where);
  }

  tir::Stage stage_of(const std::vector<Axis>& axes, TensorId tensor, ExprId value, SourceRange where) const {
    tir::Stage stage;
    stage.domain.axes = axes;
    tir::Target target;
    target.tensor = tensor;
    target.subscripts = references(axes);
    target.value = value;
    target.where = where;
    stage.targets.push_back(std::move(target));
    stage.where = where;
    return stage;
  }

  tir::Function& function_;
  ExprArena& arena_;
  PassContext& context_;
  deciding::SizeValues sizes_;
};

}  // namespace

tir::Function cut_scans(tir::Function function, PassContext& context) {
  if (!context.schedule.strict) Cutter(function, context).run(function.body);
  return function;
}

}  // namespace cdsl
