// One function of Tensor IR text. The grammar is in docs/ir.md, "Text" of Part 1.
#pragma once

#include <string>
#include <vector>

#include "dsl/tensor/tensor_ir.h"
#include "frontend/ir_reader/expr_reader.h"
#include "frontend/ir_reader/tensor_names.h"

namespace cdsl::ir_reader {

class TensorReader {
 public:
  explicit TensorReader(Cursor& cursor)
      : c_(cursor), names_(cursor, f_), reader_(cursor, f_.arena, names_) {}

  /// `function NAME { ... }` at the cursor.
  tir::Function read();

 private:
  /// A size line names a tensor that is declared later.
  struct Derived {
    std::size_t size;
    std::string tensor;
    SourceRange where;
  };

  // Header
  bool declaration();
  void record();
  void record_leaf(RecordType& record);
  void size();
  void scalar();
  void tensor(tir::Role role, bool is_constant);
  RecordId element();
  Layout layout(const RecordType& element);
  void constants(tir::Tensor& tensor);
  void resolve_sizes();
  void parameters();
  void match_parameters(SourceRange where);
  void check();
  void fact();
  void directive();
  void expectation();

  // Body
  void block(tir::Block& out);
  void statement(tir::Block& out);
  void definition();
  void end_statement();
  tir::Domain domain();
  Bounds bounds();
  tir::Target place();
  tir::Stage stage();
  tir::Scatter scatter();
  tir::ScatterOp scatter_op();
  tir::Loop loop(tir::Loop::Kind kind);

  Cursor& c_;
  tir::Function f_;
  TensorNames names_;
  ExprReader reader_;
  std::vector<Derived> derived_;
  int depth_ = 0;
};

}  // namespace cdsl::ir_reader
