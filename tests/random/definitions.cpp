// `let` and `def` inside expressions.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

std::optional<Node> Generator::let(Scope& scope, Type type, int depth) {
  if (scope.lets == nullptr || !scope.reads) return std::nullopt;
  used("let");
  Node value = expression(scope, type, depth);
  const std::string name = fresh("v");
  scope.lets->push_back(statement("let " + name, std::move(value), {name}));
  scope.values.push_back(leaf(name, type));
  return scope.values.back();
}

/// One of the program's functions of values; a body without casts is used at several types.
std::optional<Node> Generator::def_call(Scope& scope, Type type, int depth) {
  if (!scope.reads || type == kBool || type.is_index) return std::nullopt;
  used("def");
  const bool generic = (type != kF32 && type != kI32) || rng_.chance(40);
  const std::string stem = generic ? (is_complex(type.scalar) ? "turn" : "pick") : type == kF32 ? "blend" : "mix";
  std::string name;
  for (const Item& item : program_.items)
    if (item.name.starts_with(stem) && rng_.chance(70)) name = item.name;
  if (name.empty()) {
    name = fresh(stem);
    std::string text;
    if (generic) {
      static const std::vector<const char*> numbers = {"a * b + a", "if a < b { a } else { b - a }", "max(a, b) - min(a, b)", "select(a == b, a + 1, b)",
                                                       "(if b != 0 { a / b } else { a }) * 2"};
      static const std::vector<const char*> complex = {"a * b + a", "a - b * a", "if a == b { a } else { a + b }"};
      text = rng_.pick(stem == "turn" ? complex : numbers);
      used("def of several types");
    } else {
      Scope body;
      body.reads = false;
      body.values = {leaf("a", type), leaf("b", type)};
      text = expression(body, type, 2).text();
    }
    program_.items.push_back({name, fmt::format("def {}(a, b) = {};", name, text)});
  }
  Node left = expression(scope, type, depth);
  return call(type, name, {std::move(left), generic || type == kI32 ? expression(scope, type, depth) : literal_or(scope, type, depth)});
}

}  // namespace cdsl::random
