// What names mean in Loop IR: memory and registers of a kernel, the special symbols, and the
// symbols that a Plan and the parameters of its kernels share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/loop/program.h"
#include "frontend/ir_reader/expr_reader.h"

namespace cdsl::ir_reader {

class LoopNames : public Names {
 public:
  LoopNames(Cursor& cursor, loop::Program& program) : c_(cursor), p_(program) {}

  ExprId primary(ExprReader& reader) override;

  /// A buffer of the kernel at hand.
  BufferId add_buffer(loop::Buffer buffer, SourceRange where);
  bool at_buffer() const { return buffers_.contains(c_.text()); }
  /// `x[i].pos[2]` at the cursor, which a statement writes or an expression loads.
  loop::Access access(ExprReader& reader);
  /// The same in a statement, where it may be in another block: `x[i] at rank`.
  loop::Access place(ExprReader& reader);
  /// The buffer that the cursor names.
  BufferId buffer();
  bool at_register_buffer() const;

  // Tensor maps of the whole program, made when a kernel first names them.
  uint32_t add_map(const std::string& name);
  /// The map that the cursor names.
  uint32_t map();

  // Registers: visible until the scope that was open when they were shown is closed.
  SymbolId add_register(const std::string& name, SymbolKind kind, ScalarType type);
  void show(const std::string& name, SymbolId symbol) { visible_.emplace_back(name, symbol); }
  std::size_t open() const { return visible_.size(); }
  void close(std::size_t scope) { visible_.resize(scope); }
  /// The register that the cursor names.
  SymbolId visible();

  // Symbols of the whole program: sizes, scalars, views, indices of the Plan's loops.
  void add_shared(const std::string& name, SymbolId symbol) { shared_[{name, p_.arena.symbol(symbol).type}] = symbol; }
  SymbolId shared(const std::string& name, SymbolKind kind, ScalarType type);
  /// The i64 symbol of that name, whatever its kind: a size where there is none.
  SymbolId shared_i64(const std::string& name);
  /// As the Plan sees them: of a name with several types, the i64.
  void show_shared();
  /// While on, a name that is not known is a size: for a program that stands without its function.
  void assume_sizes(bool on) { assume_sizes_ = on; }
  /// The same for one name: a scalar of that type.
  void assume(std::string_view name, ScalarType type);

  void end_kernel();

 private:
  const SymbolId* find(std::string_view name) const;
  uint32_t leaf(const loop::Buffer& buffer);

  Cursor& c_;
  loop::Program& p_;
  std::map<std::string, BufferId, std::less<>> buffers_;
  std::vector<std::pair<std::string, SymbolId>> visible_;
  std::map<std::pair<std::string, ScalarType>, SymbolId> shared_;   // a kernel may take a size of the plan as i32
  bool assume_sizes_ = false;
};

}  // namespace cdsl::ir_reader
