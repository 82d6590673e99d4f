// Prints a program as CUDA C++: the kernels, header-free under NVRTC, and a host launcher that nvcc
// also compiles. The text is the same on every machine and from run to run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/schedule/remark.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

struct CudaOptions {
  std::string architecture = "sm_90a";
  std::string file_name;        // what #line calls the emitted file; empty: FUNCTION.cu
  std::string version;          // of cuoptc, for the opening comment; empty: not named
  bool line_directives = true;  // #line to the .cdsl
  bool launcher = true;         // the host part, inside `#ifndef __CUDACC_RTC__`
  bool library = false;         // for a library (codegen/library.h): constants and report records lie in the machine code
  bool strict = false;          // no contraction: __fmul_rn and its kind
  /// Path and line of a source range, for #line and comments; given by the caller, who knows the
  /// files.
  std::function<std::pair<std::string, int>(SourceRange)> locate;
  /// The number of a statement, for who asks which one made a line: `#line NUMBER "statement"` then stands instead of every
  /// #line to the .cdsl.
  std::function<int(const loop::Statement&)> number = {};
};
inline constexpr std::string_view kStatementFile = "statement";

/// One function of a file.
struct CudaUnit {
  const tir::Function& function;
  const loop::Program& program;
  const Remarks& remarks;
  /// Instead of CudaOptions::locate, where units come from several programs.
  std::function<std::pair<std::string, int>(SourceRange)> locate = {};
};

std::string emit_cuda(std::span<const CudaUnit> units, const CudaOptions& options);
std::string emit_cuda(const tir::Function& function, const loop::Program& program,
                      const Remarks& remarks, const CudaOptions& options);

/// The names under which the kernels of a program are found in the module of a file that holds it
/// alone, by kernel.
std::vector<std::string> kernel_names(const loop::Program& program);

/// Does a launch of `kernel` take the pointer to report records (dsl/plan/report_abi.h) after the
/// arguments it lists?
bool takes_reports(const loop::Kernel& kernel);

}  // namespace cdsl
