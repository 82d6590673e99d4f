// The host side of a file, its opening comment, and the launch contract.
#include <gtest/gtest.h>

#include "codegen/contract.h"
#include "codegen/cuda.h"
#include "dsl/loop/builder.h"

namespace cdsl {
namespace {

using T = ScalarType;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// y = a * x through a workspace buffer, over and over: a launch in a loop, a fill and a copy.
struct Sample {
  tir::Function function;
  loop::Program program;
  SymbolId n, a;

  Sample() {
    function.name = "scale";
    function.source =
        "fn scale(a: f32, x: f32[N]) -> (y: f32[N]) {\n  y[i] = a * x[i]; // */ \\\n}\n";
    n = function.arena.add_symbol("N", SymbolKind::Size);
    a = function.arena.add_symbol("a", SymbolKind::Scalar, T::F32);
    const ExprId size = function.arena.symbol_ref(n);
    function.records.push_back(scalar_record(T::F32));
    function.scalars.push_back({a, T::F32, {}});
    function.parameters = {{0u}, {TensorId(0)}, {TensorId(1)}};
    add_tensor("x", tir::Role::Input, size);
    add_tensor("y", tir::Role::Output, size);
    function.sizes.push_back({n, false, TensorId(0), 0, 1, 0, {}});
    const ExprId limit = function.arena.integer(100);
    function.checks.push_back(
        {function.arena.apply(Op::Le, {size, limit}), "N is {0}, 100% too great", {size}, {}});
    program = loop::Program::over(function.arena, "scale");
    build();
  }

  void add_tensor(const char* name, tir::Role role, ExprId size) {
    tir::Tensor tensor;
    tensor.name = name;
    tensor.element = RecordId(0);
    tensor.shape = {size};
    tensor.role = role;
    function.tensors.push_back(std::move(tensor));
  }

  void build() {
    loop::Builder b(program, "scale_y");
    const BufferId x = b.global("x", scalar_record(T::F32), true),
                   y = b.global("y", scalar_record(T::F32));
    const ExprId count = b.parameter(n), factor = b.parameter(a);
    b.grid_stride("i", count, [&](ExprId i) { b.store(y, i, b.mul(factor, b.load(x, i))); });
    plan::Launch launch;
    launch.kernel = b.finish();
    launch.grid.items = count;
    launch.arguments = {{plan::BufferRef{0}}, {plan::BufferRef{2}}, {count}, {factor}};
    plan::Plan& plan = program.plan;
    const ExprId bytes = program.arena.apply(Op::Mul, {count, program.arena.integer(4)});
    plan.buffers.push_back({"x", plan::Buffer::Kind::Parameter, TensorId(0), 0, bytes, {}});
    plan.buffers.push_back({"y", plan::Buffer::Kind::Parameter, TensorId(1), 0, bytes, {}});
    plan.buffers.push_back({"next", plan::Buffer::Kind::Workspace, {}, 0, bytes, {}});
    plan::Loop loop;
    loop.index = program.arena.add_symbol("t", SymbolKind::Index);
    loop.lo = program.arena.integer(0);
    loop.hi = program.arena.integer(3);
    loop.steps.push_back({launch});
    plan.general().steps.push_back(
        {plan::Fill{{2}, {std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0x3f}}}});
    plan.general().steps.push_back({std::move(loop)});
    plan.general().steps.push_back({plan::Copy{{1}, {2}, bytes}});
    plan.arena = program.arena;
  }

  /// A variant before the general one that copies, under every kind of guard.
  void add_variant() {
    plan::Plan& plan = program.plan;
    plan::Variant variant;
    variant.name = "fast";
    const ExprId size = plan.arena.symbol_ref(n);
    const ExprId few = plan.arena.apply(Op::Le, {size, plan.arena.integer(9)}),
                 some = plan.arena.apply(Op::Ge, {size, plan.arena.integer(2)});
    variant.guards = {plan::Holds{plan.arena.apply(Op::LogicalOr, {few, some})},
                      plan::Aligned{{0}, 16}, plan::NoAlias{{{0}, {1}}}};
    variant.steps.push_back({plan::Copy{{1}, {0}, plan.buffers[0].bytes}});
    plan.variants.insert(plan.variants.begin(), std::move(variant));
    program.arena = plan.arena;
  }

  std::string emit(const Remarks& remarks = {}) const {
    CudaOptions options;
    options.version = "1.2.3";
    return emit_cuda(function, program, remarks, options);
  }
};

TEST(CodegenOpening, SaysWhatItIsMadeFrom) {
  Remark remark;
  remark.pass = "simplify";
  remark.site = "y";
  remark.reason = "1 constant folded";
  const std::string text = Sample().emit({remark});
  EXPECT_TRUE(
      text.starts_with("// scale, made by cuoptc 1.2.3 for sm_90a.\n//\n//   fn scale(a: f32, x: "
                       "f32[N]) -> (y: f32[N]) {\n"));
  EXPECT_TRUE(contains(text,
                       "//     y[i] = a * x[i]; // */ \\.\n//   }\n//\n// Decisions:\n// - "
                       "simplify: y: 1 constant folded\n"));
}

TEST(CodegenLauncher, ArgumentsAndWorkspace) {
  const std::string text = Sample().emit();
  EXPECT_TRUE(contains(text, "struct scale_args {\n  float a;\n  const float* x;  // f32[N]\n"));
  EXPECT_TRUE(contains(text, "bytes += aligned_256(args.N * 4);"));
  EXPECT_TRUE(contains(
      text,
      "cudaError_t launch_scale(const scale_args& args, void* workspace, cudaStream_t stream,"));
}

TEST(CodegenLauncher, ChecksTheCall) {
  const std::string text = Sample().emit();
  EXPECT_TRUE(
      contains(text, "if (args.N < 0) return refuse(why, \"size N is negative: %lld\", args.N);"));
  EXPECT_TRUE(contains(
      text, "if (!fits({args.N, 4})) return refuse(why, \"x is too large\");"));
  EXPECT_TRUE(contains(text, "{\"y\", args.y, args.N * 4, 4, true},"));
  EXPECT_TRUE(contains(text,
                       "if (!(args.N <= 100)) return refuse(why, \"N is %lld, 100%% too great\", "
                       "(long long)args.N);"));
}

TEST(CodegenLauncher, RunsThePlan) {
  const std::string text = Sample().emit();
  EXPECT_TRUE(
      contains(text, "fill_words<float><<<blocks, 256, 0, stream>>>(next, 1.0f, args.N * 4 / 4);"))
      << text;
  EXPECT_TRUE(contains(text, "for (long long t = 0; t < 3; ++t) {"));
  EXPECT_TRUE(contains(text, "scale_y<<<blocks, 256, 0, stream>>>(args.x, next, args.N, args.a);"));
  EXPECT_TRUE(contains(text, "cudaMemcpyAsync(args.y, next, args.N * 4,"));
}

TEST(CodegenLauncher, PicksAVariant) {
  Sample sample;
  sample.add_variant();
  EXPECT_EQ(loop::verify(sample.program), std::vector<std::string>{});
  const std::string text = sample.emit();
  EXPECT_TRUE(contains(text, R"(
  if ((args.N <= 9 || args.N >= 2) && is_aligned(args.x, 16) && no_alias(ranges, {0, 1})) {
    // Variant fast.
    if (cudaError_t error = cudaMemcpyAsync(args.y, args.x, args.N * 4, cudaMemcpyDeviceToDevice,
        stream)) {
      return error;
    }
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
)")) << text;
  EXPECT_TRUE(contains(text, "inline bool is_aligned(")) << text;
  EXPECT_TRUE(contains(text, "bool no_alias(")) << text;
  // The variants need different workspace.
  EXPECT_TRUE(contains(text, R"(
  long long bytes = 0, most = 0;
  bytes = 0;  // variant fast
  if (bytes > most) most = bytes;
  bytes = 0;  // variant general
  bytes += aligned_256(args.N * 4);  // next
  if (bytes > most) most = bytes;
  return most;
)")) << text;
}

TEST(CodegenContract, ListsVariants) {
  Sample sample;
  sample.add_variant();
  const std::string json = contract_json(sample.function, sample.program);
  for (const char* part :
       {"\"name\": \"fast\"", "\"condition\": \"N <= 9 || N >= 2\"", "\"aligned\": \"x\"",
        "\"bytes\": 16", "\"noalias\": [", "\"name\": \"general\"", "\"guards\": []"}) {
    EXPECT_TRUE(contains(json, part)) << part << "\n" << json;
  }
}

TEST(CodegenContract, IsVersionedAndComplete) {
  const Sample sample;
  const std::string json = contract_json(sample.function, sample.program);
  EXPECT_TRUE(json.starts_with("{\n  \"contract\": 2,\n  \"function\": \"scale\","));
  for (const char* part :
       {"\"name\": \"scale_y\"", "\"L\": \"i0\"", "\"byte\": \"L * 4\"", "\"from\": \"x\"",
        "\"launch\": \"scale_y\"", "\"pattern\": \"0000803f\"", "\"role\": \"output\"",
        "\"loop\": \"t\""}) {
    EXPECT_TRUE(contains(json, part)) << part << "\n" << json;
  }
}

}  // namespace
}  // namespace cdsl
