// The stopwatch of a GPU: two events of the driver around the work, and small kernels of its own that clear the L2 cache, keep
// the GPU waiting, and count cycles.
#pragma once

#include <memory>

#include "runtime/cuda/api.h"
#include "runtime/device.h"

namespace cdsl::runtime {

class CudaStopwatch final : public Stopwatch {
 public:
  /// For the current context, whose device this is. Throws Error. Works on the stream on which CudaDevice launches.
  static std::unique_ptr<Stopwatch> make(std::shared_ptr<const CudaApi> api, int device);
  ~CudaStopwatch() override;
  CudaStopwatch(const CudaStopwatch&) = delete;
  CudaStopwatch& operator=(const CudaStopwatch&) = delete;

  void evict() override;
  void hold(double microseconds) override;
  void start() override;
  void stop() override;
  double microseconds() override;
  double clock_mhz() override;

 private:
  explicit CudaStopwatch(std::shared_ptr<const CudaApi> api) : api_(std::move(api)) {}
  void prepare(int device);
  void launch(CudaFunction* kernel, const char* name, unsigned blocks, unsigned threads, void** arguments) const;

  std::shared_ptr<const CudaApi> api_;
  CudaEvent *start_ = nullptr, *stop_ = nullptr;
  CudaModule* module_ = nullptr;
  CudaFunction *read_ = nullptr, *hold_ = nullptr, *clock_ = nullptr;
  std::size_t bytes_ = 0;               // of each of the two
  CudaPointer written_ = 0, clean_ = 0;
  unsigned blocks_ = 1;                 // that read
};

}  // namespace cdsl::runtime
