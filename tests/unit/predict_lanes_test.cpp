// What the predictor knows of a register whose lanes hold data.
#include <gtest/gtest.h>

#include "passes/predict/lanes.h"

namespace cdsl::predicting {
namespace {

constexpr ScalarType I64 = ScalarType::I64;

Lanes of_lane() {
  Lanes lanes = Lanes::of(Value::of_int(0));
  lanes.uniform = false;
  for (int lane = 0; lane < kWarpLanes; ++lane) lanes.value[static_cast<std::size_t>(lane)] = Value::of_int(lane);
  return lanes;
}

Lanes combined(Op op, const Lanes& a, const Lanes& b, ScalarType type = I64) {
  const Lanes* const args[] = {&a, &b};
  return apply(op, type, type, args);
}

TEST(PredictLanes, DataTimesAPowerOfTwoPlusTheLaneIsALaneModuloIt) {
  const Lanes data = Lanes::unknown(), copies = Lanes::of(Value::of_int(32));
  for (const Lanes& sum : {combined(Op::Add, combined(Op::Mul, data, copies), of_lane()), combined(Op::Add, of_lane(), combined(Op::Mul, copies, data)),
                           combined(Op::Or, combined(Op::Shl, data, Lanes::of(Value::of_int(5))), of_lane())}) {
    ASSERT_EQ(sum.kind, Lanes::Kind::Residue);
    EXPECT_EQ(sum.modulus, 32);
    for (int lane = 0; lane < kWarpLanes; ++lane) EXPECT_EQ(sum.at(lane).i, lane);
    EXPECT_FALSE(sum.is_known(1));
    EXPECT_FALSE(sum.is_same());
  }
}

TEST(PredictLanes, AProductWithAnEvenNumberKnowsItsPowerOfTwo) {
  const Lanes product = combined(Op::Mul, Lanes::unknown(), Lanes::of(Value::of_int(24)));
  ASSERT_EQ(product.kind, Lanes::Kind::Residue);
  EXPECT_EQ(product.modulus, 8);
  const Lanes* const arg[] = {&product};
  const Lanes narrow = apply(Op::Cast, I64, ScalarType::I32, arg);
  EXPECT_EQ(narrow.modulus, 8);
  EXPECT_EQ(combined(Op::Mul, product, Lanes::of(Value::of_int(2))).modulus, 16);
}

TEST(PredictLanes, NothingIsKnownOfDataAlone) {
  const Lanes data = Lanes::unknown(), three = Lanes::of(Value::of_int(3));
  for (const Lanes& lanes : {combined(Op::Mul, data, three), combined(Op::Add, data, of_lane()), combined(Op::Mul, data, of_lane()),
                             combined(Op::Div, combined(Op::Mul, data, Lanes::of(Value::of_int(32))), three)}) {
    EXPECT_EQ(lanes.kind, Lanes::Kind::Known);
    EXPECT_EQ(lanes.known, 0u);
  }
}

TEST(PredictLanes, AConditionOnAResidueIsOpen) {
  const Lanes residue = combined(Op::Add, combined(Op::Mul, Lanes::unknown(), Lanes::of(Value::of_int(32))), of_lane());
  const Lanes below = combined(Op::Lt, residue, Lanes::of(Value::of_int(64)));
  const Decision decision = decide(below, ~uint32_t{0}, ~uint32_t{0});
  EXPECT_EQ(decision.certain, 0u);
  EXPECT_EQ(decision.possible, ~uint32_t{0});
}

}  // namespace
}  // namespace cdsl::predicting
