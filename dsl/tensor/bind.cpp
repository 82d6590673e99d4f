#include "dsl/tensor/bind.h"

#include <limits>
#include <unordered_map>

#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::tir {
namespace {

class Binder {
 public:
  Binder(const Function& function, const Arguments& arguments) : function_(function), arguments_(arguments) {}

  Bound run() {
    check_arguments();
    if (bound_.errors.empty()) bind_scalars();
    if (bound_.errors.empty()) derive_sizes();
    if (bound_.errors.empty()) evaluate_shapes();
    if (bound_.errors.empty()) test_conditions();
    return std::move(bound_);
  }

 private:
  void fail(std::string message, SourceRange where, Code code = Code::LaunchCheck) {
    bound_.errors.push_back({std::move(message), where, code});
  }

  static bool is_passed(const Tensor& tensor) { return tensor.role == Role::Input || tensor.role == Role::InOut; }

  const Array* array_of(TensorId id) const {
    const auto found = arguments_.arrays.find(function_.tensor(id).name);
    return found == arguments_.arrays.end() ? nullptr : &found->second;
  }

  void check_arguments() {
    for (std::size_t k = 0; k < function_.tensors.size(); ++k) {
      const Tensor& tensor = function_.tensors[k];
      if (!is_passed(tensor) || tensor.is_constant) continue;
      const Array* array = array_of(TensorId(k));
      if (array == nullptr) {
        fail("'" + tensor.name + "' is not given", tensor.where);
      } else if (array->shape.size() != tensor.shape.size()) {
        fail("'" + tensor.name + "' has rank " + std::to_string(tensor.shape.size()) + ", the argument has rank " +
                 std::to_string(array->shape.size()), tensor.where);
      } else if (!same_element(array->element, function_.element(TensorId(k)))) {
        fail("'" + tensor.name + "' has elements of type " + describe(function_.element(TensorId(k))) +
                 ", the argument of type " + describe(array->element), tensor.where);
      }
    }
  }

  static bool same_element(const RecordType& a, const RecordType& b) {
    return a.leaves == b.leaves && a.size == b.size;
  }

  static std::string describe(const RecordType& element) {
    return element.is_scalar() ? std::string(name_of(element.leaves[0].type)) : element.name;
  }

  void bind_scalars() {
    for (const ScalarParameter& scalar : function_.scalars) {
      const SymbolInfo& symbol = function_.arena.symbol(scalar.symbol);
      const auto found = arguments_.scalars.find(symbol.name);
      if (found == arguments_.scalars.end()) {
        fail("scalar '" + symbol.name + "' is not given", scalar.where);
      } else {
        bound_.bindings[scalar.symbol] = round_to(found->second, scalar.declared);
      }
    }
  }

  void derive_sizes() {
    for (const Size& size : function_.sizes) {
      const std::string& name = function_.arena.symbol(size.symbol).name;
      const auto value = size.is_parameter ? given_size(size, name) : derived_size(size, name);
      if (!value) continue;
      if (size.known && *value != *size.known) {
        fail("this was compiled for " + name + " = " + std::to_string(*size.known) + ", the call has " + name + " = " +
                 std::to_string(*value), {});
      }
      if (*value < 0) fail("size " + name + " is negative: " + std::to_string(*value), {});
      bound_.bindings[size.symbol] = Value::of_int(*value);
    }
  }

  std::optional<int64_t> given_size(const Size& size, const std::string& name) {
    if (const auto found = arguments_.sizes.find(name); found != arguments_.sizes.end()) return found->second;
    if (!size.known) fail("size '" + name + "' is not given (-D" + name + "=...)", {});
    return size.known;
  }

  std::optional<int64_t> derived_size(const Size& size, const std::string& name) {
    const Tensor& tensor = function_.tensor(size.tensor);
    const int64_t extent = *determining_extent(function_, size, arguments_);
    // Of a constant size the axes that may be 1 say nothing more.
    const bool may_be_one = size.axis < tensor.may_be_one.size() && tensor.may_be_one[size.axis];
    if (size.known && may_be_one && extent == 1) return size.known;
    const int64_t rest = extent - size.offset;
    if (size.scale == 0 || rest % size.scale != 0 || rest / size.scale < 0) {
      fail("axis " + std::to_string(size.axis) + " of '" + tensor.name + "' has extent " + std::to_string(extent) +
               ", which is not " + std::to_string(size.scale) + "*" + name + " + " + std::to_string(size.offset) +
               " for any size " + name, tensor.where);
      return std::nullopt;
    }
    return rest / size.scale;
  }

  void evaluate_shapes() {
    for (std::size_t k = 0; k < function_.tensors.size(); ++k) {
      const Tensor& tensor = function_.tensors[k];
      std::vector<int64_t> shape;
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        shape.push_back(extent_of(tensor, TensorId(k), axis));
      }
      if (!fits_address_space(shape, function_.element(TensorId(k)).size)) {
        fail("'" + tensor.name + "' exceeds the address space of 2^63 - 1 bytes", tensor.where, Code::SizeTooLarge);
      }
      bound_.shapes.push_back(std::move(shape));
    }
  }

  int64_t extent_of(const Tensor& tensor, TensorId id, std::size_t axis) {
    const int64_t wanted = evaluate_constant(function_.arena, tensor.shape[axis], bound_.bindings).i;
    const std::string place = "axis " + std::to_string(axis) + " of '" + tensor.name + "'";
    if (wanted < 0) {
      fail(place + " would have the negative extent " + std::to_string(wanted), tensor.where);
      return 0;
    }
    if (!is_passed(tensor) || tensor.is_constant) return wanted;
    const int64_t actual = array_of(id)->shape[axis];
    const bool broadcast = axis < tensor.may_be_one.size() && tensor.may_be_one[axis] && actual == 1;
    if (actual != wanted && !broadcast) {
      fail(place + " has extent " + std::to_string(actual) + ", where " + std::to_string(wanted) + " is needed",
           tensor.where);
    }
    return actual;
  }

  void test_conditions() {
    for (const Check& check : function_.checks) {
      if (evaluate_constant(function_.arena, check.condition, bound_.bindings).i == 0) fail(message_of(check), check.where);
    }
    for (const Fact& fact : function_.facts) {
      if (!fact.required || fact.kind != Fact::Kind::Condition) continue;
      if (evaluate_constant(function_.arena, fact.condition, bound_.bindings).i == 0) {
        fail("a required fact of '" + function_.name + "' does not hold for these sizes", fact.where, Code::FactViolated);
      }
    }
  }

  // "{k}" stands for the value of operands[k].
  std::string message_of(const Check& check) const {
    std::string text = check.message;
    for (std::size_t k = 0; k < check.operands.size(); ++k) {
      const std::string hole = "{" + std::to_string(k) + "}";
      const int64_t value = evaluate_constant(function_.arena, check.operands[k], bound_.bindings).i;
      for (auto at = text.find(hole); at != std::string::npos; at = text.find(hole, at)) {
        text.replace(at, hole.size(), std::to_string(value));
      }
    }
    return text;
  }

  const Function& function_;
  const Arguments& arguments_;
  Bound bound_;
};

}  // namespace

std::vector<std::pair<TensorId, uint32_t>> determining_axes(const Function& function, const Size& size) {
  const auto may_be_one = [](const Tensor& tensor, uint32_t axis) {
    return axis < tensor.may_be_one.size() && tensor.may_be_one[axis];
  };
  std::vector<std::pair<TensorId, uint32_t>> axes{{size.tensor, size.axis}};
  const bool is_bare = size.scale == 1 && size.offset == 0;
  if (!is_bare || !may_be_one(function.tensor(size.tensor), size.axis)) return axes;
  for (std::size_t k = 0; k < function.tensors.size(); ++k) {
    const Tensor& tensor = function.tensors[k];
    for (uint32_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const auto* symbol = function.arena.get_if<Symbol>(tensor.shape[axis]);
      const bool is_own = TensorId(k) == size.tensor && axis == size.axis;
      if (!is_own && may_be_one(tensor, axis) && symbol != nullptr && symbol->symbol == size.symbol) {
        axes.emplace_back(TensorId(k), axis);
      }
    }
  }
  return axes;
}

std::optional<int64_t> determining_extent(const Function& function, const Size& size, const Arguments& arguments) {
  std::optional<int64_t> extent;
  for (const auto& [tensor, axis] : determining_axes(function, size)) {
    const auto found = arguments.arrays.find(function.tensor(tensor).name);
    if (found == arguments.arrays.end() || axis >= found->second.shape.size()) continue;
    extent = found->second.shape[axis];
    if (extent != 1) break;
  }
  return extent;
}

Bound bind(const Function& function, const Arguments& arguments) { return Binder(function, arguments).run(); }

Value evaluate_constant(const ExprArena& arena, ExprId root, const Bindings& bindings) {
  std::unordered_map<uint32_t, Value> values;
  for (ExprId id : postorder(arena, std::span(&root, 1))) {
    const auto args = arena.args(id);
    if (const Value* constant = arena.constant_value(id)) {
      values[id.value] = *constant;
    } else if (const auto* symbol = arena.get_if<Symbol>(id)) {
      const auto found = bindings.find(symbol->symbol);
      CDSL_CHECK(found != bindings.end(), arena.symbol(symbol->symbol).name + " is not known at launch");
      values[id.value] = found->second;
    } else {
      const auto* apply = arena.get_if<Apply>(id);
      CDSL_CHECK(apply != nullptr, "a launch expression reads no tensor and reduces nothing");
      std::vector<Value> operands;
      for (ExprId arg : args) operands.push_back(values.at(arg.value));
      const ScalarType operand = arena.type(apply->op == Op::Select ? args[1] : args[0]);
      values[id.value] = apply->op == Op::Cast ? convert(operands[0], operand, arena.type(id))
                                               : cdsl::apply(apply->op, operand, operands);
    }
  }
  return values.at(root.value);
}

}  // namespace cdsl::tir
