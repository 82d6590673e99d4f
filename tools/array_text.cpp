#include "tools/array_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace cdsl::tools {
namespace {

constexpr int64_t kShown = 8;

std::string text_of(const Value& value, ScalarType type) {
  if (is_complex(type)) return fmt::format("{}{:+}i", value.re, value.im);
  if (type == ScalarType::F32 || is_storage_only(type))
    return fmt::format("{}", static_cast<float>(value.re));
  if (is_float(type)) return fmt::format("{}", value.re);
  if (type == ScalarType::Bool) return value.i != 0 ? "true" : "false";
  if (type == ScalarType::U64) return fmt::format("{}", static_cast<uint64_t>(value.i));
  return fmt::format("{}", value.i);
}

std::string element_text(const Array& array, int64_t flat) {
  if (array.element.is_scalar()) return text_of(array.get(flat), array.element.leaves[0].type);
  std::string text = "(";
  for (uint32_t k = 0; k < array.element.leaves.size(); ++k) {
    const Leaf& leaf = array.element.leaves[k];
    text += fmt::format("{}{}: {}", k == 0 ? "" : ", ", leaf.path,
                        text_of(array.get(flat, k), leaf.type));
    if (!leaf.extents.empty()) text += " ...";
  }
  return text + ")";
}

}  // namespace

std::string preview(const std::string& name, const Array& array) {
  const std::string type = array.element.is_scalar()
                               ? std::string(name_of(array.element.leaves[0].type))
                               : array.element.name;
  std::string text = fmt::format("{}: {}", name, type);
  if (!array.shape.empty()) text += fmt::format("[{}]", fmt::join(array.shape, ", "));
  text += " =";
  const int64_t shown = std::min(array.count(), kShown);
  for (int64_t flat = 0; flat < shown; ++flat)
    text += (flat == 0 ? " " : ", ") + element_text(array, flat);
  if (shown < array.count()) text += ", ...";
  return text + "\n";
}

}  // namespace cdsl::tools
