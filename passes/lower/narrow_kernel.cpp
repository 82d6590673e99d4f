#include "passes/lower/narrow_kernel.h"

#include <algorithm>

namespace cdsl::lowering {
namespace {

constexpr ScalarType kNarrow = ScalarType::I32;

class KernelNarrowing {
 public:
  KernelNarrowing(loop::Program& program, loop::Kernel& kernel, std::optional<int64_t> items, const KnownSymbols& known,
                  const std::set<BufferId>& small)
      : program_(program), arena_(program.arena), kernel_(kernel), values_(program.arena), small_(small) {
    for (const auto& [symbol, interval] : known) values_.define(SymbolId(symbol), interval);
    define_specials(items);
    narrow_sizes();
  }

  void run() { rewrite(kernel_.body); }
  int narrowed() const { return narrowed_; }
  int wide() const { return wide_; }

 private:
  void define_specials(std::optional<int64_t> items) {
    const int64_t threads = kernel_.block[0], of_block = threads * kernel_.block[1] * kernel_.block[2];
    const auto define = [&](loop::Special special, int64_t lo, int64_t hi) {
      values_.define(program_.special(special), Interval{lo, hi});
    };
    define(loop::Special::ThreadX, 0, threads - 1);
    define(loop::Special::BlockDimX, threads, threads);
    define(loop::Special::ThreadY, 0, kernel_.block[1] - 1);
    define(loop::Special::ThreadZ, 0, kernel_.block[2] - 1);
    define(loop::Special::Lane, 0, 31);
    define(loop::Special::Warp, 0, (of_block - 1) / 32);
    define(loop::Special::BlockX, 0, INT32_MAX - 1);
    define(loop::Special::GridDimX, 1, INT32_MAX);
    if (!items) return;
    const int64_t blocks = std::max<int64_t>(1, (*items - 1) / threads + 1);
    define(loop::Special::BlockX, 0, blocks - 1);
    define(loop::Special::GridDimX, 1, blocks);
  }

  // Sizes that fit, with a tile more, are parameters of i32.
  void narrow_sizes() {
    for (SymbolId& size : kernel_.scalars) {
      const SymbolInfo info = arena_.symbol(size);
      const auto interval = values_.of(arena_.symbol_ref(size));
      if (info.kind != SymbolKind::Size || info.type != ScalarType::I64 || !interval || interval->hi > kMostSize) continue;
      const SymbolId wide = size;
      size = rename(wide);
      values_.define(size, *interval);
      for (loop::Multiple& multiple : kernel_.multiples)
        if (multiple.symbol == wide) multiple.symbol = size;
    }
  }

  // The expression in i32, or nothing where it, or anything that it is made of, may not fit.
  ExprId narrow(ExprId id) {
    if (const auto found = narrow_.find(id.value); found != narrow_.end()) return found->second;
    const ExprId result = compute_narrow(id);
    return narrow_[id.value] = result;
  }

  ExprId compute_narrow(ExprId id) {
    const ScalarType type = arena_.type(id);
    const auto interval = values_.of(id);
    if (!interval || !interval->fits_i32() || !is_integer(type)) return {};
    if (arena_.constant_value(id) != nullptr) return arena_.constant(kNarrow, Value::of_int(interval->lo), std::string(arena_.constant_name(id)));
    if (type == kNarrow) return rewritten(id);
    if (const auto* symbol = arena_.get_if<Symbol>(id)) {
      const auto found = renamed_.find(symbol->symbol.value);
      return found != renamed_.end() ? arena_.symbol_ref(found->second) : arena_.cast(id, kNarrow);
    }
    const auto* apply = arena_.get_if<Apply>(id);
    if (type != ScalarType::I64 || apply == nullptr) return {};
    const Op op = apply->op;
    const auto view = arena_.args(id);
    std::vector<ExprId> args(view.begin(), view.end());
    if (op == Op::Cast) return is_integer(arena_.type(args[0])) ? narrow(args[0]) : ExprId{};
    switch (op) {
      case Op::Neg:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Rem:
      case Op::FloorDiv:
      case Op::FloorMod:
      case Op::Min:
      case Op::Max:
      case Op::Abs:
      case Op::Select: break;
      default: return {};
    }
    for (std::size_t k = 0; k < args.size(); ++k) {
      const bool condition = op == Op::Select && k == 0;
      args[k] = condition ? rewritten(args[k]) : narrow(args[k]);
      if (!args[k].valid()) return {};
    }
    return arena_.apply(op, args);
  }

  // The value in i32, which it is known to fit, whatever happens on the way: sums and products of what is cut to 32 bits are
  // the right ones cut to 32 bits.
  ExprId wrapped(ExprId id) {
    if (const ExprId small = narrow(id); small.valid()) return small;
    const auto* apply = arena_.get_if<Apply>(id);
    if (arena_.type(id) != ScalarType::I64 || apply == nullptr) return arena_.cast(rewritten(id), kNarrow);
    const Op op = apply->op;               // the arena grows below
    const auto view = arena_.args(id);
    std::vector<ExprId> args(view.begin(), view.end());
    switch (op) {
      case Op::Cast:
        return arena_.type(args[0]) == ScalarType::I64 ? wrapped(args[0]) : arena_.cast(rewritten(id), kNarrow);
      case Op::Neg:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
        for (ExprId& arg : args) arg = wrapped(arg);
        return arena_.apply(op, args);
      default: return arena_.cast(rewritten(id), kNarrow);
    }
  }

  // The same value in the same type, narrow inside where that is possible.
  ExprId rewritten(ExprId id) {
    if (!id.valid() || arena_.constant_value(id) != nullptr) return id;
    if (const auto found = rewritten_.find(id.value); found != rewritten_.end())
      return found->second;
    const ExprId result = compute_rewritten(id);
    return rewritten_[id.value] = result;
  }

  ExprId compute_rewritten(ExprId id) {
    if (arena_.type(id) == ScalarType::I64) {
      if (const ExprId small = narrow(id); small.valid()) return back(id, small);
    }
    const ExprNode node = arena_.node(id);
    const auto view = arena_.args(id);
    std::vector<ExprId> args(view.begin(), view.end());
    if (const auto* load = std::get_if<Load>(&node)) {
      return arena_.load(load->buffer, load->leaf, arena_.type(id), index(args[0], load->buffer),
                         args.size() > 1 ? index(args[1]) : ExprId{}, arena_.where(id));
    }
    const auto* apply = std::get_if<Apply>(&node);
    if (apply == nullptr) return id;
    const bool compares = info(apply->op).op_class == OpClass::Compare;
    if (compares && arena_.type(args[0]) == ScalarType::I64) {
      const ExprId a = narrow(args[0]), b = narrow(args[1]);
      if (a.valid() && b.valid()) return arena_.apply(apply->op, {a, b});
    }
    if (apply->op == Op::Cast && arena_.type(args[0]) == ScalarType::I64) {
      if (const ExprId small = narrow(args[0]); small.valid())
        return arena_.cast(small, arena_.type(id));
    }
    for (ExprId& arg : args) arg = rewritten(arg);
    return apply->op == Op::Cast ? arena_.cast(args[0], arena_.type(id))
                                 : arena_.apply(apply->op, args);
  }

  // i64(i32(x)) of an i64 register is the register.
  ExprId back(ExprId id, ExprId small) {
    if (arena_.is_apply(small, Op::Cast) && arena_.args(small)[0] == id) return id;
    return arena_.cast(small, ScalarType::I64);
  }

  ExprId index(ExprId id, BufferId buffer = {}) {
    ExprId small = narrow(id);
    if (!small.valid() && buffer.valid() && small_.contains(buffer)) small = wrapped(id);
    (small.valid() ? narrowed_ : wide_) += 1;
    return small.valid() ? small : rewritten(id);
  }

  void rewrite(loop::Block& block) {
    for (loop::Statement& statement : block.statements) {
      std::visit([&](auto& s) { rewrite(s); }, statement.node);
    }
  }

  // A register of i64 whose value fits becomes one of i32.
  void rewrite(loop::Let& let) {
    auto interval = values_.of(let.value);
    ExprId small = arena_.type(let.value) == ScalarType::I64 ? narrow(let.value) : ExprId{};
    if (let.lo.valid()) {
      const auto lo = values_.of(let.lo), hi = values_.of(let.hi);
      if (lo && hi) interval = Interval{std::max(lo->lo, interval ? interval->lo : lo->lo), std::min(hi->hi - 1, interval ? interval->hi : hi->hi - 1)};
      if (!small.valid() && lo && hi && interval->fits_i32()) small = wrapped(let.value);
      let.lo = bound(let.lo);
      let.hi = bound(let.hi);
    }
    values_.define(let.local, interval);
    if (!small.valid()) {
      let.value = rewritten(let.value);
      return;
    }
    let.local = rename(let.local);
    let.value = small;
  }

  ExprId bound(ExprId id) {
    const ExprId small = narrow(id);
    return small.valid() ? small : rewritten(id);
  }

  SymbolId rename(SymbolId symbol) {
    const SymbolInfo info = arena_.symbol(symbol);
    const SymbolId small = arena_.add_symbol(info.name, info.kind, kNarrow);
    renamed_[symbol.value] = small;
    return small;
  }

  void rewrite(loop::Var& var) { var.value = rewritten(var.value); }
  void rewrite(loop::Assign& assign) { assign.value = rewritten(assign.value); }

  void rewrite(loop::Access& access) {
    access.index = index(access.index, access.buffer);
    if (access.within.valid()) access.within = index(access.within);
  }
  void rewrite(loop::Store& store) {
    rewrite(store.access);
    store.value = rewritten(store.value);
  }
  void rewrite(loop::VectorLoad& load) { rewrite(load.access); }
  void rewrite(loop::VectorStore& store) {
    rewrite(store.access);
    for (ExprId& value : store.values) value = rewritten(value);
  }
  void rewrite(loop::VectorMove& move) {
    rewrite(move.to);
    rewrite(move.from);
  }
  void rewrite(loop::Atomic& atomic) {
    rewrite(atomic.access);
    atomic.value = rewritten(atomic.value);
    atomic.expected = rewritten(atomic.expected);
  }

  void rewrite(loop::For& loop) {
    const auto lo = values_.of(loop.lo), hi = values_.of(loop.hi), step = values_.of(loop.step);
    if (lo && hi && step) {
      // From the first value to one step past the last.
      const int64_t least = std::min(lo->lo, hi->lo), greatest = std::max(lo->hi, hi->hi);
      values_.define(loop.index, step->lo > 0 ? Interval{lo->lo, std::max(lo->lo, hi->hi - 1)}
                                              : Interval{std::min(lo->hi, hi->lo + 1), lo->hi});
      const Interval reached{least + std::min<int64_t>(step->lo, 0),
                             greatest + std::max<int64_t>(step->hi, 0)};
      const ExprId small[] = {narrow(loop.lo), narrow(loop.hi), narrow(loop.step)};
      const bool fits = arena_.symbol(loop.index).type == ScalarType::I64 && reached.fits_i32();
      if (fits && small[0].valid() && small[1].valid() && small[2].valid()) {
        loop.index = rename(loop.index);
        loop.lo = small[0];
        loop.hi = small[1];
        loop.step = small[2];
        return rewrite(*loop.body);
      }
    }
    loop.lo = rewritten(loop.lo);
    loop.hi = rewritten(loop.hi);
    loop.step = rewritten(loop.step);
    rewrite(*loop.body);
  }

  void rewrite(loop::While& loop) {
    loop.condition = rewritten(loop.condition);
    rewrite(*loop.body);
  }
  void rewrite(loop::If& choice) {
    choice.condition = rewritten(choice.condition);
    rewrite(*choice.then_body);
    if (choice.else_body) rewrite(*choice.else_body);
  }
  void rewrite(loop::Barrier&) {}
  void rewrite(loop::Fence&) {}
  void rewrite(loop::Shuffle& shuffle) {
    shuffle.value = rewritten(shuffle.value);
    shuffle.lane = rewritten(shuffle.lane);
  }
  void rewrite(loop::Vote& vote) { vote.predicate = rewritten(vote.predicate); }
  void rewrite(loop::Report& report) { report.value = rewritten(report.value); }
  void rewrite(loop::Comment&) {}
  template <class Node>
  void rewrite(Node&) {}

  loop::Program& program_;
  ExprArena& arena_;
  loop::Kernel& kernel_;
  Intervals values_;
  std::unordered_map<uint32_t, SymbolId> renamed_;
  std::unordered_map<uint32_t, ExprId> narrow_, rewritten_;
  const std::set<BufferId>& small_;
  int narrowed_ = 0, wide_ = 0;
};}  // namespace

NarrowCounts narrow_kernel(loop::Program& program, loop::Kernel& kernel, std::optional<int64_t> items, const KnownSymbols& known,
                           const std::set<BufferId>& small) {
  KernelNarrowing narrowing(program, kernel, items, known, small);
  narrowing.run();
  return {narrowing.narrowed(), narrowing.wide()};
}

}  // namespace cdsl::lowering
