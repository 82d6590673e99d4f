#include "dsl/plan/tensor_map_abi.h"
#include "runtime/cuda/program.h"
#include "runtime/error.h"

namespace cdsl::runtime {

void encode_tensor_map(const CudaApi& api, void* map, CudaPointer base, ScalarType element, const TensorMapView& view) {
  if (api.encode_tiled == nullptr)
    throw Error(ErrorKind::DriverTooOld, "driver", "too old", "cuTensorMapEncodeTiled is missing");
  const std::vector<unsigned long long> extents(view.extents.begin(), view.extents.end());
  const std::vector<unsigned long long> strides(view.strides.begin(), view.strides.end());
  const std::vector<unsigned> box(view.box.begin(), view.box.end()), steps(view.box.size(), 1u);
  constexpr int kNoInterleave = 0, kPromoteTo256Bytes = 3, kFillWithZeros = 0;
  api.check(api.encode_tiled(map, plan::tensor_map_type(element), static_cast<unsigned>(box.size()), reinterpret_cast<void*>(base),
                             extents.data(), strides.data(), box.data(), steps.data(), kNoInterleave, plan::tensor_map_swizzle(view.swizzle),
                             kPromoteTo256Bytes, kFillWithZeros),
            "cuTensorMapEncodeTiled");
}

}  // namespace cdsl::runtime
