// That verify notices: lowered programs are damaged in one place (a loop that stops one short or
// starts one late, a read of the neighbour), and exact data must show it at every size.
#include <gtest/gtest.h>

#include <functional>

#include "api/verify.h"
#include "dsl/expr/walk.h"
#include "runtime/sim_device.h"

namespace cdsl {
namespace {

using loop::Block;
using loop::Statement;

/// Calls visit(expression) for every expression slot of a statement, nested blocks included.
class Slots {
 public:
  explicit Slots(std::function<void(ExprId&)> visit) : visit_(std::move(visit)) {}
  void operator()(Block& block) {
    for (Statement& statement : block.statements)
      std::visit([&](auto& node) { each(node); }, statement.node);
  }

 private:
  void one(ExprId& id) {
    if (id.valid()) visit_(id);
  }
  void each(loop::Access& access) {
    one(access.index);
    one(access.within);
  }
  void each(loop::Let& node) { one(node.value); }
  void each(loop::Var& node) { one(node.value); }
  void each(loop::Assign& node) { one(node.value); }
  void each(loop::Store& node) {
    each(node.access);
    one(node.value);
  }
  void each(loop::VectorLoad& node) { each(node.access); }
  void each(loop::VectorStore& node) {
    each(node.access);
    for (ExprId& value : node.values) one(value);
  }
  void each(loop::Atomic& node) {
    each(node.access);
    one(node.value);
    one(node.expected);
  }
  void each(loop::For& node) {
    one(node.lo);
    one(node.hi);
    one(node.step);
    (*this)(*node.body);
  }
  void each(loop::While& node) {
    one(node.condition);
    (*this)(*node.body);
  }
  void each(loop::If& node) {
    one(node.condition);
    (*this)(*node.then_body);
    if (node.else_body) (*this)(*node.else_body);
  }
  void each(loop::Barrier&) {}
  void each(loop::Fence&) {}
  void each(loop::Shuffle& node) {
    one(node.value);
    one(node.lane);
  }
  void each(loop::Vote& node) { one(node.predicate); }
  void each(loop::Report& node) { one(node.value); }
  void each(loop::Comment&) {}
  template <class Node>
  void each(Node&) {}

  std::function<void(ExprId&)> visit_;
};

void for_each_loop(Block& block, const std::function<void(loop::For&)>& visit) {
  for (Statement& statement : block.statements) {
    if (auto* loop = std::get_if<loop::For>(&statement.node)) {
      visit(*loop);
      for_each_loop(*loop->body, visit);
    } else if (auto* branch = std::get_if<loop::If>(&statement.node)) {
      for_each_loop(*branch->then_body, visit);
      if (branch->else_body) for_each_loop(*branch->else_body, visit);
    }
  }
}

ExprId plus(ExprArena& arena, ExprId id, int64_t amount) {
  return arena.apply(Op::Add, {id, arena.integer(amount, arena.type(id))});
}

/// Damages the n-th place of its kind; false where there are fewer places.
using Mutation = bool (*)(loop::Program& program, int n);

bool stop_one_short(loop::Program& program, int n) {
  bool done = false;
  for (loop::Kernel& kernel : program.kernels) {
    for_each_loop(kernel.body, [&](loop::For& loop) {
      if (n-- != 0) return;
      loop.hi = plus(program.arena, loop.hi, -1);
      done = true;
    });
  }
  return done;
}

/// Loops over a reduction's range only: a grid-stride loop starts where its thread stands.
bool start_one_late(loop::Program& program, int n) {
  bool done = false;
  for (loop::Kernel& kernel : program.kernels) {
    for_each_loop(kernel.body, [&](loop::For& loop) {
      if (!loop.note.empty() || n-- != 0) return;
      loop.lo = plus(program.arena, loop.lo, 1);
      done = true;
    });
  }
  return done;
}

bool read_the_neighbour(loop::Program& program, int n) {
  std::vector<ExprId> loads;
  for (loop::Kernel& kernel : program.kernels) {
    Slots([&](ExprId& id) {
      for (ExprId node : postorder(program.arena, std::span(&id, 1))) {
        if (program.arena.get_if<Load>(node) == nullptr) continue;
        if (std::find(loads.begin(), loads.end(), node) == loads.end()) loads.push_back(node);
      }
    })(kernel.body);
  }
  if (n >= static_cast<int>(loads.size())) return false;
  const ExprId target = loads[static_cast<std::size_t>(n)];
  const Load load = *program.arena.get_if<Load>(target);
  const std::vector<ExprId> args(program.arena.args(target).begin(),
                                 program.arena.args(target).end());
  const ExprId moved =
      program.arena.load(load.buffer, load.leaf, program.arena.type(target),
                         plus(program.arena, args[0], 1), args.size() > 1 ? args[1] : ExprId{});
  Rewriter rewrite(program.arena,
                   [&](ExprId id) { return id == target ? std::optional(moved) : std::nullopt; });
  for (loop::Kernel& kernel : program.kernels)
    Slots([&](ExprId& id) { id = rewrite(id); })(kernel.body);
  return true;
}

struct Subject {
  const char* name;
  const char* text;
};

class Mutants : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    source_ = load_and_parse({"test.cdsl", GetParam().text, {}, 20});
    options_.decide = false;             // what is broken on purpose is the general path
    reference_ = analyze_function(*source_, "f", options_);
    ASSERT_TRUE(reference_.has_value())
        << (source_->has_errors() ? source_->diagnostics.diagnostics()[0].message : "");
  }

  Verification verify_with(Mutation mutation, int n, int64_t size, bool& exists) {
    auto unit = compile(*source_, "f", options_);
    exists = mutation == nullptr || mutation(unit->program, n);
    if (!exists) return {};
    VerifyOptions verify_options;
    for (const tir::Size& each : reference_->sizes)
      verify_options.sizes[reference_->arena.symbol(each.symbol).name] = size;
    verify_options.exact_only = true;
    verify_options.device = [](const loop::Program& program, bool) {
      return std::make_unique<runtime::SimDevice>(program);
    };
    return *verify(*source_, *reference_, *unit, verify_options);
  }

  void expect_caught(Mutation mutation, const char* what) {
    for (int n = 0;; ++n) {
      for (int64_t size = 1; size <= 33; ++size) {
        bool exists = false;
        const Verification outcome = verify_with(mutation, n, size, exists);
        if (!exists) return;
        EXPECT_EQ(outcome.verdict, Verification::Verdict::Failed)
            << what << ", place " << n << ", size " << size;
      }
    }
  }

  CompileOptions options_;
  std::unique_ptr<Source> source_;
  std::optional<tir::Function> reference_;
};

TEST_P(Mutants, TheProgramItselfPasses) {
  for (int64_t size = 1; size <= 33; ++size) {
    bool exists = false;
    const Verification outcome = verify_with(nullptr, 0, size, exists);
    EXPECT_EQ(outcome.verdict, Verification::Verdict::Passed)
        << (outcome.messages.empty() ? "" : outcome.messages[0]);
  }
}

TEST_P(Mutants, ALoopThatStopsOneShortIsCaught) {
  expect_caught(stop_one_short, "stops one short");
}
TEST_P(Mutants, ALoopThatStartsOneLateIsCaught) {
  expect_caught(start_one_late, "starts one late");
}
TEST_P(Mutants, AReadOfTheNeighbourIsCaught) {
  expect_caught(read_the_neighbour, "reads the neighbour");
}

INSTANTIATE_TEST_SUITE_P(
    Exact, Mutants,
    testing::Values(
        Subject{"map", "fn f(x: f32[N], y: f32[N]) -> (r: f32[N]) { r[i] = 2 * x[i] + y[i]; }"},
        Subject{"sum", "fn f(x: f32[N]) -> (s: f32) { s = sum[i](x[i]); }"},
        Subject{"row_sum", "fn f(x: i32[M, N]) -> (s: i32[M]) { s[i] = sum[j](x[i, j]); }"},
        Subject{"column_sum", "fn f(x: bf16[M, N]) -> (s: f32[N]) { s[j] = sum[i](x[i, j]); }"},
        Subject{"dot", "fn f(x: f64[N], y: f64[N]) -> (s: f64) { s = sum[i](x[i] * y[i]); }"},
        Subject{"product",
                "fn f(A: f16[M, K], B: f16[K, N]) -> (C: f32[M, N]) { C[m, n] = sum[k](A[m, k] * "
                "B[k, n]); }"},
        Subject{"max", "fn f(x: f32[N]) -> (s: f32) { s = max[i](x[i]); }"},
        Subject{"row_max", "fn f(x: f32[M, N]) -> (s: f32[M]) { s[i] = max[j](x[i, j]); }"},
        Subject{"row_min", "fn f(x: i8[M, N]) -> (s: i8[M]) { s[i] = min[j](x[i, j]); }"},
        Subject{"argmax", "fn f(x: f32[N]) -> (p: i32) { p = i32(argmax[i](x[i])); }"},
        Subject{"running_total",
                "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sum[k in 0..=i](x[k]); }"},
        Subject{"transpose", "fn f(x: f32[M, N]) -> (y: f32[N, M]) { y[j, i] = x[i, j]; }"},
        Subject{"stencil",
                "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i - 1 @clamp] - 2 * x[i] + x[i + 1 "
                "@clamp]; }"},
        Subject{"records",
                "struct P { x: f32; y: i16; } fn f(p: P[N] layout(aosoa(4))) -> (y: i32[N]) { y[i] "
                "= i32(p[i].y); }"},
        Subject{"complex", "fn f(x: c64[N]) -> (s: c64) { s = sum[i](x[i] * conj(x[i])); }"}),
    [](const testing::TestParamInfo<Subject>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cdsl
