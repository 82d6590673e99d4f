// The state of analyzing one function: the Tensor IR that grows, names in scope, the points and
// conditions under which an expression is evaluated, and the door for diagnostics.
//
// Everything in frontend/sema is free functions over an Analysis, grouped by idea.
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "dsl/ranges/prover.h"
#include "dsl/support/diagnostic.h"
#include "dsl/tensor/tensor_ir.h"
#include "frontend/analyze.h"
#include "frontend/sema/module.h"
#include "frontend/sema/operand.h"
#include "frontend/sema/scope.h"
#include "frontend/sema/untyped.h"

namespace cdsl::sema {

// Where an index has its range from: only ranges that were not written are compared with bare
// reads.
enum class RangeOrigin : std::uint8_t { Written, Declared, Inferred, Loop };

struct IndexInfo {
  ExprId lo, hi;
  RangeOrigin origin = RangeOrigin::Written;
  SourceRange where;
};

struct LoopFrame {
  Axis axis;
  tir::Loop::Kind kind = tir::Loop::Kind::Repeat;
  bool descending = false;
  SourceRange where;
};

// A `fn`, `def`, `let` or reducer under expansion, for recursion and for notes.
struct Expansion {
  std::string name;
  SourceRange at;
  const void* decl = nullptr;
};

// A read of the tensor that the statement defines (frontend/sema/never_written.h).
struct OwnRead {
  const TensorSymbol* symbol = nullptr;
  std::vector<ExprId> subscripts;
  Context points;
  SourceRange at;
};

inline constexpr std::size_t kMaxRank = 12;

struct Analysis {
  Analysis(const ast::Program& program, const Module& module, const AnalyzeOptions& options,
           DiagnosticSink& sink);

  const ast::Program& program;
  const Module& module;
  const AnalyzeOptions& options;
  DiagnosticSink& sink;
  tir::Function fn;
  UntypedTable untyped;
  Scopes scopes;
  std::map<std::string, ScalarType> types;  // generic types of the function being expanded
  std::vector<Expansion> expansions;
  std::size_t first_expansion = 0;  // from which on they are worth a note
  std::string name_prefix;          // of tensors of an expanded function

  // Where we are: points.axes holds loops, statement axes and reduction axes; points.conditions the
  // guards. `place` differs whenever these do.
  Context points;
  std::uint32_t place = 0;
  std::uint32_t next_place = 0;
  std::vector<LoopFrame> loops;
  std::vector<tir::Block*> blocks;  // under construction, outermost first
  const ast::Block* source_block =
      nullptr;  // the block in the source, and the statement's place in it
  std::size_t source_index = 0;
  std::vector<std::string> defining;  // names on the left of the statement
  std::vector<OwnRead> own_reads;
  std::uint32_t time = 0;  // counts overwrites
  std::uint32_t seen_until =
      std::numeric_limits<std::uint32_t>::max();  // `let`s see earlier writes

  std::deque<TensorSymbol> tensors;
  std::deque<LetSymbol> lets;
  std::map<std::string, TensorSymbol*, std::less<>> constants;
  std::unordered_map<SymbolId, IndexInfo> indices;
  std::map<std::pair<const LetSymbol*, std::uint32_t>, Operand> let_values;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Verdict>
      verdicts;
  std::uint32_t let_order =
      std::numeric_limits<std::uint32_t>::max();  // of the `let` being expanded
  std::size_t let_depth = 0;                      // of the scopes where it is used
  int depth = 0;                                  // of nested evaluation
  std::uint64_t operations = 0;
  bool is_over_budget = false;

  ExprArena& arena() { return fn.arena; }
  tir::Block& block() { return *blocks.back(); }
  template <class T>
  const T* ast_if(ast::ExprId id) const {
    return program.exprs.get_if<T>(id);
  }
  SourceRange range(ast::ExprId id) const { return program.exprs[id].range; }

  bool is_expanding(const void* decl) const;
  // Reports, with notes for the expansions under way.
  Diagnostic& report(Code code, SourceRange where, std::string message);

  // --- Proofs ---
  Prover& prover();
  void add_fact(ExprId condition);
  // A launch check; proofs rely on it, unless it would only cloud them.
  enum class AsFact : std::uint8_t { No, Yes };
  void add_check(ExprId condition, std::string message, std::vector<ExprId> operands,
                 SourceRange where, AsFact as_fact = AsFact::Yes);

  // --- Symbols ---
  std::string unique_name(const std::string& wanted);
  TensorSymbol& add_tensor(const std::string& name, TensorKind kind, ElementType element,
                           std::vector<ExprId> shape, SourceRange where);
  const tir::Tensor& ir(const TensorSymbol& symbol) const { return fn.tensor(symbol.id); }
  RecordId record_of(const ElementType& element);
  // A new index over [lo, hi), known to `indices`, neither in scope nor among the points.
  Axis make_axis(const std::string& name, ExprId lo, ExprId hi, RangeOrigin origin,
                 SourceRange where);
  // Declares a value name; an error naming the first use where it is visible already.
  bool declare(const ast::Name& name, Entity entity);
  std::string tensor_name(TensorId id) const { return fn.tensor(id).name; }
  std::string text(ExprId id) const;  // for messages

 private:
  std::unique_ptr<Prover> prover_;
  std::vector<ExprId> facts_;
  std::set<std::string, std::less<>> names_;
  std::unordered_map<std::string, int> next_suffix_;
  std::map<std::pair<std::string, int>, RecordId> records_;
  std::set<std::uint32_t> checked_;
};

// Scopes, axes and conditions end with these.
class InScope {
 public:
  explicit InScope(Analysis& a, bool alone = false) : a_(a) {
    if (alone)
      a.scopes.enter_alone();
    else
      a.scopes.enter();
  }
  ~InScope() { a_.scopes.leave(); }
  InScope(const InScope&) = delete;
  InScope& operator=(const InScope&) = delete;

 private:
  Analysis& a_;
};

// Restores points and place at its end; add axes and conditions through it.
class AtPoints {
 public:
  explicit AtPoints(Analysis& a)
      : a_(a),
        axes_(a.points.axes.size()),
        conditions_(a.points.conditions.size()),
        place_(a.place) {}
  ~AtPoints() {
    a_.points.axes.resize(axes_);
    a_.points.conditions.resize(conditions_);
    a_.place = place_;
  }
  AtPoints(const AtPoints&) = delete;
  AtPoints& operator=(const AtPoints&) = delete;

  void add(const Axis& axis) {
    a_.points.axes.push_back(axis);
    a_.place = next(a_);
  }
  void assume(ExprId condition) {
    if (!condition.valid()) return;
    a_.points.conditions.push_back(condition);
    a_.place = next(a_);
  }
  static std::uint32_t next(Analysis& a);

 private:
  Analysis& a_;
  std::size_t axes_, conditions_;
  std::uint32_t place_;
};

}  // namespace cdsl::sema
