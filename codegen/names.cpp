#include "codegen/names.h"

#include <algorithm>

#include "codegen/helpers.h"
#include "codegen/reserved.h"

namespace cdsl::cuda {
namespace {

constexpr std::size_t kLongest = 200;  // beyond, some tools cut names

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return name.starts_with(p); });
}

// Families of macros and functions, too many to list.
bool in_reserved_family(std::string_view name) {
  if (starts_with_any(name,
                      {"cuda", "cudaError", "CUDA",   "cu_",  "CU_",      "nv_",   "NV_",  "CLOCK_",
                       "FP_",  "INT_",      "UINT_",  "M_",   "PTHREAD_", "SEEK_", "STA_", "MOD_",
                       "ADJ_", "HUGE_VAL",  "atomic", "surf", "tex",      "make_", "cdsl"})) {
    return true;
  }
  const bool upper =
      std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  for (const std::string_view suffix : {"_MAX", "_MIN", "_WIDTH", "_C"}) {
    if (upper && name.ends_with(suffix)) return true;
  }
  // Vector types: float4, uchar3, longlong2.
  const std::size_t stem = name.find_last_not_of("1234");
  return stem + 2 == name.size() && is_scalar_stem(name.substr(0, stem + 1));
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_reserved(std::string_view name, bool at_file_scope) {
  return is_reserved_word(name) || in_reserved_family(name) || is_helper_name(name) ||
         (at_file_scope && is_file_scope_name(name));
}

std::string safe_identifier(std::string_view name, bool at_file_scope) {
  std::string out;
  for (const char c : name.substr(0, kLongest)) {
    const char next = is_word(c) ? c : '_';
    if (next != '_' || out.empty() || out.back() != '_') out += next;
  }
  if (out.empty() || out[0] == '_' || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "v");
  return is_reserved(out, at_file_scope) ? out + "_" : out;
}

bool Scopes::in_use(const std::string& name) const {
  if (around_ != nullptr && around_->in_use(name)) return true;
  return std::any_of(scopes_.begin(), scopes_.end(),
                     [&](const Scope& scope) { return scope.names.contains(name); });
}

std::string Scopes::declare(std::string_view wanted) {
  std::string name = safe_identifier(wanted, outermost_ == Outermost::File && scopes_.size() == 1);
  if (in_use(name)) {
    const std::string stem = name.ends_with('_') ? name : name + "_";
    int& next = scopes_.back().next.try_emplace(stem, 1).first->second;
    for (; in_use(name); ++next) name = stem + std::to_string(next);
  }
  scopes_.back().names.insert(name);
  return name;
}

}  // namespace cdsl::cuda
