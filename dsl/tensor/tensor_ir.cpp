#include "dsl/tensor/tensor_ir.h"

namespace cdsl::tir {

TensorId Function::find_tensor(std::string_view wanted) const {
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (tensors[k].name == wanted) return TensorId(k);
  }
  return {};
}

}  // namespace cdsl::tir
