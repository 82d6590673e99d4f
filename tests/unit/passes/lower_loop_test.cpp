#include <gtest/gtest.h>

#include "maker.h"

namespace cdsl::test {
namespace {

using tir::Loop;
using tir::Role;

const Remark& remark_of(const Lowered& made, const std::string& site) {
  for (const Remark& remark : made.remarks) {
    if (remark.site == site) return remark;
  }
  ADD_FAILURE() << "no remark about " << site;
  return made.remarks.front();
}

void expect_equal_in(const Maker& m, const Arguments& args, const std::string& loop,
                     std::initializer_list<LoopForm> forms) {
  expect_equal(m.f, args);
  for (LoopForm form : forms) {
    Schedule schedule;
    schedule.loops[loop] = form;
    expect_equal(m.f, args, schedule);
  }
}

// repeat t in 0..T { u[i] = u[i - 1 @clamp] + u[i + 1 @wrap] } until u[0] > 1000
Maker stencil(bool until) {
  Maker m("stencil");
  const ExprId n = m.size("N"), steps = m.size("T");
  const TensorId u = m.tensor("u", ScalarType::I64, {n}, Role::InOut);
  const auto [i, at] = m.index("i");
  const auto [t, now] = m.index("t");
  const ExprId value = m.add(m.read(u, {m.sub(at, m.n(1))}, Boundary::Clamp),
                             m.add(m.read(u, {m.add(at, m.n(1))}, Boundary::Wrap), now));
  std::vector<tir::Statement> body;
  body.push_back(m.stage({{i, m.n(0), n}}, {m.target(u, {at}, value)}));
  Loop loop = m.loop(Loop::Kind::Repeat, t, m.n(0), steps, std::move(body));
  if (until) loop.until = m.op(Op::Gt, {m.read(u, {m.n(0)}), m.n(20)});
  m.add(std::move(loop));
  return m;
}

TEST(LowerLoop, RepeatIsLaunches) {
  Maker m = stencil(false);
  EXPECT_EQ(remark_of(lowered(m.f), "loop.t").choice, "launches");
  for (int64_t steps : {0, 1, 5})
    expect_equal_in(m, arguments(m.f, {{"N", 300}, {"T", steps}}), "loop.t", {LoopForm::Block});
}

TEST(LowerLoop, UntilSetsAFlag) {
  Maker m = stencil(true);
  for (int64_t steps : {0, 1, 40})
    expect_equal_in(m, arguments(m.f, {{"N", 70}, {"T", steps}}), "loop.t", {LoopForm::Block});
}

// along j { y[i, j] = y[i, j - 1 @zero] + x[i, j] }
Maker running_sum(bool descending) {
  Maker m("running");
  const ExprId n = m.size("N"), k = m.size("K");
  const TensorId x = m.tensor("x", ScalarType::F32, {n, k}, Role::Input),
                 y = m.tensor("y", ScalarType::F32, {n, k}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto [j, step] = m.index("j");
  const ExprId before = descending ? m.add(step, m.n(1)) : m.sub(step, m.n(1));
  AxisRule zero;
  zero.boundary = Boundary::Zero;
  AxisRule proved;
  proved.bounds = Bounds::Proved;
  std::vector<tir::Statement> body;
  body.push_back(m.stage({{i, m.n(0), n}}, {m.target(y, {at, step},
                                                     m.add(m.read(y, {at, before}, {proved, zero}),
                                                           m.read(x, {at, step})))}));
  Loop loop = m.loop(Loop::Kind::Along, j, m.n(0), k, std::move(body));
  loop.descending = descending;
  m.add(std::move(loop));
  return m;
}

TEST(LowerLoop, IndependentLinesRunInThreads) {
  for (bool descending : {false, true}) {
    Maker m = running_sum(descending);
    const Lowered made = lowered(m.f);
    EXPECT_EQ(remark_of(made, "loop.j").choice, "thread");
    EXPECT_EQ(made.program.kernels.size(), 1u);
    for (int64_t k : {0, 1, 9}) {
      expect_equal_in(m, arguments(m.f, {{"N", 300}, {"K", k}}), "loop.j",
                      {LoopForm::Block, LoopForm::Launches, LoopForm::Thread});
    }
  }
}

// along i { along j in 0..i { a[i, j] = a[i, j] - a[j, i] }  a[i, k in i..N] = a[i, k] + a[0, k] }
TEST(LowerLoop, LinesThatFeedEachOtherRunInOneBlock) {
  Maker m("feed");
  const ExprId n = m.size("N");
  const TensorId a = m.tensor("a", ScalarType::I64, {n, n}, Role::InOut);
  const auto [i, at] = m.index("i");
  const auto [j, to] = m.index("j");
  const auto [k, of] = m.index("k");
  std::vector<tir::Statement> inner, outer;
  inner.push_back(
      m.stage({}, {m.target(a, {at, to}, m.sub(m.read(a, {at, to}), m.read(a, {to, at})))}));
  outer.push_back(m.loop(Loop::Kind::Along, j, m.n(0), at, std::move(inner)));
  outer.push_back(m.stage(
      {{k, at, n}}, {m.target(a, {at, of}, m.add(m.read(a, {at, of}), m.read(a, {m.n(0), of})))}));
  m.add(m.loop(Loop::Kind::Along, i, m.n(0), n, std::move(outer)));
  EXPECT_EQ(remark_of(lowered(m.f), "loop.i").choice, "block");
  for (int64_t extent : {0, 1, 2, 20})
    expect_equal_in(m, arguments(m.f, {{"N", extent}}), "loop.i", {LoopForm::Launches});
}

TEST(LowerLoop, OnePointAStepNeedsOneThread) {
  Maker m("fibonacci");
  const ExprId steps = m.size("T");
  const TensorId a = m.tensor("a", ScalarType::U16, {}, Role::InOut),
                 b = m.tensor("b", ScalarType::U16, {}, Role::InOut);
  const auto [t, now] = m.index("t");
  std::vector<tir::Statement> body;
  body.push_back(m.stage(
      {}, {m.target(a, {}, m.read(b, {})), m.target(b, {}, m.add(m.read(a, {}), m.read(b, {})))}));
  m.add(m.loop(Loop::Kind::Repeat, t, m.n(0), steps, std::move(body)));
  const Lowered made = lowered(m.f);
  EXPECT_EQ(remark_of(made, "loop.t").choice, "block");
  EXPECT_EQ(made.program.kernels.at(0).block[0], 1);
  Schedule wish;
  wish.loops["loop.t"] = LoopForm::Launches;
  EXPECT_EQ(remark_of(lowered(m.f, wish), "loop.t").choice, "launches");
  expect_equal_in(m, arguments(m.f, {{"T", 30}}), "loop.t", {LoopForm::Launches});
}

TEST(LowerLoop, AnImpossibleWishIsRefusedWithTheReason) {
  Maker m = stencil(false);
  Schedule schedule;
  schedule.loops["loop.t"] = LoopForm::Thread;
  const Lowered made = lowered(m.f, schedule);
  const Remark remark = remark_of(made, "loop.t");
  EXPECT_EQ(remark.choice, "launches");
  ASSERT_EQ(remark.alternatives.size(), 1u);
  EXPECT_NE(remark.alternatives[0].why_not.find("impossible"), std::string::npos);
}

}  // namespace
}  // namespace cdsl::test
