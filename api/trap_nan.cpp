#include "api/trap_nan.h"

#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dsl/expr/walk.h"

namespace cdsl {
namespace {

bool is_nan(const Value& value, ScalarType type) {
  return (is_float(type) || is_complex(type)) && (std::isnan(value.re) || (is_complex(type) && std::isnan(value.im)));
}

/// "[3, 4]" of the first element with a NaN in any leaf.
std::optional<std::string> first_nan(const Array& array) {
  const int64_t count = array.count();
  for (int64_t flat = 0; flat < count; ++flat) {
    for (uint32_t leaf = 0; leaf < array.element.leaves.size(); ++leaf) {
      for (int64_t within = 0; within < array.element.leaves[leaf].count(); ++within) {
        if (!is_nan(array.get(flat, leaf, within), array.element.leaves[leaf].type)) continue;
        std::vector<int64_t> at(array.shape.size());
        int64_t rest = flat;
        for (std::size_t axis = at.size(); axis-- > 0; rest /= array.shape[axis]) at[axis] = rest % array.shape[axis];
        return at.empty() ? "" : fmt::format("[{}]", fmt::join(at, ", "));
      }
    }
  }
  return std::nullopt;
}

class NanSearch {
 public:
  NanSearch(const tir::Function& function, const Arguments& arguments, const std::map<std::string, Array>& results)
      : function_(function), arguments_(arguments) {
    for (const auto& [name, array] : arguments.arrays) now_[name] = first_nan(array);
    for (const auto& [name, array] : results) end_[name] = first_nan(array);
    count_writers(function.body);
  }

  std::optional<NanOrigin> in(const tir::Block& block) {
    for (const tir::Statement& statement : block.statements) {
      auto found = std::visit([&](const auto& s) { return in(s); }, statement);
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  using Place = std::optional<std::string>;   // of the first NaN of a tensor; nothing: it has none
  struct Writers {
    int all = 0, left = 0;                    // statements, and those that are still to come
  };

  const std::string& name_of(TensorId id) const { return function_.tensor(id).name; }

  static std::vector<tir::Target> targets_of(const tir::Stage& stage) { return stage.targets; }
  static std::vector<tir::Target> targets_of(const tir::Scatter& scatter) { return {scatter.target}; }

  void count_writers(const tir::Block& block) {
    for_each_write(block, [&](const std::string& name) { ++writers_[name].all, ++writers_[name].left; });
  }

  /// Once for each statement and tensor.
  void for_each_write(const tir::Block& block, const std::function<void(const std::string&)>& visit) const {
    for (const tir::Statement& statement : block.statements) {
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) {
        for_each_write(*loop->body, visit);
        continue;
      }
      const auto* stage = std::get_if<tir::Stage>(&statement);
      std::set<std::string> names;
      for (const tir::Target& target : stage != nullptr ? targets_of(*stage) : targets_of(std::get<tir::Scatter>(statement)))
        names.insert(name_of(target.tensor));
      for (const std::string& name : names) visit(name);
    }
  }

  template <class Statement>
  std::optional<NanOrigin> in(const Statement& statement) {
    const std::vector<tir::Target> targets = targets_of(statement);
    const bool reads = reads_nan(statement.domain, targets);
    std::set<std::string> names;
    for (const tir::Target& target : targets) names.insert(name_of(target.tensor));
    std::optional<NanOrigin> found;
    for (const std::string& name : names) {
      Writers& writers = writers_[name];
      // What a later statement writes over is not known; it is taken to be whole unless it was made of a NaN.
      const Place made = --writers.left == 0 ? end_[name] : reads ? Place("") : Place();
      if (made && !reads && !(in_loop_ ? start_ : now_)[name] && !found) found = {statement.where, words(name, *made, writers.all > 1)};
      if (!in_loop_) now_[name] = made;
    }
    return found;
  }

  static std::string words(const std::string& name, const std::string& at, bool is_one_of_several) {
    return fmt::format("{}{} is NaN, and nothing that the statement reads holds one{}", name, at,
                       is_one_of_several ? "; this statement made it, or an earlier one that writes " + name : "");
  }

  // What a step reads, an earlier step may have written: values after the last step stand for all.
  std::optional<NanOrigin> in(const tir::Loop& loop) {
    if (in_loop_) return in(*loop.body);
    start_ = now_;
    std::set<std::string> written;
    std::map<std::string, int> times;
    for_each_write(*loop.body, [&](const std::string& name) { written.insert(name), ++times[name]; });
    for (const std::string& name : written) {
      if (writers_[name].left == times[name]) now_[name] = end_[name];
    }
    in_loop_ = true;
    auto found = in(*loop.body);
    in_loop_ = false;
    if (found) return found;
    for (const std::string& name : written) {
      if (!now_[name] || !came_clean(*loop.body)) continue;
      const auto& body = loop.body->statements;
      const SourceRange where = body.size() == 1 ? std::visit([](const auto& s) { return s.where; }, body[0]) : loop.where;
      return NanOrigin{where, fmt::format("{}{} is NaN after the loop, and nothing that came into it holds one", name, *now_[name])};
    }
    return std::nullopt;
  }

  bool came_clean(const tir::Block& block) {
    const auto end = std::exchange(now_, start_);
    bool is_clean = true;
    for (const tir::Statement& statement : block.statements) {
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) is_clean = is_clean && came_clean(*loop->body);
      if (const auto* stage = std::get_if<tir::Stage>(&statement)) is_clean = is_clean && !reads_nan(stage->domain, stage->targets);
      if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) is_clean = is_clean && !reads_nan(scatter->domain, {scatter->target});
    }
    now_ = end;
    return is_clean;
  }

  bool reads_nan(const tir::Domain& domain, const std::vector<tir::Target>& targets) {
    std::vector<ExprId> roots;
    for (const tir::Target& target : targets) {
      roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
      roots.push_back(target.value);
    }
    if (domain.guard.valid()) roots.push_back(domain.guard);
    for (const ExprId id : postorder(function_.arena, roots)) {
      if (const auto* read = function_.arena.get_if<Read>(id)) {
        if (now_[name_of(read->tensor)]) return true;
      } else if (const auto* symbol = function_.arena.get_if<Symbol>(id)) {
        const SymbolInfo& info = function_.arena.symbol(symbol->symbol);
        const auto scalar = arguments_.scalars.find(info.name);
        if (info.kind == SymbolKind::Scalar && scalar != arguments_.scalars.end() && is_nan(scalar->second, info.type)) return true;
      }
    }
    return false;
  }

  const tir::Function& function_;
  const Arguments& arguments_;
  std::map<std::string, Place> now_, end_, start_;   // start: of the loop
  std::map<std::string, Writers> writers_;
  bool in_loop_ = false;
};

}  // namespace

std::optional<NanOrigin> find_nan(const tir::Function& function, const Arguments& arguments,
                                  const std::map<std::string, Array>& results) {
  return NanSearch(function, arguments, results).in(function.body);
}

}  // namespace cdsl
