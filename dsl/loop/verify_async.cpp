#include "dsl/loop/verify_async.h"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/loop/matrix_fragment.h"
#include "dsl/loop/matrix_layout.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

constexpr int kMaxNamedBarrier = 15, kWarp = 32, kWarpgroup = 128;
constexpr int kLeastRegisters = 24, kMostRegisters = 256, kRegisterUnit = 8;
constexpr int kMaxMatrixOffset = 1 << 18;  // bytes that a descriptor's fields hold
constexpr int kMaxBox = 256, kMaxRank = 5, kBoxRow = 16;

bool is_swizzle(int bytes) {
  return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128;
}

bool may_be_added(ScalarType type) {
  return type == ScalarType::I32 || type == ScalarType::U32 || type == ScalarType::U64 ||
         type == ScalarType::F16 || type == ScalarType::BF16 || type == ScalarType::F32 ||
         type == ScalarType::F64;
}

class AsyncVerifier {
 public:
  AsyncVerifier(const Program& program, const Kernel& kernel, std::vector<std::string>& errors)
      : program_(program), arena_(program.arena), kernel_(kernel), errors_(errors) {}

  void run() {
    for (const uint32_t map : kernel_.maps) {
      if (map >= program_.maps.size()) return fail("a tensor map that the program does not have");
    }
    for_each_statement(kernel_.body, [&](const Statement& statement) {
      for_each_access(statement, [&](const Access& access) { check_rank(statement, access); });
      for_each_fragment(statement, [&](const Fragment& fragment) { check_fragment(fragment); });
      std::visit([&](const auto& node) { check(node); }, statement.node);
    });
  }

 private:
  void fail(const std::string& what) { errors_.push_back("kernel " + kernel_.name + ": " + what); }

  const Buffer& buffer(BufferId id) const { return program_.buffer(id); }
  Space space(const Access& access) const { return buffer(access.buffer).space; }
  ScalarType type_of(const Access& access) const {
    return buffer(access.buffer).element.leaves[access.leaf].type;
  }
  ScalarType type_of(const Fragment& f) const { return buffer(f.buffer).element.leaves[0].type; }
  int threads() const { return kernel_.block[0] * kernel_.block[1] * kernel_.block[2]; }
  bool has_cluster() const {
    return kernel_.cluster[0] * kernel_.cluster[1] * kernel_.cluster[2] > 1;
  }

  void is_integer_value(ExprId id, const char* what) {
    if (!id.valid() || !is_integer(arena_.type(id))) fail(std::string(what) + " is no integer");
  }

  void check_rank(const Statement& statement, const Access& access) {
    if (!access.rank.valid()) return;
    const auto& node = statement.node;
    const auto* bulk = std::get_if<CopyBulk>(&node);
    const bool may =
        std::holds_alternative<Store>(node) || std::holds_alternative<VectorLoad>(node) ||
        std::holds_alternative<VectorStore>(node) || std::holds_alternative<VectorMove>(node) ||
        std::holds_alternative<Atomic>(node) ||
        std::holds_alternative<BarrierArrive>(node) || (bulk != nullptr && &access != &bulk->from);
    if (!may) fail("a place in another block, in a statement that reaches its own only");
    if (space(access) != Space::Shared) fail("a rank of memory that is not shared");
    if (!has_cluster()) fail("a rank in a kernel without clusters");
    is_integer_value(access.rank, "a rank");
  }

  void check_fragment(const Fragment& f) {
    if (std::find(kernel_.buffers.begin(), kernel_.buffers.end(), f.buffer) ==
        kernel_.buffers.end())
      return fail("a fragment in a buffer that the kernel does not list");
    const Buffer& b = buffer(f.buffer);
    if (b.space != Space::Register || !b.element.is_scalar())
      return fail("a fragment in " + b.name + ", which is no register buffer of scalars");
    is_integer_value(f.base, "the base of a fragment");
    const int packed = std::max(4 / static_cast<int>(b.element.size), 1);
    for (std::size_t k = 0; k < f.offsets.size(); ++k) {
      const bool follows = static_cast<int>(k) % packed == 0 ? f.offsets[k] % packed == 0
                                                             : f.offsets[k] == f.offsets[k - 1] + 1;
      if (!follows)
        return fail("a fragment in " + b.name + " whose elements are not packed in words");
      if (f.offsets[k] < 0 || f.offsets[k] >= b.count) return fail("a fragment outside " + b.name);
    }
  }

  /// False where the buffer of a fragment cannot be looked at.
  bool is_fragment(const Fragment& f) const {
    return f.buffer.valid() && f.buffer.index() < program_.buffers.size() &&
           !buffer(f.buffer).element.leaves.empty();
  }

  void has_elements(const Fragment& f, int count, const char* what) {
    if (static_cast<int>(f.offsets.size()) != count)
      fail(fmt::format("{} has {} registers' elements, {} are needed", what, f.offsets.size(),
                       count));
  }

  void check_barrier(const Access& access) {
    if (!access.buffer.valid()) return fail("an arrival barrier is missing");
    const bool good = space(access) == Space::Shared && buffer(access.buffer).element.is_scalar() &&
                      type_of(access) == ScalarType::U64;
    if (!good) fail("an arrival barrier that is no element of a shared buffer of u64");
  }

  template <class Node>
  void check(const Node&) {}

  void check(const BarrierInit& n) {
    check_barrier(n.barrier), is_integer_value(n.count, "the count of a barrier");
  }
  void check(const BarrierWait& n) {
    check_barrier(n.barrier), is_integer_value(n.parity, "a parity");
  }
  void check(const BarrierArrive& n) {
    check_barrier(n.barrier);
    if (n.bytes.valid()) is_integer_value(n.bytes, "an expectation of bytes");
  }

  void check(const CopyAsync& n) {
    if (n.bytes != 4 && n.bytes != 8 && n.bytes != 16)
      fail(fmt::format("an asynchronous copy of {} bytes, not 4, 8 or 16", n.bytes));
    if (space(n.to) != Space::Shared || space(n.from) != Space::Global)
      fail("an asynchronous copy that is not from global to shared memory");
    if (n.condition.valid() && arena_.type(n.condition) != ScalarType::Bool)
      fail("the condition of a copy is no bool");
  }

  void check(const CopyWait& n) {
    if (n.pending < 0) fail("a wait for a negative number of batches");
    if (n.read && n.batch == CopyBatch::Async) fail("only bulk copies are waited for as read");
  }

  void check(const CopyBulk& n) {
    is_integer_value(n.bytes, "the bytes of a bulk copy");
    if (space(n.to) == Space::Shared) {
      check_barrier(n.barrier);
      if (n.adds) fail("a bulk copy that adds to shared memory");
      if (space(n.from) == Space::Register) fail("a bulk copy from registers");
      if (space(n.from) == Space::Shared && !n.to.rank.valid())
        fail("a bulk copy from shared memory to the block's own");
      if (n.to.rank.valid() && space(n.from) != Space::Shared)
        fail("a bulk copy from global memory to another block");
      return;
    }
    if (space(n.to) != Space::Global || space(n.from) != Space::Shared)
      fail("a bulk copy to global memory that is not from shared memory");
    if (n.barrier.buffer.valid()) fail("a bulk copy to global memory that arrives at a barrier");
    if (buffer(n.to.buffer).read_only)
      fail("a bulk copy to read-only buffer " + buffer(n.to.buffer).name);
    if (n.adds && (!buffer(n.to.buffer).element.is_scalar() || !may_be_added(type_of(n.to)) ||
                   type_of(n.to) != type_of(n.from)))
      fail("a bulk copy that adds elements of a type it cannot add");
  }

  void check(const CopyTensor& n) {
    if (std::find(kernel_.maps.begin(), kernel_.maps.end(), n.map) == kernel_.maps.end())
      return fail("a copy by a tensor map that the kernel does not list");
    const TensorMap& map = program_.maps[n.map];
    if (n.at.size() != map.box.size())
      fail(fmt::format("{} coordinates for map {}, which has {} axes", n.at.size(), map.name,
                       map.box.size()));
    for (const ExprId id : n.at) is_integer_value(id, "a coordinate of a box");
    if (space(n.shared) != Space::Shared)
      return fail("a box that is not copied to or from shared memory");
    if (type_of(n.shared) != map.type)
      fail("a box of map " + map.name + " in shared memory of another type");
    if (n.store && (n.barrier.buffer.valid() || n.multicast.valid()))
      fail("a store of a box that arrives or multicasts");
    if (n.store) return;
    check_barrier(n.barrier);
    if (!n.multicast.valid()) return;
    is_integer_value(n.multicast, "the mask of a multicast");
    if (!has_cluster()) fail("a multicast in a kernel without clusters");
  }

  void check_tiles(int count, bool transposed, const Fragment& registers, const Access& memory) {
    if (count != 1 && count != 2 && count != 4)
      fail(fmt::format("{} matrix tiles, not 1, 2 or 4", count));
    if (space(memory) != Space::Shared || !buffer(memory.buffer).element.is_scalar())
      return fail("matrix tiles that are not in a shared buffer of scalars");
    if (!is_fragment(registers)) return fail("matrix tiles without registers");
    const ScalarType type = type_of(memory);
    if (type_of(registers) != type) fail("matrix tiles in registers of another type");
    if (size_of(type) > 4 || (transposed && size_of(type) != 2))
      return fail(fmt::format("matrix tiles of {}", cdsl::name_of(type)));
    has_elements(registers, count * 4 / size_of(type), "a fragment of matrix tiles");
  }
  void check(const MatrixLoad& n) { check_tiles(n.count, n.transposed, n.to, n.from); }
  void check(const MatrixStore& n) { check_tiles(n.count, n.transposed, n.from, n.to); }

  void check(const MatrixMultiply& n) {
    if (!is_fragment(n.d) || !is_fragment(n.a) || !is_fragment(n.b))
      return fail("mma without registers");
    if (!matrix_layout(n.shape, type_of(n.d), type_of(n.a), type_of(n.b), n.tf32))
      return fail(fmt::format("no mma m{}n{}k{} of {} and {} in {}", n.shape.m, n.shape.n,
                              n.shape.k, cdsl::name_of(type_of(n.a)), cdsl::name_of(type_of(n.b)),
                              cdsl::name_of(type_of(n.d))));
    has_elements(n.d, fragment_elements(Operand::D, n.shape), "d of mma");
    has_elements(n.a, fragment_elements(Operand::A, n.shape), "a of mma");
    has_elements(n.b, fragment_elements(Operand::B, n.shape), "b of mma");
  }

  void check_shared(const SharedMatrix& matrix) {
    if (space(matrix.start) != Space::Shared || !buffer(matrix.start.buffer).element.is_scalar())
      return fail("a matrix of mma_async that is not in a shared buffer of scalars");
    if (!is_swizzle(matrix.swizzle)) fail(fmt::format("a swizzle of {} bytes", matrix.swizzle));
    for (const int bytes : {matrix.leading_bytes, matrix.stride_bytes}) {
      if (bytes < 0 || bytes >= kMaxMatrixOffset || bytes % 16 != 0)
        fail(fmt::format("an offset of {} bytes between core matrices", bytes));
    }
    if (matrix.transposed && size_of(type_of(matrix.start)) != 2)
      fail("a transposed matrix of mma_async whose elements have not 16 bits");
  }

  void check(const MatrixAsync& n) {
    if (threads() % kWarpgroup != 0) fail("mma_async in a block that is not made of warpgroups");
    if (!is_fragment(n.d) || !n.b.start.buffer.valid()) return fail("mma_async without d or b");
    check_shared(n.b);
    const bool by_registers = n.a_fragment.buffer.valid();
    if (by_registers == n.a.start.buffer.valid())
      return fail("mma_async wants a in registers, or in shared memory");
    if (!by_registers) check_shared(n.a);
    const ScalarType a = by_registers ? type_of(n.a_fragment) : type_of(n.a.start),
                     b = type_of(n.b.start);
    if (!is_warpgroup_shape(n.shape, type_of(n.d), a, b, n.tf32))
      return fail(fmt::format("no mma_async m{}n{}k{} of {} and {} in {}", n.shape.m, n.shape.n,
                              n.shape.k, cdsl::name_of(a), cdsl::name_of(b),
                              cdsl::name_of(type_of(n.d))));
    has_elements(n.d, fragment_elements(Operand::D, n.shape), "d of mma_async");
    if (by_registers)
      has_elements(n.a_fragment, fragment_elements(Operand::A, n.shape), "a of mma_async");
    if (n.accumulate.valid() && arena_.type(n.accumulate) != ScalarType::Bool)
      fail("accumulate of mma_async is no bool");
  }

  void check(const MatrixBatch& n) {
    if (n.pending < 0 || n.pending > 7) fail("a wait for more than 7 batches of mma_async");
  }

  void check(const NamedBarrier& n) {
    is_integer_value(n.id, "the number of a barrier");
    const Value* id = n.id.valid() ? arena_.constant_value(n.id) : nullptr;
    if (id != nullptr && (id->i < 1 || id->i > kMaxNamedBarrier))
      fail(fmt::format("named barrier {}, there are 1 to {}", id->i, kMaxNamedBarrier));
    if (n.threads < kWarp || n.threads % kWarp != 0 || n.threads > threads())
      fail(fmt::format("a named barrier of {} threads in a block of {}", n.threads, threads()));
  }

  void check(const RegisterBudget& n) {
    if (n.registers < kLeastRegisters || n.registers > kMostRegisters ||
        n.registers % kRegisterUnit != 0)
      fail(fmt::format("a budget of {} registers, not a multiple of 8 in 24 to 256", n.registers));
    if (threads() % kWarpgroup != 0)
      fail("a register budget in a block that is not made of warpgroups");
  }

  const Program& program_;
  const ExprArena& arena_;
  const Kernel& kernel_;
  std::vector<std::string>& errors_;
};

void verify_map(const TensorMap& map, const plan::Plan& plan, std::vector<std::string>& errors) {
  const auto fail = [&](const std::string& what) {
    errors.push_back("map " + map.name + ": " + what);
  };
  const auto is_i64 = [&](ExprId id) {
    return id.valid() && id.index() < plan.arena.size() && plan.arena.type(id) == ScalarType::I64;
  };
  if (map.buffer >= plan.buffers.size()) fail("its buffer does not exist");
  const std::size_t rank = map.box.size();
  if (rank < 1 || rank > kMaxRank || map.extents.size() != rank || map.strides.size() + 1 != rank)
    return fail("1 to 5 axes have an extent and a box each, and outer ones a stride");
  if (!std::all_of(map.extents.begin(), map.extents.end(), is_i64) ||
      !std::all_of(map.strides.begin(), map.strides.end(), is_i64))
    fail("an extent or stride is no i64");
  for (const int extent : map.box) {
    if (extent < 1 || extent > kMaxBox)
      fail(fmt::format("a box of {} along an axis, not 1 to {}", extent, kMaxBox));
  }
  if (is_complex(map.type) || map.type == ScalarType::Bool)
    fail("elements of a type that maps do not have");
  if (!is_swizzle(map.swizzle)) fail(fmt::format("a swizzle of {} bytes", map.swizzle));
  const int row = map.box[0] * size_of(map.type);
  if (row % kBoxRow != 0) fail(fmt::format("rows of {} bytes, no multiple of {}", row, kBoxRow));
  if (map.swizzle != 0 && row != map.swizzle)
    fail(fmt::format("rows of {} bytes with a swizzle of {}", row, map.swizzle));
}

}  // namespace

void verify_maps(const Program& program, std::vector<std::string>& errors) {
  for (const TensorMap& map : program.maps) verify_map(map, program.plan, errors);
}

void verify_async(const Program& program, const Kernel& kernel, std::vector<std::string>& errors) {
  AsyncVerifier(program, kernel, errors).run();
}

}  // namespace cdsl::loop
