#include "codegen/cuda.h"

#include "codegen/kernel.h"
#include "codegen/kernel_uses.h"
#include "codegen/launcher.h"
#include "codegen/opening.h"
#include "dsl/loop/walk.h"

namespace cdsl {

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

std::string emit_cuda(std::span<const CudaUnit> units, const CudaOptions& options) {
  // Bodies first: they tell which types and helpers the file must define above them.
  cuda::File file(options);
  std::vector<cuda::Module> modules;
  for (const CudaUnit& unit : units) modules.emplace_back(file, unit);
  cuda::Writer kernels, symbols, launchers, out;
  bool reports = false;
  if (options.library) cuda::print_library_symbols(modules, symbols);
  for (cuda::Module& module : modules) {
    for (std::size_t k = 0; k < module.kernels.size(); ++k) {
      kernels.blank();
      cuda::print_kernel(module, k, kernels);
    }
    reports |= !module.program.sites.empty();
  }
  if (options.launcher) cuda::print_launchers(file, modules, launchers);

  for (const cuda::Module& module : modules) {
    if (&module != &modules.front()) out.blank();
    cuda::print_opening(module.function, module.remarks, module.options, out);
  }
  for (const std::string& types : {file.prelude.type_definitions(), file.records.definitions()}) {
    if (!types.empty()) out.blank();
    out.block(types);
  }
  if (reports) {
    out.blank();
    out.block(cuda::kReportRecord);
  }
  cuda::print_helpers(file.prelude.functions(), out);
  const std::string name = !options.file_name.empty() ? options.file_name
                           : units.empty()            ? "kernels.cu"
                                                      : units[0].function.name + ".cu";
  return cuda::with_own_lines(out.take() + kernels.take() + symbols.take() + launchers.take(), name);
}

std::string emit_cuda(const tir::Function& function, const loop::Program& program,
                      const Remarks& remarks, const CudaOptions& options) {
  const CudaUnit unit{function, program, remarks};
  return emit_cuda(std::span(&unit, 1), options);
}

}  // namespace cdsl
