// The larger parts of the launch contract.
#pragma once

#include <string>

#include "codegen/json_writer.h"
#include "dsl/loop/program.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::cuda {

std::string expression_text(const ExprArena& arena, ExprId id);
/// "f32", or the name of the record.
std::string element_name(const RecordType& element);

void write_parameters(const tir::Function& function, const plan::Plan& plan, JsonWriter& json);
void write_plan(const tir::Function& function, const loop::Program& program, JsonWriter& json);

}  // namespace cdsl::cuda
