#include "passes/decide/scan.h"

#include <algorithm>
#include <optional>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/types/record.h"
#include "passes/decide/carry.h"
#include "passes/recognize/running.h"
#include "passes/recognize/sizes.h"

namespace cdsl {
namespace {

using deciding::Running;

constexpr int64_t kBlock = 64;
constexpr int64_t kShort = 1024;   // elements that are not worth more launches
constexpr int kMostLevels = 2;     // 2^27 elements, 2^21 blocks, 2^15 blocks of blocks

std::size_t statements_of(const tir::Block& block) {
  std::size_t count = block.statements.size();
  for (const tir::Statement& statement : block.statements)
    if (const auto* loop = std::get_if<tir::Loop>(&statement)) count += statements_of(*loop->body);
  return count;
}

class Cutter {
 public:
  /// `carries`: what a kernel can carry along its axis is left to `decide`.
  Cutter(tir::Function& function, PassContext& context, bool carries)
      : function_(function), arena_(function.arena), context_(context), sizes_(function), carries_(carries),
        statements_(statements_of(function.body)) {}

  void run(tir::Block& block, bool in_loop = false) {
    std::vector<tir::Statement> statements;
    for (tir::Statement& statement : block.statements) {
      if (auto* loop = std::get_if<tir::Loop>(&statement)) run(*loop->body, true);
      auto* stage = std::get_if<tir::Stage>(&statement);
      in_loop_ = in_loop;
      if (stage != nullptr) cut(*stage, statements, kMostLevels);
      statements.push_back(std::move(statement));
    }
    block.statements = std::move(statements);
  }

 private:
  void cut(tir::Stage& stage, std::vector<tir::Statement>& before, int levels) {
    if (stage.targets.size() != 1 || stage.domain.guard.valid()) return;
    const auto first = find(stage);
    if (!first) return;
    const std::string name = function_.tensor(stage.targets[0].tensor).name;
    const ExprId length = index_sub(arena_, first->hi, first->lo);
    const std::string choice = this->choice(stage, name, length, levels == kMostLevels);
    if (choice != "blocks") return;
    // What was cut is no running reduction any more; a statement may hold several.
    for (auto running = first; running; running = find(stage)) apply(stage, *running, name, before, levels);
  }

  std::string choice(const tir::Stage& stage, const std::string& name, ExprId length, bool is_own) {
    const auto known = sizes_.known(length);
    const std::string why = why_not_carried(stage, name);
    std::string choice = why.empty() ? "carried" : known && *known <= kShort ? "whole" : "blocks";
    if (!is_own) return choice;
    const std::string key = name + ".scan";
    if (const auto asked = context_.schedule.overrides.find(key); asked != context_.schedule.overrides.end()) {
      const std::string& wanted = asked->second;
      if (wanted == "whole" || wanted == "blocks" || (wanted == "carried" && why.empty())) {
        choice = wanted;
        context_.settled.insert(key);
      } else {
        context_.impossible[key] = {wanted, wanted == "carried" ? why + "; possible: whole, blocks" : "possible: whole, blocks, carried"};
      }
    }
    remark(stage, name, length, choice, why);
    return choice;
  }

  /// Nothing where a kernel can carry the statement's running reductions.
  std::string why_not_carried(const tir::Stage& stage, const std::string& name) const {
    const auto map = context_.schedule.overrides.find(name + ".map");
    const bool general = !context_.schedule.decide || (map != context_.schedule.overrides.end() && map->second == "general");
    if (!carries_ || general) return "the general path was asked for";
    if (in_loop_) return "it stands in a loop";
    return deciding::why_not_carried(function_, stage, context_.schedule.strict, statements_);
  }

  void remark(const tir::Stage& stage, const std::string& name, ExprId length, const std::string& choice, const std::string& why) const {
    const double n = static_cast<double>(std::max<int64_t>(sizes_.likely(length), 1));
    const bool is_known = sizes_.known(length).has_value();
    Remark remark{"scan", name, choice != "whole", choice, {}, {}, {}, stage.where, name + ".scan"};
    remark.reason = choice == "carried" ? "each element adds its own term to what is carried along the axis"
                    : choice == "blocks" ? "each element would add up all before it" : "too short for more launches";
    const auto terms = [](double count) { return Remark::Number{"terms an element", count, ""}; };
    const double whole = (n + 1) / 2, blocks = 1.0 + (kBlock + 1) / 2.0;
    remark.numbers = {{is_known ? "elements" : "elements likely", n, ""}, terms(choice == "carried" ? 1 : choice == "blocks" ? blocks : whole)};
    if (choice != "whole") remark.alternatives.push_back({"whole", "each element adds up all before it", {terms(whole)}});
    if (choice != "blocks") remark.alternatives.push_back({"blocks", "adds up blocks of 64 more than once", {terms(blocks)}});
    if (choice != "carried") remark.alternatives.push_back({"carried", why.empty() ? "not asked for" : why, {terms(1)}});
    context_.remarks.push_back(std::move(remark));
  }

  // Of those that `cut` can carry out, the first.
  std::optional<Running> find(const tir::Stage& stage) {
    for (const Running& found : deciding::all_running(arena_, stage, stage.targets[0].value))
      if (has_own_shape(stage, found)) return found;
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

  bool uses(ExprId id, SymbolId symbol) const { return deciding::uses(arena_, id, symbol); }

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
    const ExprId total = arena_.apply(*deciding::joining(like.monoid), {read(rest, type, place, like.where), inside});
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
  bool carries_;
  bool in_loop_ = false;
  std::size_t statements_;
};

}  // namespace

tir::Function cut_scans(tir::Function function, PassContext& context) {
  if (!context.schedule.strict) Cutter(function, context, true).run(function.body);
  return function;
}

tir::Function cut_all_scans(tir::Function function, PassContext& context) {
  if (!context.schedule.strict) Cutter(function, context, false).run(function.body);
  return function;
}

}  // namespace cdsl
