#include "codegen/cuda.h"

#include "codegen/kernel.h"
#include "codegen/kernel_uses.h"
#include "codegen/launcher.h"
#include "codegen/opening.h"
#include "dsl/loop/walk.h"

namespace cdsl {
namespace {

constexpr std::string_view kReportRecord =
    "// Run-time reports of one site in the source: how many, and the value of the first.\n"
    "struct cdsl_report {\n"
    "  unsigned long long count;\n"
    "  long long value;\n"
    "};\n";

}  // namespace

std::vector<std::string> kernel_names(const loop::Program& program) {
  cuda::Scopes names(cuda::Scopes::Outermost::File);
  std::vector<std::string> out;
  for (const loop::Kernel& kernel : program.kernels) out.push_back(names.declare(kernel.name));
  return out;
}

bool takes_reports(const loop::Kernel& kernel) {
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    found |= std::holds_alternative<loop::Report>(statement.node);
  });
  return found;
}

std::string emit_cuda(const tir::Function& function, const loop::Program& program, const Remarks& remarks,
                      const CudaOptions& options) {
  // Bodies first: they tell which types and helpers the file must define above them.
  cuda::Module module(function, program, options);
  cuda::Writer kernels, launcher;
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    kernels.blank();
    cuda::print_kernel(module, k, kernels);
  }
  if (options.launcher) cuda::print_launcher(module, launcher);

  cuda::Writer out;
  cuda::print_opening(function, remarks, options, out);
  for (const std::string& types : {module.prelude.type_definitions(), module.records.definitions()}) {
    if (!types.empty()) out.blank();
    out.block(types);
  }
  if (!program.sites.empty()) {
    out.blank();
    out.block(kReportRecord);
  }
  const std::string helpers = module.prelude.functions();
  if (!helpers.empty()) {
    out.blank();
    out.line("namespace {");
    out.blank();
    out.block(helpers);
    out.line("}  // namespace");
  }
  return out.take() + kernels.take() + launcher.take();
}

}  // namespace cdsl
