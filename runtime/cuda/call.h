// One variant of a plan at known sizes on one stream: workspace, and its steps as calls to the driver that lack only the
// addresses of parameters and the scalars. Running it neither compiles nor allocates nor waits.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "dsl/plan/plan.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/program.h"
#include "runtime/cuda/recorder.h"
#include "runtime/plan_values.h"

namespace cdsl::runtime {

class CudaCall {
 public:
  /// `bytes` by buffer of the plan; `bindings` holds sizes, views, and the scalars that steps hang on. Keeps references to
  /// program and variant. Requires: the program's context is current, and stays it for `run` and destruction. Throws Error.
  CudaCall(const CudaProgram& program, const plan::Variant& variant, std::vector<int64_t> bytes, tir::Bindings bindings);
  CudaCall(const CudaCall&) = delete;
  CudaCall& operator=(const CudaCall&) = delete;

  /// Asks for all steps on `stream`. `addresses` by buffer of the plan: those of parameters count. `scalars` are set over the
  /// bindings. One thread at a time. Throws Error.
  void run(std::span<const CudaPointer> addresses, const tir::Bindings& scalars, CudaStream* stream);

  struct Launched {
    uint32_t kernel = 0;
    int64_t blocks = 0;
    int64_t times = 0;
  };
  /// By kernel and grid, in order of the first.
  std::vector<Launched> launches() const;
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  class Immediate;
  /// As wide and as aligned as any parameter: a tensor map.
  struct alignas(64) Slot {
    std::byte bytes[128];
  };
  struct Open {                  // an argument that is written before each launch
    std::size_t slot = 0;
    StepArgument argument;
  };
  struct Launch {
    const CudaKernel* kernel = nullptr;
    uint32_t index = 0;          // of the kernel
    int64_t blocks = 0;
    bool resident = false;
    std::vector<Slot> slots;
    std::vector<void*> parameters;
    std::vector<Open> open;
  };
  struct Fill {
    uint32_t buffer = 0;
    unsigned word = 0;           // repeated, where there is no image
    CudaPointer image = 0;       // of the whole buffer
  };
  using Step = std::variant<Launch, Fill, RecordedCopy>;

  void allocate();
  void record();
  Step ready(const RecordedStep& step);
  Step ready(const RecordedLaunch& step);
  Step ready(const RecordedFill& step);
  Step ready(const RecordedCopy& step) { return step; }
  bool is_open(const StepArgument& argument) const;
  void write(Slot& slot, const StepArgument& argument) const;
  void run(Launch& launch, CudaStream* stream);
  void run(Fill& fill, CudaStream* stream);
  void run(RecordedCopy& copy, CudaStream* stream);
  CudaPointer image_of(const RecordedFill& fill);

  const CudaProgram& program_;
  const plan::Plan& plan_;
  const plan::Variant& variant_;
  std::vector<int64_t> bytes_;
  tir::Bindings bindings_;
  std::vector<CudaPointer> addresses_;   // by buffer, as of the last run
  std::vector<CudaMemory> memory_;       // workspace, constants, images of fills
  std::map<std::pair<uint32_t, std::vector<std::byte>>, CudaPointer> images_;
  std::size_t workspace_bytes_ = 0;
  std::optional<std::vector<Step>> steps_;   // none: too many, they run as they come
};

}  // namespace cdsl::runtime
