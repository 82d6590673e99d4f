// `explain --ranges`: what the frontend found out about every index and every read, from Tensor IR.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"
#include "tools/explain.h"

namespace cdsl::tools {
namespace {

std::string_view word(Boundary boundary) {
  constexpr std::string_view kWords[] = {"", "zero outside", "a value outside", "clamp", "reflect", "symmetric", "wrap", "unchecked"};
  return kWords[static_cast<std::size_t>(boundary)];
}

std::string_view word(Bounds bounds) {
  constexpr std::string_view kWords[] = {"proved inside for every legal size", "inside by a launch check",
                                         "tested for each element: outside it reads 0 and is reported"};
  return kWords[static_cast<std::size_t>(bounds)];
}

class RangeReport {
 public:
  RangeReport(const Source& source, const tir::Function& function)
      : source_(source), function_(function), arena_(function.arena) {
    names_.bounds = false;
    names_.tensor = [&](TensorId id) { return function_.tensor(id).name; };
    names_.leaf = [&](TensorId id, uint32_t leaf) { return function_.leaf(id, leaf).path; };
  }

  std::string run() {
    text_ = fmt::format("{}: domains and proofs\n", function_.name);
    block(function_.body, 1);
    if (!function_.checks.empty()) text_ += "launch checks\n";
    for (const tir::Check& check : function_.checks)
      text_ += fmt::format("  {}{}\n", line(check.where), print(check.condition));
    for (const tir::Fact& fact : function_.facts) {
      if (fact.kind == tir::Fact::Kind::Condition)
        text_ += fmt::format("  {}{} ({})\n", line(fact.where), print(fact.condition), fact.required ? "required" : "else the general variant");
    }
    return std::move(text_);
  }

 private:
  std::string print(ExprId id) const { return to_string(arena_, id, names_); }
  std::string line(SourceRange where) const {
    return where.valid() ? fmt::format("line {}: ", source_.locate(where).second) : "";
  }
  void add(int depth, const std::string& text) { text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n"; }

  std::string axes(const std::vector<Axis>& axes) const {
    std::string text;
    for (const Axis& axis : axes)
      text += fmt::format("{}{} in {}..{}", text.empty() ? "" : ", ", arena_.symbol(axis.index).name, print(axis.lo), print(axis.hi));
    return text.empty() ? "one point" : text;
  }

  void block(const tir::Block& block, int depth) {
    for (const tir::Statement& statement : block.statements)
      std::visit([&](const auto& node) { report(node, depth); }, statement);
  }

  void domain(const tir::Domain& domain, const std::string& what, SourceRange where, int depth) {
    add(depth, fmt::format("{}{}: {}{}", line(where), what, axes(domain.axes),
                           domain.guard.valid() ? " if " + print(domain.guard) : ""));
  }

  void target(const tir::Target& target, int depth) {
    add(depth, fmt::format("writes {}: {}", function_.tensor(target.tensor).name,
                           target.bounds == Bounds::PerElement ? "tested for each element: outside nothing is written, and it is reported"
                                                               : word(target.bounds)));
  }

  void report(const tir::Stage& stage, int depth) {
    std::string names;
    std::vector<ExprId> roots;
    for (const tir::Target& t : stage.targets) {
      names += (names.empty() ? "" : ", ") + function_.tensor(t.tensor).name;
      roots.push_back(t.value);
      roots.insert(roots.end(), t.subscripts.begin(), t.subscripts.end());
    }
    domain(stage.domain, names, stage.where, depth);
    for (const tir::Target& t : stage.targets) target(t, depth + 1);
    reads(stage.domain, roots, depth + 1);
  }

  void report(const tir::Scatter& scatter, int depth) {
    domain(scatter.domain, "scatter " + function_.tensor(scatter.target.tensor).name, scatter.where, depth);
    target(scatter.target, depth + 1);
    std::vector<ExprId> roots = scatter.target.subscripts;
    roots.push_back(scatter.target.value);
    reads(scatter.domain, roots, depth + 1);
  }

  void report(const tir::Loop& loop, int depth) {
    add(depth, fmt::format("{}{} {} in {}..{}{}", line(loop.where), loop.kind == tir::Loop::Kind::Repeat ? "repeat" : "along",
                           arena_.symbol(loop.index).name, print(loop.lo), print(loop.hi), loop.descending ? " descending" : ""));
    block(*loop.body, depth + 1);
  }

  void reads(const tir::Domain& domain, std::vector<ExprId> roots, int depth) {
    if (domain.guard.valid()) roots.push_back(domain.guard);
    for (const Axis& axis : domain.axes) roots.insert(roots.end(), {axis.lo, axis.hi});
    std::set<ReductionId> reductions;
    for (const ExprId id : postorder(arena_, roots)) {
      if (const auto* reduce = arena_.get_if<Reduce>(id); reduce != nullptr && reductions.insert(reduce->reduction).second) {
        const Reduction& r = arena_.reduction(reduce->reduction);
        add(depth, fmt::format("{}: {}{}", name_of(r.monoid), axes(r.axes), r.guard.valid() ? " if " + print(r.guard) : ""));
      }
      if (const auto* read = arena_.get_if<Read>(id)) report(*read, id, depth);
    }
  }

  void report(const Read&, ExprId id, int depth) {
    std::string why;
    const auto rules = arena_.rules(id);
    Bounds worst = Bounds::Proved;
    for (std::size_t axis = 0; axis < rules.size(); ++axis) {
      const AxisRule& rule = rules[axis];
      if (rule.boundary != Boundary::None)
        why += fmt::format("{}axis {}: {}", why.empty() ? "" : "; ", axis, word(rule.boundary));
      else
        worst = std::max(worst, rule.bounds);
    }
    const bool all_modes = !rules.empty() && std::all_of(rules.begin(), rules.end(), [](const AxisRule& r) { return r.boundary != Boundary::None; });
    if (!all_modes) why = std::string(word(worst)) + (why.empty() ? "" : "; ") + why;
    add(depth, fmt::format("reads {}: {}", print(id), why));
  }

  const Source& source_;
  const tir::Function& function_;
  const ExprArena& arena_;
  ExprNames names_;
  std::string text_;
};

}  // namespace

std::string ranges_text(const Source& source, const tir::Function& function) {
  return RangeReport(source, function).run();
}

}  // namespace cdsl::tools
