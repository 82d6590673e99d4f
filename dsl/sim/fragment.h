// Registers of matrix operands, and matrices put together from them.
#pragma once

#include <vector>

#include "dsl/loop/matrix_fragment.h"
#include "dsl/sim/state.h"

namespace cdsl::sim {

/// A matrix of values as the matrix unit sees them: floats, exact for every type that it takes (f64 apart), or integers.
struct MatrixValues {
  int rows = 0, columns = 0;
  std::vector<double> at;

  MatrixValues(int r, int c) : rows(r), columns(c), at(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
  double& operator()(int row, int column) {
    return at[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
  double operator()(int row, int column) const { return const_cast<MatrixValues&>(*this)(row, column); }
};

/// The elements of a fragment in one warp, checked to lie inside their buffer.
class FragmentView {
 public:
  /// Reports a fragment that leaves its buffer; `good` is false then.
  FragmentView(Warp& warp, const FragmentUse& use, SourceRange where);

  /// With the base of a time before, which was checked then.
  FragmentView(Warp& warp, const FragmentUse& use, const int64_t (&base)[kLanes]);

  bool good() const { return good_; }
  std::byte* at(int lane, std::size_t element) const { return memory(lane, element).first; }
  uint8_t* written(int lane, std::size_t element) const { return memory(lane, element).second; }
  std::size_t count() const { return use_.offsets.size(); }
  const int64_t* base() const { return base_; }

  /// Reports lanes whose elements were never written (or are those of an instruction under way).
  void check_written(Fault::Kind kind, const char* what, SourceRange where) const;
  void mark(uint8_t flag) const;

 private:
  std::pair<std::byte*, uint8_t*> memory(int lane, std::size_t element) const;

  Warp& warp_;
  const FragmentUse& use_;
  const BufferUse& buffer_;
  int64_t base_[kLanes] = {};
  bool good_ = true;
};

/// One element as the matrix unit reads it; `tf32` cuts off the last 13 bits of an f32.
double matrix_value(const std::byte* address, ScalarType type, bool tf32);

/// d += a * b, each sum in index order: in f64, in i32 with wrap-around, else in f32.
void multiply_add(MatrixValues& d, const MatrixValues& a, const MatrixValues& b, ScalarType type);

/// Is the whole warp here? Reports where it is not.
bool is_converged(Warp& warp, const void* place, SourceRange where, const char* what);

}  // namespace cdsl::sim
