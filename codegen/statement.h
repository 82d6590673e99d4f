// Prints the body of a kernel, statement by statement.
#pragma once

#include <string>

#include "codegen/cuda.h"
#include "codegen/expression.h"
#include "codegen/kernel_uses.h"
#include "codegen/text.h"

namespace cdsl::cuda {

/// What statements are printed with; one a kernel.
struct KernelContext {
  const loop::Program& program;
  const loop::Kernel& kernel;
  const KernelUses& uses;
  const CudaOptions& options;
  Records& records;
  Prelude& prelude;
  Scopes& names;
  Spellings& spellings;
  IndexFacts& facts;
  std::string reports;  // spelling of the parameter for reports
};

class StatementPrinter {
 public:
  StatementPrinter(KernelContext& context, Writer& out);
  void print(const loop::Block& block);
  bool printed_line_directive() const { return line_.second > 0; }

 private:
  void print(const loop::Statement& statement);
  void print(const loop::Let& let);
  void print(const loop::Var& var);
  void print(const loop::Assign& assign);
  void print(const loop::Store& store);
  void print(const loop::VectorLoad& load);
  void print(const loop::VectorStore& store);
  void print(const loop::Atomic& atomic);
  void print(const loop::For& loop);
  void print(const loop::While& loop);
  void print(const loop::If& branch);
  void print(const loop::Barrier& barrier);
  void print(const loop::Fence& fence);
  void print(const loop::Shuffle& shuffle);
  void print(const loop::Vote& vote);
  void print(const loop::Report& report);
  void print(const loop::Comment& comment);

  void print_nested(const loop::Block& block);
  void print_line_directive(SourceRange where);
  std::string atomic_call(const loop::Atomic& atomic, const std::string& element);
  std::string bound(ExprId id, const char* suffix, SymbolId index);
  bool is_fixed(ExprId id) const;

  std::string declare(SymbolId symbol);
  std::string value(ExprId id, Use use = {}) { return expressions_.print(id, use); }
  std::string element(const loop::Access& access);
  ScalarType leaf_type(const loop::Access& access) const;
  const SymbolInfo& info(SymbolId symbol) const { return c_.program.arena.symbol(symbol); }
  const std::string& name(SymbolId symbol) const { return c_.spellings.symbols[symbol.index()]; }
  std::string type_name(ScalarType type);

  KernelContext& c_;
  Writer& out_;
  ExpressionPrinter expressions_;
  std::vector<bool> mutable_;                // by symbol: a Var
  std::pair<std::string, int> line_{"", 0};  // of the last directive
};

}  // namespace cdsl::cuda
