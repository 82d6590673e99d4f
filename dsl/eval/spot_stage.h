// One store of a stage, asked for single elements: which point of the domain stores the element, and what it stores.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dsl/eval/interpreter.h"
#include "dsl/eval/spot.h"

namespace cdsl::eval {

class SpotStage {
 public:
  /// Keeps references. `shapes` says where elements lie. Throws NotAlone where subscripts do not tell the point.
  SpotStage(const tir::Function& function, const tir::Stage& stage, const tir::Target& target, Mode mode, std::vector<Store>& shapes,
            const tir::Bindings& bindings, CellSource& source, std::vector<Report>& reports);

  const tir::Target& target() const { return target_; }
  /// Nothing where the stage does not store this element.
  std::optional<Number> element(std::span<const int64_t> subscripts);

 private:
  /// index = (subscript - its value at index 0) / step, for a subscript in which no other index is open.
  struct Unknown {
    std::size_t axis, subscript;
  };
  void plan();
  bool find_point(std::span<const int64_t> subscripts);
  bool is_in_domain();
  int64_t subscript_at(std::size_t k) { return interpreter_.at(interpreter_.run(subscripts_[k])[0]).value.i; }
  void set_index(std::size_t axis, int64_t value) { interpreter_.set_symbol(stage_.domain.axes[axis].index, Value::of_int(value)); }

  const tir::Function& function_;
  const tir::Stage& stage_;
  const tir::Target& target_;
  Interpreter interpreter_;
  std::vector<Unknown> order_;
  std::vector<int64_t> point_;            // by axis
  std::vector<AxisCode> axes_;
  std::vector<CodeId> subscripts_;
  CodeId guard_ = kNoCode, value_ = kNoCode;
};

}  // namespace cdsl::eval
