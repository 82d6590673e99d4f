// The small device functions and types that generated code calls for what CUDA C++ has no operator
// for: one table row each, printed only where they are used.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/types/scalar_type.h"

namespace cdsl::cuda {

/// One helper for some types. In the texts `$T` is the type, `$U` its unsigned twin, `$C` the
/// component of a complex type,
/// `$W` the width in bits, `$f` the suffix of f32 literals and functions ("f" or ""), `$D` the
/// function qualifiers.
struct Helper {
  std::string_view name;
  uint32_t types;          // bit k: ScalarType k
  std::string_view needs;  // names of earlier rows, for the same type; "name:f32" for another type
  std::string_view text;
  std::string_view strict = {};  // in place of `text` where multiply-add contraction is off
  std::string_view host = {};    // in place of `text` on the host
};

constexpr uint32_t types(std::initializer_list<ScalarType> list) {
  uint32_t mask = 0;
  for (ScalarType type : list) mask |= 1u << static_cast<int>(type);
  return mask;
}
inline constexpr uint32_t kSigned = types({ScalarType::I32, ScalarType::I64});
inline constexpr uint32_t kUnsigned = types({ScalarType::U32, ScalarType::U64});
inline constexpr uint32_t kReal = types({ScalarType::F32, ScalarType::F64});
inline constexpr uint32_t kComplex = types({ScalarType::C64, ScalarType::C128});
inline constexpr uint32_t kOnce =
    types({ScalarType::Bool});  // helpers that do not depend on a type

/// All rows; what a row needs stands before it.
std::span<const std::span<const Helper>> helper_tables();
std::span<const Helper> storage_helpers();
std::span<const Helper> integer_helpers();
std::span<const Helper> float_helpers();
std::span<const Helper> conversion_helpers();
std::span<const Helper> complex_helpers();
std::span<const Helper> memory_helpers();
std::span<const Helper> async_helpers();

bool is_helper_name(std::string_view name);

/// Collects the helpers that a file uses.
class Prelude {
 public:
  explicit Prelude(bool strict) : strict_(strict) {}

  /// Notes that `name` is called for `type`, by kernels or by the host, and gives the name.
  std::string use(std::string_view name, ScalarType type, bool on_host = false);
  /// Notes that the type itself is named: f16, c64 and their kind are structs.
  void use_type(ScalarType type);

  /// Notes a function that no table lists, one for each text; gives its name: `stem`, or `stem` with a number. `$N` in the
  /// text is the name, `$D` the qualifiers. It may call what was noted before.
  std::string define(const std::string& stem, std::string_view text);

  // Each in the order of the table.
  std::string type_definitions() const;  // structs that stand for scalar types
  std::string functions() const;         // what kernels call
  std::string host_functions() const;    // what the host alone calls
  std::string library_functions() const; // all that the host calls, where kernels are in another file

 private:
  struct Key {
    std::size_t table, row;
    ScalarType type;
    auto operator<=>(const Key&) const = default;
  };
  void add(std::string_view name, ScalarType type, bool on_host);
  std::string print(const Key& key) const;
  std::string print_for_host(const Key& key) const;

  bool strict_;
  std::set<Key> types_, by_kernels_, by_host_;
  std::vector<std::pair<std::string, std::string>> defined_;  // name and text as given
};

}  // namespace cdsl::cuda
