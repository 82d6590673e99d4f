#include "runtime/cuda/program.h"
#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

/// CUtensorMapDataType.
int map_type(ScalarType type) {
  switch (type) {
    case ScalarType::U16:
    case ScalarType::I16: return 1;
    case ScalarType::U32: return 2;
    case ScalarType::I32: return 3;
    case ScalarType::U64: return 4;
    case ScalarType::I64: return 5;
    case ScalarType::F16: return 6;
    case ScalarType::F32: return 7;
    case ScalarType::F64: return 8;
    case ScalarType::BF16: return 9;
    default: return 0;                      // bytes
  }
}

}  // namespace

void encode_tensor_map(const CudaApi& api, void* map, CudaPointer base, ScalarType element, const TensorMapView& view) {
  if (api.encode_tiled == nullptr)
    throw Error(ErrorKind::DriverTooOld, "driver", "too old", "cuTensorMapEncodeTiled is missing");
  const std::vector<unsigned long long> extents(view.extents.begin(), view.extents.end());
  const std::vector<unsigned long long> strides(view.strides.begin(), view.strides.end());
  const std::vector<unsigned> box(view.box.begin(), view.box.end()), steps(view.box.size(), 1u);
  const int swizzle = view.swizzle == 128 ? 3 : view.swizzle == 64 ? 2 : view.swizzle == 32 ? 1 : 0;
  constexpr int kNoInterleave = 0, kPromoteTo256Bytes = 3, kFillWithZeros = 0;
  api.check(api.encode_tiled(map, map_type(element), static_cast<unsigned>(box.size()), reinterpret_cast<void*>(base),
                             extents.data(), strides.data(), box.data(), steps.data(), kNoInterleave, swizzle,
                             kPromoteTo256Bytes, kFillWithZeros),
            "cuTensorMapEncodeTiled");
}

}  // namespace cdsl::runtime
