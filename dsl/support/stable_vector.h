// Containers that only grow and never move what they hold: a reference into them stays good while more is added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cdsl {

/// Elements by number, in pieces of a fixed capacity, a power of two.
template <class T, std::size_t kPiece = 256>
class StableVector {
 public:
  StableVector() = default;
  StableVector(const StableVector& other) { *this = other; }
  StableVector(StableVector&&) noexcept = default;
  StableVector& operator=(StableVector&&) noexcept = default;
  StableVector& operator=(const StableVector& other) {
    if (this == &other) return *this;
    pieces_.clear();
    for (const std::vector<T>& piece : other.pieces_) {
      pieces_.emplace_back().reserve(kPiece);
      pieces_.back().insert(pieces_.back().end(), piece.begin(), piece.end());
    }
    return *this;
  }

  std::size_t size() const { return pieces_.empty() ? 0 : (pieces_.size() - 1) * kPiece + pieces_.back().size(); }
  const T& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }

  void push_back(T value) {
    if (pieces_.empty() || pieces_.back().size() == kPiece) pieces_.emplace_back().reserve(kPiece);
    pieces_.back().push_back(std::move(value));
  }

 private:
  std::vector<std::vector<T>> pieces_;
};

/// Short runs of elements, each contiguous.
template <class T>
class StableRuns {
 public:
  struct Run {
    uint32_t piece = 0, first = 0, count = 0;
  };

  /// `elements` may lie in this container.
  Run add(std::span<const T> elements) {
    if (pieces_.empty() || pieces_.back().capacity() - pieces_.back().size() < elements.size())
      pieces_.emplace_back().reserve(std::max(kPiece, elements.size()));
    std::vector<T>& piece = pieces_.back();
    const Run run{static_cast<uint32_t>(pieces_.size() - 1), static_cast<uint32_t>(piece.size()), static_cast<uint32_t>(elements.size())};
    for (const T& element : elements) piece.push_back(element);
    return run;
  }
  std::span<const T> operator[](Run run) const {
    return run.count == 0 ? std::span<const T>() : std::span(pieces_[run.piece]).subspan(run.first, run.count);
  }

 private:
  static constexpr std::size_t kPiece = 1024;
  std::vector<std::vector<T>> pieces_;
};

}  // namespace cdsl
