#include <gtest/gtest.h>

#include "maker.h"

namespace cdsl::test {
namespace {

using tir::Role;

// y[i] = a * x[i] + y0[i]
Maker saxpy() {
  Maker m("saxpy");
  const ExprId n = m.size("N"), a = m.scalar("a", ScalarType::F32);
  const TensorId x = m.tensor("x", ScalarType::F32, {n}, Role::Input),
                 y0 = m.tensor("y0", ScalarType::F32, {n}, Role::Input);
  const TensorId y = m.tensor("y", ScalarType::F32, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const ExprId value = m.add(m.mul(a, m.read(x, {at})), m.read(y0, {at}));
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, value)}));
  return m;
}

TEST(LowerStage, SaxpyIsOneKernelOverItsElements) {
  Maker m = saxpy();
  const Lowered made = lowered(m.f);
  ASSERT_EQ(made.program.kernels.size(), 1u);
  EXPECT_EQ(made.program.kernels[0].name, "saxpy_y");
  for (int64_t n : {0, 1, 33, 1000}) {
    Arguments args = arguments(m.f, {{"N", n}});
    args.scalars["a"] = Value::of_float(2);
    expect_equal(m.f, args);
  }
}

TEST(LowerStage, EveryModeAtEveryDistance) {
  for (Boundary mode :
       {Boundary::Zero, Boundary::Clamp, Boundary::Reflect, Boundary::Symmetric, Boundary::Wrap}) {
    Maker m("fold");
    const ExprId n = m.size("N"), k = m.size("K");
    const TensorId x = m.tensor("x", ScalarType::F32, {n, k}, Role::Input),
                   y = m.tensor("y", ScalarType::F32, {n, m.n(20)}, Role::Output);
    const auto [i, at] = m.index("i");
    const auto [j, to] = m.index("j");
    const ExprId value = m.read(x, {m.sub(at, m.n(1)), m.sub(to, m.n(9))}, mode);
    m.add(m.stage({{i, m.n(0), n}, {j, m.n(0), m.n(20)}}, {m.target(y, {at, to}, value)}));
    for (int64_t extent : {0, 1, 2, 3, 7})
      expect_equal(m.f, arguments(m.f, {{"N", 5}, {"K", extent}}));
  }
}

TEST(LowerStage, UnprovedReadsAreTestedAndReported) {
  Maker m("gather");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F16, {n}, Role::Input),
                 p = m.tensor("p", ScalarType::I32, {n}, Role::Input);
  const TensorId y = m.tensor("y", ScalarType::F16, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const ExprId from = m.arena().cast(m.read(p, {at}), ScalarType::I64);
  m.add(m.stage({{i, m.n(0), n}},
                {m.target(y, {at}, m.read(x, {from}, Boundary::None, Bounds::PerElement))}));
  const Lowered made = lowered(m.f);
  ASSERT_EQ(made.program.sites.size(), 1u);
  EXPECT_EQ(made.program.sites[0].what, "x[i64(p[i])], axis 0 of x");
  expect_equal(m.f, arguments(m.f, {{"N", 40}}));
}

TEST(LowerStage, ReadsOfOverwrittenElementsGoThroughATemporary) {
  Maker m("shift");
  const ExprId n = m.size("N");
  const TensorId a = m.tensor("A", ScalarType::I32, {n}, Role::InOut);
  const auto [i, at] = m.index("i");
  const ExprId sum = m.add(m.read(a, {m.sub(at, m.n(1))}), m.read(a, {m.add(at, m.n(1))}));
  m.add(m.stage({{i, m.n(1), m.sub(n, m.n(1))}}, {m.target(a, {at}, sum)}));
  EXPECT_EQ(lowered(m.f).remarks[0].choice, "temporary");
  for (int64_t extent : {0, 1, 2, 3, 600}) expect_equal(m.f, arguments(m.f, {{"N", extent}}));
}

TEST(LowerStage, ReadsBesideWhatIsWrittenStayInPlace) {
  Maker m("beside");
  const ExprId n = m.size("N");
  const TensorId a = m.tensor("A", ScalarType::I32, {n, n}, Role::InOut);
  const auto [i, at] = m.index("i");
  const auto [k, of] = m.index("k");
  const ExprId sum = m.reduce(Monoid::Sum, {{k, m.n(0), m.n(2)}}, m.read(a, {of, at}));
  m.add(m.stage({{i, m.n(2), n}}, {m.target(a, {m.n(3), at}, sum)}));
  EXPECT_EQ(lowered(m.f).remarks[0].choice, "direct");
  expect_equal(m.f, arguments(m.f, {{"N", 40}}));
}

TEST(LowerStage, ADomainThatReadsItsTargetWorksOnASnapshot) {
  Maker m("positive");
  const ExprId n = m.size("N");
  const TensorId a = m.tensor("A", ScalarType::I32, {n}, Role::InOut);
  const auto [i, at] = m.index("i");
  const ExprId mirrored = m.read(a, {m.sub(m.sub(n, m.n(1)), at)});
  const ExprId guard = m.op(Op::Gt, {mirrored, m.arena().integer(0, ScalarType::I32)});
  m.add(m.stage({{i, m.n(0), n}}, {m.target(a, {at}, m.add(mirrored, m.read(a, {at})))}, guard));
  EXPECT_EQ(lowered(m.f).remarks[0].choice, "snapshot");
  expect_equal(m.f, arguments(m.f, {{"N", 700}}));
}

TEST(LowerStage, RecordsInEveryLayout) {
  RecordType particle;
  particle.name = "Particle";
  particle.leaves = {{"pos", ScalarType::F32, {3}, 0},
                     {"m", ScalarType::F64, {}, 0},
                     {"tag", ScalarType::U8, {}, 0}};
  lay_out(particle);
  for (const Layout& layout :
       {Layout{}, Layout{Layout::Kind::Soa, 0, {}}, Layout{Layout::Kind::Aosoa, 4, {}},
        Layout{Layout::Kind::Split, 0, {{0, 2}, {1}}}, Layout{Layout::Kind::Auto, 0, {}}}) {
    Maker m("push");
    const ExprId n = m.size("N");
    const TensorId p = m.tensor("p", particle, {n}, Role::Input),
                   r = m.tensor("r", particle, {n}, Role::Output);
    if (layout.kind == Layout::Kind::Auto) continue;  // decided before memory is laid out
    m.f.tensor(p).layout = m.f.tensor(r).layout = layout;
    const auto [i, at] = m.index("i");
    std::vector<tir::Target> targets;
    for (int64_t d = 0; d < 3; ++d) {
      const ExprId value = m.add(m.read(p, {at, m.n(d)}), m.read(p, {at, m.n(2 - d)}));
      targets.push_back(m.target(r, {at, m.n(d)}, value));
    }
    targets.push_back(m.target(
        r, {at},
        m.mul(m.read(p, {at}, Boundary::None, Bounds::Proved, 1), m.real(2, ScalarType::F64)),
        Bounds::Proved, 1));
    targets.push_back(
        m.target(r, {at}, m.read(p, {at}, Boundary::None, Bounds::Proved, 2), Bounds::Proved, 2));
    m.add(m.stage({{i, m.n(0), n}}, targets));
    for (int64_t extent : {0, 1, 4, 33}) expect_equal(m.f, arguments(m.f, {{"N", extent}}));
  }
}

TEST(LowerStage, TriangularDomainsAndWritesOutside) {
  Maker m("tri");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::I64, {n, n}, Role::Input),
                 y = m.tensor("y", ScalarType::I64, {n, n}, Role::InOut);
  const auto [i, at] = m.index("i");
  const auto [j, to] = m.index("j");
  m.add(m.stage({{i, m.n(0), n}, {j, at, n}}, {m.target(y, {to, at}, m.read(x, {at, to}))}));
  const auto [k, of] = m.index("k");
  m.add(m.stage({{k, m.n(0), n}},
                {m.target(y, {m.add(of, m.n(3)), of}, m.n(7), Bounds::PerElement)}));
  for (int64_t extent : {1, 2, 30}) expect_equal(m.f, arguments(m.f, {{"N", extent}}));
}

}  // namespace
}  // namespace cdsl::test
