// Matrix instructions on the simulator: tiles from shared memory, products of warps and warpgroups.
#include "async_fixture.h"
#include "dsl/loop/matrix_fragment.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

using loop::Operand;

class Matrices : public AsyncTest {
 protected:
  std::vector<int> all(int count) {
    std::vector<int> out;
    for (int k = 0; k < count; ++k) out.push_back(k);
    return out;
  }
  loop::Fragment fragment(BufferId registers, int count) { return {registers, i64(0), all(count)}; }

  static int a_value(int m, int k) { return (m * 3 + k * 5) % 7 - 3; }
  static int b_value(int k, int n) { return (k * 2 + n * 3) % 5 - 2; }
  static int product(int m, int n, int depth) {
    int sum = 0;
    for (int k = 0; k < depth; ++k) sum += a_value(m, k) * b_value(k, n);
    return sum;
  }
  /// Elements in memory of `type`, from integers.
  Argument elements(ScalarType type, int rows, int columns, int (*value)(int, int)) {
    const auto size = static_cast<std::size_t>(size_of(type));
    std::vector<std::byte> bytes(static_cast<std::size_t>(rows * columns) * size);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        const Value v = is_float(type) ? Value::of_float(value(r, c)) : Value::of_int(value(r, c));
        store_element(bytes.data() + static_cast<std::size_t>(r * columns + c) * size, type, v);
      }
    }
    return input(bytes);
  }
  static int b_by_columns(int n, int k) { return b_value(k, n); }

  /// y = a * b of one warp: fragments loaded element by element as matrix_fragment.h says.
  void product_of(loop::MatrixShape shape, ScalarType d, ScalarType type, bool tf32 = false) {
    const BufferId a = b.global("a", scalar_record(type), true),
                   w = b.global("b", scalar_record(type), true);
    const BufferId y = b.global("y", scalar_record(d));
    const int ds = fragment_elements(Operand::D, shape), as = fragment_elements(Operand::A, shape),
              bs = fragment_elements(Operand::B, shape);
    const BufferId rd = b.registers("rd", scalar_record(d), ds),
                   ra = b.registers("ra", scalar_record(type), as),
                   rb = b.registers("rb", scalar_record(type), bs);
    // lane / 4 and lane % 4 name rows and columns: place = place(lane 0) + group * (place(lane 4) -
    // place(0)) + ...
    const auto index = [&](Operand operand, int element, int columns, bool by_columns) {
      const auto at = [&](int lane) {
        const loop::MatrixPlace p =
            fragment_place(operand, shape, operand == Operand::D ? d : type, lane, element);
        return by_columns ? int64_t{p.column} * columns + p.row
                          : int64_t{p.row} * columns + p.column;
      };
      const ExprId group = b.apply(Op::Div, {lane(), i64(4)}),
                   along = b.apply(Op::Rem, {lane(), i64(4)});
      return b.add(b.add(i64(at(0)), b.mul(group, i64(at(4) - at(0)))),
                   b.mul(along, i64(at(1) - at(0))));
    };
    for (int k = 0; k < as; ++k)
      b.store(ra, i64(k), b.load(a, index(Operand::A, k, shape.k, false)));
    for (int k = 0; k < bs; ++k)
      b.store(rb, i64(k), b.load(w, index(Operand::B, k, shape.k, true)));
    const ExprId zero = is_integer(d) ? b.integer(0, d) : b.arena().real(0, d);
    for (int k = 0; k < ds; ++k) b.store(rd, i64(k), zero);
    b.issue(
        loop::MatrixMultiply{shape, fragment(rd, ds), fragment(ra, as), fragment(rb, bs), tf32});
    for (int k = 0; k < ds; ++k)
      b.store(y, index(Operand::D, k, shape.n, false), b.load(rd, i64(k)));
    const Argument out = elements(d, shape.m, shape.n, [](int, int) { return 0; });
    run(b, {elements(type, shape.m, shape.k, a_value),
            elements(type, shape.n, shape.k, b_by_columns), out});
    expect_clean();
    for (int m = 0; m < shape.m; ++m) {
      for (int n = 0; n < shape.n; ++n) {
        const Value got = load_element(memory.data(out.handle) + (m * shape.n + n) * size_of(d), d);
        EXPECT_EQ(is_float(d) ? got.re : static_cast<double>(got.i), product(m, n, shape.k))
            << m << " " << n;
      }
    }
  }
};

TEST_F(Matrices, ProductOfF16) {
  product_of({16, 8, 16}, F32, F16);
}
TEST_F(Matrices, ProductOfBf16) {
  product_of({16, 8, 8}, F32, BF16);
}
TEST_F(Matrices, ProductOfTf32) {
  product_of({16, 8, 8}, F32, F32, true);
}
TEST_F(Matrices, ProductOfI8) {
  product_of({16, 8, 32}, I32, ScalarType::I8);
}
TEST_F(Matrices, ProductOfF8) {
  product_of({16, 8, 32}, F32, ScalarType::F8E4M3);
}
TEST_F(Matrices, ProductOfF64) {
  product_of({8, 8, 4}, ScalarType::F64, ScalarType::F64);
}

/// Four tiles loaded transposed and stored straight: each 8x8 tile is transposed. Rows of 16 bytes,
/// pitch 16.
TEST_F(Matrices, TilesTransposed) {
  const BufferId x = b.global("x", scalar_record(I64), true),
                 y = b.global("y", scalar_record(ScalarType::I16));
  (void)x;
  const BufferId in = b.shared("in", scalar_record(ScalarType::I16), 256),
                 out = b.shared("out", scalar_record(ScalarType::I16), 256);
  const BufferId r = b.registers("r", scalar_record(ScalarType::I16), 8);
  b.for_("k", i64(0), i64(8), [&](ExprId k) {
    const ExprId at = b.add(b.mul(k, i64(32)), lane());
    b.store(in, at, b.cast(at, ScalarType::I16));
  });
  b.barrier();
  b.issue(loop::MatrixLoad{4, true, fragment(r, 8), b.access(in, b.mul(lane(), i64(8)))});
  b.issue(loop::MatrixStore{4, false, b.access(out, b.mul(lane(), i64(8))), fragment(r, 8)});
  b.barrier();
  b.for_("k", i64(0), i64(8), [&](ExprId k) {
    const ExprId at = b.add(b.mul(k, i64(32)), lane());
    b.store(y, at, b.load(out, at));
  });
  const Argument list[] = {input(std::vector<int64_t>{0}), output<int16_t>(256)};
  run(b, {list[0], list[1]});
  expect_clean();
  const auto got = values<int16_t>(list[1]);
  for (int tile = 0; tile < 4; ++tile) {
    for (int row = 0; row < 8; ++row) {
      for (int c = 0; c < 8; ++c)
        EXPECT_EQ(got[static_cast<std::size_t>(64 * tile + 8 * row + c)], 64 * tile + 8 * c + row);
    }
  }
  // 8 rows of 16 neighbouring bytes fill the banks once.
  for (const AccessCounters& counters : simulator->result().accesses) {
    if (counters.width_bytes == 16) {
      EXPECT_EQ(counters.wavefronts, 4U);
    }
  }
}

TEST_F(Matrices, RegistersNeverWritten) {
  const BufferId rd = b.registers("rd", scalar_record(F32), 4),
                 ra = b.registers("ra", scalar_record(F16), 8),
                 rb = b.registers("rb", scalar_record(F16), 4);
  b.issue(
      loop::MatrixMultiply{{16, 8, 16}, fragment(rd, 4), fragment(ra, 8), fragment(rb, 4), false});
  run(b, {});
  EXPECT_EQ(kinds(), (Kinds{Fault::Kind::UnwrittenRead, Fault::Kind::UnwrittenRead,
                            Fault::Kind::UnwrittenRead}));
}

class Warpgroup : public Matrices {
 protected:
  static constexpr int kM = 64, kN = 64, kK = 64;
  struct Case {
    bool wait = true, fence = true, proxy = true, b_transposed = true, a_in_registers = false,
         reuses_a = false;
  };

  /// y[64, 64] = a[64, 64] * b by wgmma, bf16, a K-major, b as asked for, both with a swizzle of
  /// 128 bytes.
  void product_of_group(Case what) {
    b.kernel().block[0] = 128;
    const BufferId a = b.global("a", scalar_record(BF16), true),
                   w = b.global("b", scalar_record(BF16), true);
    const BufferId y = b.global("y", scalar_record(F32));
    const BufferId sa = b.shared("sa", scalar_record(BF16), kM * kK),
                   sb = b.shared("sb", scalar_record(BF16), kK * kN);
    const BufferId acc = b.registers("acc", scalar_record(F32), 32),
                   ra = b.registers("ra", scalar_record(BF16), 32);
    // Rows of 64 elements, 16-byte chunk ^= row % 8.
    b.for_("r", i64(0), i64(32), [&](ExprId r) {
      const ExprId at = b.let("at", b.add(b.mul(r, i64(128)), thread(b)));
      const ExprId row = b.let("row", b.apply(Op::Div, {at, i64(64)})),
                   column = b.let("column", b.apply(Op::Rem, {at, i64(64)}));
      const ExprId chunk =
          b.apply(Op::Xor, {b.apply(Op::Div, {column, i64(8)}), b.apply(Op::Rem, {row, i64(8)})});
      const ExprId place =
          b.let("place", b.add(b.mul(row, i64(64)),
                               b.add(b.mul(chunk, i64(8)), b.apply(Op::Rem, {column, i64(8)}))));
      b.store(sa, place, b.load(a, at));
      b.store(sb, place, b.load(w, at));
    });
    if (what.proxy) b.issue(loop::FenceAsync{});
    b.barrier();
    if (what.fence) b.issue(loop::MatrixBatch{loop::MatrixBatchKind::Fence, 0});
    for (int k = 0; k < kK / 16; ++k) {
      loop::MatrixAsync mma;
      mma.shape = {kM, kN, 16};
      mma.d = fragment(acc, 32);
      mma.a = {b.access(sa, i64(16 * k)), 128, 0, 1024, false};
      mma.b = what.b_transposed
                  ? loop::SharedMatrix{b.access(sb, i64(16 * 64 * k)), 128, 8192, 1024, true}
                  : loop::SharedMatrix{b.access(sb, i64(16 * k)), 128, 0, 1024, false};
      mma.accumulate = program.arena.boolean(k > 0);
      if (what.a_in_registers) {
        load_a(ra, what.reuses_a ? 0 : 8 * k, a, k);
        mma.a = {};
        mma.a_fragment = {ra, i64(8 * (what.reuses_a ? 0 : k)), all(8)};
      }
      b.issue(std::move(mma));
    }
    b.issue(loop::MatrixBatch{loop::MatrixBatchKind::Commit, 0});
    if (what.wait) b.issue(loop::MatrixBatch{loop::MatrixBatchKind::Wait, 0});
    const ExprId warp = b.cast(b.special(loop::Special::Warp), I64);
    const ExprId row = b.let("m", b.add(b.mul(warp, i64(16)), b.apply(Op::Div, {lane(), i64(4)})));
    const ExprId column = b.let("n", b.mul(b.apply(Op::Rem, {lane(), i64(4)}), i64(2)));
    for (int k = 0; k < 32; ++k) {
      const ExprId at = b.add(b.mul(b.add(row, i64(k / 2 % 2 * 8)), i64(kN)),
                              b.add(column, i64(k / 4 * 8 + k % 2)));
      b.store(y, at, b.load(acc, i64(k)));
    }
  }
  /// The thread's part of 16 columns of a, straight from global memory.
  void load_a(BufferId ra, int first, BufferId a, int step) {
    const ExprId warp = b.cast(b.special(loop::Special::Warp), I64);
    for (int e = 0; e < 8; ++e) {
      const loop::MatrixPlace p = fragment_place(Operand::A, {16, 8, 16}, BF16, 0, e);
      const ExprId row =
          b.add(b.add(b.mul(warp, i64(16)), b.apply(Op::Div, {lane(), i64(4)})), i64(p.row));
      const ExprId column =
          b.add(b.mul(b.apply(Op::Rem, {lane(), i64(4)}), i64(2)), i64(16 * step + p.column));
      b.store(ra, i64(first + e), b.load(a, b.add(b.mul(row, i64(kK)), column)));
    }
  }
  std::vector<Argument> in_out(bool b_transposed = true) {
    return {elements(BF16, kM, kK, a_value),
            b_transposed ? elements(BF16, kK, kN, b_value) : elements(BF16, kN, kK, b_by_columns),
            output<float>(kM * kN)};
  }
  void expect_product(Case what) {
    product_of_group(what);
    const std::vector<Argument> list = in_out(what.b_transposed);
    run(b, list);
    expect_clean();
    const auto got = values<float>(list[2]);
    for (int m = 0; m < kM; ++m) {
      for (int n = 0; n < kN; ++n)
        ASSERT_EQ(got[static_cast<std::size_t>(m * kN + n)], static_cast<float>(product(m, n, kK)))
            << m << " " << n;
    }
  }
};

TEST_F(Warpgroup, ProductTransposed) {
  expect_product({});
}
TEST_F(Warpgroup, ProductOfKMajor) {
  expect_product({.b_transposed = false});
}
TEST_F(Warpgroup, LeftInRegisters) {
  expect_product({.a_in_registers = true});
}

TEST_F(Warpgroup, RegistersOverwrittenTooEarly) {
  product_of_group({.a_in_registers = true, .reuses_a = true});
  run(b, in_out());
  ASSERT_FALSE(kinds().empty());
  EXPECT_EQ(kinds()[0], Fault::Kind::BadMatrix);
}

TEST_F(Warpgroup, MissingWaitIsFound) {
  product_of_group({.wait = false});
  run(b, in_out());
  ASSERT_FALSE(kinds().empty());
  EXPECT_EQ(kinds()[0], Fault::Kind::UnwrittenRead);
}

TEST_F(Warpgroup, MissingFenceIsFound) {
  product_of_group({.fence = false});
  run(b, in_out());
  ASSERT_FALSE(kinds().empty());
  EXPECT_EQ(kinds()[0], Fault::Kind::BadMatrix);
}

TEST_F(Warpgroup, MissingProxyFenceIsFound) {
  product_of_group({.proxy = false});
  run(b, in_out());
  ASSERT_FALSE(kinds().empty());
  EXPECT_EQ(kinds()[0], Fault::Kind::Race);
}

}  // namespace
}  // namespace cdsl::sim
