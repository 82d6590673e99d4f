// The words that generated code may not use for a name of the user.
#pragma once

#include <string_view>

namespace cdsl::cuda {

/// Keywords of C++20, CUDA's builtin variables, functions that generated code calls, and macros
/// that the headers behind <cuda_runtime.h> define (Source: nvcc -E -dM, CUDA 13.0 with
/// glibc 2.36).
bool is_reserved_word(std::string_view word);

/// Functions and types that those headers declare: a kernel or a struct may not be called so.
bool is_file_scope_name(std::string_view word);

/// The stem of CUDA's vector types: "float" of float4.
bool is_scalar_stem(std::string_view stem);

}  // namespace cdsl::cuda
