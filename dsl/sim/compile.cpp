#include "dsl/sim/compile.h"

#include <algorithm>

#include "dsl/expr/walk.h"
#include "dsl/loop/shared_layout.h"
#include "dsl/loop/walk.h"
#include "dsl/sim/access.h"
#include "dsl/sim/alu.h"
#include "dsl/sim/collective.h"
#include "dsl/sim/compiler.h"
#include "dsl/sim/control.h"
#include "dsl/support/check.h"

namespace cdsl::sim {
namespace {

constexpr int64_t kBufferAlignment = 16;

int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int smallest_leaf(const RecordType& record) {
  int least = 16;
  for (const Leaf& leaf : record.leaves) least = std::min(least, size_of(leaf.type));
  return least;
}

// Which dimension of a block, or -1.
int thread_axis(loop::Special special) {
  const int k = static_cast<int>(special) - static_cast<int>(loop::Special::ThreadX);
  return k >= 0 && k < 3 ? k : -1;
}

}  // namespace

Code compile(const loop::Program& program, const loop::Kernel& kernel) {
  return Compiler(program, kernel).run();
}

Compiler::Compiler(const loop::Program& program, const loop::Kernel& kernel)
    : program_(program), arena_(program.arena), kernel_(kernel) {}

Code Compiler::run() {
  code_.kernel = &kernel_;
  lay_out_buffers();
  weigh_expressions();
  preset(kernel_.body);
  const loop::Statement whole{loop::Comment{}, kernel_.where};
  statement_ = &whole;
  block(kernel_.body);
  statement_ = &whole;
  emit(finish);
  code_.register_bytes = registers_.size();
  return std::move(code_);
}

void Compiler::lay_out_buffers() {
  uint32_t argument = 0;
  const loop::SharedLayout layout = loop::shared_layout(program_, kernel_);
  auto shared = layout.buffers.begin();
  code_.shared_bytes = layout.bytes;
  for (BufferId id : kernel_.buffers) {
    const loop::Buffer& buffer = program_.buffer(id);
    BufferUse use;
    use.id = id;
    use.space = buffer.space;
    use.name = buffer.name;
    use.element_size = buffer.element.size;
    use.alignment = buffer.element.alignment;
    use.count = buffer.count;
    use.granule = smallest_leaf(buffer.element);
    if (buffer.space == loop::Space::Global) {
      use.argument = argument++;
    } else if (buffer.space == loop::Space::Shared) {
      use.offset = shared->offset;
      ++shared;
    } else {
      use.offset = code_.thread_bytes;
      code_.thread_bytes =
          round_up(code_.thread_bytes + buffer.count * buffer.element.size, kBufferAlignment);
    }
    rows_[id.value] = static_cast<uint32_t>(code_.buffers.size());
    code_.buffers.push_back(std::move(use));
  }
}

void Compiler::preset_symbol(SymbolId symbol) {
  if (arena_.symbol(symbol).kind != SymbolKind::Special || symbols_.contains(symbol.value)) return;
  const auto found = std::find(program_.specials.begin(), program_.specials.end(), symbol);
  const auto special = static_cast<loop::Special>(found - program_.specials.begin());
  const int axis = thread_axis(special);
  const bool is_varying = special == loop::Special::Lane || (axis >= 0 && kernel_.block[axis] > 1);
  const Slot slot = registers_.allocate(ScalarType::I32, !is_varying);
  symbols_[symbol.value] = slot;
  code_.specials.emplace_back(special, slot);
}

// Constants, parameters and specials have slots at the start of the file for the whole kernel.
void Compiler::preset(const loop::Block& body) {
  for (SymbolId scalar : kernel_.scalars) {
    const Slot slot = registers_.allocate(arena_.symbol(scalar).type, true);
    symbols_[scalar.value] = slot;
    code_.scalars.push_back(slot);
  }
  std::vector<ExprId> roots;
  loop::for_each_statement(body, [&](const loop::Statement& statement) {
    loop::for_each_expression(statement, [&](ExprId id) { roots.push_back(id); });
  });
  for (ExprId id : postorder(arena_, roots)) {
    if (const auto* symbol = arena_.get_if<Symbol>(id)) preset_symbol(symbol->symbol);
    if (const auto* constant = arena_.get_if<Constant>(id)) {
      const Slot slot = registers_.allocate(arena_.type(id), true);
      constants_[id.value] = slot;
      code_.constants.emplace_back(slot, constant->value);
    }
  }
  code_.preset_bytes = registers_.size();
}

std::size_t Compiler::emit(Handler run, uint32_t d, uint32_t a, uint32_t b, uint32_t c,
                           std::size_t info) {
  code_.instructions.push_back({run, d, a, b, c, 0, static_cast<uint32_t>(info)});
  code_.where.push_back(statement_->where);
  return code_.instructions.size() - 1;
}

void Compiler::jump(std::size_t from, std::size_t to) {
  code_.instructions[from].jump =
      static_cast<int32_t>(static_cast<int64_t>(to) - static_cast<int64_t>(from));
}

void Compiler::open_frame() {
  code_.frames = std::max(code_.frames, ++depth_);
}

void Compiler::block(const loop::Block& block) {
  const std::size_t mark = block_slots_.size();
  for (const loop::Statement& s : block.statements) statement(s);
  while (block_slots_.size() > mark) {
    registers_.release(block_slots_.back());
    variables_.erase(block_slots_.back().offset);
    block_slots_.pop_back();
  }
}

void Compiler::statement(const loop::Statement& statement) {
  begin_statement(statement);
  std::visit([&](const auto& node) { compile(node); }, statement.node);
  end_statement();
}

Slot Compiler::define_local(SymbolId local) {
  const Slot slot = registers_.allocate(arena_.symbol(local).type, false);
  block_slots_.push_back(slot);
  symbols_[local.value] = slot;
  return slot;
}

void Compiler::compile(const loop::Let& n) {
  symbols_[n.local.value] = keep(n.value);
  if (!n.lo.valid()) return;
  code_.bounds.push_back({symbols_[n.local.value], value(n.lo), value(n.hi), arena_.symbol(n.local).name, statement_->where});
  emit(check_bounds, 0, 0, 0, 0, code_.bounds.size() - 1);
}

void Compiler::compile(const loop::Var& n) {
  const Slot first = value(n.value);
  const Slot slot = define_local(n.local);
  variables_.insert(slot.offset);
  const bool spread = first.uniform && first.shape() != Shape::Mask;
  emit(spread ? broadcast_handler(slot.type) : move_handler(slot.type, false), slot.offset,
       first.offset);
}

void Compiler::compile(const loop::Assign& n) {
  const Slot next = value(n.value);
  const Slot wide = varying(next);
  const Slot slot = symbols_.at(n.local.value);
  emit(move_handler(slot.type, spinning_ > 0), slot.offset, wide.offset);
  if (wide.offset != next.offset) registers_.release(wide);
}

Place Compiler::place_of(BufferId id, uint32_t leaf_index, ExprId index, ExprId within,
                         SourceRange where) {
  const Leaf& leaf = program_.buffer(id).element.leaves[leaf_index];
  Place place;
  place.buffer = rows_.at(id.value);
  place.index = value(index);
  place.has_within = within.valid();
  if (place.has_within) place.within = value(within);
  place.leaf_offset = leaf.offset;
  place.leaf_count = leaf.count();
  place.type = leaf.type;
  place.element_bytes = size_of(leaf.type);
  place.leaf = leaf.path;
  place.where = where.valid() ? where : statement_->where;
  return place;
}

Place Compiler::place_of(const loop::Access& access) {
  Place place = place_of(access.buffer, access.leaf, access.index, access.within, access.where);
  place.has_rank = access.rank.valid();
  if (place.has_rank) place.rank = value(access.rank);
  return place;
}

uint32_t Compiler::add_place(Place place) {
  code_.places.push_back(std::move(place));
  return static_cast<uint32_t>(code_.places.size() - 1);
}

uint32_t Compiler::add_site(const Place& place) {
  code_.sites.push_back(
      {place.buffer, place.leaf, place.where, place.is_store, place.is_atomic, place.bytes()});
  return static_cast<uint32_t>(code_.sites.size() - 1);
}

void Compiler::compile(const loop::Store& n) {
  Place place = place_of(n.access);
  place.values = {value(n.value)};
  place.is_store = true;
  place.counters = add_site(place);
  code_.buffers[place.buffer].is_stored = true;
  emit(store, 0, 0, 0, 0, add_place(std::move(place)));
}

void Compiler::compile(const loop::VectorLoad& n) {
  Place place = place_of(n.access);
  place.in_one = !program_.buffer(n.access.buffer).element.is_scalar();
  for (SymbolId local : n.locals) place.values.push_back(define_local(local));
  place.counters = add_site(place);
  code_.buffers[place.buffer].is_loaded = true;
  emit(load, 0, 0, 0, 0, add_place(std::move(place)));
}

void Compiler::compile(const loop::VectorStore& n) {
  Place place = place_of(n.access);
  place.in_one = !program_.buffer(n.access.buffer).element.is_scalar();
  for (ExprId v : n.values) place.values.push_back(value(v));
  place.is_store = true;
  place.counters = add_site(place);
  code_.buffers[place.buffer].is_stored = true;
  emit(store, 0, 0, 0, 0, add_place(std::move(place)));
}

void Compiler::compile(const loop::VectorMove& n) {
  Place from = place_of(n.from), to = place_of(n.to);
  int64_t values = arena_.constant_value(n.width)->i;
  if (from.type != to.type) {
    from.packed = to.element_bytes / from.element_bytes;
    from.type = to.type;
    from.element_bytes = to.element_bytes;
    values /= from.packed;
  }
  for (int64_t k = 0; k < values; ++k) from.values.push_back(registers_.allocate(from.type, false));
  to.values = from.values;
  to.is_store = true;
  for (Place* place : {&from, &to}) place->counters = add_site(*place);
  code_.buffers[from.buffer].is_loaded = code_.buffers[to.buffer].is_stored = true;
  const std::vector<Slot> held = from.values;
  emit(load, 0, 0, 0, 0, add_place(std::move(from)));
  emit(store, 0, 0, 0, 0, add_place(std::move(to)));
  for (const Slot& slot : held) registers_.release(slot);
}

void Compiler::compile(const loop::Atomic& n) {
  Place place = place_of(n.access);
  place.values = {value(n.value)};
  place.is_store = place.is_atomic = true;
  place.counters = add_site(place);
  BufferUse& buffer = code_.buffers[place.buffer];
  buffer.is_loaded = buffer.is_stored = true;
  AtomicUse use{add_place(std::move(place)), n.op, {}, {}, n.old.valid(), n.order, n.scope};
  if (n.expected.valid()) use.expected = value(n.expected);
  if (use.has_old) use.old = define_local(n.old);
  code_.orders |= n.order != loop::Order::Relaxed;
  code_.atomics.push_back(use);
  emit(atomic, 0, 0, 0, 0, code_.atomics.size() - 1);
}

void Compiler::compile(const loop::For& n) {
  const std::size_t mark = block_slots_.size();
  LoopUse use;
  use.lo = keep(n.lo);
  use.hi = keep(n.hi);
  use.step = keep(n.step);
  end_statement();
  use.index = registers_.allocate(arena_.symbol(n.index).type,
                                  use.lo.uniform && use.hi.uniform && use.step.uniform);
  block_slots_.push_back(use.index);
  symbols_[n.index.value] = use.index;
  code_.loops.push_back(use);
  const std::size_t row = code_.loops.size() - 1;
  const std::size_t begin = emit(begin_for_handler(use.index.type), 0, 0, 0, 0, row);
  const loop::Statement* own = statement_;
  open_frame();
  block(*n.body);
  close_frame();
  statement_ = own;
  const std::size_t next = emit(next_for_handler(use.index.type), 0, 0, 0, 0, row);
  jump(next, begin + 1);
  jump(begin, here());
  while (block_slots_.size() > mark) {
    registers_.release(block_slots_.back());
    block_slots_.pop_back();
  }
}

bool Compiler::may_spin(const loop::While& n) const {
  std::vector<ExprId> roots{n.condition};
  bool atomics = false;
  loop::for_each_statement(*n.body, [&](const loop::Statement& s) {
    loop::for_each_expression(s, [&](ExprId id) { roots.push_back(id); });
    atomics |= std::holds_alternative<loop::Atomic>(s.node) ||
               std::holds_alternative<loop::VectorLoad>(s.node) ||
               std::holds_alternative<loop::VectorMove>(s.node);
  });
  if (atomics) return true;
  const auto order = postorder(arena_, roots);
  return std::any_of(order.begin(), order.end(), [&](ExprId id) {
    const auto* load = arena_.get_if<Load>(id);
    if (load == nullptr) return false;
    const loop::Buffer& buffer = program_.buffer(load->buffer);
    return buffer.space != loop::Space::Register && !buffer.read_only;
  });
}

void Compiler::compile(const loop::While& n) {
  const bool spins = may_spin(n);
  code_.spins |= spins;
  spinning_ += spins ? 1 : 0;
  const loop::Statement* own = statement_;
  emit(begin_while);
  open_frame();
  const std::size_t condition = here();
  const Slot holds = value(n.condition);
  const std::size_t test = emit(test_while, 0, holds.offset);
  end_statement();
  block(*n.body);
  statement_ = own;
  const std::size_t repeat = emit(repeat_while, 0, 0, 0, 0, spins ? 1 : 0);
  close_frame();
  jump(repeat, condition);
  jump(test, here());
  spinning_ -= spins ? 1 : 0;
}

void Compiler::compile(const loop::If& n) {
  const loop::Statement* own = statement_;
  const Slot condition = value(n.condition);
  const bool has_else = n.else_body != nullptr;
  const std::size_t begin = emit(begin_if, 0, condition.offset, 0, 0, has_else ? 0 : 1);
  end_statement();
  open_frame();
  block(*n.then_body);
  statement_ = own;
  if (has_else) {
    const std::size_t otherwise = emit(begin_else);
    jump(begin, here());
    block(*n.else_body);
    statement_ = own;
    emit(leave);
    jump(otherwise, here());
  } else {
    emit(leave);
    jump(begin, here());
  }
  close_frame();
}

void Compiler::compile(const loop::Barrier& n) {
  code_.barriers.push_back({n.scope, statement_->where});
  emit(barrier, 0, 0, 0, 0, code_.barriers.size() - 1);
}

void Compiler::compile(const loop::Fence&) {
  code_.orders = true;
  emit(fence);
}

void Compiler::compile(const loop::Shuffle& n) {
  const Slot from = value(n.value), lane = value(n.lane);
  code_.shuffles.push_back({n.kind, define_local(n.result), from, lane, n.mask, statement_->where});
  emit(shuffle, 0, 0, 0, 0, code_.shuffles.size() - 1);
}

void Compiler::compile(const loop::Vote& n) {
  const Slot predicate = value(n.predicate);
  code_.votes.push_back({n.kind, define_local(n.result), predicate, n.mask, statement_->where});
  emit(vote, 0, 0, 0, 0, code_.votes.size() - 1);
}

void Compiler::compile(const loop::Report& n) {
  code_.reports.push_back({n.site, value(n.value)});
  emit(report, 0, 0, 0, 0, code_.reports.size() - 1);
}

}  // namespace cdsl::sim
