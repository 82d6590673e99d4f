#include "frontend/sema/left.h"

#include <algorithm>
#include <map>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "frontend/sema/expression.h"

namespace cdsl::sema {
namespace {

class Binder {
 public:
  Binder(Analysis& a, AtPoints& points, const std::vector<ast::Target>& targets, ast::ExprId value)
      : a_(a), points_(points), targets_(targets), value_(value) {}

  std::optional<LeftSides> run() {
    for (const ast::Target& target : targets_) {
      if (!bind_target(target)) return std::nullopt;
    }
    for (const ast::Target& target : targets_) {
      if (!target.guard.valid()) continue;
      const auto guard = evaluate_condition(a_, target.guard);
      if (!guard) return std::nullopt;
      result_.guard = logical_and(a_.arena(), result_.guard, *guard);
    }
    points_.assume(result_.guard);
    return std::move(result_);
  }

 private:
  const ReadsByIndex& reads() {
    if (!reads_) {
      std::vector<ast::ExprId> roots{value_};
      for (const ast::Target& target : targets_) {
        if (target.guard.valid()) roots.push_back(target.guard);
        for (const ast::LeftSubscript& left : target.subscripts) {
          if (const auto* unique = std::get_if<ast::LeftUnique>(&left.node))
            roots.push_back(unique->value);
        }
      }
      reads_ = collect_reads(a_, roots);
    }
    return *reads_;
  }

  bool is_new_name(const std::string& name) const {
    return a_.scopes.find(name) == nullptr && !a_.module.constant(name);
  }

  bool bind_target(const ast::Target& target) {
    LeftSide side;
    side.target = &target;
    bool is_new = false;
    side.symbol = resolve_target(a_, target.name, is_new);
    if (side.symbol == nullptr && !is_new) return false;
    if (side.symbol != nullptr && side.symbol->is_poisoned) return false;
    if (side.symbol != nullptr) {
      const std::size_t rank = a_.ir(*side.symbol).shape.size();
      if (rank != target.subscripts.size()) {
        a_.report(Code::RankMismatch, target.range,
                  "'" + target.name.text + "' has " + counted(rank, "axis", "axes") + ", " +
                      counted(target.subscripts.size(), "subscript", "subscripts") + " given")
            .note(side.symbol->where, "it is declared here");
        return false;
      }
    } else if (target.subscripts.size() > kMaxRank) {
      a_.report(Code::RankLimit, target.range,
                "a tensor has at most " + std::to_string(kMaxRank) + " axes");
      return false;
    }
    used_.clear();
    for (std::size_t axis = 0; axis < target.subscripts.size(); ++axis) {
      if (!bind_subscript(target.subscripts[axis], axis, side)) return false;
    }
    const bool is_first = result_.sides.empty();
    if (!is_first && used_.size() != result_.axes.size()) {
      a_.report(Code::BadLeftSubscript, target.range,
                "all targets of a tuple have the same indices; this one lacks some");
      return false;
    }
    result_.sides.push_back(std::move(side));
    return true;
  }

  bool bind_subscript(const ast::LeftSubscript& left, std::size_t axis, LeftSide& side) {
    if (const auto* ranged = std::get_if<ast::LeftRanged>(&left.node)) {
      const auto span = evaluate_range(a_, ranged->span);
      return span && bind_new(ranged->index, *span, false, side);
    }
    if (const auto* unique = std::get_if<ast::LeftUnique>(&left.node)) {
      return bind_unique(unique->value, side);
    }
    const ast::ExprId expr = std::get<ast::LeftExpr>(left.node).value;
    const auto* name = a_.ast_if<ast::NameRef>(expr);
    if (name != nullptr && (is_new_name(name->name) || indices_.contains(name->name))) {
      const ast::Name index{name->name, a_.range(expr)};
      if (indices_.contains(name->name)) return bind_new(index, std::nullopt, false, side);
      const bool declared = side.symbol != nullptr && is_declared(*side.symbol);
      std::optional<Span> span;
      if (declared) {
        span = Span{a_.arena().integer(0), a_.ir(*side.symbol).shape[axis], RangeOrigin::Declared,
                    side.symbol->where};
        if (!side.symbol->lo.empty()) {
          span->lo = side.symbol->lo[axis];
          span->hi = side.symbol->hi[axis];
        }
      } else {
        span = inferred_range(a_, index, reads());
      }
      return span && bind_new(index, span, declared, side);
    }
    return bind_place(expr, side);
  }

  bool bind_new(const ast::Name& index, std::optional<Span> span, bool is_default, LeftSide& side) {
    const auto known = indices_.find(index.text);
    if (std::find(used_.begin(), used_.end(), index.text) != used_.end()) {
      a_.report(Code::RepeatedIndex, index.range,
                "index '" + index.text + "' stands twice on the left")
          .note(known->second.second, "first used here");
      return false;
    }
    used_.push_back(index.text);
    if (known != indices_.end()) {
      if (span && !agrees(index, known->second.first, *span)) return false;
      side.subscripts.push_back(a_.arena().symbol_ref(known->second.first.index));
      side.is_default.push_back(false);
      return true;
    }
    if (!result_.sides.empty()) {
      a_.report(
          Code::BadLeftSubscript, index.range,
          "all targets of a tuple have the same indices; '" + index.text + "' is not on the first");
      return false;
    }
    const auto axis = bind_index(a_, points_, index, *span);
    if (!axis) return false;
    indices_.emplace(index.text, std::make_pair(*axis, index.range));
    result_.axes.push_back(*axis);
    side.subscripts.push_back(a_.arena().symbol_ref(axis->index));
    side.is_default.push_back(is_default);
    return true;
  }

  bool agrees(const ast::Name& index, const Axis& axis, const Span& span) {
    if (axis.lo == span.lo && axis.hi == span.hi) return true;
    a_.report(Code::ExtentsDisagree, index.range,
              "index '" + index.text + "' has different ranges in one statement");
    return false;
  }

  // unique(e): names in e that are not visible are new indices.
  bool bind_unique(ast::ExprId expr, LeftSide& side) {
    bool good = true;
    ast::post_order(a_.program.exprs, expr, [&](ast::ExprId id) {
      const auto* name = a_.ast_if<ast::NameRef>(id);
      if (!good || name == nullptr || !is_new_name(name->name) || indices_.contains(name->name))
        return;
      const ast::Name index{name->name, a_.range(id)};
      const auto span = inferred_range(a_, index, reads());
      const auto axis = span ? bind_index(a_, points_, index, *span) : std::nullopt;
      good = axis.has_value();
      if (!good) return;
      indices_.emplace(index.text, std::make_pair(*axis, index.range));
      result_.axes.push_back(*axis);
    });
    const auto value = good ? evaluate_integer(a_, expr, "a left subscript") : std::nullopt;
    if (!value) return false;
    side.is_vouched = true;
    side.subscripts.push_back(value->expr);
    side.is_default.push_back(false);
    return true;
  }

  // A fixed place: sizes, literals, indices of enclosing loops.
  bool bind_place(ast::ExprId expr, LeftSide& side) {
    bool uses_new = false;
    ast::post_order(a_.program.exprs, expr, [&](ast::ExprId id) {
      const auto* name = a_.ast_if<ast::NameRef>(id);
      uses_new = uses_new ||
                 (name != nullptr && (is_new_name(name->name) || indices_.contains(name->name)));
    });
    if (uses_new) {
      a_.report(Code::BadLeftSubscript, a_.range(expr),
                "a left subscript is a new index alone, or made of sizes, literals and indices of "
                "loops")
          .note(a_.range(expr), "to write where an index decides, use scatter");
      return false;
    }
    const auto value = evaluate_integer(a_, expr, "a left subscript");
    if (!value) return false;
    for (ExprId id : postorder(a_.arena(), std::span(&value->expr, 1))) {
      if (a_.arena().get_if<Read>(id) == nullptr && a_.arena().get_if<Reduce>(id) == nullptr)
        continue;
      a_.report(Code::BadLeftSubscript, a_.range(expr),
                "a left subscript reads no tensor; to write where data decides, use scatter");
      return false;
    }
    side.subscripts.push_back(value->expr);
    side.is_default.push_back(false);
    return true;
  }

  Analysis& a_;
  AtPoints& points_;
  const std::vector<ast::Target>& targets_;
  ast::ExprId value_;
  LeftSides result_;
  std::optional<ReadsByIndex> reads_;
  std::map<std::string, std::pair<Axis, SourceRange>> indices_;
  std::vector<std::string> used_;
};

}  // namespace

bool is_declared(const TensorSymbol& symbol) {
  return symbol.kind != TensorKind::Intermediate || symbol.is_state || symbol.was_state;
}

TensorSymbol* resolve_target(Analysis& a, const ast::Name& name, bool& is_new) {
  is_new = false;
  const Entity* entity = a.scopes.find(name.text);
  if (entity == nullptr && !a.module.constant(name.text)) {
    is_new = true;
    return nullptr;
  }
  TensorSymbol* symbol = nullptr;
  if (entity != nullptr) {
    const auto* tensor = std::get_if<TensorSymbol*>(&entity->what);
    if (tensor == nullptr) {
      a.report(Code::NameInUse, name.range,
               "'" + name.text + "' is no tensor, so that it cannot be defined")
          .note(entity->where, "it is first used here");
      return nullptr;
    }
    symbol = *tensor;
  }
  if (symbol != nullptr && symbol->kind != TensorKind::Input) return symbol;
  const SourceRange where =
      symbol != nullptr ? symbol->where : a.module.constant(name.text).decl->name.range;
  auto& error = a.report(Code::InputAssigned, name.range,
                         symbol != nullptr ? "input '" + name.text + "' is read only"
                                           : "const '" + name.text + "' is read only");
  error.note(where, "declared here");
  if (symbol != nullptr) error.fix(where.start(), "inout ");
  return nullptr;
}

std::optional<LeftSides> bind_left(Analysis& a, AtPoints& points,
                                   const std::vector<ast::Target>& targets, ast::ExprId value) {
  return Binder(a, points, targets, value).run();
}

}  // namespace cdsl::sema
