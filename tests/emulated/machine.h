// The machine that runs kernels of emitted text: blocks that are resident together, each thread a fibre, one of them at a time. Which
// one goes next is drawn from a seed wherever threads meet or touch memory atomically; lanes of a warp go together nowhere.
//
// Guarantees: the same text, memory, arguments and options give the same result and the same faults. A fault that leaves no way
// to go on (an access outside memory, a barrier that never opens) ends its launch; every launch ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "block.h"
#include "memory.h"
#include "runtime/device.h"
#include "shim/api.h"

namespace cdsl::emulation {

struct Options {
  uint64_t seed = 1;
  int resident_blocks = 3;             // that take turns
  uint64_t step_limit = 4'000'000'000;  // basic blocks of one launch, and a hundredth of it of turns, before "does not end"
  std::size_t most_faults = 16;        // different ones (kind and place) before a launch stops
};

/// One launch. `shared_bytes` are dynamic.
struct Launch {
  std::string kernel;
  const ::emulated::Kernel* code = nullptr;
  std::span<unsigned char> static_shared = {};
  std::size_t shared_bytes = 0;
  int64_t blocks = 0, resident = 0;
  ::emulated::Index3 block{1, 1, 1};
  unsigned cluster = 1;
  std::span<void* const> arguments = {};
};

class Machine {
 public:
  struct FoundFault {
    std::string kind, message, kernel;
    const void* pc = nullptr;
    uint64_t count = 1;
  };

  explicit Machine(Options options);
  ~Machine();

  Memory memory;
  void run(const Launch& launch);
  std::vector<FoundFault> take_faults();
  static const ::emulated::Api& api();

 private:
  friend struct ApiTable;
  struct Stop {};  // what ends a launch

  // machine.cpp: whose turn it is.
  void start_block(Block& block, uint32_t serial);
  Block& choose_block(Block* last);
  void turn(Block& block);
  void leave(Thread::State state);
  void pause();
  void show(const Thread& thread);
  void map_in(Block& block);
  void stuck();
  bool draw(uint32_t one_in) { return below(one_in) == 0; }
  uint32_t below(std::size_t count);

  // machine_access.cpp: what is accessed.
  void access(uintptr_t address, std::size_t bytes, ::emulated::Use use, const void* pc);
  void access_global(Allocation& allocation, uintptr_t address, std::size_t bytes, ::emulated::Use use, const void* pc);
  bool access_shared(uintptr_t address, std::size_t bytes, ::emulated::Use use, const void* pc);
  void touch(Cells& cells, std::size_t first, std::size_t bytes, ::emulated::Use use, uint32_t since, const char* what,
             const void* pc);
  Actor actor(uint32_t since) const;
  std::string name_thread(uint32_t id) const;

  // machine_sync.cpp: where threads meet.
  void sync_block(unsigned site, const void* pc);
  void sync_cluster(unsigned site, const void* pc);
  void sync_some(int barrier, int threads, bool wait, const void* pc);
  void meet_warp(Meeting meeting);
  void finish_warp(Block& block, unsigned warp);
  void open(Block& block, Thread::State waiting);
  void order_all() { all_sync_ = ++now_; }
  void fence();

  // faults.cpp
  void fault(std::string kind, std::string message, const void* pc);
  [[noreturn]] void end_thread();
  void fatal(std::string kind, std::string message, const void* pc);

  Thread& thread() { return *current_; }
  Block& block() { return *current_->block; }

  Options options_;
  uint64_t random_;
  const Launch* launch_ = nullptr;
  std::vector<std::unique_ptr<Block>> blocks_;  // slots; their fibres are kept between launches
  std::vector<Block*> active_;
  Block* mapped_ = nullptr;
  Thread* current_ = nullptr;
  static inline ::emulated::Index3 shown_[4] = {};  // threadIdx, blockIdx, blockDim, gridDim of whose turn it is
  static inline Machine* running_ = nullptr;
  static inline uint64_t steps_left_ = 0;
  std::unique_ptr<unsigned char[]> dynamic_;
  unsigned char* dynamic_shared_ = nullptr;
  uint32_t now_ = 1, launch_start_ = 1, all_sync_ = 0;
  Published published_;
  uint64_t turns_ = 0;
  bool stopping_ = false;
  std::vector<FoundFault> faults_;
};

}  // namespace cdsl::emulation
