// Expressions compiled for the evaluator: straight runs of instructions over slots of one frame. What is lazy (arms, right
// sides of && and ||, bodies of reductions, fill values) is a run of its own, entered only when the language enters it;
// what several of those share is remembered while the indices that it depends on keep their values.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::eval {

using Slot = uint32_t;
using CodeId = uint32_t;
inline constexpr CodeId kNoCode = 0xffffffffu;

struct ReadCode {
  TensorId tensor;
  uint32_t leaf = 0;
  std::vector<Slot> subscripts;
  std::vector<AxisRule> rules;
  std::vector<CodeId> fills;          // by subscript, kNoCode where there is none
  std::vector<Slot> holes;            // by subscript, where rules[k].holes is valid
  SourceRange where;
};

struct AxisCode {
  Slot index = 0;
  CodeId lo = kNoCode, hi = kNoCode;
};

struct ReduceCode {
  const Reduction* reduction = nullptr;
  std::vector<AxisCode> axes;
  CodeId guard = kNoCode;
  CodeId lifted = kNoCode;            // results: the terms
  CodeId identity = kNoCode, combine = kNoCode;
  std::vector<Slot> left, right;
  double roundoff = 0;                // of sums
  Slot first_result = 0;              // parts lie side by side
};

/// A value that is remembered: see dsl/eval/sharing.h.
struct MemoCode {
  CodeId code = kNoCode;
  std::vector<Slot> depends;          // slots of symbols
};

struct Instruction {
  enum class Kind : uint8_t { Constant, Apply, Cast, Select, And, Or, Read, Reduce, Memo };
  Kind kind = Kind::Constant;
  Op op = Op::Add;
  ScalarType type = ScalarType::I64;  // of the (first non-bool) operand
  ScalarType result = ScalarType::I64;
  Slot to = 0;
  Slot args[3] = {0, 0, 0};
  uint8_t arity = 0;
  Value constant;
  CodeId then_code = kNoCode, else_code = kNoCode;   // Select; And, Or: else_code is the right side
  uint32_t detail = 0;                               // index into reads, reductions or memos
};

/// Instructions, and the slots that hold the values of the expressions it was compiled for.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<Slot> results;
};

/// Compiles expressions of one function. Every symbol has the slot of its number; other slots follow.
class Compiler {
 public:
  explicit Compiler(const tir::Function& function);
  CodeId compile(const std::vector<ExprId>& roots);
  AxisCode compile(const Axis& axis);
  const Code& code(CodeId id) const { return codes_[id]; }
  const ReadCode& read(uint32_t detail) const { return reads_[detail]; }
  const ReduceCode& reduce(uint32_t detail) const { return reductions_[detail]; }
  const MemoCode& memo(uint32_t detail) const { return memos_[detail]; }
  std::size_t memo_count() const { return memos_.size(); }
  Slot slot_count() const { return next_slot_; }

 private:
  using Scope = std::unordered_map<ExprId, Slot>;
  CodeId compile_in_scope(const std::vector<ExprId>& roots);
  void note_shared(const std::vector<ExprId>& roots);
  bool is_memo(ExprId id) const { return id != memo_root_ && shared_.contains(id); }
  Slot emit_memo(ExprId id, std::vector<Instruction>& out);
  Slot emit(ExprId root, std::vector<Instruction>& out);
  std::vector<ExprId> eager_children(ExprId id) const;
  Slot emit_node(ExprId id, std::vector<Instruction>& out);
  Slot emit_apply(ExprId id, Op op, std::vector<Instruction>& out);
  Slot emit_read(ExprId id, const Read& read, std::vector<Instruction>& out);
  Slot emit_reduce(ExprId id, const Reduce& reduce, std::vector<Instruction>& out);
  double roundoff_of(const Reduction& reduction) const;
  const Slot* find(ExprId id) const;
  Slot fresh() { return next_slot_++; }

  const tir::Function& function_;
  std::deque<Code> codes_;                        // stable addresses: code runs while more is compiled
  std::deque<ReadCode> reads_;
  std::deque<ReduceCode> reductions_;
  std::deque<MemoCode> memos_;
  std::unordered_map<ExprId, std::vector<SymbolId>> shared_;
  std::unordered_map<ExprId, uint32_t> memo_of_;
  ExprId memo_root_;                              // whose own code is being compiled
  std::vector<Scope> scopes_;
  std::vector<std::unordered_map<uint32_t, uint32_t>> reduced_;   // reductions already emitted, by scope
  Slot next_slot_;
};

}  // namespace cdsl::eval
