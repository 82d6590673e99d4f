// What names mean inside a function of Tensor IR: tensors, sizes, scalars, indices, reductions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/tensor/tensor_ir.h"
#include "frontend/ir_reader/expr_reader.h"

namespace cdsl::ir_reader {

class TensorNames : public Names {
 public:
  TensorNames(Cursor& cursor, tir::Function& function) : c_(cursor), f_(function) {}

  ExprId primary(ExprReader& reader) override;

  /// A new symbol under the name at the cursor, visible until `hide`.
  SymbolId bind(SymbolKind kind, ScalarType type);
  void hide(const std::vector<SymbolId>& symbols);
  void bind_tensor(const std::string& name, TensorId id, SourceRange where);

  /// The tensor that the cursor names.
  TensorId tensor();
  bool at_tensor() const { return tensors_.contains(c_.text()); }
  /// ".leaf" after a tensor's name, or nothing where its element is a scalar.
  uint32_t leaf(TensorId id);
  /// The scalar parameter that the cursor names.
  uint32_t scalar();

  /// `[i in lo..hi, ...`, without the brackets, up to what is no axis; binds the indices.
  std::vector<Axis> axes(ExprReader& reader, Tok closer, bool of_reduction);

  /// Whether expressions may read tensors: those of the header may not.
  void allow_memory(bool allowed) { memory_ = allowed; }
  /// Between statements: indices of reductions with one name are one symbol within a statement
  /// only.
  void end_statement() {
    inner_.clear();
    reductions_.clear();
  }

 private:
  bool at_reduction() const;
  Monoid built_in(std::string_view name);
  ExprId read(ExprReader& reader);
  AxisRule rule(ExprReader& reader, ScalarType type);
  ExprId reduction(ExprReader& reader);
  void reducer(ExprReader& reader, Reduction& r, std::vector<SymbolId>& bound);
  ReductionId unique(Reduction reduction);
  SymbolId bind_inner(ScalarType type, SymbolKind kind);
  SymbolId show(const std::string& name, SymbolId symbol);

  Cursor& c_;
  tir::Function& f_;
  bool memory_ = false;
  std::map<std::string, TensorId, std::less<>> tensors_;
  std::map<std::string, SymbolId, std::less<>> visible_;
  std::map<std::string, SymbolId> inner_;          // indices of this statement's reductions
  std::map<std::string, ReductionId> reductions_;  // of this statement, by what makes them equal
};

}  // namespace cdsl::ir_reader
