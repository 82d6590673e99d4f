// A thread of a kernel as a fibre: it runs until it suspends itself, and goes on when it is resumed. Boost.Context does the switch.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cdsl::emulation {

/// Memory for one fibre's frames, with a page below it that nothing may touch.
class Stack {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;

  Stack();
  ~Stack();
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  /// Is the place in the frames?
  bool holds(uintptr_t address) const { return address - low_ < kBytes; }
  void* top() const { return reinterpret_cast<void*>(top_); }
  std::size_t bytes() const { return top_ - low_; }

 private:
  uintptr_t low_ = 0, top_ = 0;
};

class Fibre {
 public:
  Fibre() = default;
  ~Fibre() { abandon(); }
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// `body` runs at the next `resume`. One that has not ended is abandoned.
  void start(std::function<void()> body);
  /// Runs it until it suspends or ends; true once it has ended.
  bool resume();
  /// Back to who resumed. Requires: called on this fibre.
  void suspend();
  /// What has begun is never gone on with; its frames are not unwound.
  void abandon();
  const Stack& stack() const { return stack_; }

 private:
  Stack stack_;
  boost::context::fiber inside_, caller_;
};

}  // namespace cdsl::emulation
