// `schedule` and `expect` blocks as plain data, checked against the language's list of directives and metrics.
#pragma once

#include <string>
#include <vector>

#include "dsl/support/source.h"

namespace cdsl {

/// One argument of a directive: `m: 128` has key "m" and text "128"; a bare `acc` has no key.
struct DirectiveArgument {
  std::string key;
  std::string text;
  SourceRange where;
};

/// `C: tile(m: 128, n: 256)` has target "C", name "tile"; a directive of the whole function has no target.
struct Directive {
  std::string target;
  std::string name;
  std::vector<DirectiveArgument> arguments;
  std::string architecture;      // "sm_90a" of `schedule f for sm_90a`, "" for any
  SourceRange where;
};

/// `spills == 0`
struct Expectation {
  std::string metric;
  std::string relation;          // == != < <= > >=
  double value = 0;
  SourceRange where;
};

/// A directive or metric of the language, with its one-line summary (docs/language.md, section 11).
struct DirectiveInfo {
  std::string_view name;
  std::string_view summary;
  bool needs_target;
};
const std::vector<DirectiveInfo>& known_directives();
const std::vector<DirectiveInfo>& known_metrics();

}  // namespace cdsl
