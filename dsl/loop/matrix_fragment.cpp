#include "dsl/loop/matrix_fragment.h"

#include <algorithm>

namespace cdsl::loop {
namespace {

constexpr int kWarpThreads = 32, kLanesOfRow = 4, kTileRows = 8, kWarpRows = 16;
constexpr int kCoreBytes = 16;  // of a row of a core matrix: 8 rows of 16 bytes

/// Elements in one 32-bit register.
int packed(ScalarType type) {
  return std::max(4 / size_of(type), 1);
}

}  // namespace

int fragment_elements(Operand operand, MatrixShape shape) {
  const int threads = shape.m == 64 ? 4 * kWarpThreads : kWarpThreads;
  switch (operand) {
    case Operand::D: return shape.m * shape.n / threads;
    case Operand::A: return shape.m * shape.k / threads;
    case Operand::B: break;
  }
  return shape.k * shape.n / threads;
}

MatrixPlace fragment_place(Operand operand, MatrixShape shape, ScalarType type, int thread,
                           int element) {
  const int lane = thread % kWarpThreads, first_row = thread / kWarpThreads * kWarpRows;
  const int group = lane / kLanesOfRow, along = lane % kLanesOfRow;
  const int halves =
      shape.m == kTileRows ? 1 : 2;  // tiles of 8 rows that a warp's part of d and a has
  if (operand == Operand::D) {
    const int pair = element / 2;
    return {first_row + group + kTileRows * (pair % halves),
            kTileRows * (pair / halves) + 2 * along + element % 2};
  }
  const int word = element / packed(type), within = along * packed(type) + element % packed(type);
  const int words_along =
      kLanesOfRow * packed(type);  // elements of k that one register of all lanes covers
  if (operand == Operand::A)
    return {first_row + group + kTileRows * (word % halves), word / halves * words_along + within};
  return {word * words_along + within, group};
}

bool is_warpgroup_shape(MatrixShape shape, ScalarType d, ScalarType a, ScalarType b, bool tf32) {
  if (shape.m != 64 || shape.n < 8 || shape.n > 256 || shape.n % 8 != 0 || d != ScalarType::F32)
    return false;
  const auto is_f8 = [](ScalarType t) {
    return t == ScalarType::F8E4M3 || t == ScalarType::F8E5M2;
  };
  if (tf32) return a == ScalarType::F32 && b == ScalarType::F32 && shape.k == 8;
  if (a == ScalarType::F16 || a == ScalarType::BF16) return a == b && shape.k == 16;
  return is_f8(a) && is_f8(b) && shape.k == 32;
}

int64_t swizzled(int64_t offset, int swizzle_bytes) {
  if (swizzle_bytes == 0) return offset;
  const int64_t chunks = swizzle_bytes / kCoreBytes;
  return offset ^ ((offset / 128 % chunks) * kCoreBytes);
}

int64_t shared_matrix_place(const SharedMatrix& matrix, int64_t start, int element_size, int row,
                            int column) {
  const int64_t chunk = kCoreBytes / element_size;  // elements
  const int64_t span = matrix.swizzle == 0 ? kCoreBytes : matrix.swizzle;
  int64_t offset = 0;
  if (!matrix.transposed) {  // rows of `span` bytes along k, 8 of them a group
    const int64_t bytes = column * int64_t{element_size};
    offset = row / kTileRows * matrix.stride_bytes + row % kTileRows * span;
    offset += matrix.swizzle == 0 ? bytes / kCoreBytes * matrix.leading_bytes + bytes % kCoreBytes
                                  : bytes;
  } else if (matrix.swizzle == 0) {  // rows of 8 along m or n, 8 of k a core matrix
    offset = row / chunk * matrix.stride_bytes + row % chunk * element_size +
             column / kTileRows * matrix.leading_bytes + column % kTileRows * kCoreBytes;
  } else {  // slabs of `span` bytes along m or n, 8 rows of k a group
    const int64_t slab = span / element_size;
    offset = row / slab * matrix.leading_bytes + row % slab * element_size +
             column / kTileRows * matrix.stride_bytes + column % kTileRows * span;
  }
  return swizzled(start + offset, matrix.swizzle);
}

}  // namespace cdsl::loop
