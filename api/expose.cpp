#include "api/expose.h"

#include <set>

namespace cdsl {

void expose(tir::Function& function, const std::function<bool(const std::string&)>& wanted) {
  std::set<std::string> taken;
  for (const tir::Tensor& tensor : function.tensors) {
    if (tensor.role != tir::Role::Temporary) taken.insert(tensor.name);
  }
  for (std::size_t k = 0; k < function.tensors.size(); ++k) {
    tir::Tensor& tensor = function.tensors[k];
    if (tensor.role != tir::Role::Temporary || !wanted(tensor.name)) continue;
    const std::string name = tensor.name;
    for (int number = 2; !taken.insert(tensor.name).second; ++number) tensor.name = name + "_" + std::to_string(number);
    tensor.role = tir::Role::Output;
    function.parameters.push_back({TensorId(k)});
  }
}

std::vector<std::string> intermediates(const tir::Function& function) {
  std::set<std::string> names;
  for (const tir::Tensor& tensor : function.tensors) {
    if (tensor.role == tir::Role::Temporary) names.insert(tensor.name);
  }
  return {names.begin(), names.end()};
}

}  // namespace cdsl
