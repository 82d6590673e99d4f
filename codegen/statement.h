// Prints the body of a kernel, statement by statement.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/cuda.h"
#include "codegen/expression.h"
#include "codegen/kernel_uses.h"
#include "codegen/matrix_text.h"
#include "codegen/text.h"
#include "dsl/support/check.h"

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
  std::set<uint32_t> streamed{};  // buffers whose loads tell the L2
  std::string reports{};  // spelling of the parameter for reports
  std::map<uint32_t, std::string> maps{};  // by number in the program: of the parameter
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
  void print(const loop::VectorMove& move);
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

  // Asynchronous nodes (statement_async.cpp) and matrix instructions (statement_matrix.cpp)
  void print(const loop::BarrierInit& n);
  void print(const loop::BarrierArrive& n);
  void print(const loop::BarrierWait& n);
  void print(const loop::CopyAsync& n);
  void print(const loop::CopyCommit& n);
  void print(const loop::CopyWait& n);
  void print(const loop::CopyBulk& n);
  void print(const loop::CopyTensor& n);
  void print(const loop::FenceAsync& n);
  void print(const loop::NamedBarrier& n);
  void print(const loop::Elect& n);
  void print(const loop::RegisterBudget& n);
  void print(const loop::MatrixLoad& n);
  void print(const loop::MatrixStore& n);
  void print(const loop::MatrixMultiply& n);
  void print(const loop::MatrixAsync& n);
  void print(const loop::MatrixBatch& n);
  template <class Node>
  void print(const Node&) {
    CDSL_UNREACHABLE("tile form where lane form is printed");
  }

  std::string helper(std::string_view name);
  static std::string call(const std::string& name, const std::vector<std::string>& arguments);
  std::string address(const loop::Access& access);
  std::string local_address(loop::Access access);
  std::string rank(const loop::Access& access);
  std::string coordinate_text(ExprId id);
  std::string define(const MatrixText& function);
  MatrixOperand operand(const loop::Fragment& fragment) const;
  std::string pointer(const loop::Fragment& fragment);
  std::string descriptor(const loop::SharedMatrix& matrix);

  void print_nested(const loop::Block& block);
  void print_line_directive(SourceRange where);
  void print_line_directive(std::pair<std::string, int> place);
  std::string atomic_call(const loop::Atomic& atomic, const std::string& element);
  bool is_acquiring_load(const loop::Atomic& atomic) const;
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
