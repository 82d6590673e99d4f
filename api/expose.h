// Intermediates made outputs, so that a run stores them and hands them back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

/// Temporaries whose names satisfy `wanted` become outputs after the others. One of several of a name (of calls that were inlined) is
/// told apart by a number: acc, acc_2.
void expose(tir::Function& function, const std::function<bool(const std::string&)>& wanted);

/// Names that `expose` knows.
std::vector<std::string> intermediates(const tir::Function& function);

}  // namespace cdsl
