#include "runtime/pick_variant.h"

#include <algorithm>

#include "dsl/support/check.h"


namespace cdsl::runtime {
namespace {

class Guards {
 public:
  Guards(const Device& device, const CallMemory& memory, PlanValues& values)
      : device_(device), memory_(memory), values_(values) {}

  bool hold(std::span<const plan::Guard> guards) {
    return std::all_of(guards.begin(), guards.end(), [this](const auto& guard) {
      return std::visit([this](const auto& node) { return holds(node); }, guard);
    });
  }

 private:
  uint64_t address(plan::BufferRef ref) const {
    return device_.address(memory_.buffer(ref.buffer));
  }

  bool holds(const plan::Holds& guard) { return values_(guard.condition).i != 0; }

  bool holds(const plan::Aligned& guard) {
    return address(guard.buffer) % static_cast<uint64_t>(guard.bytes) == 0;
  }

  bool holds(const plan::NoAlias& guard) {
    for (std::size_t a = 0; a < guard.buffers.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!apart(guard.buffers[a], guard.buffers[b])) return false;
      }
    }
    return true;
  }

  bool apart(plan::BufferRef a, plan::BufferRef b) const {
    const auto size = [&](plan::BufferRef ref) {
      return static_cast<uint64_t>(memory_.bytes(ref.buffer));
    };
    return size(a) == 0 || size(b) == 0 || address(a) + size(a) <= address(b) ||
           address(b) + size(b) <= address(a);
  }

  const Device& device_;
  const CallMemory& memory_;
  PlanValues& values_;
};

}  // namespace

std::size_t pick_variant(const plan::Plan& plan, std::size_t first, const Device& device,
                         const CallMemory& memory, PlanValues& values) {
  Guards guards(device, memory, values);
  for (std::size_t k = first; k < plan.variants.size(); ++k) {
    if (guards.hold(plan.variants[k].guards)) return k;
  }
  CDSL_UNREACHABLE("a plan whose last variant has guards");
}

bool guards_hold(std::span<const plan::Guard> guards, const Device& device, const CallMemory& memory, PlanValues& values) {
  return Guards(device, memory, values).hold(guards);
}

}  // namespace cdsl::runtime
