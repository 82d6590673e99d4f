#include "dsl/sim/simulator.h"

#include "dsl/sim/compile.h"
#include "dsl/sim/launch.h"
#include "dsl/support/check.h"

namespace cdsl::sim {

struct Simulator::Impl {
  /// A kernel, compiled at its first launch, and where its counters stand in the result.
  struct Prepared {
    std::unique_ptr<Code> code;
    std::size_t first_access = 0;
  };

  Session session;
  std::vector<Prepared> kernels;
  uint64_t launches = 0;

  Impl(const loop::Program& program, Memory& memory, Options options)
      : session{program, memory, options} {
    kernels.resize(program.kernels.size());
  }

  Prepared& prepare(uint32_t index) {
    Prepared& prepared = kernels[index];
    if (prepared.code != nullptr) return prepared;
    const loop::Kernel& kernel = session.program.kernels[index];
    prepared.code = std::make_unique<Code>(compile(session.program, kernel));
    auto& accesses = session.result.accesses;
    prepared.first_access = accesses.size();
    for (const Site& site : prepared.code->sites) {
      const BufferUse& buffer = prepared.code->buffers[site.buffer];
      AccessCounters counters;
      counters.kernel = kernel.name;
      counters.buffer = buffer.name;
      counters.leaf = site.leaf;
      counters.where = site.where;
      counters.is_store = site.is_store;
      counters.is_atomic = site.is_atomic;
      counters.is_shared = buffer.space == loop::Space::Shared;
      counters.width_bytes = site.width_bytes;
      accesses.push_back(std::move(counters));
    }
    return prepared;
  }

  void forget_released_memory() {
    for (std::size_t handle = 0; handle < session.shadows.size(); ++handle) {
      if (!session.memory.allocation(static_cast<uint32_t>(handle)).live)
        session.shadows[handle].reset();
    }
  }

  // Serial numbers of blocks have 30 bits; past them history starts anew.
  void reserve_serials(int64_t blocks) {
    if (session.next_block + blocks < Record::kMaxBlock) return;
    for (const auto& shadow : session.shadows) {
      if (shadow != nullptr) shadow->clear();
    }
    session.next_block = 1;
  }
};

Simulator::Simulator(const loop::Program& program, Memory& memory, Options options)
    : impl_(std::make_unique<Impl>(program, memory, options)) {}

Simulator::~Simulator() = default;

void Simulator::launch(uint32_t kernel, const int64_t (&grid)[3],
                       std::span<const Argument> arguments) {
  Session& session = impl_->session;
  CDSL_CHECK(kernel < impl_->kernels.size(), "launch of a kernel that the program does not have");
  Impl::Prepared& prepared = impl_->prepare(kernel);
  const Code& code = *prepared.code;
  KernelCounters& counters = session.result.kernels[code.kernel->name];
  ++counters.launches;
  Launch launch{session, code, counters};
  launch.accesses = session.result.accesses.data() + prepared.first_access;
  std::copy(grid, grid + 3, launch.grid);
  std::size_t buffers = 0;
  for (const BufferUse& use : code.buffers) buffers += use.space == loop::Space::Global ? 1 : 0;
  CDSL_CHECK(arguments.size() == buffers + code.scalars.size() + code.kernel->maps.size(),
             "number of arguments of " + code.kernel->name);
  if (!bind(launch, arguments)) return;
  launch.blocks_in_grid = grid[0] * grid[1] * grid[2];
  impl_->forget_released_memory();
  impl_->reserve_serials(launch.blocks_in_grid);
  launch.first_block = session.next_block;
  if (code.orders && session.options.check) launch.order = std::make_unique<Order>();
  launch.random = Random(session.options.seed * 0x2545F4914F6CDD1Dull + impl_->launches++);
  run(launch, arguments);
}

void Simulator::set_resident_blocks(int64_t blocks) {
  impl_->session.options.resident_blocks = blocks;
}

const Result& Simulator::result() const {
  return impl_->session.result;
}

}  // namespace cdsl::sim
