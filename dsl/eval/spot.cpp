#include "dsl/eval/spot.h"

#include <map>
#include <unordered_map>
#include <variant>

#include "dsl/eval/spot_stage.h"

namespace cdsl::eval {
namespace {

constexpr std::size_t kMostRemembered = std::size_t{1} << 22;   // elements of intermediates

bool writes(const tir::Block& block, TensorId tensor);

bool writes(const tir::Statement& statement, TensorId tensor) {
  if (const auto* stage = std::get_if<tir::Stage>(&statement)) {
    for (const tir::Target& target : stage->targets) {
      if (target.tensor == tensor) return true;
    }
    return false;
  }
  if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) return scatter->target.tensor == tensor;
  return writes(*std::get<tir::Loop>(statement).body, tensor);
}

bool writes(const tir::Block& block, TensorId tensor) {
  for (const tir::Statement& statement : block.statements) {
    if (writes(statement, tensor)) return true;
  }
  return false;
}

}  // namespace

class SpotEvaluator::Search {
 public:
  Search(const tir::Function& function, const Arguments& arguments, const tir::Bound& bound, Mode mode, int64_t most_points)
      : function_(function), arguments_(arguments), bound_(bound), mode_(mode), most_points_(most_points) {
    for (std::size_t k = 0; k < function.tensors.size(); ++k) {
      std::vector<int64_t> declared;
      for (const ExprId extent : function.tensors[k].shape)
        declared.push_back(tir::evaluate_constant(function.arena, extent, bound.bindings).i);
      shapes_.push_back(Store::of_shape(function.element(TensorId(k)), std::move(declared), bound.shapes[k]));
    }
  }

  Expected element(TensorId tensor, uint32_t leaf, std::span<const int64_t> subscripts) {
    last_point_ = points_ + most_points_;
    const int64_t cell = shapes_[tensor.index()].cell(leaf, subscripts);
    const auto number = before(function_.body.statements.size(), tensor, leaf, subscripts, cell);
    return expected_of(number.value_or(Number{}), function_.leaf(tensor, leaf).type);
  }

  int64_t points() const { return points_; }
  const std::vector<Report>& reports() const { return reports_; }

 private:
  /// What statement number `end` reads: memory as the statements before it left it.
  class Before final : public CellSource {
   public:
    Before(Search& search, std::size_t end) : search_(search), end_(end) {}
    std::optional<Number> read(TensorId tensor, uint32_t leaf, std::span<const int64_t> subscripts, int64_t cell) override {
      return search_.before(end_, tensor, leaf, subscripts, cell);
    }
    void count_point() override { search_.count_point(); }

   private:
    Search& search_;
    std::size_t end_;
  };

  /// A stage with what it reads from and what it was asked for. Addresses stay: interpreters keep them.
  struct Definition {
    std::unique_ptr<Before> source;
    std::unique_ptr<SpotStage> stage;
    std::unordered_map<int64_t, std::optional<Number>> known;   // by cell
  };

  std::optional<Number> before(std::size_t end, TensorId tensor, uint32_t leaf, std::span<const int64_t> subscripts, int64_t cell) {
    while (end-- > 0) {
      const tir::Statement& statement = function_.body.statements[end];
      if (!writes(statement, tensor)) continue;
      const auto* stage = std::get_if<tir::Stage>(&statement);
      if (stage == nullptr) {
        throw NotAlone("a " + std::string(std::holds_alternative<tir::Loop>(statement) ? "loop" : "scatter") + " writes '" +
                       function_.tensor(tensor).name + "'");
      }
      for (std::size_t k = 0; k < stage->targets.size(); ++k) {
        const tir::Target& target = stage->targets[k];
        if (target.tensor != tensor || target.leaf != leaf) continue;
        if (auto found = stored(end, *stage, k, subscripts, cell)) return found;
      }
    }
    return given(tensor, leaf, cell);
  }

  std::optional<Number> stored(std::size_t number, const tir::Stage& stage, std::size_t k, std::span<const int64_t> subscripts, int64_t cell) {
    Definition& definition = definitions_[{number, k}];
    if (definition.stage == nullptr) {
      definition.source = std::make_unique<Before>(*this, number);
      definition.stage = std::make_unique<SpotStage>(function_, stage, stage.targets[k], mode_, shapes_, bound_.bindings,
                                                     *definition.source, reports_);
    }
    if (const auto found = definition.known.find(cell); found != definition.known.end()) return found->second;
    const auto number_there = definition.stage->element(subscripts);
    if (remembered_++ >= kMostRemembered) {
      for (auto& [key, other] : definitions_) other.known.clear();
      remembered_ = 0;
    }
    definition.known.emplace(cell, number_there);
    return number_there;
  }

  std::optional<Number> given(TensorId id, uint32_t leaf, int64_t cell) const {
    const tir::Tensor& tensor = function_.tensor(id);
    if (tensor.is_constant) return Number{tensor.constants[static_cast<std::size_t>(cell)], 0};
    if (tensor.role != tir::Role::Input && tensor.role != tir::Role::InOut) return std::nullopt;
    const Store& shape = shapes_[id.index()];
    const int64_t each = shape.cells_per_element();
    int64_t within = cell % each;
    for (uint32_t k = 0; k < leaf; ++k) within -= shape.element().leaves[k].count();
    return Number{arguments_.arrays.at(tensor.name).get(cell / each, leaf, within), 0};
  }

  void count_point() {
    if (++points_ > last_point_) throw NotAlone("an element takes more than " + std::to_string(most_points_) + " terms");
  }

  const tir::Function& function_;
  const Arguments& arguments_;
  const tir::Bound& bound_;
  Mode mode_;
  int64_t most_points_, points_ = 0, last_point_ = 0;
  std::size_t remembered_ = 0;
  std::vector<Store> shapes_;
  std::vector<Report> reports_;
  std::map<std::pair<std::size_t, std::size_t>, Definition> definitions_;   // by statement and target
};

SpotEvaluator::SpotEvaluator(const tir::Function& function, const Arguments& arguments, const tir::Bound& bound, Mode mode,
                             int64_t most_points)
    : search_(std::make_unique<Search>(function, arguments, bound, mode, most_points)) {}
SpotEvaluator::~SpotEvaluator() = default;

Expected SpotEvaluator::element(TensorId tensor, uint32_t leaf, std::span<const int64_t> subscripts) {
  return search_->element(tensor, leaf, subscripts);
}
int64_t SpotEvaluator::points() const { return search_->points(); }
const std::vector<Report>& SpotEvaluator::reports() const { return search_->reports(); }

}  // namespace cdsl::eval
