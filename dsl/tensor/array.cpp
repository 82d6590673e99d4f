#include "dsl/tensor/array.h"

#include <algorithm>
#include <new>

#include "dsl/types/arithmetic.h"

namespace cdsl {
namespace {

int64_t offset_of(const Array& array, int64_t flat, uint32_t leaf, int64_t within) {
  const Leaf& l = array.element.leaves[leaf];
  return flat * array.element.size + l.offset + within * size_of(l.type);
}

}  // namespace

bool fits_address_space(const std::vector<int64_t>& shape, int64_t element_size) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  int64_t bytes = element_size;
  return std::none_of(shape.begin(), shape.end(),
                      [&](int64_t extent) { return __builtin_mul_overflow(bytes, extent, &bytes); });
}

Array Array::zeros(RecordType element, std::vector<int64_t> shape) {
  if (!fits_address_space(shape, element.size)) throw std::bad_alloc();
  Array array{std::move(element), std::move(shape), {}};
  array.bytes.resize(static_cast<std::size_t>(array.count() * array.element.size));
  return array;
}

int64_t Array::count() const {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

Value Array::get(int64_t flat, uint32_t leaf, int64_t within) const {
  return load_element(bytes.data() + offset_of(*this, flat, leaf, within), element.leaves[leaf].type);
}

void Array::set(int64_t flat, Value value, uint32_t leaf, int64_t within) {
  store_element(bytes.data() + offset_of(*this, flat, leaf, within), element.leaves[leaf].type, value);
}

}  // namespace cdsl
