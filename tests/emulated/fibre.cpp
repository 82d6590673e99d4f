#include "fibre.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/context/preallocated.hpp>
#include <new>
#include <utility>

namespace cdsl::emulation {
namespace {

const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// The stack is ours and outlives the fibre.
struct Borrowed {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

Stack::Stack() {
  void* const all = mmap(nullptr, kBytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  mprotect(all, kPage, PROT_NONE);
  low_ = reinterpret_cast<uintptr_t>(all) + kPage;
  // Tops at the same place of a page would fight for the same lines of the cache.
  static unsigned made = 0;
  top_ = low_ + kBytes - made++ % 128 * 64;
}

Stack::~Stack() {
  munmap(reinterpret_cast<void*>(low_ - kPage), kBytes + kPage);
}

void Fibre::start(std::function<void()> body) {
  abandon();
  boost::context::stack_context context;
  context.sp = stack_.top();
  context.size = stack_.bytes();
  const boost::context::preallocated place(context.sp, context.size, context);
  inside_ = boost::context::fiber(std::allocator_arg, place, Borrowed{},
                                  [this, body = std::move(body)](boost::context::fiber&& caller) {
                                    caller_ = std::move(caller);
                                    body();
                                    return std::move(caller_);
                                  });
}

bool Fibre::resume() {
  inside_ = std::move(inside_).resume();
  return !inside_;
}

void Fibre::suspend() {
  caller_ = std::move(caller_).resume();
}

// A fiber that is destroyed unwinds its frames by an exception, which kernels are not compiled for. Nothing in them needs an end:
// the handle is moved to where no destructor runs, and the stack is used again.
void Fibre::abandon() {
  if (!inside_) return;
  alignas(boost::context::fiber) std::byte grave[sizeof(boost::context::fiber)];
  new (grave) boost::context::fiber(std::move(inside_));
}

}  // namespace cdsl::emulation
