// Loop IR: the builder makes what the verifier accepts, the verifier finds what is broken, the
// printer writes it all.
#include <gtest/gtest.h>

#include "dsl/loop/builder.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

class LoopTest : public ::testing::Test {
 protected:
  static constexpr ScalarType F32 = ScalarType::F32, I32 = ScalarType::I32, I64 = ScalarType::I64;

  /// The errors of a program whose only kernel `build` fills; all of them in one string.
  std::string errors_of(const std::function<void(Builder&)>& build) {
    program = Program::over({}, "test");
    Builder b(program, "k");
    build(b);
    b.finish();
    std::string out;
    for (const std::string& error : verify(program)) out += error + "\n";
    return out;
  }
  void expect_error(const std::string& part, const std::function<void(Builder&)>& build) {
    const std::string errors = errors_of(build);
    EXPECT_NE(errors.find(part), std::string::npos)
        << "looked for: " << part << "\nfound: " << errors;
  }

  Program program;
};

TEST_F(LoopTest, PrintsAKernelWithEveryStatement) {
  RecordType record{"P", {{"m", F32, {}}, {"pos", F32, {3}}}};
  lay_out(record);
  program = Program::over({}, "demo");
  program.sites.push_back({ReportSite::Kind::ReadOutside, "x[\"i\"], axis 0", "k", {}});
  Builder b(program, "k");
  b.kernel().note = "all of them";
  b.kernel().block[0] = 64;
  const BufferId p = b.global("p", record), x = b.global("x", scalar_record(F32), true),
                 t = b.shared("t", scalar_record(F32), 8);
  const ExprId n = b.parameter("n", I64);
  b.comment("a comment");
  b.grid_stride("i", n, [&](ExprId i) {
    const ExprId a = b.let("a", b.load(x, i));
    const auto v = b.var("v", a);
    b.if_(
        b.less(i, b.integer(3)), [&] { b.assign(v, b.load(p, i, 1, b.integer(2))); },
        [&] { b.report(0, i); });
    b.while_(b.less(v.ref, a), [&] { b.assign(v, b.add(v.ref, a)); });
    b.store(p, i, v.ref, 1, b.integer(0));
    b.store(p, i, v.ref, 0);
  });
  const auto w = b.vector_load("w", x, b.integer(0), 2);
  b.vector_store(t, b.integer(2), {w[1], w[0]});
  b.barrier();
  b.fence();
  b.shuffle("s", ShuffleKind::Down, w[0], b.integer(16, I32));
  b.vote("any", VoteKind::Ballot, b.arena().boolean(true));
  b.atomic(AtomicOp::Add, b.access(t, b.integer(1)), w[0], Scope::Block);
  b.atomic_old("was", AtomicOp::CompareExchange, b.access(t, b.integer(1)), w[0], w[1],
               Order::AcquireRelease);
  b.finish();
  EXPECT_EQ(verify(program), std::vector<std::string>{});
  EXPECT_EQ(to_string(program), R"(program demo;
record P size 16 align 4 {
  m: f32 @0;
  pos: f32[3] @4;
}
site read_outside "x[\"i\"], axis 0" in "k";

note "all of them"
kernel k(p: P[], x: f32[] const, n: i64) block(64, 1, 1) {
  shared t: f32[8];
  note "a comment";
  %0 := i64(block_dim.x);
  for i: i64 = i64(block.x) * %0 + i64(thread.x) to n step i64(grid_dim.x) * %0 note "grid-stride" {
    let a: f32 = x[i];
    var v: f32 = a;
    if i < 3 {
      v = p[i].pos[2];
    } else {
      report 0, i;
    }
    while v < a {
      v = v + a;
    }
    p[i].pos[0] = v;
    p[i].m = v;
  }
  let (w0: f32, w1: f32) = vector x[0];
  vector t[2] = (w1, w0);
  barrier block;
  fence device;
  let s: f32 = shuffle down w0, i32(16) mask 0xffffffff;
  let any: u32 = vote ballot true mask 0xffffffff;
  atomic add t[1], w0 relaxed block;
  let was: f32 = atomic compare_exchange t[1], w0 expect w1 acq_rel device;
}

plan {
}
)");
}

TEST_F(LoopTest, PrintsThePlan) {
  program = Program::over({}, "planned");
  const SymbolId n = program.arena.add_symbol("n", SymbolKind::Size),
                 step = program.arena.add_symbol("t", SymbolKind::Index);
  Builder b(program, "k");
  const BufferId y = b.global("y", scalar_record(F32));
  b.grid_stride("i", b.parameter(n), [&](ExprId i) { b.store(y, i, b.arena().real(0, F32)); });
  b.finish();
  plan::Plan& plan = program.plan;
  const ExprId size = program.arena.symbol_ref(n);
  const ExprId bytes = b.mul(size, b.integer(4)), zero = b.integer(0);
  plan.arena = program.arena;
  plan.buffers.push_back(
      {"y", plan::Buffer::Kind::Parameter, TensorId(std::size_t{2}), 1, bytes, {}});
  plan.buffers.push_back({"w", plan::Buffer::Kind::Workspace, {}, 0, bytes, {}});
  plan.buffers.push_back(
      {"c", plan::Buffer::Kind::Constant, {}, 0, b.integer(2), {std::byte{1}, std::byte{255}}});
  plan.arena = program.arena;
  plan::Loop loop{step, zero, size, true, 1, {}};
  plan::Launch launch;
  launch.grid.items = size;
  launch.arguments.push_back({plan::BufferRef{1}});
  launch.arguments.push_back({size});
  loop.steps.push_back({launch});
  plan.general().steps.push_back({plan::Fill{{1}, {std::byte{0}}}});
  plan.general().steps.push_back({std::move(loop)});
  plan.general().steps.push_back({plan::Copy{{0}, {1}, bytes}});
  EXPECT_EQ(verify(program), std::vector<std::string>{});
  const std::string text = to_string(program);
  EXPECT_EQ(text.substr(text.find("plan {")), R"(plan {
  parameter y: tensor 2 part 1 bytes n * 4;
  workspace w: bytes n * 4;
  constant c: bytes 2 = "01ff";
  fill w "00";
  loop t = 0 to n descending stop w {
    launch k items(n) (buffer w, n);
  }
  copy y from w bytes n * 4;
}
)");
}

TEST_F(LoopTest, BuilderNumbersNamesThatAreTaken) {
  EXPECT_EQ(errors_of([](Builder& b) {
              b.global("x", scalar_record(F32));
              const ExprId x = b.let("x", b.integer(1));
              const ExprId dotted = b.let("a.b", x);
              EXPECT_EQ(b.arena().symbol(std::get<Symbol>(b.arena().node(x)).symbol).name, "x_2");
              EXPECT_EQ(b.arena().symbol(std::get<Symbol>(b.arena().node(dotted)).symbol).name,
                        "a_b");
              for (int k = 0; k < 2; ++k) {
                b.for_("i", b.integer(0), b.integer(3), [&](ExprId i) {
                  EXPECT_EQ(b.arena().symbol(std::get<Symbol>(b.arena().node(i)).symbol).name, "i");
                });
              }
            }),
            "");
}

TEST_F(LoopTest, DeepExpressionsPrintInPieces) {
  program = Program::over({}, "deep");
  Builder b(program, "k");
  const BufferId y = b.global("y", scalar_record(I64));
  ExprId sum = b.special64(Special::ThreadX);
  for (int k = 0; k < 1000; ++k) sum = b.add(sum, b.integer(k));
  b.store(y, b.integer(0), sum);
  b.finish();
  const std::string text = to_string(program);
  EXPECT_NE(text.find(":="), std::string::npos);
  EXPECT_EQ(text.find("..."), std::string::npos);
}

TEST_F(LoopTest, RegistersAreDefinedBeforeUseAndOnce) {
  expect_error("s is read where it is not defined", [](Builder& b) {
    ExprId inner;
    b.if_(b.arena().boolean(true), [&] { inner = b.let("s", b.integer(1)); });
    b.let("t", inner);
  });
  expect_error("register s is defined twice", [](Builder& b) {
    const SymbolId s = b.arena().add_symbol("s", SymbolKind::Local, I64);
    b.add_statement({Let{s, b.integer(1)}, {}});
    b.add_statement({Let{s, b.integer(1)}, {}});
  });
  expect_error("hides a name", [](Builder& b) {
    for (int k = 0; k < 2; ++k)
      b.add_statement({Let{b.arena().add_symbol("s", SymbolKind::Local, I64), b.integer(1)}, {}});
  });
  expect_error("assignment to s, which is no var", [](Builder& b) {
    const ExprId s = b.let("s", b.integer(1));
    b.assign({std::get<Symbol>(b.arena().node(s)).symbol, s}, s);
  });
  expect_error("N is read where it is not defined", [](Builder& b) {
    b.let("s", b.arena().symbol_ref(b.arena().add_symbol("N", SymbolKind::Size)));
  });
}

TEST_F(LoopTest, TypesAgree) {
  expect_error("store of type f32 gets a value of type i64", [](Builder& b) {
    b.store(b.global("y", scalar_record(F32)), b.integer(0), b.integer(0));
  });
  expect_error("the index into y is no integer", [](Builder& b) {
    b.store(b.global("y", scalar_record(F32)), b.arena().real(0, F32), b.arena().real(0, F32));
  });
  expect_error("loop step of type i64 gets a value of type i32", [](Builder& b) {
    b.for_("i", b.integer(0), b.integer(3), b.integer(1, I32), [](ExprId) {});
  });
  expect_error("a loop whose step is 0", [](Builder& b) {
    b.for_("i", b.integer(0), b.integer(3), b.integer(0), [](ExprId) {});
  });
  expect_error("the operands of '+' disagree",
               [](Builder& b) { b.let("s", b.add(b.integer(0), b.integer(0, I32))); });
  expect_error("which is for storage only", [](Builder& b) {
    const ExprId h = b.arena().real(0, ScalarType::F16);
    b.let("s", b.add(h, h));
  });
  expect_error("while of type bool gets a value of type i64",
               [](Builder& b) { b.while_(b.integer(1), [] {}); });
}

TEST_F(LoopTest, VectorsOfBytesMayStayPackedInWords) {
  const auto move = [](ScalarType memory, ScalarType registers, int64_t width, bool loads = true) {
    return [=](Builder& b) {
      const Access x = b.access(b.global("x", scalar_record(memory)), b.integer(0));
      const Access r = b.access(b.registers("r", scalar_record(registers), 16), b.integer(0));
      b.vector_move(loads ? r : x, loads ? x : r, b.integer(width));
    };
  };
  EXPECT_EQ(errors_of(move(ScalarType::U8, ScalarType::U32, 16)), "");
  EXPECT_EQ(errors_of(move(ScalarType::I16, ScalarType::U32, 2)), "");
  expect_error("a vector move between types", move(ScalarType::U8, ScalarType::U32, 2));
  expect_error("a vector move between types", move(ScalarType::U8, ScalarType::I32, 4));
  expect_error("a vector move between types", move(ScalarType::F16, ScalarType::U32, 2));
  expect_error("a vector move between types", move(ScalarType::U8, ScalarType::U32, 4, false));
}

TEST_F(LoopTest, BuffersAreTheKernelsOwnAndLegal) {
  expect_error("a buffer that the kernel does not list", [](Builder& b) {
    const BufferId y = b.global("y", scalar_record(F32));
    b.kernel().buffers.clear();
    b.store(y, b.integer(0), b.arena().real(0, F32));
  });
  expect_error("write to read-only buffer y", [](Builder& b) {
    b.store(b.global("y", scalar_record(F32), true), b.integer(0), b.arena().real(0, F32));
  });
  expect_error("a leaf that y does not have", [](Builder& b) {
    const BufferId y = b.global("y", scalar_record(F32));
    b.store({y, 1, b.integer(0), {}, {}}, b.arena().real(0, F32));
  });
  expect_error("of y, no array", [](Builder& b) {
    b.store(b.global("y", scalar_record(F32)), b.integer(0), b.arena().real(0, F32), 0,
            b.integer(0));
  });
  expect_error("buffer t needs a count", [](Builder& b) { b.shared("t", scalar_record(F32), 0); });
  expect_error("a vector of 3 elements", [](Builder& b) {
    b.vector_load("v", b.global("y", scalar_record(F32)), b.integer(0), 3);
  });
  expect_error("an atomic on registers", [](Builder& b) {
    b.atomic(AtomicOp::Add, b.access(b.registers("r", scalar_record(I32), 1), b.integer(0)),
             b.integer(1, I32));
  });
}

TEST_F(LoopTest, KernelsHaveLegalShapes) {
  expect_error("2048 threads a block", [](Builder& b) { b.kernel().block[0] = 2048; });
  expect_error("a cluster barrier in a kernel without clusters",
               [](Builder& b) { b.barrier(BarrierScope::Cluster); });
  expect_error("a report of a site that does not exist",
               [](Builder& b) { b.report(0, b.integer(0)); });
}

TEST_F(LoopTest, LaunchesMatchTheirKernels) {
  program = Program::over({}, "test");
  Builder b(program, "k");
  b.global("y", scalar_record(F32));
  b.parameter("n", I64);
  b.finish();
  program.plan.arena = program.arena;
  plan::Launch launch;
  launch.grid.blocks = program.plan.arena.integer(1);
  program.plan.general().steps.push_back({launch});
  EXPECT_EQ(verify(program),
            std::vector<std::string>{"plan: launch of k: 0 arguments for 2 parameters"});
  auto& arguments = std::get<plan::Launch>(program.plan.general().steps[0].what).arguments;
  arguments.push_back({plan::BufferRef{0}});
  arguments.push_back({program.plan.arena.integer(1, I32)});
  EXPECT_EQ(verify(program), (std::vector<std::string>{
                                 "plan: launch of k: argument 0 is no buffer",
                                 "plan: launch of k: n of type i64 gets a value of type i32"}));
}

TEST_F(LoopTest, WalkVisitsNestedStatements) {
  errors_of([](Builder& b) {
    b.for_("i", b.integer(0), b.integer(3), [&](ExprId i) {
      b.if_(
          b.less(i, b.integer(1)), [&] { b.let("a", i); }, [&] { b.barrier(); });
    });
  });
  int statements = 0, expressions = 0;
  for_each_statement(program.kernels[0].body, [&](const Statement& s) {
    ++statements;
    for_each_expression(s, [&](ExprId) { ++expressions; });
  });
  EXPECT_EQ(statements, 4);
  EXPECT_EQ(expressions, 5);
}

}  // namespace
}  // namespace cdsl::loop
