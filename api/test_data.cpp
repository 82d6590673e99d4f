#include "api/test_data.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "api/index_uses.h"
#include "api/test_values.h"

namespace cdsl {
namespace {

bool is_given_by_caller(const tir::Tensor& tensor) {
  return !tensor.is_constant &&
         (tensor.role == tir::Role::Input || tensor.role == tir::Role::InOut);
}

class DataMaker {
 public:
  DataMaker(const tir::Function& function, const Arguments& given, const DataOptions& options)
      : function_(function), options_(options), uses_(index_uses(function)) {
    made_.arguments = given;
  }

  Result<MadeArguments> make(const std::map<std::string, int64_t>& sizes) {
    for (const tir::Size& size : function_.sizes) {
      const std::string& name = function_.arena.symbol(size.symbol).name;
      const auto value = value_of(size, name, sizes);
      if (!value) return Failure{fmt::format("size {} is not given (-D{}=...)", name, name)};
      if (*value < 0) made_.illegal = fmt::format("size {} is negative", name);
      bindings_[size.symbol] = Value::of_int(*value);
      if (size.is_parameter) made_.arguments.sizes[name] = *value;
    }
    for (const tir::ScalarParameter& scalar : function_.scalars) make_scalar(scalar);
    if (made_.illegal.empty()) make_arrays();
    return std::move(made_);
  }

 private:
  std::optional<int64_t> value_of(const tir::Size& size, const std::string& name,
                                  const std::map<std::string, int64_t>& sizes) const {
    if (!size.is_parameter) {
      const auto extent = tir::determining_extent(function_, size, made_.arguments);
      if (extent && size.scale != 0) return (*extent - size.offset) / size.scale;
    }
    if (const auto found = sizes.find(name); found != sizes.end()) return found->second;
    if (const auto found = made_.arguments.sizes.find(name); found != made_.arguments.sizes.end())
      return found->second;
    return size.known;
  }

  void make_scalar(const tir::ScalarParameter& scalar) {
    const std::string& name = function_.arena.symbol(scalar.symbol).name;
    auto [found, is_new] = made_.arguments.scalars.try_emplace(name);
    if (is_new) {
      const auto use = uses_.find(IndexSource{{}, 0, scalar.symbol});
      const uint64_t bits = mix(options_.seed, scalar.symbol.index());
      found->second = use != uses_.end() ? index_scalar(use->second, bits)
                                         : scalar_value(scalar.declared, options_, bits);
    }
    bindings_[scalar.symbol] = found->second;
  }

  // A bound of a range, `repeat t in 0..steps` for one: a few steps.
  Value index_scalar(const IndexUse& use, uint64_t bits) const {
    const int64_t limit = limit_of(use).value_or(4);
    return Value::of_int(use.is_bound ? std::min<int64_t>(limit, 3)
                         : limit > 0  ? static_cast<int64_t>(bits % static_cast<uint64_t>(limit))
                                      : 0);
  }

  /// The least extent that the values subscript; nothing where it is not known before the launch.
  std::optional<int64_t> limit_of(const IndexUse& use) const {
    std::optional<int64_t> least;
    for (ExprId extent : use.extents) {
      const int64_t value = tir::evaluate_constant(function_.arena, extent, bindings_).i;
      least = std::min(value, least.value_or(value));
    }
    return least;
  }

  void make_arrays() {
    std::size_t broadcast_axes = static_cast<std::size_t>(options_.seed);
    for (std::size_t k = 0; k < function_.tensors.size(); ++k) {
      const tir::Tensor& tensor = function_.tensors[k];
      if (!is_given_by_caller(tensor) || made_.arguments.arrays.contains(tensor.name)) continue;
      std::vector<int64_t> shape;
      int64_t count = 1;
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        int64_t extent = tir::evaluate_constant(function_.arena, tensor.shape[axis], bindings_).i;
        const bool may_be_one = axis < tensor.may_be_one.size() && tensor.may_be_one[axis];
        if (may_be_one && options_.shrink_broadcast && broadcast_axes++ % 2 == 0) extent = 1;
        if (extent < 0) {
          made_.illegal =
              fmt::format("axis {} of {} would have extent {}", axis, tensor.name, extent);
          return;
        }
        constexpr int64_t kMost = int64_t{1} << 34;  // bytes that a generated input may have
        if (extent != 0 && count > kMost / extent / function_.element(TensorId(k)).size) {
          made_.illegal = fmt::format("{} would exceed 16 GiB", tensor.name);
          return;
        }
        count *= std::max<int64_t>(extent, 1);
        shape.push_back(extent);
      }
      made_.arguments.arrays.emplace(tensor.name, make_array(TensorId(k), shape));
    }
  }

  Array make_array(TensorId id, std::vector<int64_t> shape) const {
    Array array = Array::zeros(function_.element(id), std::move(shape));
    for (uint32_t leaf = 0; leaf < array.element.leaves.size(); ++leaf) {
      const auto use = uses_.find(IndexSource{id, leaf, {}});
      const uint64_t stream = mix(options_.seed, id.index() * 64 + leaf + 1000);
      if (use != uses_.end()) {
        fill_indices(array, leaf, limit_of(use->second).value_or(5), use->second.is_bound, stream);
      } else {
        fill_values(array, leaf, options_, stream);
      }
    }
    return array;
  }

  const tir::Function& function_;
  const DataOptions& options_;
  std::map<IndexSource, IndexUse> uses_;
  tir::Bindings bindings_;
  MadeArguments made_;
};

}  // namespace

Result<MadeArguments> make_arguments(const tir::Function& function, const Arguments& given,
                                     const std::map<std::string, int64_t>& sizes,
                                     const DataOptions& options) {
  return DataMaker(function, given, options).make(sizes);
}

}  // namespace cdsl
