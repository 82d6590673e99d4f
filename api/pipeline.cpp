#include "api/pipeline.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "api/decided.h"
#include "api/expose.h"
#include "api/fix_scalars.h"
#include "api/ir_input.h"
#include "api/overrides.h"
#include "api/variants.h"
#include "codegen/cuda.h"
#include "dsl/loop/variants.h"
#include "dsl/support/suggest.h"
#include "frontend/analyze.h"
#include "frontend/parser.h"
#include "passes/decide/layout.h"
#include "passes/decide/scan.h"
#include "passes/lower/lower.h"
#include "passes/lower/tiles/to_lanes.h"
#include "passes/lower/width.h"
#include "passes/runner.h"
#include "passes/simplify/simplify.h"

namespace cdsl {
namespace {

/// Reports the pass after which the time limit was found to have passed.
class Stopwatch {
 public:
  Stopwatch(double limit, std::string_view function, DiagnosticSink& sink)
      : limit_(limit), function_(function), sink_(sink) {}

  bool over(std::string_view pass) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (limit_ <= 0 || spent.count() <= limit_) return false;
    sink_.report(Code::TimeLimit, {},
                 fmt::format("'{}' took {:.1f} s until the end of {}, the limit is {} s", function_,
                             spent.count(), pass, limit_));
    return true;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double limit_;
  std::string_view function_;
  DiagnosticSink& sink_;
};

/// The frontend's result as the first level: verified and shown like that of any pass.
constexpr Pass<tir::Function, tir::Function> kAnalyze{
    "analyze", "Tensor IR as the frontend leaves it",
    [](tir::Function function, PassContext&) { return function; }};

constexpr Pass<std::vector<loop::Program>, loop::Program> kJoin{
    "variants", "lowered variants of a function as one program, guarded",
    [](std::vector<loop::Program> programs, PassContext&) {
      return loop::join_variants(std::move(programs));
    }};

/// For passes on the way of `unit`, which outlives them.
RunnerOptions runner_options(const CompileOptions& options, const Compiled& unit) {
  RunnerOptions running{true, options.print_after, options.dump, options.timed};
  PassObserver* const observer = options.observer;
  if (observer == nullptr) return running;
  running.made_function = [observer](std::string_view pass, const tir::Function& function) { observer->made(pass, function); };
  running.made_program = [observer, &unit](std::string_view pass, const loop::Program& program) { observer->made(pass, unit.function, program, {}); };
  return running;
}

/// Verified and simplified Tensor IR. False once the time limit has passed.
bool prepare(Compiled& unit, const CompileOptions& options, Stopwatch& watch, DiagnosticSink& sink) {
  PassContext context{unit.schedule, unit.remarks};
  PassRunner runner(runner_options(options, unit), context);
  unit.function = runner.run(kAnalyze, std::move(unit.function));
  if (options.simplify) unit.function = runner.run(kSimplify, std::move(unit.function));
  if (options.decide) {
    unit.function = runner.run(kScan, std::move(unit.function));
    unit.function = runner.run(kLayout, std::move(unit.function));
  }
  report_impossible(context, unit.answered, sink);
  return !watch.over("simplify");
}

/// Down to Loop IR on the general path.
bool lower_generally(Compiled& unit, const CompileOptions& options, Stopwatch& watch) {
  if (options.decide) {
    Remarks unsaid;
    PassContext quiet{unit.schedule, unsaid};
    unit.function = PassRunner(runner_options(options, unit), quiet).run(kScanAll, std::move(unit.function));
  }
  PassContext context{unit.schedule, unit.remarks};
  PassRunner runner(runner_options(options, unit), context);
  unit.program = runner.run<const tir::Function&, loop::Program>(kLower, unit.function);
  unit.program = runner.run(kToLanes, std::move(unit.program));
  unit.program = runner.run(kNarrow, Lowered{unit.function, std::move(unit.program)});
  return !watch.over("lower");
}

/// Puts `variant` before the general form of the function.
void join(Compiled& general, Compiled variant, const CompileOptions& options) {
  Remarks remarks = joined_remarks(variant, general);
  std::vector<loop::Program> programs;
  programs.push_back(std::move(variant.program));
  programs.push_back(std::move(general.program));
  PassContext context{general.schedule, general.remarks};
  PassRunner runner(runner_options(options, general), context);
  general.program = runner.run(kJoin, std::move(programs));
  if (general.program.plan.variants.size() > 1) general.remarks = std::move(remarks);
}

}  // namespace

std::pair<std::string, int> Source::locate(SourceRange where) const {
  if (!where.valid()) return {"", 0};
  return {std::string(files.name(where.file)),
          static_cast<int>(files.line_column(where.file, where.begin).line)};
}

std::unique_ptr<Source> load_and_parse(const SourceInput& input) {
  auto source = std::make_unique<Source>(input.error_limit);
  for (const std::string& folder : input.import_directories)
    source->files.add_import_directory(folder);
  source->main_file = input.text ? source->files.add(input.path, *input.text)
                                 : source->files.load(input.path, source->diagnostics);
  if (input_level(*source) != InputLevel::Language) {
    ir_function_names(*source);
  } else if (source->main_file != kNoFile) {
    source->program = parse_program(source->files, source->main_file, source->diagnostics);
  }
  return source;
}

std::vector<std::string> type_parameters(const Source& source, std::string_view name) {
  std::vector<std::string> names;
  for (const ast::Item& item : source.program.items) {
    const auto* fn = std::get_if<ast::FnDecl>(&item.node);
    if (fn == nullptr || fn->name.text != name) continue;
    for (const ast::GenericParam& generic : fn->generics) {
      if (generic.kind != ast::GenericKind::Size) names.push_back(generic.name.text);
    }
  }
  return names;
}

std::vector<std::string> functions_to_compile(Source& source, const std::string& wanted,
                                              const CompileOptions& options,
                                              std::vector<std::string>& skipped) {
  if (source.has_errors()) return {};
  const bool is_ir = input_level(source) != InputLevel::Language;
  if (options.check_defines && !is_ir)
    check_defines(options.defines, source.program, source.diagnostics);
  const std::vector<std::string> all =
      is_ir ? ir_function_names(source) : function_names(source.program);
  if (!wanted.empty()) {
    if (std::find(all.begin(), all.end(), wanted) != all.end()) return {wanted};
    const std::vector<std::string_view> names(all.begin(), all.end());
    source.diagnostics.report(
        Code::NoSuchFn, {},
        fmt::format("the program has no fn '{}'{}", wanted, did_you_mean(wanted, names)));
    return {};
  }
  std::vector<std::string> chosen;
  for (const std::string& name : all) {
    std::vector<std::string> open = type_parameters(source, name);
    std::erase_if(open,
                  [&](const std::string& type) { return options.defines.types.contains(type); });
    (open.empty() ? chosen : skipped)
        .push_back(open.empty() ? name
                                : fmt::format("{} (give it a type: -D{}=f32)", name, open[0]));
  }
  if (all.empty())
    source.diagnostics.report(Code::NothingToCompile, {},
                              "the file has no fn: there is nothing to compile");
  return chosen;
}

const Analyzer& analyzer_of(Source& source) {
  if (source.analyzer == nullptr) {
    source.analyzer =
        std::make_shared<Analyzer>(source.program, source.files, source.diagnostics);
  }
  return *source.analyzer;
}

std::optional<tir::Function> analyze_function(Source& source, std::string_view name,
                                              const CompileOptions& options) {
  std::optional<tir::Function> function;
  if (input_level(source) != InputLevel::Language) {
    function = ir_function(source, name, options);
  } else {
    const AnalyzeOptions analysis{options.defines.sizes, options.defines.types, options.strict};
    function = analyzer_of(source).analyze(name, analysis, source.diagnostics);
    if (source.has_errors()) return std::nullopt;
  }
  if (function && options.stored) expose(*function, options.stored);
  return function;
}

std::optional<Compiled> compile(Source& source, std::string_view name,
                                const CompileOptions& options) {
  Stopwatch watch(options.time_limit, name, source.diagnostics);
  auto function = analyze_function(source, name, options);
  if (!function) return std::nullopt;
  Compiled unit;
  unit.schedule =
      schedule_for(*function, options.overrides, options.architecture, source.diagnostics);
  unit.schedule.simplify = options.simplify;
  unit.schedule.strict = options.strict;
  auto assuming = analyze_assuming_facts(source, name, options, *function);
  unit.function = std::move(*function);
  fix_scalars(unit.function, options.defines, source.diagnostics);
  if (source.has_errors() || watch.over("analyze")) return std::nullopt;

  if (auto lowered = ir_program(source, name)) {
    PassContext context{unit.schedule, unit.remarks};
    PassRunner runner(runner_options(options, unit), context);
    unit.stands_alone = ir_stands_alone(source, name);
    unit.from_text = true;
    if (!unit.stands_alone) unit.function = runner.run(kAnalyze, std::move(unit.function));
    unit.program = std::move(*lowered);
    if (options.lanes) unit.program = runner.run(kToLanes, std::move(unit.program));
    return unit;
  }
  if (!prepare(unit, options, watch, source.diagnostics)) return std::nullopt;
  std::vector<loop::Program> programs;
  if (options.decide && unit.schedule.decide) programs = decided_programs(unit, options, runner_options(options, unit), source.diagnostics);
  report_unanswered(unit.schedule, unit.answered, unit.remarks, source.diagnostics);
  if (source.has_errors() || watch.over("decide")) return std::nullopt;
  if (programs.empty() || !programs.back().plan.general().guards.empty()) {
    if (!lower_generally(unit, options, watch)) return std::nullopt;
    if (assuming) {
      fix_scalars(*assuming, options.defines, source.diagnostics);
      Compiled variant;
      variant.function = std::move(*assuming);
      variant.schedule = unit.schedule;
      if (!prepare(variant, options, watch, source.diagnostics)) return std::nullopt;
      if (options.decide) share_layouts(unit.function, variant.function);
      if (!lower_generally(variant, options, watch)) return std::nullopt;
      if (guard_by_facts(variant, unit)) join(unit, std::move(variant), options);
    }
    if (auto remark = variants_remark(unit)) unit.remarks.push_back(std::move(*remark));
    programs.push_back(std::move(unit.program));
  }
  PassContext context{unit.schedule, unit.remarks};
  PassRunner runner(runner_options(options, unit), context);
  unit.program = programs.size() == 1 ? std::move(programs[0]) : runner.run(kJoin, std::move(programs));
  return unit;
}

std::string emit(const Source& source, const Compiled& compiled, const CompileOptions& options) {
  return emit(source, std::span(&compiled, 1), options);
}

std::string emit(const Source& source, std::span<const Compiled> units,
                 const CompileOptions& options) {
  CudaOptions cuda;
  cuda.architecture = options.architecture;
  cuda.line_directives = options.line_directives;
  cuda.strict = options.strict;
  cuda.locate = [&source](SourceRange where) { return source.locate(where); };
  std::vector<CudaUnit> functions;
  for (const Compiled& unit : units) {
    functions.push_back({unit.function, unit.program, unit.remarks});
    cuda.launcher &= !unit.stands_alone;
  }
  return emit_cuda(functions, cuda);
}

}  // namespace cdsl
