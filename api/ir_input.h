// Programs that come as text of an IR: `.tir` files of Tensor IR, `.lir` files of functions with
// their Loop IR.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/pipeline.h"

namespace cdsl {

enum class InputLevel : std::uint8_t { Language, TensorIr, LoopIr };

/// By the extension of the file's name.
InputLevel input_level(std::string_view path);
InputLevel input_level(const Source& source);

/// Reads the file and reports what is wrong with it; the names of its functions.
std::vector<std::string> ir_function_names(Source& source);

/// A function of the file, sizes of `-D` filled in; nothing where it has errors.
std::optional<tir::Function> ir_function(Source& source, std::string_view name,
                                         const CompileOptions& options);

/// The program of a function of a `.lir` file; nothing where the text has none.
std::optional<loop::Program> ir_program(Source& source, std::string_view name);
/// Is the program all that the text says of the function? Then its kernels can be emitted, not launched.
bool ir_stands_alone(Source& source, std::string_view name);

}  // namespace cdsl
