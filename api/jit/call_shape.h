// All calls of a kernel with the same sizes, extents, strides and shaping scalars: bound and checked once, so that a launch only
// compares addresses. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "api/jit/specialization.h"
#include "runtime/cuda/call.h"

namespace cdsl::jit {

class CallShape {
 public:
  /// Throws JitFailure where the launch checks of the language fail.
  CallShape(std::shared_ptr<Specialization> specialization, const CallArguments& call);

  const Specialization& specialization() const { return *specialization_; }
  const tir::Bound& bound() const { return bound_; }
  const runtime::Placement& placement(std::size_t parameter) const { return placements_[parameter]; }

  /// Index of the variant that a call at these addresses runs. Throws JitFailure where arguments overlap that must not.
  std::size_t variant_for(const std::vector<uint64_t>& addresses) const;

  /// Compiles nothing; allocates only where this variant has not run on this stream.
  void launch(const std::shared_ptr<const runtime::CudaContext>& context, void* stream, const CallArguments& call);
  /// Allocates what `launch` would.
  void prepare(const std::shared_ptr<const runtime::CudaContext>& context, void* stream, const CallArguments& call);

  struct Planned {
    std::string variant;
    std::size_t workspace_bytes = 0;
    std::vector<runtime::CudaCall::Launched> launches;
    std::shared_ptr<runtime::CudaProgram> program;
  };
  Planned planned(const std::shared_ptr<const runtime::CudaContext>& context, void* stream, const CallArguments& call);

 private:
  /// Workspace belongs to a stream: what runs in order may share it.
  struct Lane {
    std::mutex mutex;
    std::shared_ptr<runtime::CudaProgram> program;
    std::vector<std::unique_ptr<runtime::CudaCall>> calls;   // by variant
  };
  struct Range {                       // of a buffer, bytes from its address
    int64_t first = 0, last = 0;       // the last excluded
    bool is_written = false;
    std::string name;
  };

  Lane& lane(const std::shared_ptr<const runtime::CudaContext>& context, void* stream);
  runtime::CudaCall& call_in(Lane& lane, std::size_t variant) const;
  /// By buffer of the plan; 0 for those that are no parameters' or have no parameters at all.
  std::vector<runtime::CudaPointer> by_buffer(const std::vector<uint64_t>& addresses) const;
  void place(const CallArguments& call);
  void check_overlap(const std::vector<uint64_t>& addresses) const;
  bool holds(const plan::Guard& guard, const std::vector<uint64_t>& addresses) const;
  bool are_apart(std::size_t a, std::size_t b, const std::vector<uint64_t>& addresses) const;

  std::shared_ptr<Specialization> specialization_;
  tir::Bound bound_;
  tir::Bindings bindings_;                        // with views
  std::vector<runtime::Placement> placements_;    // by parameter
  std::vector<Range> ranges_;                     // by part of a parameter
  std::vector<int64_t> bytes_;                    // by buffer of the plan
  std::vector<std::size_t> part_of_;              // by buffer of the plan: part of a parameter
  std::vector<std::size_t> possible_;             // variants whose conditions on sizes hold
  std::mutex mutex_;
  std::map<std::pair<const runtime::CudaContext*, void*>, std::unique_ptr<Lane>> lanes_;
};

}  // namespace cdsl::jit
