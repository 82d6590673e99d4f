// Atomic updates that CUDA has no function for, vectors of elements, barriers of a cluster, and
// run-time reports.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr Helper kRows[] = {
    {"atomic_update", kOnce, "",
     R"(// Replaces *address by update(*address) in one step; gives the value before.
template <class Word, class T, class Update>
$D T atomic_update(T* address, Update update) {
  static_assert(sizeof(Word) == sizeof(T), "the word holds the value");
  Word* const word = (Word*)address;
  Word seen = *(volatile Word*)word, expected;
  T before;
  do {
    expected = seen;
    memcpy(&before, &expected, sizeof(T));
    const T after = update(before);
    Word desired;
    memcpy(&desired, &after, sizeof(T));
    seen = atomicCAS(word, expected, desired);
  } while (seen != expected);
  return before;
}
)"},
    {"atomic_update_byte", kOnce, "",
     R"(// Replaces the byte *address by update(*address) in one step; gives the value before.
template <class T, class Update>
$D T atomic_update_byte(T* address, Update update) {
  static_assert(sizeof(T) == 1, "a byte");
  unsigned short* const pair = (unsigned short*)((unsigned long long)address & ~1ull);
  const int shift = (int)((unsigned long long)address & 1) * 8;
  unsigned short seen = *(volatile unsigned short*)pair, expected;
  T before;
  do {
    expected = seen;
    const unsigned char old_byte = (unsigned char)(expected >> shift);
    memcpy(&before, &old_byte, 1);
    const T after = update(before);
    unsigned char new_byte;
    memcpy(&new_byte, &after, 1);
    seen = atomicCAS(pair, expected, (unsigned short)((expected & ~(0xff << shift)) | new_byte << shift));
  } while (seen != expected);
  return before;
}
)"},
    {"load_acquire", kOnce, "", R"(// What *address holds. What was written before it was told there is seen from here on.
$D int load_acquire(const int* address) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}
)"},
    {"atomic_add", types({ScalarType::I64}), "",
     R"($D long long atomic_add(long long* address, long long value) {
  return (long long)atomicAdd((unsigned long long*)address, (unsigned long long)value);
}
)"},
    {"atomic_add", kComplex, "", R"(// Each part in one step.
$D $T atomic_add($T* address, $T value) {
  return {atomicAdd(&address->re, value.re), atomicAdd(&address->im, value.im)};
}
)"},
    {"vector_of", kOnce, "", R"(// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};
)"},
    {"load_vector", kOnce, "vector_of", R"(// Neighbours in memory to registers, in one access.
template <int Count, class T>
$D void load_vector(T* to, const T* from) {
  const vector_of<T, Count> all = *(const vector_of<T, Count>*)from;
#pragma unroll
  for (int k = 0; k < Count; ++k) to[k] = all.at[k];
}
)"},
    {"load_streamed", kOnce, "vector_of", R"(// Neighbours in memory to registers, in one access, of what a kernel that writes too reads once:
// the L2 keeps these lines longest (evict-last), so that written ones leave it early and steadily.
template <int Count, class T>
$D void load_streamed(T* to, const T* from) {
  vector_of<T, Count> all;
#if __CUDA_ARCH__ >= 800
  constexpr int words = sizeof(all) / 4;
  const unsigned long long evict_last = 0x14F0000000000000ull;
  unsigned int word[words];
  if constexpr (words == 4) {
    asm("ld.global.nc.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3]) : "l"(from), "l"(evict_last));
  } else if constexpr (words == 2) {
    asm("ld.global.nc.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
        : "=r"(word[0]), "=r"(word[1]) : "l"(from), "l"(evict_last));
  } else {
    asm("ld.global.nc.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(word[0]) : "l"(from), "l"(evict_last));
  }
  memcpy(&all, word, sizeof(all));
#else
  all = *(const vector_of<T, Count>*)from;
#endif
#pragma unroll
  for (int k = 0; k < Count; ++k) to[k] = all.at[k];
}
)"},
    {"store_vector", kOnce, "vector_of", R"(// Registers to neighbours in memory, in one access.
template <int Count, class T>
$D void store_vector(T* to, const T* from) {
  vector_of<T, Count> all;
#pragma unroll
  for (int k = 0; k < Count; ++k) all.at[k] = from[k];
  *(vector_of<T, Count>*)to = all;
}
)"},
    {"cluster_sync", kOnce, "", R"(// All threads of the cluster arrive before any leaves.
$D void cluster_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}
)"},
    {"report_at", kOnce, "", R"(// Counts a report of a site; the value of the first one is kept.
$D void report_at(cdsl_report* reports, int site, long long value) {
  if (reports == nullptr) return;
  if (atomicAdd(&reports[site].count, 1ull) == 0) reports[site].value = value;
}
)"},
};

}  // namespace

std::span<const Helper> memory_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
