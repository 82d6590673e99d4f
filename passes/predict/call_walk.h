// The steps that one call takes through a Plan, with every extent and argument evaluated: what the executor would do, without
// memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/tensor/bind.h"
#include "passes/predict/trace.h"

namespace cdsl::predicting {

class CallWalk {
 public:
  /// What the device admits of a kernel, as the executor asks for it.
  struct Shape {
    int64_t block_threads = 256, resident_blocks = 1, cluster_blocks = 1;
  };
  using ShapeOf = std::function<Shape(uint32_t kernel)>;
  /// `weight`: how many launches of the call this one stands for.
  using Visit = std::function<void(const plan::Launch&, LaunchInput, double weight)>;

  /// Picks the variant. Keeps references.
  CallWalk(const tir::Function& function, const loop::Program& program, tir::Bindings bindings);

  /// Sizes and scalars that extents need and that are not known.
  const std::vector<std::string>& missing() const { return missing_; }
  const plan::Variant& variant() const { return *variant_; }
  /// Guards on memory that were taken to hold.
  const std::vector<std::string>& assumed() const { return assumed_; }

  /// Every launch with at least one block. A long loop is sampled unless `all`.
  void run(const ShapeOf& shape, bool all, const Visit& visit);
  double fill_bytes() const { return fill_bytes_; }
  double copy_bytes() const { return copy_bytes_; }

 private:
  void bind_views();
  void pick_variant();
  bool holds(const plan::Guard& guard);
  bool is_known(ExprId id) const;
  void need(ExprId id);
  void need(const std::vector<plan::Step>& steps);
  int64_t integer(ExprId id) const;
  void steps(const std::vector<plan::Step>& steps, double weight);
  void launch(const plan::Launch& launch, double weight);
  void loop(const plan::Loop& loop, double weight);
  int64_t blocks_of(const plan::Grid& grid, const Shape& shape) const;

  const tir::Function& function_;
  const loop::Program& program_;
  const ExprArena& arena_;
  tir::Bindings bindings_;
  const plan::Variant* variant_ = nullptr;
  std::vector<std::string> missing_, assumed_;
  const ShapeOf* shape_ = nullptr;
  const Visit* visit_ = nullptr;
  bool all_ = false;
  double fill_bytes_ = 0, copy_bytes_ = 0;
};

}  // namespace cdsl::predicting
