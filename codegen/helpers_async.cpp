// Asynchronous copies, arrival barriers, clusters and roles of warps: the PTX that CUDA C++ has no function for.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr Helper kRows[] = {
    {"TensorMap", kOnce, "",
     R"(struct alignas(64) TensorMap {  // how the copy engine finds boxes of a tensor; the host encodes it
  unsigned long long words[16];
};
)"},
    {"shared_address", kOnce, "", R"(// The address of shared memory as instructions take it.
$D unsigned int shared_address(const void* place) {
  return (unsigned int)__cvta_generic_to_shared(place);
}
)"},
    {"cluster_rank", kOnce, "", R"(// The place of this block in its cluster.
$D int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
)"},
    {"at_rank", kOnce, "", R"(// The same place in the shared memory of another block of the cluster.
template <class T>
$D T* at_rank(T* place, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(place), "r"(rank));
  return there;
}
)"},
    {"shared_address_at", kOnce, "shared_address",
     R"(// The address of shared memory of another block of the cluster.
$D unsigned int shared_address_at(const void* place, int rank) {
  unsigned int there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(place)), "r"(rank));
  return there;
}
)"},
    {"barrier_init", kOnce, "shared_address", R"(// `count` arrivals end each phase of the barrier.
$D void barrier_init(unsigned long long* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
)"},
    {"barrier_arrive", kOnce, "shared_address", R"(// One arrival.
$D void barrier_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
)"},
    {"barrier_arrive_at", kOnce, "shared_address_at",
     R"(// One arrival in another block of the cluster. Its reads are over; no writes are published, which
// would cost a fence of the whole GPU.
$D void barrier_arrive_at(unsigned long long* barrier, int rank) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(shared_address_at(barrier, rank)) : "memory");
}
)"},
    {"barrier_expect", kOnce, "shared_address", R"(// One arrival; the phase ends after `bytes` more were copied.
$D void barrier_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
)"},
    {"barrier_expect_at", kOnce, "shared_address_at",
     R"(// The same in another block of the cluster.
$D void barrier_expect_at(unsigned long long* barrier, int rank, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%0], %1;" ::"r"(shared_address_at(barrier, rank)), "r"(bytes) : "memory");
}
)"},
    {"barrier_wait", kOnce, "shared_address", R"(// Until the phase of this parity is over.
$D void barrier_wait(const unsigned long long* barrier, unsigned int parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra ready;\n\t"
      "bra again;\n\t"
      "ready:\n\t"
      "}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
)"},
    {"fence_init", kOnce, "", R"(// Initialised barriers are seen by the cluster and by the copy engine.
$D void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
)"},
    {"fence_proxy", kOnce, "", R"(// What this thread wrote to shared memory is seen by copies and matrix instructions.
$D void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
)"},
    {"copy_async", kOnce, "shared_address", R"(// Copies 4, 8 or 16 bytes to shared memory, in the background.
template <int Bytes>
$D void copy_async(void* to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes) : "memory");
  }
}
)"},
    {"copy_async_when", kOnce, "shared_address", R"(// The same where `holds`; else zeros, and nothing is read.
template <int Bytes>
$D void copy_async_when(void* to, const void* from, bool holds) {
  const int read = holds ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(read) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes), "r"(read) : "memory");
  }
}
)"},
    {"commit_async", kOnce, "", R"(// Closes a batch of this thread's copy_async.
$D void commit_async() { asm volatile("cp.async.commit_group;" ::: "memory"); }
)"},
    {"wait_async", kOnce, "", R"(// Until at most `Pending` batches of copy_async are under way.
template <int Pending>
$D void wait_async() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}
)"},
    {"commit_bulk", kOnce, "", R"(// Closes a batch of this thread's bulk copies to global memory.
$D void commit_bulk() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
)"},
    {"wait_bulk", kOnce, "", R"(// Until at most `Pending` batches of bulk copies are under way.
template <int Pending>
$D void wait_bulk() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}
)"},
    {"wait_bulk_read", kOnce, "", R"(// Until all but `Pending` batches have read their sources.
template <int Pending>
$D void wait_bulk_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
)"},
    {"copy_bulk", kOnce, "shared_address", R"(// Copies to shared memory; the bytes count at the barrier.
$D void copy_bulk(void* to, const void* from, int bytes, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}
)"},
    {"copy_bulk_at", kOnce, "shared_address shared_address_at",
     R"(// Copies from shared memory to that of another block, where the bytes count at the barrier.
$D void copy_bulk_at(void* to, int rank, const void* from, int bytes, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address_at(to, rank)),
      "r"(shared_address(from)), "r"(bytes), "r"(shared_address_at(barrier, rank)) : "memory");
}
)"},
    {"store_bulk", kOnce, "shared_address", R"(// Copies from shared to global memory.
$D void store_bulk(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes) : "memory");
}
)"},
    {"barrier_sync", kOnce, "", R"(// Some warps of the block meet.
$D void barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
)"},
    {"barrier_pass", kOnce, "", R"(// Counts at the barrier and goes on.
$D void barrier_pass(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
)"},
    {"elect_one", kOnce, "", R"(// True in one lane of the warp.
$D bool elect_one() {
  unsigned int elected;
  asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff; selp.u32 %0, 1, 0, one; }" : "=r"(elected));
  return elected != 0;
}
)"},
    {"lower_registers", kOnce, "", R"(// This warpgroup keeps `Count` registers a thread.
template <int Count>
$D void lower_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
)"},
    {"raise_registers", kOnce, "", R"(// This warpgroup takes `Count` registers a thread.
template <int Count>
$D void raise_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
)"},
    {"word_of", kOnce, "", R"(// The 32 bits of one register of a matrix instruction.
template <class T>
$D unsigned int word_of(const T* elements) {
  unsigned int word;
  memcpy(&word, elements, 4);
  return word;
}
)"},
    {"set_word", kOnce, "", R"(// Sets the elements that one register of a matrix instruction holds.
template <class T>
$D void set_word(T* elements, unsigned int word) {
  memcpy(elements, &word, 4);
}
)"},
    {"matrix_descriptor", kOnce, "shared_address",
     R"(// A matrix in shared memory as wgmma takes it; addresses and offsets count in 16 bytes.
template <int Leading, int Stride, int Swizzle>
$D unsigned long long matrix_descriptor(const void* start) {
  constexpr unsigned long long mode = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : Swizzle == 32 ? 3 : 0;
  return (unsigned long long)((shared_address(start) & 0x3ffff) >> 4) | (unsigned long long)(Leading >> 4) << 16 |
         (unsigned long long)(Stride >> 4) << 32 | mode << 62;
}
)"},
    {"mma_fence", kOnce, "", R"(// Registers that this warpgroup wrote are ready for wgmma.
$D void mma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
)"},
    {"mma_commit", kOnce, "", R"(// Closes a batch of wgmma.
$D void mma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
)"},
    {"mma_wait", kOnce, "", R"(// Until at most `Pending` batches of wgmma are under way.
template <int Pending>
$D void mma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
)"},
};

}  // namespace

std::span<const Helper> async_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
