// Prints scalar expressions as CUDA C++: the language's meaning, in as few helpers and parentheses
// as that takes.
//
// Nothing recurses on operands and text is only appended, so that a sum of 100,000 terms is printed
// in linear time.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/helpers.h"
#include "codegen/index_facts.h"
#include "codegen/records.h"
#include "dsl/loop/program.h"

namespace cdsl::cuda {

/// Spellings by symbol or by buffer. A kernel names few of a program's, so that only those are held.
class SpellingTable {
 public:
  std::string& operator[](std::size_t index) { return names_[index]; }
  /// Empty where nothing was declared.
  const std::string& operator[](std::size_t index) const;

 private:
  std::unordered_map<std::size_t, std::string> names_;
};

/// Spellings of what an expression names.
struct Spellings {
  SpellingTable symbols;
  SpellingTable buffers;
  std::map<std::pair<std::string, int64_t>, std::string> constants;   // by name and value; others are printed as numbers
};

/// What a printer works on and notes its findings in.
struct ExpressionContext {
  const ExprArena& arena;
  const std::vector<loop::Buffer>& buffers;
  const Spellings& spellings;
  Records& records;
  Prelude& prelude;
  IndexFacts& facts;
  bool strict = false;   // products must not be contracted
  bool on_host = false;  // for the launcher
};

/// C++'s levels of binding, loosest first.
enum Precedence : int {
  kLoosest,
  kTernary,
  kOr,
  kAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelation,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPostfix
};

/// How an operand is used by what stands around it.
struct Use {
  Precedence least = kLoosest;  // looser text gets parentheses
  bool exact = false;           // its C++ type must be that of the node: an overload depends on it
  bool address = false;         // part of an address or loop bound: see IndexFacts
};

class ExpressionPrinter {
 public:
  explicit ExpressionPrinter(const ExpressionContext& context) : c_(context) {}

  std::string print(ExprId id, Use use = {});
  /// An element of a buffer: `p[i].pos[k]`.
  std::string element(BufferId buffer, uint32_t leaf, ExprId index, ExprId within);
  /// What prints `op` on two values that are spelled already, for atomic updates.
  std::string combined(Op op, ScalarType type, std::string_view left, std::string_view right);

 private:
  struct Operand {
    ExprId id;
    Use use;
  };
  using Piece = std::variant<std::string, Operand>;

  std::string run();
  void put(std::vector<Piece> pieces);  // to be printed next, in this order
  void expand(const Operand& operand);
  void expand_apply(Op op, const Operand& operand);
  void expand_load(const Load& load, ExprId id);
  void expand_cast(const Operand& operand);
  void expand_arithmetic(Op op, const Operand& operand);
  void expand_division(Op op, const Operand& operand);
  void expand_shift(Op op, const Operand& operand);
  void expand_comparison(Op op, const Operand& operand);
  void expand_choice(Op op, const Operand& operand);
  void expand_bits(Op op, const Operand& operand);
  void expand_math(Op op, const Operand& operand);
  void expand_complex(Op op, const Operand& operand);

  void infix(const char* spelling, Precedence own, const Operand& operand, bool address = false);
  void prefix(const char* spelling, ExprId arg, const Operand& operand, bool address = false);
  void call(const std::string& name, std::span<const ExprId> args, bool address = false);
  /// `(type)` before pieces that bind as `own`: narrow results wrap.
  void narrowed(ScalarType type, Precedence least, std::vector<Piece> inner, Precedence own);
  std::string helper(std::string_view name, ScalarType type) {
    return c_.prelude.use(name, type, c_.on_host);
  }

  ScalarType type(ExprId id) const { return c_.arena.type(id); }
  bool is_natural(ExprId id) const;
  bool is_elidable_cast(ExprId id) const;
  bool is_special(ExprId id) const;

  ExpressionContext c_;
  std::vector<Piece> stack_;
};

}  // namespace cdsl::cuda
