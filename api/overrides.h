// From `schedule` blocks and `--set KEY=VALUE` to a Schedule.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "dsl/schedule/schedule.h"
#include "dsl/support/diagnostic.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

/// The schedule to start from: directives of the function that hold for `architecture`, then
/// `overrides`, which win. Keys are `threads`, `loop.INDEX`, `TENSOR.DIRECTIVE` and
/// `TENSOR.DIRECTIVE.KEY`. Unknown keys and values are reported.
Schedule schedule_for(const tir::Function& function,
                      const std::map<std::string, std::string>& overrides,
                      std::string_view architecture, DiagnosticSink& sink);

/// What `--set` asks for and cannot have is an error; what the source asks for is a remark, since it may hold for other options.
/// Notes in `answered` the keys that this or a pass answered.
void report_impossible(PassContext& context, std::set<std::string>& answered, DiagnosticSink& sink);

/// The same of keys that no pass answered.
void report_unanswered(const Schedule& schedule, const std::set<std::string>& answered, Remarks& remarks, DiagnosticSink& sink);

}  // namespace cdsl
