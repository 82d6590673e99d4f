#include "passes/predict/registers.h"

#include <gtest/gtest.h>

#include "dsl/loop/builder.h"

namespace cdsl::predicting {
namespace {

class BytesInFlight : public testing::Test {
 protected:
  BytesInFlight() : program(loop::Program::over(ExprArena{}, "f")), builder(program, "f_y") {
    x = builder.global("x", scalar_record(ScalarType::F32), true);
    y = builder.global("y", scalar_record(ScalarType::F32));
    n = builder.parameter("n", ScalarType::I32);
  }
  void copy(int64_t at) {
    const ExprId place = builder.arena().integer(at, ScalarType::I32);
    builder.store(y, place, builder.load(x, place));
  }
  void loop_of(int unroll) {
    const auto i32 = [&](int64_t value) { return builder.arena().integer(value, ScalarType::I32); };
    builder.for_("k", i32(0), i32(8), i32(1), [&](ExprId) { copy(0); }).unroll = unroll;
  }
  double result() {
    const uint32_t kernel = builder.finish();
    return bytes_in_flight(program, program.kernels[kernel]);
  }
  ExprId positive() { return builder.arena().apply(Op::Gt, {n, builder.arena().integer(0, ScalarType::I32)}); }

  loop::Program program;
  loop::Builder builder;
  BufferId x, y;
  ExprId n;
};

TEST_F(BytesInFlight, LoadsOfABlockAddUp) {
  for (int k = 0; k < 3; ++k) copy(k);
  EXPECT_EQ(result(), 12);
}

TEST_F(BytesInFlight, AConditionRepeatsNothing) {
  builder.if_(positive(), [&] { copy(0); });
  EXPECT_EQ(result(), 4);
}

TEST_F(BytesInFlight, ALoopThatIsNotUnrolledLoadsOneRound) {
  loop_of(0);
  EXPECT_EQ(result(), 4);
}

TEST_F(BytesInFlight, AnUnrolledLoopLoadsAllItsRounds) {
  loop_of(4);
  EXPECT_EQ(result(), 16);
}

}  // namespace
}  // namespace cdsl::predicting
