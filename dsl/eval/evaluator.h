// The reference evaluator: runs Tensor IR statement by statement, straight from the rules of docs/language.md. It shares
// no code with lowering, and is what `verify` compares with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/eval/number.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/bind.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::eval {

enum class Mode : uint8_t {
  Wide,      // float64 inside (f64 sums in double-double), with a bound on the error that an implementation may make
  Strict     // every operation rounded to its evaluation type, reductions as left folds in lexicographic order
};

/// A run-time report that a launch would make.
struct Report {
  SourceRange where;
  std::string message;
  bool undefined = false;             // an element was read that nothing had defined; compiled code reads 0, silently
};

/// An output: its values in storage types, and (Wide) for each leaf element the unrounded value and the greatest
/// deviation from it that verify accepts. 0 means exact. Infinity means that the element can't be judged (an
/// arg-reduction whose runner-up lies within the error, a branch that rounding may flip).
struct Output {
  Array array;
  std::vector<double> value, imaginary;   // element-major, then leaf, then position in an array leaf
  std::vector<double> tolerance;
};

/// What verify compares one leaf element with.
struct Expected {
  Value stored;                       // as the output's type holds it
  double value = 0, imaginary = 0, tolerance = 0;
};
Expected expected_of(const Number& number, ScalarType type);

struct Outcome {
  std::map<std::string, Output> outputs;           // outputs and inouts, by name
  std::vector<tir::LaunchError> errors;            // launch errors: nothing ran
  std::vector<Report> reports;
};

Outcome evaluate(const tir::Function& function, const Arguments& arguments, Mode mode);

}  // namespace cdsl::eval
