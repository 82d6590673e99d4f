#include "codegen/launcher_support.h"

namespace cdsl::cuda {
namespace {

const char* text_of(Support::Piece piece) {
  switch (piece) {
    case Support::Refuse:
      return R"(// Says why a call is refused.
inline cudaError_t refuse(const char** why, const char* reason) {
  if (why != nullptr) *why = reason;
  return cudaErrorInvalidValue;
}
)";
    case Support::RefuseValues:
      return R"(// Says why a call is refused, with values. The text is kept for the calling thread until its next
// refusal.
template <class... Values>
cudaError_t refuse(const char** why, const char* format, Values... values) {
  static thread_local char text[256];
  std::snprintf(text, sizeof text, format, values...);
  if (why != nullptr) *why = text;
  return cudaErrorInvalidValue;
}
)";
    case Support::Fits:
      return R"(// Is the product of factors at most 2^56, more than which no device addresses, and no factor negative?
template <int Count>
bool fits(const long long (&factors)[Count]) {
  long long product = 1;
  for (const long long factor : factors) {
    if (factor < 0) return false;
    if (factor == 0) product = 0;
  }
  for (const long long factor : factors) {
    if (product > 0 && factor > (1ll << 56) / product) return false;
    product *= factor;
  }
  return true;
}
)";
    case Support::Ranges:
      return R"(// Memory that a call uses.
struct memory_range {
  const char* name;
  const void* first;
  long long bytes;
  unsigned int alignment;
  bool written;
};

// Every range is there, aligned, and apart from the ranges that are written.
template <int Count>
cudaError_t check_ranges(const memory_range (&ranges)[Count], bool all_apart, const char** why) {
  for (int a = 0; a < Count; ++a) {
    const memory_range& r = ranges[a];
    const auto first = reinterpret_cast<std::uintptr_t>(r.first);
    if (r.bytes < 0) return refuse(why, "%s is too large", r.name);
    if (r.bytes > 0 && r.first == nullptr) return refuse(why, "%s is null", r.name);
    if (first % r.alignment != 0) {
      return refuse(why, "%s is not aligned to %u bytes", r.name, r.alignment);
    }
    for (int b = 0; b < a; ++b) {
      const memory_range& s = ranges[b];
      const auto other = reinterpret_cast<std::uintptr_t>(s.first);
      const bool empty = r.bytes <= 0 || s.bytes <= 0;
      const bool apart = empty || first + r.bytes <= other || other + s.bytes <= first;
      if (!apart && (all_apart || r.written || s.written)) {
        return refuse(why, "%s and %s overlap", s.name, r.name);
      }
    }
  }
  return cudaSuccess;
}
)";
    case Support::StridedRange:
      return R"(// The bytes from the first to the last element of a strided view; none if it has no element, -1 if
// they are more than a device addresses.
template <int Rank>
memory_range strided_range(const char* name, const void* base, long long size, unsigned int alignment,
                           const long long (&extents)[Rank], const long long (&strides)[Rank]) {
  long long low = 0, high = 0, longest = (1ll << 56) / size;
  for (const long long extent : extents) {
    if (extent <= 0) return {name, base, 0, alignment, false};
  }
  for (int axis = 0; axis < Rank; ++axis) {
    const long long steps = extents[axis] - 1, most = steps > 0 ? longest / steps : longest;
    if (steps > 0 && (strides[axis] > most || strides[axis] < -most)) {
      return {name, base, -1, alignment, false};
    }
    const long long reach = steps * strides[axis];
    (reach < 0 ? low : high) += reach;
  }
  return {name, static_cast<const char*>(base) + low * size, (high - low + 1) * size, alignment, false};
}
)";
    case Support::IsAligned:
      return R"(// Does memory start at a multiple of `bytes`?
inline bool is_aligned(const void* memory, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
}
)";
    case Support::NoAlias:
      return R"(// Is none of the ranges with these numbers in another's memory?
template <int Count, int Named>
bool no_alias(const memory_range (&ranges)[Count], const int (&named)[Named]) {
  for (int a = 0; a < Named; ++a) {
    const memory_range& r = ranges[named[a]];
    const auto first = reinterpret_cast<std::uintptr_t>(r.first);
    for (int b = 0; b < a; ++b) {
      const memory_range& s = ranges[named[b]];
      const auto other = reinterpret_cast<std::uintptr_t>(s.first);
      const bool empty = r.bytes <= 0 || s.bytes <= 0;
      if (!empty && first < other + s.bytes && other < first + r.bytes) return false;
    }
  }
  return true;
}
)";
    case Support::Resident:
      return R"(// How many blocks of a kernel the device holds at once. Where that cannot be asked, a launch fails too,
// and says why.
template <class Kernel>
long long resident_blocks(Kernel* kernel, int threads) {
  int device = 0, processors = 0, per_processor = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 1;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, 0);
  const long long blocks = static_cast<long long>(processors) * per_processor;
  return blocks > 0 ? blocks : 1;
}
)";
    case Support::ResidentOf:
      return R"(// The same of blocks that ask for shared memory, or come in clusters.
template <class Kernel>
long long resident_blocks(Kernel* kernel, int threads, int shared_bytes, int cluster) {
  int device = 0, processors = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return cluster;
  if (cluster > 1) {
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = cluster;
    shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(cluster);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &shape;
    config.numAttrs = 1;
    cudaOccupancyMaxActiveClusters(&count, kernel, &config);
    return count > 0 ? static_cast<long long>(count) * cluster : cluster;
  }
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads, shared_bytes);
  const long long blocks = static_cast<long long>(processors) * count;
  return blocks > 0 ? blocks : 1;
}
)";
    case Support::Tiles:
      return R"(// Blocks for `wanted` ones: whole clusters, and no more than `most`, since blocks take turns.
inline unsigned int blocks_for(long long wanted, int cluster, long long most) {
  if (wanted <= 0) return 0;
  const long long whole = ((wanted - 1) / cluster + 1) * cluster;
  return static_cast<unsigned int>(whole < most ? whole : most);
}
)";
    case Support::LaunchResident:
      return R"(// Launches blocks that have to run all at once.
template <class... Parameters, class... Arguments>
cudaError_t launch_resident(void (*kernel)(Parameters...), unsigned int blocks, dim3 threads,
                            int shared_bytes, cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &together;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}
)";
    case Support::EncodeMap:
      return R"(// Encodes how boxes of a tensor are found: extents in elements, strides in bytes, innermost axis
// first. The numbers of types and swizzles are those of cuda.h.
template <int Rank>
cudaError_t encode_map(TensorMap* map, int type, const void* memory,
                       const unsigned long long (&extents)[Rank],
                       const unsigned long long (&strides)[Rank], const unsigned int (&box)[Rank],
                       int swizzle) {
  using Encode = int (*)(TensorMap*, int, unsigned int, void*, const unsigned long long*,
                         const unsigned long long*, const unsigned int*, const unsigned int*, int,
                         int, int, int);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                             cudaEnableDefault, &found);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess || entry == nullptr) return cudaErrorNotSupported;
  unsigned int steps[Rank];
  for (unsigned int& step : steps) step = 1;
  constexpr int promote_to_256_bytes = 3;
  const int status = reinterpret_cast<Encode>(entry)(map, type, Rank, const_cast<void*>(memory), extents,
                                                     strides + 1, box, steps, 0, swizzle,
                                                     promote_to_256_bytes, 0);
  return status == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
)";
    case Support::Grid:
      return R"(// Blocks for `items` elements, one a thread at first: no more than `most`, since threads take turns.
inline unsigned int grid_for(long long items, int threads, long long most) {
  if (items <= 0) return 0;
  const long long blocks = (items - 1) / threads + 1;
  return static_cast<unsigned int>(blocks < most ? blocks : most);
}
)";
    case Support::Align:
      return R"(// Pieces of the workspace start at multiples of 256 bytes.
inline long long aligned_256(long long bytes) { return (bytes + 255) / 256 * 256; }
)";
    case Support::FillWord:
      return R"(// A value of `Size` bytes.
template <int Size>
struct alignas((Size & (Size - 1)) == 0 ? Size : 1) fill_word {
  unsigned char bytes[Size];
};
)";
    case Support::FillWords:
      return R"(// Writes one value over and over.
template <class Word>
__global__ void __launch_bounds__(256) fill_words(void* memory, Word word, long long count) {
  Word* const to = static_cast<Word*>(memory);
  const long long stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    to[i] = word;
  }
}
)";
  }
  return "";
}

bool calls_cuda(Support::Piece piece) {
  return piece == Support::Resident || piece == Support::ResidentOf || piece == Support::LaunchResident ||
         piece == Support::EncodeMap || piece == Support::FillWords;
}

}  // namespace

void Support::need(Piece piece) {
  if (piece == Ranges || piece == StridedRange) pieces_.insert(RefuseValues);
  if (piece == StridedRange) pieces_.insert(Ranges);
  pieces_.insert(piece);
}

std::string Support::text(bool for_library) const {
  std::string out;
  for (const Piece piece : pieces_) {
    if (!for_library || !calls_cuda(piece)) out += std::string(text_of(piece)) + "\n";
  }
  return out;
}

}  // namespace cdsl::cuda
