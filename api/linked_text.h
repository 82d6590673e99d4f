// The texts of one function, level by level, line by line, with what each line was made from: what `explain --html` links.
//
// PTX leads to the line of CUDA, CUDA to the line of Loop IR that its statement is, Loop IR to the source. Guarantees: joined,
// the lines of Loop IR are `to_string(program)`, those of CUDA are `emit` without #line directives; those of PTX lack debug
// information alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/pipeline.h"
#include "passes/predict/predict.h"

namespace cdsl {

struct LinkedLine {
  std::string text;
  SourceRange where;         // Loop IR: of the statement, in the source
  int made_from = 0;         // CUDA: the line of Loop IR, PTX: that of CUDA; from 1, 0: none. Loop IR: the line of the statement of
                             // which this one names a part
  /// Loop IR: accesses that the line makes, as places in FunctionPrediction::kernels and KernelPrediction::accesses.
  struct Touch {
    std::size_t kernel = 0, access = 0;
  };
  std::vector<Touch> touches;
};

std::vector<LinkedLine> linked_loop_ir(const loop::Program& program, const predicting::FunctionPrediction& prediction);

std::vector<LinkedLine> linked_cuda(const Source& source, const Compiled& compiled, const CompileOptions& options);

/// Of the text of `linked_cuda`, compiled with line tables. A line of a helper that was inlined belongs to the line that calls it.
std::vector<LinkedLine> linked_ptx(std::string_view ptx);

/// The text that NVRTC is to compile for `linked_ptx`.
std::string joined(const std::vector<LinkedLine>& lines);

}  // namespace cdsl
