#include "dsl/eval/evaluator.h"

#include "dsl/eval/interpreter.h"
#include "dsl/eval/statements.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::eval {
namespace {

std::vector<Store> allocate(const tir::Function& function, const tir::Bound& bound, const Arguments& arguments) {
  std::vector<Store> memory;
  for (std::size_t k = 0; k < function.tensors.size(); ++k) {
    const tir::Tensor& tensor = function.tensors[k];
    std::vector<int64_t> declared;
    for (ExprId extent : tensor.shape) {
      declared.push_back(tir::evaluate_constant(function.arena, extent, bound.bindings).i);
    }
    memory.emplace_back(function.element(TensorId(k)), std::move(declared), bound.shapes[k]);
    const bool passed = tensor.role == tir::Role::Input || tensor.role == tir::Role::InOut;
    if (tensor.is_constant) {
      memory.back().load_constants(tensor.constants);
    } else if (passed) {
      memory.back().load(arguments.arrays.at(tensor.name));
    }
  }
  return memory;
}

Output output_of(const Store& store) {
  Output output;
  output.array = store.to_array();
  for (int64_t cell = 0; cell < store.cell_count(); ++cell) {
    const Expected expected = expected_of(store.get(cell), store.type_of(cell));
    output.value.push_back(expected.value);
    output.imaginary.push_back(expected.imaginary);
    output.tolerance.push_back(expected.tolerance);
  }
  return output;
}

}  // namespace

Expected expected_of(const Number& number, ScalarType type) {
  const Number rounded = is_float(type) ? round_wide(number, type) : number;
  const bool real = is_float(type) || is_complex(type);
  std::byte bytes[16] = {};
  store_element(bytes, type, number.value);
  return {load_element(bytes, type), real ? rounded.value.re : static_cast<double>(rounded.value.i), rounded.value.im, rounded.error};
}

Outcome evaluate(const tir::Function& function, const Arguments& arguments, Mode mode) {
  Outcome outcome;
  const tir::Bound bound = tir::bind(function, arguments);
  outcome.errors = bound.errors;
  if (!outcome.errors.empty()) return outcome;

  std::vector<Store> memory = allocate(function, bound, arguments);
  Interpreter interpreter(function, mode, memory, outcome.reports);
  for (const auto& [symbol, value] : bound.bindings) interpreter.set_symbol(symbol, value);
  StatementRunner(function, interpreter, memory).run(function.body);

  for (std::size_t k = 0; k < function.tensors.size(); ++k) {
    const tir::Tensor& tensor = function.tensors[k];
    if (tensor.role != tir::Role::Output && tensor.role != tir::Role::InOut) continue;
    outcome.outputs[tensor.name] = output_of(memory[k]);
  }
  return outcome;
}

}  // namespace cdsl::eval
