// Collects faults: each kind at each place once, with a count.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dsl/sim/shadow.h"
#include "dsl/sim/simulator.h"

namespace cdsl::sim {

struct Warp;
struct Place;
struct BoundsUse;
struct Launch;

class FaultLog {
 public:
  explicit FaultLog(std::vector<Fault>& faults) : faults_(faults) {}

  /// Counts a fault at `place` (any address that stands for it); true when it is the first there
  /// and wants a message.
  bool is_new(Fault::Kind kind, const void* place);
  /// Adds the fault that `is_new` asked for.
  void add(Fault::Kind kind, const void* place, std::string message, std::string kernel,
           SourceRange where);

 private:
  std::vector<Fault>& faults_;
  std::map<std::pair<Fault::Kind, const void*>, std::size_t> known_;
};

/// "block (3, 0, 0) thread (12, 0, 0)"
std::string thread_text(const Warp& warp, int lane);

/// The other side of a race, in words.
std::string other_text(const Warp& warp, Record other);

/// Records a fault of `lane` at `place`; stops the launch at the limit of different faults.
/// `detail` is made only for the first at the place.
void fault(Warp& warp, Fault::Kind kind, const void* place, SourceRange where, int lane,
           const std::string& what);
void out_of_bounds(Warp& warp, const Place& place, int lane, int64_t index, int64_t count);
void position_out_of_bounds(Warp& warp, const Place& place, int lane, int64_t position);
void unwritten_read(Warp& warp, const Place& place, int lane, int64_t index);
void misaligned(Warp& warp, const Place& place, int lane, int64_t index);
void broken_fact(Warp& warp, const BoundsUse& use, int lane, int64_t value);
void race(Warp& warp, const Place& place, int lane, int64_t index, uint64_t other_record);
/// A fault of the launch as a whole.
void launch_fault(Launch& launch, Fault::Kind kind, const std::string& what);

}  // namespace cdsl::sim
