// Names of the user made into names of CUDA C++. What can stand stays as it is; what clashes with a
// keyword, a builtin, a macro or another name gets a trailing underscore. The same input gives the
// same names.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cdsl::cuda {

/// Keywords, builtin types, variables and functions of CUDA C++, macros of the headers that nvcc
/// includes, and the names of this compiler's helpers. `at_file_scope`: what those headers declare
/// as well.
bool is_reserved(std::string_view name, bool at_file_scope);

/// An identifier close to `name` that no header or language reserves: other characters become `_`,
/// runs of `_` and leading ones are broken up, reserved words get a trailing `_`. Not yet unique.
std::string safe_identifier(std::string_view name, bool at_file_scope);

/// Names that are in use, scope by scope. A name is unique among those that are visible where it is
/// declared.
class Scopes {
 public:
  enum class Outermost { File, Block };
  explicit Scopes(Outermost outermost = Outermost::Block) : outermost_(outermost) { push(); }
  /// A scope within those of `around`, which stay as they are while this one is in use.
  explicit Scopes(const Scopes* around) : around_(around) { push(); }
  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  /// A name for `wanted`, in use until the current scope is popped.
  std::string declare(std::string_view wanted);

 private:
  bool in_use(const std::string& name) const;

  Outermost outermost_ = Outermost::Block;
  const Scopes* around_ = nullptr;
  // `next`: by stem, the first number that may be free; none is given back while the scope lasts.
  struct Scope {
    std::unordered_set<std::string> names;
    std::unordered_map<std::string, int> next;
  };
  std::vector<Scope> scopes_;
};

}  // namespace cdsl::cuda
