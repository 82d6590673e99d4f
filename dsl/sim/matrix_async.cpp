// Matrix instructions of a warpgroup. Each of its four warps has 16 of the 64 rows, whose
// instructions the matrix unit does in order. A warp's registers are not looked at until it waited:
// until then they count as unwritten.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "dsl/sim/access.h"
#include "dsl/sim/agents.h"
#include "dsl/sim/copy.h"
#include "dsl/sim/fragment.h"
#include "dsl/sim/matrix.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

constexpr int kWarpRows = 16, kWarpsOfGroup = 4;

int first_row(const Warp& warp) {
  return static_cast<int>(warp.index) % kWarpsOfGroup * kWarpRows;
}

/// The instruction's 16 rows as one warp has them.
loop::MatrixShape warp_shape(const MatrixAsyncUse& use) {
  return {kWarpRows, use.shape.n, use.shape.k};
}

/// Where a matrix in shared memory starts, in the block's bytes; -1 where that is outside.
int64_t start_of(Warp& warp, uint32_t place_row) {
  const Place& place = warp.code->places[place_row];
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  Located where;
  locate(warp, place, region_of(warp, buffer), where);
  return where.lanes != warp.mask ? -1 : buffer.offset + where.offset[std::countr_zero(warp.mask)];
}

/// Reads an operand from shared memory as the matrix unit does.
class SharedOperand {
 public:
  SharedOperand(Warp& warp, const MatrixJob& job, const loop::SharedMatrix& layout,
                uint32_t place_row, int64_t start)
      : warp_(warp),
        job_(job),
        layout_(layout),
        place_(warp.code->places[place_row]),
        buffer_(warp.code->buffers[place_.buffer]),
        start_(start) {}

  /// Rows count m or n, columns k.
  void read(int row_from, int rows, int columns, bool tf32, bool by_columns, MatrixValues& out) {
    const bool check = warp_.launch->session.options.check;
    const int size = size_of(place_.type);
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < columns; ++k) {
        const int64_t at = loop::shared_matrix_place(layout_, start_, size, row_from + row, k);
        if (at < buffer_.offset ||
            at + size > buffer_.offset + buffer_.count * buffer_.element_size)
          return fail(Fault::Kind::OutOfBounds,
                      fmt::format("a matrix instruction reads outside {}", buffer_.name));
        if (check && !look_at(at, size)) return;
        const double value = matrix_value(warp_.block->shared.data() + at, place_.type, tf32);
        (by_columns ? out(k, row) : out(row, k)) = value;
      }
    }
  }

  /// At the issue: everything that threads wrote is there to be seen.
  bool is_fenced(int row_from, int rows, int columns) {
    const int size = size_of(place_.type);
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < columns; ++k) {
        const int64_t at = loop::shared_matrix_place(layout_, start_, size, row_from + row, k);
        const auto word = static_cast<std::size_t>(at / 4);
        if (at < 0 || word >= warp_.block->unfenced.size() || warp_.block->unfenced[word] == 0)
          continue;
        fail(Fault::Kind::Race, fmt::format("a matrix instruction reads what thread {} wrote to {} "
                                            "without a proxy fence after it",
                                            warp_.block->unfenced[word] - 1, buffer_.name));
        return false;
      }
    }
    return true;
  }

 private:
  void fail(Fault::Kind kind, const std::string& what) {
    fault(warp_, kind, &layout_, job_.use->where, std::countr_zero(warp_.live), what);
  }

  bool look_at(int64_t at, int size) {
    BlockState& block = *warp_.block;
    if (std::memchr(block.shared_written.data() + at, 0, static_cast<std::size_t>(size)) !=
        nullptr) {
      fail(Fault::Kind::UnwrittenRead,
           fmt::format("a matrix instruction reads {} where it was never written", buffer_.name));
      return false;
    }
    Actor who = job_.who;
    who.time = block.cluster->time;
    who.first_block = who.cluster_first;
    const Record other = block.shadows[place_.buffer].access(
        at - buffer_.offset, size, who, Shadow::Use::Read, warp_.launch->ordering());
    if (other.word == 0) return true;
    fail(Fault::Kind::Race, fmt::format("the read of {} by a matrix instruction races with {}",
                                        buffer_.name, other_text(warp_, other)));
    return false;
  }

  Warp& warp_;
  const MatrixJob& job_;
  const loop::SharedMatrix& layout_;
  const Place& place_;
  const BufferUse& buffer_;
  int64_t start_;
};

void gather_a(const MatrixJob& job, MatrixValues& left) {
  const MatrixAsyncUse& use = *job.use;
  const auto size = static_cast<std::size_t>(size_of(use.a.type));
  const std::size_t count = use.a.offsets.size();
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::size_t k = 0; k < count; ++k) {
      const loop::MatrixPlace at = loop::fragment_place(loop::Operand::A, warp_shape(use),
                                                        use.a.type, lane, static_cast<int>(k));
      left(at.row, at.column) = matrix_value(
          job.a.data() + (static_cast<std::size_t>(lane) * count + k) * size, use.a.type, use.tf32);
    }
  }
}

void act(Warp& warp, const MatrixJob& job) {
  const MatrixAsyncUse& use = *job.use;
  MatrixValues left(kWarpRows, use.shape.k), right(use.shape.k, use.shape.n),
      sums(kWarpRows, use.shape.n);
  if (use.a_in_registers)
    gather_a(job, left);
  else
    SharedOperand(warp, job, use.a_layout, use.a_place, job.a_start)
        .read(first_row(warp), kWarpRows, use.shape.k, use.tf32, false, left);
  SharedOperand(warp, job, use.b_layout, use.b_place, job.b_start)
      .read(0, use.shape.n, use.shape.k, use.tf32, true, right);
  const FragmentView d(warp, use.d, job.base);
  const auto place = [&](int lane, std::size_t k) {
    return loop::fragment_place(loop::Operand::D, warp_shape(use), ScalarType::F32, lane,
                                static_cast<int>(k));
  };
  for (int lane = 0; lane < kLanes && job.accumulate; ++lane) {
    for (std::size_t k = 0; k < d.count(); ++k)
      sums(place(lane, k).row, place(lane, k).column) =
          matrix_value(d.at(lane, k), ScalarType::F32, false);
  }
  multiply_add(sums, left, right, ScalarType::F32);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::size_t k = 0; k < d.count(); ++k)
      store_element(d.at(lane, k), ScalarType::F32,
                    Value::of_float(sums(place(lane, k).row, place(lane, k).column)));
  }
}

FragmentView registers_of(Warp& warp, const MatrixJob& job) {
  return {warp, job.use->d, job.base};
}

/// The unit may have read them at any time until now.
void check_a_kept(Warp& warp, const MatrixJob& job) {
  const MatrixAsyncUse& use = *job.use;
  if (!use.a_in_registers) return;
  const FragmentView a(warp, use.a, job.a_base);
  const auto size = static_cast<std::size_t>(size_of(use.a.type));
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::size_t k = 0; k < a.count(); ++k) {
      const std::byte* then =
          job.a.data() + (static_cast<std::size_t>(lane) * a.count() + k) * size;
      if (std::memcmp(then, a.at(lane, k), size) == 0) continue;
      return fault(warp, Fault::Kind::BadMatrix, &use.a, use.where, lane,
                   "registers of mma_async overwritten while it is under way");
    }
  }
}

/// The registers of instructions that are waited for are the thread's again.
void wait(Warp& warp, uint32_t pending) {
  const auto is_over = [&](const MatrixJob& job) {
    return uint64_t{job.batch} + pending < warp.matrix_batches;
  };
  while (!warp.matrix_jobs.empty() && is_over(warp.matrix_jobs.front())) matrix_unit_acts(warp);
  forget_idle(*warp.launch);
  for (const MatrixJob& job : warp.unwaited) {
    if (!is_over(job)) continue;
    registers_of(warp, job).mark(1);
    check_a_kept(warp, job);
  }
  std::erase_if(warp.unwaited, is_over);
  for (const MatrixJob& job : warp.unwaited) registers_of(warp, job).mark(0);
  const auto* address = reinterpret_cast<const std::byte*>(&warp.matrix_batches);
  if (Order* order = warp.launch->order.get()) order->acquire_warp(actor(warp, 0), address);
}

}  // namespace

void matrix_unit_acts(Warp& warp) {
  const MatrixJob job = std::move(warp.matrix_jobs.front());
  warp.matrix_jobs.erase(warp.matrix_jobs.begin());
  act(warp, job);
  Actor who = job.who;
  who.time = warp.block->cluster->time;
  const auto* address = reinterpret_cast<const std::byte*>(&warp.matrix_batches);
  if (Order* order = warp.launch->order.get()) order->complete(who, address);
  tick(*warp.block->cluster, *warp.launch);
}

const Instruction* matrix_async(Warp& warp, const Instruction& i) {
  const MatrixAsyncUse& use = warp.code->matrix_asyncs[i.info];
  if (!is_converged(warp, &use, use.where, "mma_async")) return &i + 1;
  const FragmentView d(warp, use.d, use.where);
  if (!d.good()) return &i + 1;
  if (!warp.matrix_fenced)
    fault(warp, Fault::Kind::BadMatrix, &use, use.where, 0,
          "mma_async without mma_fence since the start or the last mma_wait");
  MatrixJob job;
  job.use = &use;
  job.who = agent_of(warp, 0);
  job.batch = warp.matrix_batches;
  job.accumulate = !use.has_accumulate || get_lane(warp.registers, use.accumulate, 0).i != 0;
  std::copy(d.base(), d.base() + kLanes, job.base);
  if (use.a_in_registers) {
    const FragmentView a(warp, use.a, use.where);
    if (!a.good()) return &i + 1;
    a.check_written(Fault::Kind::UnwrittenRead, "mma_async of", use.where);
    std::copy(a.base(), a.base() + kLanes, job.a_base);
    const auto size = static_cast<std::size_t>(size_of(use.a.type));
    job.a.resize(kLanes * a.count() * size);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (std::size_t k = 0; k < a.count(); ++k)
        std::memcpy(job.a.data() + (static_cast<std::size_t>(lane) * a.count() + k) * size,
                    a.at(lane, k), size);
    }
  } else if ((job.a_start = start_of(warp, use.a_place)) < 0) {
    return &i + 1;
  }
  if ((job.b_start = start_of(warp, use.b_place)) < 0) return &i + 1;
  const bool in_flight = !warp.unwaited.empty();
  if (job.accumulate && !in_flight)
    d.check_written(Fault::Kind::UnwrittenRead, "mma_async adds to", use.where);
  if (warp.launch->session.options.check) {
    if (!use.a_in_registers)
      SharedOperand(warp, job, use.a_layout, use.a_place, job.a_start)
          .is_fenced(first_row(warp), kWarpRows, use.shape.k);
    SharedOperand(warp, job, use.b_layout, use.b_place, job.b_start)
        .is_fenced(0, use.shape.n, use.shape.k);
  }
  d.mark(0);
  warp.unwaited.push_back(job);
  warp.matrix_jobs.push_back(std::move(job));
  note_busy(warp);
  tick(*warp.block->cluster, *warp.launch);
  return &i + 1;
}

const Instruction* matrix_batch(Warp& warp, const Instruction& i) {
  switch (static_cast<loop::MatrixBatchKind>(i.info & 3)) {
    case loop::MatrixBatchKind::Fence: warp.matrix_fenced = true; break;
    case loop::MatrixBatchKind::Commit: ++warp.matrix_batches; break;
    case loop::MatrixBatchKind::Wait:
      wait(warp, i.info >> 2);
      warp.matrix_fenced = false;
      break;
  }
  return &i + 1;
}

}  // namespace cdsl::sim
