// The compiler of one kernel: expressions (compile_expr.cpp) and statements (compile.cpp). Used by
// compile() only.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/support/check.h"
#include "dsl/sim/code.h"
#include "dsl/sim/register_file.h"

namespace cdsl::sim {

class Compiler {
 public:
  Compiler(const loop::Program& program, const loop::Kernel& kernel);
  Code run();

 private:
  // Set-up
  void lay_out_buffers();
  void preset(const loop::Block& body);
  void preset_symbol(SymbolId symbol);
  void weigh_expressions();

  // Emission
  std::size_t emit(Handler run, uint32_t d = 0, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
                   std::size_t info = 0);
  std::size_t here() const { return code_.instructions.size(); }
  /// Makes the jump of `from` lead to `to`.
  void jump(std::size_t from, std::size_t to);
  /// A frame is pushed here; `close_frame` where it is popped.
  void open_frame();
  void close_frame() { --depth_; }

  // Expressions of one statement. A value stays good until `end_statement`, or until `keep`'s block
  // ends.
  struct Value {
    Slot slot;
    bool owned = false;  // the slot is a temporary of this entry
  };
  void begin_statement(const loop::Statement& statement);
  void end_statement();
  Slot value(ExprId root);
  /// The value in a slot that lasts until the current block ends and that no assignment changes.
  Slot keep(ExprId root);
  Slot varying(const Slot& slot);  // broadcast when uniform
  void forget(std::size_t mark);   // values computed since `mark`
  /// Takes over the temporary in `slot` from the value, computed since `mark`, that owns it; false
  /// where there is none.
  bool take(const Slot& slot, std::size_t mark);

  void emit_node(ExprId id);
  void emit_apply(Op op, ExprId id);
  void emit_load(const Load& load, ExprId id);
  void emit_select(ExprId id);
  void emit_logic(Op op, ExprId id);
  /// Evaluates `id` for the lanes where `condition` is (`inverted`: is not) true only. The caller
  /// releases an owned one.
  Value lazy_arm(const Slot& condition, bool inverted, ExprId id);
  std::vector<ExprId> eager_operands(ExprId id) const;
  bool is_costly(ExprId id) const { return costs_[id.index()] >= kLazyCost; }
  const Slot& operand(ExprId id) const { return values_.at(id.value).slot; }
  Slot result(ExprId id, bool uniform);  // a fresh owned slot, noted as the value of `id`
  void define(ExprId id, Value value);
  void drop(ExprId id);  // a use of `id` is over
  bool leaf(ExprId id);  // notes the slot of a constant or symbol

  // Statements
  void block(const loop::Block& block);
  void statement(const loop::Statement& statement);
  void compile(const loop::Let& n);
  void compile(const loop::Var& n);
  void compile(const loop::Assign& n);
  void compile(const loop::Store& n);
  void compile(const loop::VectorLoad& n);
  void compile(const loop::VectorStore& n);
  void compile(const loop::VectorMove& n);
  void compile(const loop::Atomic& n);
  void compile(const loop::For& n);
  void compile(const loop::While& n);
  void compile(const loop::If& n);
  void compile(const loop::Barrier& n);
  void compile(const loop::Fence& n);
  void compile(const loop::Shuffle& n);
  void compile(const loop::Vote& n);
  void compile(const loop::Report& n);
  void compile(const loop::Comment&) {}

  // Asynchronous and matrix nodes (compile_async.cpp)
  void compile(const loop::BarrierInit& n);
  void compile(const loop::BarrierArrive& n);
  void compile(const loop::BarrierWait& n);
  void compile(const loop::CopyAsync& n);
  void compile(const loop::CopyCommit& n);
  void compile(const loop::CopyWait& n);
  void compile(const loop::CopyBulk& n);
  void compile(const loop::CopyTensor& n);
  void compile(const loop::FenceAsync& n);
  void compile(const loop::MatrixLoad& n);
  void compile(const loop::MatrixStore& n);
  void compile(const loop::MatrixMultiply& n);
  void compile(const loop::MatrixAsync& n);
  void compile(const loop::MatrixBatch& n);
  void compile(const loop::NamedBarrier& n);
  void compile(const loop::Elect& n);
  void compile(const loop::RegisterBudget& n);
  uint32_t arrival_place(const loop::Access& access);
  uint32_t agent_place(const loop::Access& access, int bytes, bool is_store);
  FragmentUse fragment(const loop::Fragment& f);
  void matrix_tiles(MatrixTilesUse use, const loop::Access& memory, const loop::Fragment& registers);
  template <class Node>
  void compile(const Node&) {
    CDSL_UNREACHABLE("tile form where lane form is run");
  }
  Slot define_local(SymbolId local);  // a varying slot until the block ends
  Place place_of(BufferId buffer, uint32_t leaf, ExprId index, ExprId within, SourceRange where);
  Place place_of(const loop::Access& access);
  uint32_t add_place(Place place);
  uint32_t add_site(const Place& place);
  bool may_spin(const loop::While& n) const;

  static constexpr int kLazyCost = 64;  // operations that are cheaper are computed for all lanes

  const loop::Program& program_;
  const ExprArena& arena_;
  const loop::Kernel& kernel_;
  Code code_;
  RegisterFile registers_;
  std::vector<int> costs_;                       // by expression; a load makes an expression costly
  std::unordered_map<uint32_t, uint32_t> rows_;  // BufferId -> row of Code::buffers
  std::unordered_map<uint32_t, Slot> symbols_, constants_;  // SymbolId, ExprId
  std::unordered_set<uint32_t> variables_;                  // offsets of slots that Assign changes
  std::unordered_map<uint32_t, uint32_t> load_sites_;  // ExprId of a Load -> row of Code::sites

  std::unordered_map<uint32_t, Value> values_;  // by expression, in this statement
  std::vector<ExprId> computed_;                // keys of values_, oldest first
  std::unordered_map<uint32_t, int> uses_;      // edges to an expression in this statement
  std::vector<Slot> block_slots_;               // released when their block ends
  const loop::Statement* statement_ = nullptr;
  uint32_t depth_ = 0;
  int spinning_ = 0;  // enclosing loops that may wait for memory
};

}  // namespace cdsl::sim
