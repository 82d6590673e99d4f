#include "dsl/tensor/tensor_ir.h"

#include "dsl/support/check.h"

namespace cdsl::tir {

Op operator_of(ScatterOp op) {
  switch (op) {
    case ScatterOp::Add: return Op::Add;
    case ScatterOp::Mul: return Op::Mul;
    case ScatterOp::Min: return Op::Min;
    case ScatterOp::Max: return Op::Max;
    case ScatterOp::And: return Op::And;
    case ScatterOp::Or: return Op::Or;
    case ScatterOp::Xor: return Op::Xor;
  }
  CDSL_UNREACHABLE("scatter operator");
}

TensorId Function::find_tensor(std::string_view wanted) const {
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (tensors[k].name == wanted) return TensorId(k);
  }
  return {};
}

}  // namespace cdsl::tir
