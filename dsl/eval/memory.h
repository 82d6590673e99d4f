// The evaluator's tensors: a number and a written flag for every element of every leaf.
#pragma once

#include <vector>

#include "dsl/eval/number.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/bind.h"

namespace cdsl::eval {

class Store {
 public:
  /// `declared`: the extents that subscripts range over; `actual`: the argument's, 1 where it is broadcast.
  Store(const RecordType& element, std::vector<int64_t> declared, std::vector<int64_t> actual);
  /// Knows where elements lie, and holds none: for an interpreter that reads from a CellSource.
  static Store of_shape(const RecordType& element, std::vector<int64_t> declared, std::vector<int64_t> actual);

  const RecordType& element() const { return element_; }
  const std::vector<int64_t>& declared() const { return declared_; }
  /// Cell of subscripts that lie inside (tensor axes, then the leaf's).
  int64_t cell(uint32_t leaf, std::span<const int64_t> subscripts) const;
  /// Extent that subscript `k` of `leaf` ranges over.
  int64_t extent(uint32_t leaf, std::size_t k) const;

  Number get(int64_t cell) const { return cells_[static_cast<std::size_t>(cell)]; }
  bool written(int64_t cell) const { return written_[static_cast<std::size_t>(cell)] != 0; }
  void set(int64_t cell, const Number& number);

  void load(const Array& array);
  void load_constants(const std::vector<Value>& values);
  int64_t cells_per_element() const { return cells_per_element_; }
  int64_t cell_count() const { return static_cast<int64_t>(cells_.size()); }
  /// Scalar type of a cell.
  ScalarType type_of(int64_t cell) const;
  Array to_array() const;

 private:
  Store() = default;
  RecordType element_;
  std::vector<int64_t> declared_, actual_;
  std::vector<int64_t> leaf_start_;      // cells of one element before each leaf
  int64_t cells_per_element_ = 0;
  std::vector<Number> cells_;
  std::vector<uint8_t> written_;
};

}  // namespace cdsl::eval
