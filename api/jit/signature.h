// A function's parameters in the order that calls give them, and the reading of a call's arguments: everything that can be told
// from types and descriptions alone, in time linear in their number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cdsl/cdsl.h"
#include "dsl/tensor/bind.h"
#include "dsl/tensor/tensor_ir.h"
#include "runtime/host_layout.h"

namespace cdsl::jit {

struct ParameterInfo {
  std::string name;
  cdsl_role role = CDSL_SCALAR;
  TensorId tensor;                       // of tensors
  uint32_t scalar = 0;                   // of scalars: index into Function::scalars
  ScalarType type = ScalarType::I64;     // of scalars and of elements without fields
  bool is_record = false;
  std::size_t rank = 0;
  std::size_t first_buffer = 0;          // of tensors: their parts are numbered through
  std::vector<LayoutPart> parts;
  std::string layout;                    // as the language spells it; "" for elements without fields
  std::size_t element_bytes = 0;
  bool is_tensor() const { return role != CDSL_SCALAR && role != CDSL_SIZE; }
};

/// One call's arguments as read.
struct CallArguments {
  std::vector<int64_t> shape;            // sizes, extents and strides, in the order of parameters: calls with equal ones are alike
  std::vector<Value> scalars;            // by index into Function::scalars
  std::vector<uint64_t> addresses;       // by part of a parameter
};

class Signature {
 public:
  /// Layouts have to be decided. Keeps a reference.
  explicit Signature(const tir::Function& function);

  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const tir::Function& function() const { return function_; }
  std::size_t buffer_count() const { return buffer_count_; }

  /// Checks number, kinds, types, ranks, addresses and strides. Throws JitFailure.
  CallArguments read(std::span<const cdsl_argument> given) const;
  /// A call of dense arguments for these sizes, at addresses that are aligned as an allocation is. Throws JitFailure for unknown
  /// and missing sizes.
  CallArguments imagine(std::span<const cdsl_size> sizes) const;

  /// What binding takes: arrays without contents, sizes, scalars.
  Arguments described(const CallArguments& call) const;
  std::vector<int64_t> extents(const CallArguments& call, std::size_t parameter) const;
  /// Where the elements lie that `call` describes.
  runtime::Placement placement(const CallArguments& call, std::size_t parameter) const;

 private:
  void read_tensor(const ParameterInfo& parameter, const cdsl_tensor* tensor, CallArguments& call) const;
  void read_strides(const ParameterInfo& parameter, const cdsl_tensor& tensor, CallArguments& call) const;
  Value read_scalar(const ParameterInfo& parameter, const cdsl_argument& given) const;
  [[noreturn]] void refuse(const std::string& message) const;

  const tir::Function& function_;
  std::vector<ParameterInfo> parameters_;
  std::vector<std::size_t> shape_at_;    // by parameter: where its numbers start in CallArguments::shape
  std::size_t shape_length_ = 0;
  std::size_t buffer_count_ = 0;
};

}  // namespace cdsl::jit
