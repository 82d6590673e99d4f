// Asynchronous and matrix nodes.
#include <algorithm>

#include "dsl/sim/agents.h"
#include "dsl/sim/arrival.h"
#include "dsl/sim/compiler.h"
#include "dsl/sim/copy.h"
#include "dsl/sim/matrix.h"
#include "dsl/sim/roles.h"

namespace cdsl::sim {
namespace {

template <class Row>
std::size_t add(std::vector<Row>& table, Row row) {
  table.push_back(std::move(row));
  return table.size() - 1;
}

constexpr int kMatrixRow = 16;  // bytes of a row of matrix_load

}  // namespace

/// A barrier counts no traffic of its own.
uint32_t Compiler::arrival_place(const loop::Access& access) {
  Place place = place_of(access);
  place.values.resize(1);
  place.is_store = place.is_atomic = true;
  code_.orders = true;
  return add_place(std::move(place));
}

/// A place where each lane touches `bytes`; 0: as many as a run-time value says, from one element
/// on.
uint32_t Compiler::agent_place(const loop::Access& access, int bytes, bool is_store) {
  Place place = place_of(access);
  place.values.resize(static_cast<std::size_t>(std::max(bytes / place.element_bytes, 1)));
  place.is_store = is_store;
  place.counters = add_site(place);
  BufferUse& buffer = code_.buffers[place.buffer];
  (is_store ? buffer.is_stored : buffer.is_loaded) = true;
  return add_place(std::move(place));
}

FragmentUse Compiler::fragment(const loop::Fragment& f) {
  return {rows_.at(f.buffer.value), program_.buffer(f.buffer).element.leaves[0].type, value(f.base),
          f.offsets};
}

void Compiler::compile(const loop::BarrierInit& n) {
  emit(barrier_init, 0, 0, 0, 0,
       add(code_.arrivals, {arrival_place(n.barrier), value(n.count), true}));
}

void Compiler::compile(const loop::BarrierArrive& n) {
  ArrivalUse use{arrival_place(n.barrier), {}, n.bytes.valid()};
  if (use.has_operand) use.operand = value(n.bytes);
  emit(barrier_arrive, 0, 0, 0, 0, add(code_.arrivals, use));
}

void Compiler::compile(const loop::BarrierWait& n) {
  emit(barrier_wait, 0, 0, 0, 0,
       add(code_.arrivals, {arrival_place(n.barrier), value(n.parity), true}));
}

void Compiler::compile(const loop::CopyAsync& n) {
  CopyUse use;
  use.to = agent_place(n.to, n.bytes, true);
  use.from = agent_place(n.from, n.bytes, false);
  use.fixed_bytes = n.bytes;
  use.has_condition = n.condition.valid();
  if (use.has_condition) use.condition = value(n.condition);
  use.where = statement_->where;
  emit(copy_async, 0, 0, 0, 0, add(code_.copies, std::move(use)));
}

void Compiler::compile(const loop::CopyCommit& n) {
  emit(copy_commit, 0, 0, 0, 0, static_cast<std::size_t>(n.batch));
}

void Compiler::compile(const loop::CopyWait& n) {
  emit(copy_wait, 0, 0, 0, 0,
       add(code_.copy_waits, {n.batch, static_cast<uint32_t>(n.pending), n.read}));
}

void Compiler::compile(const loop::CopyBulk& n) {
  CopyUse use;
  use.kind = CopyUse::Kind::Bulk;
  use.is_store = program_.buffer(n.to.buffer).space == loop::Space::Global;
  use.adds = n.adds;
  use.to = agent_place(n.to, 0, true);
  use.from = agent_place(n.from, 0, false);
  if (n.barrier.buffer.valid()) use.barrier = arrival_place(n.barrier);
  use.bytes = value(n.bytes);
  use.where = statement_->where;
  code_.proxies |= program_.buffer(n.from.buffer).space == loop::Space::Shared;
  emit(copy_bulk, 0, 0, 0, 0, add(code_.copies, std::move(use)));
}

void Compiler::compile(const loop::CopyTensor& n) {
  CopyUse use;
  use.kind = CopyUse::Kind::Tensor;
  use.is_store = n.store;
  (n.store ? use.from : use.to) = agent_place(n.shared, 0, !n.store);
  if (n.barrier.buffer.valid()) use.barrier = arrival_place(n.barrier);
  for (const ExprId id : n.at) use.at.push_back(value(id));
  use.has_multicast = n.multicast.valid();
  if (use.has_multicast) use.multicast = value(n.multicast);
  use.map = static_cast<uint32_t>(std::find(kernel_.maps.begin(), kernel_.maps.end(), n.map) -
                                  kernel_.maps.begin());
  (n.store ? code_.stored_maps : code_.loaded_maps).insert(use.map);
  use.where = statement_->where;
  code_.proxies |= n.store;
  emit(copy_tensor, 0, 0, 0, 0, add(code_.copies, std::move(use)));
}

void Compiler::compile(const loop::FenceAsync& n) {
  if (n.kind == loop::FenceKind::Proxy) emit(fence_proxy);
}

void Compiler::matrix_tiles(MatrixTilesUse use, const loop::Access& memory,
                            const loop::Fragment& registers) {
  use.place = agent_place(memory, kMatrixRow, use.is_store);
  use.registers = fragment(registers);
  use.where = statement_->where;
  emit(sim::matrix_tiles, 0, 0, 0, 0, add(code_.matrix_tiles, std::move(use)));
}

void Compiler::compile(const loop::MatrixLoad& n) {
  matrix_tiles({0, n.count, n.transposed, false, {}, {}}, n.from, n.to);
}
void Compiler::compile(const loop::MatrixStore& n) {
  matrix_tiles({0, n.count, n.transposed, true, {}, {}}, n.to, n.from);
}

void Compiler::compile(const loop::MatrixMultiply& n) {
  emit(matrix_multiply, 0, 0, 0, 0,
       add(code_.matrices,
           {n.shape, fragment(n.d), fragment(n.a), fragment(n.b), n.tf32, statement_->where}));
}

void Compiler::compile(const loop::MatrixAsync& n) {
  MatrixAsyncUse use;
  use.shape = n.shape;
  use.d = fragment(n.d);
  use.a_in_registers = n.a_fragment.buffer.valid();
  if (use.a_in_registers) {
    use.a = fragment(n.a_fragment);
  } else {
    use.a_layout = n.a;
    use.a_place = agent_place(n.a.start, 0, false);
  }
  use.b_layout = n.b;
  use.b_place = agent_place(n.b.start, 0, false);
  use.has_accumulate = n.accumulate.valid();
  if (use.has_accumulate) use.accumulate = value(n.accumulate);
  use.tf32 = n.tf32;
  use.where = statement_->where;
  code_.proxies = code_.orders = true;
  emit(matrix_async, 0, 0, 0, 0, add(code_.matrix_asyncs, std::move(use)));
}

void Compiler::compile(const loop::MatrixBatch& n) {
  emit(matrix_batch, 0, 0, 0, 0,
       static_cast<std::size_t>(n.pending) << 2 | static_cast<std::size_t>(n.kind));
}

void Compiler::compile(const loop::NamedBarrier& n) {
  code_.orders = true;
  emit(named_barrier, 0, 0, 0, 0,
       add(code_.named_barriers, {n.sync, value(n.id), n.threads, statement_->where}));
}

void Compiler::compile(const loop::Elect& n) {
  emit(elect, 0, 0, 0, 0, add(code_.elects, {define_local(n.local), statement_->where}));
}

void Compiler::compile(const loop::RegisterBudget& n) {
  emit(register_budget, 0, 0, 0, 0, add(code_.budgets, {n.registers, n.raises, statement_->where}));
}

}  // namespace cdsl::sim
