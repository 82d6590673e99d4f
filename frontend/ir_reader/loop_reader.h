// One program of Loop IR text: records, report sites, kernels, Plan. The grammar is in docs/ir.md,
// section 2.7.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/tensor/tensor_ir.h"
#include "frontend/ir_reader/expr_reader.h"
#include "frontend/ir_reader/loop_names.h"

namespace cdsl::ir_reader {

class LoopReader {
 public:
  /// `function`, if any, is what the program was lowered from: its sizes and scalars are those of
  /// the text.
  LoopReader(Cursor& cursor, const tir::Function* function);

  /// `program NAME; ... plan { ... }` at the cursor.
  loop::Program read();

 private:
  struct Typed {
    std::string name;
    ScalarType type;
  };

  void record();
  void site();
  RecordType element();

  // Kernels
  void kernel();
  void parameter(loop::Kernel& kernel);
  void shape(int (&extents)[3]);
  void facts(loop::Kernel& kernel);
  void own_buffers(loop::Kernel& kernel);
  std::unique_ptr<loop::Block> block();
  void statements(loop::Block& out);
  Typed typed();
  SymbolId define(const Typed& typed, SymbolKind kind = SymbolKind::Local);

  // Statements
  loop::Statement statement();
  loop::Statement let();
  loop::Statement named_statement();
  loop::Statement let_several();
  loop::Statement vector_store();
  loop::Statement atomic(const Typed* old);
  loop::Statement for_();
  loop::Statement if_();
  loop::Statement shuffle(const Typed& result);
  loop::Statement vote(const Typed& result);
  uint32_t mask();

  // Tile form
  loop::Statement axis();
  std::vector<SymbolId> axes();
  loop::Statement var();
  std::vector<Typed> typed_list();
  std::vector<ExprId> operands(loop::Combine& how);
  loop::Statement tile_reduce(const std::vector<Typed>& results);
  loop::Statement tile_scan(const std::vector<Typed>& results, const std::vector<Typed>& totals);
  loop::Statement tile_multiply();
  loop::MatrixShape matrix_shape();

  // Asynchronous and matrix nodes
  std::optional<loop::Statement> async_statement();
  int number(std::int64_t most);
  loop::BarrierInit barrier_init();
  loop::BarrierArrive barrier_arrive();
  loop::BarrierWait barrier_wait();
  loop::CopyAsync copy_async();
  loop::CopyWait copy_wait();
  loop::CopyBulk copy_bulk();
  void box(loop::CopyTensor& out);
  loop::CopyTensor copy_tensor();
  loop::Fragment fragment();
  int tile_count();
  loop::MatrixLoad matrix_load();
  loop::MatrixStore matrix_store();
  loop::Statement matrix_multiply(loop::MatrixShape shape);
  loop::SharedMatrix shared_matrix();
  loop::MatrixAsync matrix_async();
  loop::NamedBarrier named_barrier();
  loop::RegisterBudget register_budget();

  // Plan
  void plan();
  void plan_buffer();
  TensorId tensor();
  void check_part(const plan::Buffer& buffer, SourceRange where);
  void view();
  void map();
  void variants();
  plan::Guard guard();
  void steps(std::vector<plan::Step>& out);
  plan::Step step();
  plan::Launch launch();
  plan::Argument argument(const loop::Kernel& kernel, std::size_t position);
  plan::Loop plan_loop();
  uint32_t buffer_index();
  std::vector<std::byte> bytes();

  Cursor& c_;
  const tir::Function* function_;
  loop::Program p_;
  LoopNames names_;
  ExprReader reader_;
  std::vector<RecordType> records_;
  int depth_ = 0;
};

}  // namespace cdsl::ir_reader
