#include "api/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/toolkit.h"
#include "dsl/expr/walk.h"

namespace cdsl {
namespace {

/// Values of sizes and scalars that the command line and the schedule give.
tir::Bindings bindings_of(const tir::Function& function, const Defines& defines, std::string_view architecture) {
  tir::Bindings bindings;
  for (const tir::Size& size : function.sizes) {
    const std::string& name = function.arena.symbol(size.symbol).name;
    const auto given = defines.sizes.find(name);
    if (given != defines.sizes.end()) {
      bindings[size.symbol] = Value::of_int(given->second);
    } else if (size.known) {
      bindings[size.symbol] = Value::of_int(*size.known);
    } else {
      for (const Directive& directive : function.directives) {
        const bool here = directive.architecture.empty() || directive.architecture == architecture;
        if (directive.name != "sizes" || !here || directive.arguments.empty() || directive.arguments[0].key != name) continue;
        if (const auto value = parse_scalar(directive.arguments[0].text, ScalarType::I64)) bindings[size.symbol] = *value;
      }
    }
  }
  for (const tir::ScalarParameter& scalar : function.scalars) {
    const std::string& name = function.arena.symbol(scalar.symbol).name;
    const auto text = defines.values.find(name);
    const auto integer = defines.sizes.find(name);
    if (text == defines.values.end() && integer == defines.sizes.end()) continue;
    const std::string given = text != defines.values.end() ? text->second : std::to_string(integer->second);
    if (const auto value = parse_scalar(given, scalar.declared)) bindings[scalar.symbol] = *value;
  }
  return bindings;
}

/// Why no launch is legal at these sizes; empty where one is.
std::string illegal(const tir::Function& function, const tir::Bindings& bindings) {
  for (const tir::Check& check : function.checks) {
    const auto symbols = free_symbols(function.arena, check.condition);
    const bool known = std::all_of(symbols.begin(), symbols.end(), [&](SymbolId s) { return bindings.contains(s); });
    if (!known || tir::evaluate_constant(function.arena, check.condition, bindings).i != 0) continue;
    std::string message = check.message;
    for (std::size_t k = 0; k < check.operands.size(); ++k) {
      const std::string hole = fmt::format("{{{}}}", k);
      const int64_t value = tir::evaluate_constant(function.arena, check.operands[k], bindings).i;
      for (auto at = message.find(hole); at != std::string::npos; at = message.find(hole, at))
        message.replace(at, hole.size(), std::to_string(value));
    }
    return message;
  }
  return {};
}

/// ptxas's words, by kernel; empty where NVRTC is not found.
std::vector<predicting::Resources> measure(const Environment& environment, const Source& source, const Compiled& compiled,
                                           const CompileOptions& options, runtime::DiskCache* cache, Explanation& explanation) {
  std::vector<predicting::Resources> resources;
  const MachineCode code =
      compile_text(environment, emit(source, compiled, options), compiled.function.name + ".cu", options, cache);
  if (!code.toolkit || !code.result.ok) {
    explanation.not_measured = code.toolkit ? "NVRTC rejects the emitted text: " + code.result.error : code.problem;
    if (code.toolkit) explanation.warning = explanation.not_measured + "\n" + code.result.log;
    return resources;
  }
  for (const KernelReport& report : inspect_kernels(compiled, code, options)) {
    const runtime::KernelResources& r = report.resources;
    resources.push_back({r.registers, r.spill_store_bytes + r.spill_load_bytes, r.stack_bytes, true});
  }
  explanation.measured = true;
  return resources;
}

}  // namespace

Result<Explanation> explain(const Environment& environment, const Source& source, const Compiled& compiled,
                            const CompileOptions& options, const ExplainOptions& how) {
  Explanation explanation;
  const tir::Function& function = compiled.function;
  const tir::Bindings bindings = bindings_of(function, options.defines, options.architecture);
  if (const std::string why = illegal(function, bindings); !why.empty())
    return Failure{fmt::format("'{}': no legal launch at these sizes: {}", function.name, why)};
  if (const auto missing = predicting::missing_values(function, compiled.program, bindings); !missing.empty()) {
    std::string flags;
    for (const std::string& name : missing) flags += fmt::format(" -D{}=...", name);
    return Failure{fmt::format("'{}' needs the value{} of {} to be explained: add{}, or `sizes {} in {{...}};` to its schedule",
                               function.name, missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), flags, missing[0])};
  }
  predicting::PredictOptions predict;
  predict.architecture = find_architecture(options.architecture);
  if (how.measure)
    predict.resources = measure(environment, source, compiled, options, how.cache, explanation);
  else
    explanation.not_measured = "not asked";
  explanation.prediction = predicting::predict(function, compiled.program, bindings, predict);
  for (const tir::Size& size : function.sizes) {
    const auto found = bindings.find(size.symbol);
    if (found != bindings.end()) explanation.sizes[function.arena.symbol(size.symbol).name] = found->second.i;
  }
  return explanation;
}

}  // namespace cdsl
