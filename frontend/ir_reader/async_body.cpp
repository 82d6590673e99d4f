// The asynchronous and matrix statements of lane form (docs/ir.md, section 2.9).
#include <limits>

#include <fmt/format.h>

#include "frontend/ir_reader/loop_reader.h"
#include "frontend/ir_reader/loop_words.h"

namespace cdsl::ir_reader {
namespace {

constexpr std::int64_t kMaxPending = 1 << 16, kMaxThreads = 1024, kMaxOffset = 1 << 20;
constexpr std::size_t kMaxElements = 1 << 12, kMaxCoordinates = 5;

}  // namespace

/// One of the statements that begin with a word of their own; nothing at another word.
std::optional<loop::Statement> LoopReader::async_statement() {
  loop::Statement out;
  if (c_.accept("barrier_init")) {
    out.node = barrier_init();
  } else if (c_.accept("arrive")) {
    out.node = barrier_arrive();
  } else if (c_.accept("wait")) {
    out.node = barrier_wait();
  } else if (c_.accept("copy_async")) {
    out.node = copy_async();
  } else if (c_.accept("copy_commit")) {
    out.node = loop::CopyCommit{word<loop::CopyBatch>(c_, 2, "async or bulk")};
  } else if (c_.accept("copy_wait")) {
    out.node = copy_wait();
  } else if (c_.accept("copy_bulk")) {
    out.node = copy_bulk();
  } else if (c_.accept("copy_tensor")) {
    out.node = copy_tensor();
  } else if (c_.accept("matrix_load")) {
    out.node = matrix_load();
  } else if (c_.accept("matrix_store")) {
    out.node = matrix_store();
  } else if (c_.accept("mma_async")) {
    out.node = matrix_async();
  } else if (c_.accept("mma_fence")) {
    out.node = loop::MatrixBatch{loop::MatrixBatchKind::Fence, 0};
  } else if (c_.accept("mma_commit")) {
    out.node = loop::MatrixBatch{loop::MatrixBatchKind::Commit, 0};
  } else if (c_.accept("mma_wait")) {
    out.node = loop::MatrixBatch{loop::MatrixBatchKind::Wait, number(kMaxPending)};
  } else if (c_.at_word("barrier_sync") || c_.at_word("barrier_arrive")) {
    out.node = named_barrier();
  } else if (c_.accept("registers")) {
    out.node = register_budget();
  } else {
    return std::nullopt;
  }
  c_.expect(Tok::Semicolon);
  return out;
}

int LoopReader::number(std::int64_t most) {
  return static_cast<int>(c_.integer_between(0, most));
}

loop::BarrierInit LoopReader::barrier_init() {
  loop::BarrierInit out;
  out.barrier = names_.place(reader_);
  c_.expect("count");
  out.count = reader_.expr();
  return out;
}

loop::BarrierArrive LoopReader::barrier_arrive() {
  loop::BarrierArrive out;
  out.barrier = names_.place(reader_);
  if (c_.accept("expect")) out.bytes = reader_.expr();
  return out;
}

loop::BarrierWait LoopReader::barrier_wait() {
  loop::BarrierWait out;
  out.barrier = names_.place(reader_);
  c_.expect("parity");
  out.parity = reader_.expr();
  return out;
}

// copy_async t[i] = x[j] bytes 16 when c
loop::CopyAsync LoopReader::copy_async() {
  loop::CopyAsync out;
  out.to = names_.place(reader_);
  c_.expect(Tok::Assign);
  out.from = names_.place(reader_);
  c_.expect("bytes");
  out.bytes = number(16);
  if (c_.accept("when")) out.condition = reader_.expr();
  return out;
}

loop::CopyWait LoopReader::copy_wait() {
  loop::CopyWait out;
  out.batch = word<loop::CopyBatch>(c_, 2, "async or bulk");
  out.pending = number(kMaxPending);
  out.read = c_.accept("read");
  return out;
}

// copy_bulk t[i] = x[j] bytes n arrive b[s]   copy_bulk y[j] = t[i] bytes n add
loop::CopyBulk LoopReader::copy_bulk() {
  loop::CopyBulk out;
  out.to = names_.place(reader_);
  c_.expect(Tok::Assign);
  out.from = names_.place(reader_);
  c_.expect("bytes");
  out.bytes = reader_.expr();
  out.adds = c_.accept("add");
  if (c_.accept("arrive")) out.barrier = names_.place(reader_);
  return out;
}

// m at (x, y)
void LoopReader::box(loop::CopyTensor& out) {
  out.map = names_.map();
  c_.expect("at");
  c_.expect(Tok::LParen);
  out.at = reader_.list(Tok::RParen);
  if (out.at.size() > kMaxCoordinates)
    c_.fail(fmt::format("more than {} coordinates", kMaxCoordinates));
  c_.expect(Tok::RParen);
}

// copy_tensor t[i] = m at (x, y) multicast mask arrive b[s]   copy_tensor m at (x, y) = t[i]
loop::CopyTensor LoopReader::copy_tensor() {
  loop::CopyTensor out;
  out.store = !names_.at_buffer();
  if (out.store) {
    box(out);
    c_.expect(Tok::Assign);
    out.shared = names_.place(reader_);
    return out;
  }
  out.shared = names_.place(reader_);
  c_.expect(Tok::Assign);
  box(out);
  if (c_.accept("multicast")) out.multicast = reader_.expr();
  if (c_.accept("arrive")) out.barrier = names_.place(reader_);
  return out;
}

// acc[base; 0..4, 8, 9]
loop::Fragment LoopReader::fragment() {
  loop::Fragment out;
  out.buffer = names_.buffer();
  c_.expect(Tok::LBracket);
  out.base = reader_.expr();
  c_.expect(Tok::Semicolon);
  do {
    const int first = number(kMaxOffset),
              end = c_.accept(Tok::DotDot) ? number(kMaxOffset) : first + 1;
    for (int k = first; k < end; ++k) {
      if (out.offsets.size() == kMaxElements)
        c_.fail(fmt::format("more than {} elements", kMaxElements));
      out.offsets.push_back(k);
    }
  } while (c_.accept(Tok::Comma));
  c_.expect(Tok::RBracket);
  return out;
}

int LoopReader::tile_count() {
  for (const int count : {1, 2, 4}) {
    if (c_.accept(fmt::format("x{}", count))) return count;
  }
  c_.fail_expected("x1, x2 or x4");
}

loop::MatrixLoad LoopReader::matrix_load() {
  loop::MatrixLoad out;
  out.count = tile_count();
  out.transposed = c_.accept("transposed");
  out.to = fragment();
  c_.expect(Tok::Assign);
  out.from = names_.place(reader_);
  return out;
}

loop::MatrixStore LoopReader::matrix_store() {
  loop::MatrixStore out;
  out.count = tile_count();
  out.transposed = c_.accept("transposed");
  out.to = names_.place(reader_);
  c_.expect(Tok::Assign);
  out.from = fragment();
  return out;
}

// mma m16n8k16 acc[0; 0..4] += a[0; 0..8] * b[0; 0..4] tf32;   of registers: that of tiles is in
// tile_body.cpp
loop::Statement LoopReader::matrix_multiply(loop::MatrixShape shape) {
  loop::MatrixMultiply out;
  out.shape = shape;
  out.d = fragment();
  c_.expect(Tok::PlusEq);
  out.a = fragment();
  c_.expect(Tok::Star);
  out.b = fragment();
  out.tf32 = c_.accept("tf32");
  c_.expect(Tok::Semicolon);
  return {std::move(out), {}};
}

// As[i] swizzle 128 leading 0 stride 1024 transposed
loop::SharedMatrix LoopReader::shared_matrix() {
  loop::SharedMatrix out;
  out.start = names_.place(reader_);
  c_.expect("swizzle");
  out.swizzle = number(128);
  c_.expect("leading");
  out.leading_bytes = number(kMaxOffset);
  c_.expect("stride");
  out.stride_bytes = number(kMaxOffset);
  out.transposed = c_.accept("transposed");
  return out;
}

// mma_async m64n64k16 acc[0; 0..32] += As[i] swizzle ... * Bs[j] swizzle ... tf32 accumulate c
loop::MatrixAsync LoopReader::matrix_async() {
  loop::MatrixAsync out;
  out.shape = matrix_shape();
  out.d = fragment();
  c_.expect(Tok::PlusEq);
  if (names_.at_register_buffer())
    out.a_fragment = fragment();
  else
    out.a = shared_matrix();
  c_.expect(Tok::Star);
  out.b = shared_matrix();
  out.tf32 = c_.accept("tf32");
  if (c_.accept("accumulate")) out.accumulate = reader_.expr();
  return out;
}

loop::NamedBarrier LoopReader::named_barrier() {
  loop::NamedBarrier out;
  out.sync = c_.at_word("barrier_sync");
  c_.advance();
  out.id = reader_.expr();
  c_.expect("threads");
  out.threads = number(kMaxThreads);
  return out;
}

loop::RegisterBudget LoopReader::register_budget() {
  loop::RegisterBudget out;
  out.raises = c_.accept("raise");
  if (!out.raises) c_.expect("lower");
  out.registers = number(kMaxThreads);
  return out;
}

}  // namespace cdsl::ir_reader
