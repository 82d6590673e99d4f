#include "codegen/types.h"

#include "dsl/support/check.h"

namespace cdsl::cuda {

std::string_view cuda_type(ScalarType type) {
  switch (type) {
    case ScalarType::Bool: return "bool";
    case ScalarType::I8: return "signed char";
    case ScalarType::I16: return "short";
    case ScalarType::I32: return "int";
    case ScalarType::I64: return "long long";
    case ScalarType::U8: return "unsigned char";
    case ScalarType::U16: return "unsigned short";
    case ScalarType::U32: return "unsigned int";
    case ScalarType::U64: return "unsigned long long";
    case ScalarType::F32: return "float";
    case ScalarType::F64: return "double";
    case ScalarType::F16:
    case ScalarType::BF16:
    case ScalarType::F8E4M3:
    case ScalarType::F8E5M2:
    case ScalarType::C64:
    case ScalarType::C128: return name_of(type);
  }
  CDSL_UNREACHABLE("scalar type");
}

ScalarType unsigned_of(ScalarType type) {
  switch (type) {
    case ScalarType::I8: return ScalarType::U8;
    case ScalarType::I16: return ScalarType::U16;
    case ScalarType::I32: return ScalarType::U32;
    case ScalarType::I64: return ScalarType::U64;
    default: return type;
  }
}

}  // namespace cdsl::cuda
