#include "frontend/analyze.h"

#include <algorithm>

#include "dsl/support/suggest.h"
#include "frontend/sema/analysis.h"
#include "frontend/sema/finish.h"
#include "frontend/sema/module.h"
#include "frontend/sema/reducer.h"
#include "frontend/sema/schedule.h"
#include "frontend/sema/signature.h"
#include "frontend/sema/statement.h"

namespace cdsl {
namespace {

using sema::Analysis;

std::optional<tir::Function> analyze_fn(const ast::Program& program, const SourceManager& sources,
                                        const sema::Module& module,
                                        const sema::Declared<ast::FnDecl>& fn,
                                        const AnalyzeOptions& options, DiagnosticSink& sink) {
  const std::size_t errors = sink.error_count();
  Analysis a(program, module, options, sink);
  a.fn.name = fn.decl->name.text;
  a.fn.where = fn.decl->name.range;
  a.fn.source = std::string(sources.text(fn.item->range));
  a.blocks.push_back(&a.fn.body);
  a.scopes.enter();
  a.expansions.push_back({fn.decl->name.text, fn.decl->name.range, fn.decl});
  a.first_expansion = 1;
  if (!sema::declare_generic_types(a, *fn.decl)) return std::nullopt;
  sema::declare_signature(a, *fn.decl);
  sema::declare_facts(a, *fn.decl);
  const std::size_t parameters = a.tensors.size();
  a.scopes.enter();
  sema::analyze_statements(a, fn.decl->body);
  for (std::size_t k = 0; k < parameters; ++k) {
    if (a.tensors[k].kind == sema::TensorKind::Output) sema::check_output(a, a.tensors[k]);
  }
  if (sink.error_count() == errors) sema::warn_unused(a);
  sema::attach_schedule(a, sources);
  if (sink.error_count() != errors) return std::nullopt;
  return std::move(a.fn);
}

// Types of generic parameters that the options leave open.
bool needs_types(const ast::FnDecl& fn, const AnalyzeOptions& options) {
  return std::any_of(fn.generics.begin(), fn.generics.end(), [&](const ast::GenericParam& generic) {
    return generic.kind != ast::GenericKind::Size && !options.types.contains(generic.name.text);
  });
}

}  // namespace

std::vector<std::string> function_names(const ast::Program& program) {
  std::vector<std::string> names;
  if (program.items.empty()) return names;
  // Items of imported files stand before those of their importer, so the last file is the one
  // compiled.
  const std::uint32_t main_file = program.items.back().range.file;
  for (const ast::Item& item : program.items) {
    const auto* fn = std::get_if<ast::FnDecl>(&item.node);
    if (fn != nullptr && item.range.file == main_file) names.push_back(fn->name.text);
  }
  return names;
}

struct Analyzer::Impl {
  const ast::Program& program;
  const SourceManager& sources;
  sema::Module module;
  bool has_errors = false;
};

Analyzer::Analyzer(const ast::Program& program, const SourceManager& sources,
                   DiagnosticSink& sink) {
  const std::size_t errors = sink.error_count();
  impl_ = std::make_unique<Impl>(Impl{program, sources, sema::Module(program, sink)});
  impl_->has_errors = sink.error_count() != errors;
}

Analyzer::~Analyzer() = default;

std::optional<tir::Function> Analyzer::analyze(std::string_view name, const AnalyzeOptions& options,
                                               DiagnosticSink& sink) const {
  const auto fn = impl_->module.fn(name);
  if (!fn) {
    const auto names = impl_->module.callables();
    sink.report(Code::NoSuchFn, {},
                "the program has no fn '" + std::string(name) + "'" + did_you_mean(name, names));
    return std::nullopt;
  }
  if (impl_->has_errors) return std::nullopt;
  return analyze_fn(impl_->program, impl_->sources, impl_->module, fn, options, sink);
}

std::optional<tir::Function> analyze(const ast::Program& program, const SourceManager& sources,
                                     std::string_view name, const AnalyzeOptions& options,
                                     DiagnosticSink& sink) {
  return Analyzer(program, sources, sink).analyze(name, options, sink);
}

void check_program(const ast::Program& program, const SourceManager& sources,
                   const AnalyzeOptions& options, DiagnosticSink& sink) {
  const sema::Module module(program, sink);
  sema::check_schedule_names(program, module, sink);
  if (sink.has_errors()) return;
  for (const std::string& name : function_names(program)) {
    const auto fn = module.fn(name);
    if (fn && !needs_types(*fn.decl, options))
      analyze_fn(program, sources, module, fn, options, sink);
  }
}

}  // namespace cdsl
