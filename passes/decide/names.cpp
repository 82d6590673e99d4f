#include "passes/decide/names.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "passes/recognize/describe.h"
#include "passes/recognize/intensity.h"

namespace cdsl::deciding {
namespace {

class Naming {
 public:
  Naming(const tir::Function& function, const std::map<std::size_t, const Candidate*>& groups, const SizeValues& sizes, Remarks& remarks)
      : function_(function), groups_(groups), sizes_(sizes), remarks_(remarks) {}

  void block(const tir::Block& block) {
    for (const tir::Statement& statement : block.statements) {
      const std::size_t number = next_++;
      if (const auto* stage = std::get_if<tir::Stage>(&statement)) name(*stage, number);
      if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) {
        const Subject subject(function_, scatter->domain, {scatter->target}, sizes_);
        leave(subject, scatter->target.tensor, recognize(subject, scatter), scatter->where, "");
      }
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) {
        name(*loop);
        this->block(*loop->body);
      }
    }
  }

 private:
  void name(const tir::Stage& stage, std::size_t number) {
    names_[number] = function_.tensor(stage.targets.back().tensor).name;
    const auto group = groups_.find(number);
    const bool fused = group != groups_.end();
    std::vector<tir::Target> stores = fused ? group->second->stores : stage.targets;
    std::erase_if(stores, [&](const tir::Target& store) {   // a neighbour's
      return std::none_of(stage.targets.begin(), stage.targets.end(), [&](const tir::Target& own) { return own.tensor == store.tensor; });
    });
    const Subject subject(function_, stage.domain, std::move(stores), sizes_);
    leave(subject, stage.targets.back().tensor, recognize(subject), stage.where, fused ? "; fused with " + others(*group->second) : "");
  }

  // The statements that a group takes in, by the tensors that they compute.
  std::string others(const Candidate& candidate) const {
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (std::size_t number : candidate.statements) {
      const auto name = names_.find(number);
      if (number == candidate.number || name == names_.end()) continue;
      if (std::find(names.begin(), names.end(), name->second) == names.end()) names.push_back(name->second);
    }
    if (names.size() > kMost) names[kMost] = "others", names.resize(kMost + 1);
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // A loop goes by what it carries, else by its index.
  void name(const tir::Loop& loop) {
    const Patterns found = recognize(function_, loop, sizes_);
    std::string site = function_.arena.symbol(loop.index).name;
    if (const auto* r = std::get_if<Recurrence>(&found[0]); r != nullptr && !r->carried.empty()) site = function_.tensor(r->carried[0].tensor).name;
    if (!loop.states.empty()) site = function_.tensor(loop.states[0]).name;
    remarks_.push_back({"recognize", site, true, name_of(found[0]), to_string(function_, found), {}, {}, loop.where});
  }

  void leave(const Subject& subject, TensorId tensor, const Patterns& found, SourceRange where, const std::string& end) {
    Remark remark{"recognize", function_.tensor(tensor).name, true, name_of(found[0]), to_string(function_, found) + end, numbers_of(found), {}, where};
    if (const auto ratio = flops_per_byte(subject, found)) remark.numbers.push_back({"FLOP/byte", rounded(*ratio), ""});
    remarks_.push_back(std::move(remark));
  }

  // To three digits: the sizes are likely ones.
  static double rounded(double value) {
    const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
    return std::round(value / unit) * unit;
  }

  const tir::Function& function_;
  const std::map<std::size_t, const Candidate*>& groups_;
  const SizeValues& sizes_;
  Remarks& remarks_;
  std::size_t next_ = 0;
  std::map<std::size_t, std::string> names_;   // of the stages so far
};

}  // namespace

void name_statements(const tir::Function& function, const std::map<std::size_t, const Candidate*>& groups, const SizeValues& sizes,
                     Remarks& remarks) {
  Naming(function, groups, sizes, remarks).block(function.body);
}

}  // namespace cdsl::deciding
