// What took time when, on the host and on the device, as a trace for Perfetto (ui.perfetto.dev) or chrome://tracing.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "runtime/nvtx.h"

namespace cdsl::runtime {

class Timeline {
 public:
  enum class Track : uint8_t { Host, Device };

  /// Time starts now.
  Timeline() = default;

  /// Microseconds since the start.
  double now() const { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count(); }
  /// Nothing is kept after `stop`, or past kMostSpans.
  void add(Track track, std::string name, double start, double microseconds);
  bool is_recording() const { return is_recording_ && spans_.size() < kMostSpans; }
  void stop() { is_recording_ = false; }

  /// The Trace Event Format: JSON, complete events in microseconds.
  std::string json() const;

 private:
  static constexpr std::size_t kMostSpans = 100'000;
  struct Span {
    Track track;
    std::string name;
    double start, microseconds;
  };
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<Span> spans_;
  bool is_recording_ = true;
};

/// Its own life: a range for profilers, and on the host's track of the timeline if there is one.
class HostSpan {
 public:
  HostSpan(Timeline* timeline, std::string name)
      : timeline_(timeline), name_(std::move(name)), start_(timeline == nullptr ? 0 : timeline->now()) {
    push_nvtx_range(name_.c_str());
  }
  ~HostSpan() {
    pop_nvtx_range();
    if (timeline_ != nullptr) timeline_->add(Timeline::Track::Host, std::move(name_), start_, timeline_->now() - start_);
  }
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;

 private:
  Timeline* timeline_;
  std::string name_;
  double start_;
};

}  // namespace cdsl::runtime
