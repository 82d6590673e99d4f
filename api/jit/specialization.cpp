#include "api/jit/specialization.h"

#include <algorithm>

#include "codegen/cuda.h"
#include "dsl/expr/walk.h"

namespace cdsl::jit {
namespace {

class ScalarUses {
 public:
  explicit ScalarUses(const Compiled& unit) : function_(unit.function), plan_(unit.program.plan) {
    for (const tir::Check& check : function_.checks) {
      add(function_.arena, check.condition);
      for (const ExprId operand : check.operands) add(function_.arena, operand);
    }
    for (const tir::Fact& fact : function_.facts) {
      if (fact.kind == tir::Fact::Kind::Condition) add(function_.arena, fact.condition);
    }
    for (const tir::Tensor& tensor : function_.tensors) {
      for (const ExprId extent : tensor.shape) add(function_.arena, extent);
    }
    for (const plan::Buffer& buffer : plan_.buffers) add(plan_.arena, buffer.bytes);
    for (const loop::TensorMap& map : unit.program.maps) {
      for (const ExprId id : map.extents) add(plan_.arena, id);
      for (const ExprId id : map.strides) add(plan_.arena, id);
    }
    for (const plan::Variant& variant : plan_.variants) {
      for (const plan::Guard& guard : variant.guards) {
        if (const auto* holds = std::get_if<plan::Holds>(&guard)) add(plan_.arena, holds->condition);
      }
      add_steps(variant.steps);
    }
  }

  std::vector<uint32_t> found() const {
    std::vector<uint32_t> list;
    for (uint32_t k = 0; k < function_.scalars.size(); ++k) {
      if (symbols_.contains(function_.scalars[k].symbol)) list.push_back(k);
    }
    return list;
  }

 private:
  void add(const ExprArena& arena, ExprId id) {
    if (!id.valid()) return;
    for (const SymbolId symbol : free_symbols(arena, id)) symbols_.insert(symbol);
  }

  void add_steps(const std::vector<plan::Step>& steps) {
    for (const plan::Step& step : steps) std::visit([this](const auto& what) { add_step(what); }, step.what);
  }
  void add_step(const plan::Launch& launch) {
    for (const ExprId id : {launch.grid.items, launch.grid.blocks, launch.grid.tiles}) add(plan_.arena, id);
    for (const plan::Argument& argument : launch.arguments) {
      const auto* id = std::get_if<ExprId>(&argument.value);
      if (id != nullptr && has_index(*id)) add(plan_.arena, *id);   // its value is fixed when the loop is written out
    }
  }
  void add_step(const plan::Fill&) {}
  void add_step(const plan::Copy& copy) { add(plan_.arena, copy.bytes); }
  void add_step(const plan::Loop& loop) {
    add(plan_.arena, loop.lo);
    add(plan_.arena, loop.hi);
    add_steps(loop.steps);
  }

  bool has_index(ExprId id) const {
    const auto symbols = free_symbols(plan_.arena, id);
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](SymbolId symbol) { return plan_.arena.symbol(symbol).kind == SymbolKind::Index; });
  }

  const tir::Function& function_;
  const plan::Plan& plan_;
  std::set<SymbolId> symbols_;
};

}  // namespace

Specialization::Specialization(JitModule& module, const std::string& function, CompileOptions options)
    : module_(module),
      unit_(module.compile(function, options)),
      signature_(unit_.function),
      text_(module.text(unit_, options)),
      shaping_scalars_(ScalarUses(unit_).found()) {
  if (!module.runtime().is_simulated()) cubin_ = module.runtime().compile(text_, function + ".cu", options);
}

std::shared_ptr<runtime::CudaProgram> Specialization::loaded(const std::shared_ptr<const runtime::CudaContext>& context) {
  const std::lock_guard lock(mutex_);
  auto& program = loaded_[context.get()];
  if (!program) {
    const std::vector<std::string> names = kernel_names(unit_.program);
    program = std::make_shared<runtime::CudaProgram>(context, unit_.program, cubin_, names);
    if (!unit_.program.sites.empty()) module_.runtime().watch(program, unit_.program.sites, module_.source());
  }
  return program;
}

}  // namespace cdsl::jit
