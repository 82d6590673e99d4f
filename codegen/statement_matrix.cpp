// Matrix instructions.
#include <fmt/format.h>

#include "codegen/matrix_text.h"
#include "codegen/statement.h"
#include "codegen/types.h"

namespace cdsl::cuda {

/// Notes the function, with what it calls; gives its name.
std::string StatementPrinter::define(const MatrixText& function) {
  for (const char* needed : {"shared_address", "word_of", "set_word", "TensorMap"}) {
    if (function.text.find(needed) != std::string::npos) helper(needed);
  }
  return c_.prelude.define(function.stem, function.text);
}

MatrixOperand StatementPrinter::operand(const loop::Fragment& fragment) const {
  return {c_.program.buffer(fragment.buffer).element.leaves[0].type, fragment.offsets};
}

/// A pointer to the element that the offsets of a fragment count from.
std::string StatementPrinter::pointer(const loop::Fragment& fragment) {
  const Value* base = c_.program.arena.constant_value(fragment.base);
  if (base != nullptr && base->i == 0) return c_.spellings.buffers[fragment.buffer.index()];
  return "&" + expressions_.element(fragment.buffer, 0, fragment.base, {});
}

void StatementPrinter::print(const loop::MatrixLoad& n) {
  const std::string name = define(matrix_load_text(n.count, n.transposed, operand(n.to)));
  out_.line(call(name, {pointer(n.to), address(n.from)}));
}

void StatementPrinter::print(const loop::MatrixStore& n) {
  const std::string name = define(matrix_store_text(n.count, n.transposed, operand(n.from)));
  out_.line(call(name, {address(n.to), pointer(n.from)}));
}

void StatementPrinter::print(const loop::MatrixMultiply& n) {
  const std::string name =
      define(mma_text(n.shape, operand(n.d), operand(n.a), operand(n.b), n.tf32));
  out_.line(call(name, {pointer(n.d), pointer(n.a), pointer(n.b)}));
}

std::string StatementPrinter::descriptor(const loop::SharedMatrix& matrix) {
  return fmt::format("{}<{}, {}, {}>({})", helper("matrix_descriptor"), matrix.leading_bytes,
                     matrix.stride_bytes, matrix.swizzle, address(matrix.start));
}

void StatementPrinter::print(const loop::MatrixAsync& n) {
  const bool by_registers = n.a_fragment.buffer.valid();
  WarpgroupOperands operands;
  operands.d = operand(n.d);
  if (by_registers) operands.a = operand(n.a_fragment);
  operands.a_type = by_registers ? operands.a.type : leaf_type(n.a.start);
  operands.b_type = leaf_type(n.b.start);
  operands.a_transposed = !by_registers && n.a.transposed;
  operands.b_transposed = n.b.transposed;
  operands.tf32 = n.tf32;
  const std::string name = define(wgmma_text(n.shape, operands));
  out_.line(call(name, {pointer(n.d), by_registers ? pointer(n.a_fragment) : descriptor(n.a),
                        descriptor(n.b), n.accumulate.valid() ? value(n.accumulate) : "true"}));
}

void StatementPrinter::print(const loop::MatrixBatch& n) {
  switch (n.kind) {
    case loop::MatrixBatchKind::Fence: return out_.line(helper("mma_fence") + "();");
    case loop::MatrixBatchKind::Commit: return out_.line(helper("mma_commit") + "();");
    case loop::MatrixBatchKind::Wait:
      return out_.line(fmt::format("{}<{}>();", helper("mma_wait"), n.pending));
  }
}

}  // namespace cdsl::cuda
