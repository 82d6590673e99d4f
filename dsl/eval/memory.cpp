#include "dsl/eval/memory.h"

#include <algorithm>

namespace cdsl::eval {

Store Store::of_shape(const RecordType& element, std::vector<int64_t> declared, std::vector<int64_t> actual) {
  Store store;
  store.element_ = element;
  store.declared_ = std::move(declared);
  store.actual_ = std::move(actual);
  for (const Leaf& leaf : element.leaves) {
    store.leaf_start_.push_back(store.cells_per_element_);
    store.cells_per_element_ += leaf.count();
  }
  return store;
}

Store::Store(const RecordType& element, std::vector<int64_t> declared, std::vector<int64_t> actual)
    : Store(of_shape(element, std::move(declared), std::move(actual))) {
  int64_t count = cells_per_element_;
  for (int64_t extent : actual_) count *= extent;
  cells_.resize(static_cast<std::size_t>(count));
  written_.resize(static_cast<std::size_t>(count));
}

int64_t Store::extent(uint32_t leaf, std::size_t k) const {
  return k < declared_.size() ? declared_[k] : element_.leaves[leaf].extents[k - declared_.size()];
}

int64_t Store::cell(uint32_t leaf, std::span<const int64_t> subscripts) const {
  int64_t flat = 0;
  for (std::size_t k = 0; k < declared_.size(); ++k) {
    flat = flat * actual_[k] + (actual_[k] == 1 ? 0 : subscripts[k]);
  }
  int64_t within = 0;
  const auto& extents = element_.leaves[leaf].extents;
  for (std::size_t k = 0; k < extents.size(); ++k) within = within * extents[k] + subscripts[declared_.size() + k];
  return flat * cells_per_element_ + leaf_start_[leaf] + within;
}

void Store::set(int64_t cell, const Number& number) {
  cells_[static_cast<std::size_t>(cell)] = number;
  written_[static_cast<std::size_t>(cell)] = 1;
}

void Store::load(const Array& array) {
  const int64_t count = array.count();
  for (int64_t flat = 0; flat < count; ++flat) {
    for (uint32_t leaf = 0; leaf < element_.leaves.size(); ++leaf) {
      for (int64_t within = 0; within < element_.leaves[leaf].count(); ++within) {
        set(flat * cells_per_element_ + leaf_start_[leaf] + within, {array.get(flat, leaf, within), 0});
      }
    }
  }
}

void Store::load_constants(const std::vector<Value>& values) {
  for (std::size_t k = 0; k < values.size(); ++k) set(static_cast<int64_t>(k), {values[k], 0});
}

ScalarType Store::type_of(int64_t cell) const {
  const int64_t within = cell % cells_per_element_;
  const auto after = std::upper_bound(leaf_start_.begin(), leaf_start_.end(), within);
  return element_.leaves[static_cast<std::size_t>(after - leaf_start_.begin() - 1)].type;
}

Array Store::to_array() const {
  Array array = Array::zeros(element_, actual_);
  const int64_t count = array.count();
  for (int64_t flat = 0; flat < count; ++flat) {
    for (uint32_t leaf = 0; leaf < element_.leaves.size(); ++leaf) {
      for (int64_t within = 0; within < element_.leaves[leaf].count(); ++within) {
        array.set(flat, get(flat * cells_per_element_ + leaf_start_[leaf] + within).value, leaf, within);
      }
    }
  }
  return array;
}

}  // namespace cdsl::eval
