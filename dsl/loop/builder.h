// Builds one kernel of a program, statement by statement. Declares registers and buffers with the
// statements that define them, so that a kernel built here satisfies what `verify` asks of names: a
// name that is taken where it would be visible gets a number ("acc_2"), and what no identifier may
// hold becomes "_". The kernel joins the program at `finish`.
//
//   Builder b(program, "saxpy");
//   ExprId n = b.parameter("n", ScalarType::I64);
//   BufferId x = b.global("x", scalar_record(ScalarType::F32), true), y = b.global("y", ...);
//   b.grid_stride("i", n, [&](ExprId i) { b.store(y, i, b.add(b.load(x, i), b.load(y, i))); });
//   uint32_t kernel = b.finish();
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// A mutable register: `symbol` for Assign, `ref` to read it.
struct Variable {
  SymbolId symbol;
  ExprId ref;
};

class Builder {
 public:
  Builder(Program& program, std::string name);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  Program& program() { return program_; }
  ExprArena& arena() { return program_.arena; }
  /// Name, note, block and cluster shape may be set until `finish`.
  Kernel& kernel() { return kernel_; }
  /// Moves the kernel to the end of the program; its index there.
  uint32_t finish();

  // Parameters and memory, listed in the kernel in the order of the calls (global buffers and
  // scalars: its arguments).
  BufferId global(std::string name, RecordType element, bool read_only = false);
  BufferId shared(std::string name, RecordType element, int64_t count);
  BufferId registers(std::string name, RecordType element, int64_t count);
  /// A by-value parameter; listed once however often it is asked for.
  ExprId parameter(SymbolId symbol);
  ExprId parameter(std::string name, ScalarType type, SymbolKind kind = SymbolKind::Size);

  /// No register or buffer that is made from here on takes this name.
  void reserve(std::string name);

  // Expressions. Nothing is folded; dsl/expr/integer.h does that for indices.
  ExprId special(Special special);    // i32
  ExprId special64(Special special);  // cast to i64
  ExprId integer(int64_t value, ScalarType type = ScalarType::I64) {
    return arena().integer(value, type);
  }
  ExprId apply(Op op, std::initializer_list<ExprId> args) { return arena().apply(op, args); }
  ExprId add(ExprId a, ExprId b) { return apply(Op::Add, {a, b}); }
  ExprId sub(ExprId a, ExprId b) { return apply(Op::Sub, {a, b}); }
  ExprId mul(ExprId a, ExprId b) { return apply(Op::Mul, {a, b}); }
  ExprId less(ExprId a, ExprId b) { return apply(Op::Lt, {a, b}); }
  ExprId select(ExprId c, ExprId a, ExprId b) { return apply(Op::Select, {c, a, b}); }
  ExprId cast(ExprId value, ScalarType to) { return arena().cast(value, to); }
  ExprId load(BufferId buffer, ExprId index, uint32_t leaf = 0, ExprId within = {});
  Access access(BufferId buffer, ExprId index, uint32_t leaf = 0, ExprId within = {}) const;

  // Statements. Each takes the place in the source that `at` set last.
  void at(SourceRange where) { where_ = where; }
  SourceRange where() const { return where_; }
  void comment(std::string text);
  ExprId let(std::string name, ExprId value);
  /// The same of a value that is known to be in [lo, hi).
  ExprId let_within(std::string name, ExprId value, ExprId lo, ExprId hi);
  /// What a Let gave the register; invalid for a Var, which changes; nothing for all other symbols.
  std::optional<ExprId> definition(SymbolId local) const;
  Variable var(std::string name, ExprId value);
  void assign(const Variable& variable, ExprId value);
  void store(BufferId buffer, ExprId index, ExprId value, uint32_t leaf = 0, ExprId within = {});
  void store(Access access, ExprId value);
  std::vector<ExprId> vector_load(const std::string& name, BufferId buffer, ExprId index,
                                  int width);
  /// One element, which may be of another block of the cluster.
  ExprId load_from(const std::string& name, Access access);
  void vector_store(BufferId buffer, ExprId index, std::vector<ExprId> values);
  /// `width`: a constant.
  void vector_move(Access to, Access from, ExprId width);
  /// An i32 that emitted code calls by a name.
  ExprId constant(std::string_view name, int64_t value) { return arena().constant(ScalarType::I32, Value::of_int(value), name); }
  void atomic(AtomicOp op, Access access, ExprId value, Scope scope = Scope::Device);
  /// The value before the update. `expected`: CompareExchange only.
  ExprId atomic_old(std::string name, AtomicOp op, Access access, ExprId value,
                    ExprId expected = {}, Order order = Order::Relaxed,
                    Scope scope = Scope::Device);
  void barrier(BarrierScope scope = BarrierScope::Block);
  void fence(Scope scope = Scope::Device);
  ExprId shuffle(std::string name, ShuffleKind kind, ExprId value, ExprId lane,
                 uint32_t mask = 0xffffffffu);
  ExprId vote(std::string name, VoteKind kind, ExprId predicate, uint32_t mask = 0xffffffffu);
  void report(uint32_t site, ExprId value);

  // Tile form (docs/ir.md, section 2.8).
  /// The index of a new axis; `first_warp` is where its warp digits count from.
  ExprId axis(std::string name, std::vector<Factor> factors, int64_t first_warp = 0);
  /// A var distributed over these axes (indices that `axis` gave) besides those of its first value.
  Variable var_over(std::string name, const std::vector<ExprId>& axes, ExprId value);
  ExprId reduce(const std::string& name, Monoid monoid, const std::vector<ExprId>& axes, ExprId value);
  /// Of several parts, called `name`_0, `name`_1, ... (of one: `name`).
  std::vector<ExprId> reduce(const std::string& name, Combine how, const std::vector<ExprId>& axes,
                             std::vector<ExprId> values);
  struct Scanned { std::vector<ExprId> results, totals; };
  Scanned scan(const std::string& name, Combine how, ExprId axis, std::vector<ExprId> values,
               bool exclusive = false, bool totals = false);
  /// d += a * b by warp matrix instructions; a and b are registers.
  void multiply(MatrixShape shape, const Variable& d, ExprId a, ExprId b, bool tf32 = false);

  // Asynchronous and matrix nodes (async_ir.h), which hold all they need themselves.
  template <class Node>
  void issue(Node node) {
    add_statement({std::move(node), where_});
  }
  /// A tensor map that the kernel takes; `use_map` takes one that another kernel made.
  uint32_t map(TensorMap map);
  void use_map(uint32_t map);
  /// The same place in block `rank` of the cluster.
  static Access at_rank(Access access, ExprId rank) {
    access.rank = rank;
    return access;
  }
  /// A load from another block of the cluster.
  ExprId load_at(std::string name, Access access);
  ExprId elect(std::string name);

  /// Any other statement, for instance one that was built by hand.
  void add_statement(Statement statement);

  /// `body(ExprId index)`; the index has the type of `lo`.
  template <class Body>
  For& for_(std::string name, ExprId lo, ExprId hi, ExprId step, Body&& body) {
    SymbolId index;
    auto block = nested([&] {
      index = arena().add_symbol(unique(std::move(name)), SymbolKind::Index, arena().type(lo));
      body(arena().symbol_ref(index));
    });
    return add_for(For{index, lo, hi, step, std::move(block), 0, {}});
  }
  template <class Body>
  For& for_(std::string name, ExprId lo, ExprId hi, Body&& body) {
    return for_(std::move(name), lo, hi, integer(1, arena().type(lo)), std::forward<Body>(body));
  }
  /// `body(ExprId i)` for this thread's share of 0..items (i64): threads of a 1-D grid of 1-D
  /// blocks take turns.
  template <class Body>
  For& grid_stride(std::string name, ExprId items, Body&& body) {
    For& loop =
        for_(std::move(name), thread_in_grid(), items, threads_of_grid(), std::forward<Body>(body));
    loop.note = "grid-stride";
    return loop;
  }
  template <class Body>
  void while_(ExprId condition, Body&& body) {
    auto block = nested(body);
    add_statement({While{condition, std::move(block)}, where_});
  }
  template <class Then>
  void if_(ExprId condition, Then&& then) {
    auto block = nested(then);
    add_statement({If{condition, std::move(block), nullptr}, where_});
  }
  template <class Then, class Else>
  void if_(ExprId condition, Then&& then, Else&& otherwise) {
    auto then_block = nested(then);
    auto else_block = nested(otherwise);
    add_statement({If{condition, std::move(then_block), std::move(else_block)}, where_});
  }
  /// A block that `body` fills, to be placed by hand.
  template <class Body>
  std::unique_ptr<Block> nested(Body&& body) {
    auto block = std::make_unique<Block>();
    Block* outer = std::exchange(block_, block.get());
    SourceRange outer_where = where_;
    const std::size_t outer_names = names_.size();
    body();
    hide_names(outer_names);
    where_ = outer_where;
    block_ = outer;
    return block;
  }

 private:
  BufferId add_buffer(Buffer buffer);
  std::string unique(std::string name);
  void hide_names(std::size_t outer);  // those of an inner scope
  SymbolId add_local(std::string name, ScalarType type);
  std::vector<SymbolId> parts(const std::string& name, const Combine& how,
                              const std::vector<ExprId>& values);
  std::vector<ExprId> references(const std::vector<SymbolId>& symbols);
  For& add_for(For loop);
  ExprId thread_in_grid();
  ExprId threads_of_grid();

  Program& program_;
  Kernel kernel_;
  std::unordered_map<uint32_t, ExprId> definitions_;  // of Let and Var, by symbol
  Block* block_ = nullptr;  // statements are appended here
  SourceRange where_;
  std::vector<std::string> names_;  // visible here
  std::unordered_map<std::string, int> visible_;     // the same, counted
  std::unordered_map<std::string, int> first_free_;  // no name_N below is free; 1 is the name itself
};

}  // namespace cdsl::loop
