// The table through which units call the machine that runs.
#include <fmt/format.h>
#include <array>
#include <cmath>
#include <cstring>

#include "dsl/types/arithmetic.h"
#include "dsl/types/float_math.h"
#include "machine.h"

namespace cdsl::emulation {

using ::emulated::Use;

/// One launch runs at a time.
struct ApiTable {
  static inline Machine*& at = Machine::running_;

  static void access(uintptr_t address, std::size_t bytes, Use use, const void* pc) { at->access(address, bytes, use, pc); }
  static void misaligned(uintptr_t address, std::size_t alignment, const void* pc) {
    at->fault("misaligned", fmt::format("accesses {:#x}, which is not a multiple of {}", address & 0xffff, alignment), pc);
  }
  static void bad_index(int64_t index, std::size_t count, const void* pc) {
    // One past the end may be named, as long as it is not accessed: `fatal` is left to the access.
    at->fault("out of bounds", fmt::format("takes element {} of an array of {}", index, count), pc);
  }
  static void fault(const char* kind, const char* message, const void* pc) { at->fatal(kind, message, pc); }
  static void atomic(uintptr_t address, std::size_t bytes, const void* pc) {
    if (address % bytes != 0)
      at->fatal("misaligned", fmt::format("updates {} bytes at {:#x}, which is not a multiple", bytes, address & 0xffff), pc);
    at->pause();
    at->access(address, bytes, Use::Atomic, pc);
  }
  static void fence(::emulated::Fence) { at->fence(); }
  static void out_of_steps(const void* pc) { at->fatal("step limit", "the launch does not end", pc); }
  static void sync_block(unsigned site, const void* pc) { at->sync_block(site, pc); }
  static void sync_cluster(unsigned site, const void* pc) { at->sync_cluster(site, pc); }
  static void sync_some(int barrier, int threads, bool wait, const void* pc) { at->sync_some(barrier, threads, wait, pc); }
  static void sync_warp(unsigned site, unsigned mask, const void* pc) { at->meet_warp({.kind = Meeting::Kind::Sync, .site = site, .mask = mask, .pc = pc}); }
  static uint64_t shuffle(unsigned site, unsigned mask, ::emulated::Shuffle kind, uint64_t bits, int operand, int width, const void* pc) {
    at->meet_warp({.kind = Meeting::Kind::Shuffle, .site = site, .mask = mask, .shuffle = kind, .bits = bits, .operand = operand, .width = width, .pc = pc});
    return at->thread().result;
  }
  static unsigned vote(unsigned site, unsigned mask, ::emulated::Vote kind, bool predicate, const void* pc) {
    at->meet_warp({.kind = Meeting::Kind::Vote, .site = site, .mask = mask, .vote = kind, .bits = predicate, .pc = pc});
    return static_cast<unsigned>(at->thread().result);
  }
  static uint64_t match(unsigned site, unsigned mask, bool all, uint64_t bits, const void* pc) {
    at->meet_warp({.kind = Meeting::Kind::Match, .site = site, .mask = mask, .all = all, .bits = bits, .pc = pc});
    return at->thread().result;
  }
  static void* dynamic_shared() { return at->dynamic_shared_; }
  static int cluster_rank() { return static_cast<int>(at->block().serial % at->launch_->cluster); }

  /// The same place of another block of the cluster, which is not mapped while this one runs.
  static void* at_rank(void* place, int rank, const void* pc) {
    const unsigned cluster = at->launch_->cluster, own = at->block().serial;
    if (rank < 0 || static_cast<unsigned>(rank) >= cluster) at->fatal("out of bounds", fmt::format("rank {} of a cluster of {}", rank, cluster), pc);
    const unsigned wanted = own / cluster * cluster + static_cast<unsigned>(rank);
    if (wanted == own) return place;
    for (Block* block : at->active_) {
      if (block->serial != wanted) continue;
      auto* const byte = static_cast<unsigned char*>(place);
      unsigned char* const fixed = at->launch_->static_shared.data();
      if (byte >= fixed && byte < fixed + at->launch_->static_shared.size()) return block->static_image.data() + (byte - fixed);
      return block->dynamic_image.data() + (byte - at->dynamic_shared_);
    }
    at->fatal("out of bounds", "takes a place of a block that has ended", pc);
    return nullptr;
  }

  // A copy in the background is read at once and arrives as late as it may: when its thread waits for it.
  static void copy_async(void* to, const void* from, int bytes, bool reads, const void* pc) {
    const auto size = static_cast<std::size_t>(bytes);
    for (const void* place : {static_cast<const void*>(to), from}) {
      if (reinterpret_cast<uintptr_t>(place) % size != 0)
        at->fatal("misaligned", fmt::format("copies {} bytes from or to {:#x}, which is not a multiple", bytes, reinterpret_cast<uintptr_t>(place) & 0xffff), pc);
    }
    if (reads) at->access(reinterpret_cast<uintptr_t>(from), size, Use::Read, pc);
    at->thread().open.push_back({to, reads ? from : nullptr, bytes, pc});
  }
  static void commit_async() {
    at->thread().copies.push_back(std::move(at->thread().open));
    at->thread().open.clear();
  }
  static void wait_async(int pending) {
    auto& copies = at->thread().copies;
    while (copies.size() > static_cast<std::size_t>(pending)) {
      for (const PendingCopy& copy : copies.front()) {
        const auto size = static_cast<std::size_t>(copy.bytes);
        at->access(reinterpret_cast<uintptr_t>(copy.to), size, Use::Write, copy.pc);
        if (copy.from != nullptr)
          std::memcpy(copy.to, copy.from, size);
        else
          std::memset(copy.to, 0, size);
      }
      copies.pop_front();
    }
  }

  static double math(::emulated::Math function, double x, double y, bool single) {
#define ROW(name, Operator, count) {Op::Operator, count},
    static constexpr std::pair<Op, std::size_t> kRows[] = {EMULATED_FUNCTIONS(ROW)};
#undef ROW
    const auto& [op, count] = kRows[static_cast<std::size_t>(function)];
    const std::array<Value, 2> arguments{Value::of_float(x), Value::of_float(y)};
    return apply_float(op, single ? ScalarType::F32 : ScalarType::F64, std::span(arguments).first(count)).re;
  }
  static ScalarType stored(int mantissa) {
    return mantissa == 10 ? ScalarType::F16 : mantissa == 7 ? ScalarType::BF16 : mantissa == 3 ? ScalarType::F8E4M3 : ScalarType::F8E5M2;
  }
  static float to_float(unsigned bits, int mantissa) {
    return static_cast<float>(load_element(&bits, stored(mantissa)).re);
  }
  static unsigned from_float(float x, int mantissa) {
    unsigned bits = 0;
    store_element(&bits, stored(mantissa), convert(Value::of_float(x), ScalarType::F32, stored(mantissa)));
    return bits;
  }

  static ::emulated::Api functions() {
    return {access,       misaligned, bad_index, fault,          atomic,       fence,   sync_block, sync_cluster, sync_some,  sync_warp,
            shuffle,      vote,       match,     dynamic_shared, cluster_rank, at_rank, copy_async, commit_async, wait_async, math,
            to_float,     from_float, out_of_steps, &Machine::steps_left_, Machine::shown_};
  }
};

const ::emulated::Api& Machine::api() {
  static const ::emulated::Api table = ApiTable::functions();
  return table;
}

}  // namespace cdsl::emulation
