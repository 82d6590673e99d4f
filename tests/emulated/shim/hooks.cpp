// The ends of the instrumentation, in each shared object: what `-fsanitize=thread` calls at each load and store,
// `-fsanitize=bounds,alignment` where an index or a pointer is wrong, and `-fsanitize-coverage` at each basic block, goes to the
// machine. Itself compiled without either. No
// sanitizer's library is linked.
#include "api.h"

namespace emulated {
#define HIDDEN __attribute__((visibility("hidden")))
extern const Api* machine;
HIDDEN const Api* machine = nullptr;
}  // namespace emulated

using emulated::machine;
using emulated::Use;

#define HERE __builtin_return_address(0)

extern "C" {

__attribute__((visibility("default"))) void emulated_connect(const emulated::Api* api) { machine = api; }

#define SIZED(bytes)                                                                                                       \
  HIDDEN void __tsan_read##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Read, HERE); }                        \
  HIDDEN void __tsan_write##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Write, HERE); }                      \
  HIDDEN void __tsan_unaligned_read##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Read, HERE); }              \
  HIDDEN void __tsan_unaligned_write##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Write, HERE); }            \
  HIDDEN void __tsan_volatile_read##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Volatile, HERE); }           \
  HIDDEN void __tsan_volatile_write##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Volatile, HERE); }          \
  HIDDEN void __tsan_unaligned_volatile_read##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Volatile, HERE); } \
  HIDDEN void __tsan_unaligned_volatile_write##bytes(void* p) { machine->access((uintptr_t)p, bytes, Use::Volatile, HERE); }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)

HIDDEN void __tsan_read_range(void* p, size_t bytes) { machine->access((uintptr_t)p, bytes, Use::Read, HERE); }
HIDDEN void __tsan_write_range(void* p, size_t bytes) { machine->access((uintptr_t)p, bytes, Use::Write, HERE); }
/// At each basic block, so that a loop that touches no memory ends too.
HIDDEN void __sanitizer_cov_trace_pc() {
  if (machine != nullptr && --*machine->steps_left == 0) machine->out_of_steps(HERE);
}

HIDDEN void __tsan_vptr_update(void**, void*) {}
HIDDEN void __tsan_vptr_read(void**) {}
HIDDEN void __tsan_init() {}
HIDDEN void __tsan_func_entry(void*) {}
HIDDEN void __tsan_func_exit() {}

// The descriptions that the compiler hands over: of them the alignment and the number of elements are wanted.
struct Place {
  const char* file;
  uint32_t line, column;
};
struct TypeMismatch {
  Place place;
  const void* type;
  unsigned char log_alignment, kind;
};
struct Type {
  uint16_t kind, info;
  char name[1];  // 'float [8]'
};
struct OutOfBounds {
  Place place;
  const Type *array, *index;
};

static size_t count_of(const Type* array) {
  const char* at = array->name;
  while (*at != 0 && *at != '[') ++at;
  size_t count = 0;
  for (++at; *at >= '0' && *at <= '9'; ++at) count = 10 * count + (size_t)(*at - '0');
  return count;
}

HIDDEN void __ubsan_handle_type_mismatch_v1(TypeMismatch* what, void* p) {
  machine->misaligned((uintptr_t)p, (size_t)1 << what->log_alignment, HERE);
}
HIDDEN void __ubsan_handle_out_of_bounds(OutOfBounds* what, uintptr_t index) {
  // The index comes as the bits of its own type; the widths of up to 32 bits are extended here.
  const bool is_signed = (what->index->info & 1) != 0;
  const int bits = 1 << (what->index->info >> 1);
  const int64_t value = is_signed && bits <= 32 ? (int64_t)(int32_t)index : (int64_t)index;
  machine->bad_index(value, count_of(what->array), HERE);
}

}  // extern "C"
