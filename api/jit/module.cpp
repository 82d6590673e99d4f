#include "api/jit/module.h"

#include <fmt/format.h>

#include "api/jit/failure.h"
#include "frontend/render.h"

namespace cdsl::jit {

JitModule::JitModule(std::shared_ptr<JitRuntime> runtime, SourceInput input, CompileOptions options, bool open_sizes)
    : runtime_(std::move(runtime)), input_(std::move(input)), source_(load_and_parse(input_)), options_(std::move(options)), open_sizes_(open_sizes) {
  if (options_.architecture.empty()) options_.architecture = runtime_->architecture();
  if (source_->has_errors()) fail("");
  std::vector<std::string> skipped;
  functions_ = functions_to_compile(*source_, "", options_, skipped);
  if (source_->has_errors()) fail("");
}

SourceInput JitModule::extended(std::string_view more) const {
  SourceInput input = input_;
  input.text = std::string(source_->files.text(source_->main_file)) + std::string(more);
  return input;
}

void JitModule::fail(const std::string& function) const {
  std::string text = render_text(source_->files, source_->diagnostics);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  throw JitFailure(CDSL_ERROR_SOURCE, text, function);
}

tir::Function JitModule::analyze(const std::string& function, const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  source_->diagnostics = DiagnosticSink();
  auto analyzed = analyze_function(*source_, function, options);
  if (!analyzed || source_->has_errors()) fail(function);
  return std::move(*analyzed);
}

Compiled JitModule::compile(const std::string& function, const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  source_->diagnostics = DiagnosticSink();
  auto unit = cdsl::compile(*source_, function, options);
  if (!unit || source_->has_errors()) fail(function);
  return std::move(*unit);
}

std::string JitModule::text(const Compiled& unit, const CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  return emit(*source_, unit, options);
}

}  // namespace cdsl::jit
