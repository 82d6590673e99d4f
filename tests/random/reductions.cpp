// Reductions: every operator, one or several binders, ranges that hang on outer indices, guards.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

bool taken(const Scope& scope, const std::string& name) {
  for (const Index& index : scope.indices)
    if (index.name == name) return true;
  return false;
}

}  // namespace

/// "r, s in 0..N if c": ranges are left out where a bare read gives them.
Node Generator::binder_list(Scope& inner, std::vector<Index>& binders, std::size_t first, bool may_guard, int depth) {
  std::string text;
  for (std::size_t k = 0; k < binders.size(); ++k) {
    Index& seen = inner.indices[first + k];
    text += (k > 0 ? ", " : "") + seen.name;
    const std::string size = program_.extent_text(seen.within);
    if (seen.bare && rng_.chance(60)) continue;
    text += fmt::format(" in 0..{}", size);
  }
  Node list = leaf(text, {});
  list.is_value = false;
  if (may_guard && rng_.chance(15)) {
    used("binder guard");
    list = composed({}, kPostfix, {text + " if ", ""}, {condition(inner, std::min(depth, 1))}, {kOr});
    list.is_value = false;
  }
  return list;
}

Node Generator::reduce_over(Scope& scope, const std::string& op, Type result, Type term, std::vector<Index> binders, int depth) {
  Scope inner = scope;
  inner.lets = nullptr;
  ++inner.reductions;
  const std::size_t first = inner.indices.size();
  inner.indices.insert(inner.indices.end(), binders.begin(), binders.end());
  Node body = expression(inner, term, depth);
  Node list = binder_list(inner, binders, first, !op.starts_with("arg"), depth);
  for (std::size_t k = 0; k < first; ++k) scope.indices[k].bare |= inner.indices[k].bare;
  return composed(result, kPostfix, {op + "[", "](", ")"}, {std::move(list), std::move(body)});
}

std::optional<Node> Generator::reduction(Scope& scope, Type type, int depth) {
  if (!scope.reads || scope.reductions >= 2) return std::nullopt;
  std::vector<Index> binders;
  for (const char* name : {"r", "s", "p", "q"}) {
    if (taken(scope, name)) continue;
    binders.push_back({name, extent()});
    if (binders.size() == 2 || rng_.chance(75)) break;
  }
  if (binders.empty()) return std::nullopt;
  if (binders.size() > 1) used("reduction of several indices");
  if (scope.reductions > 0) used("nested reduction");
  // Ranges that hang on an index of the same extent.
  if (binders.size() == 1 && rng_.chance(15)) {
    for (const Index& index : scope.indices) {
      if (!(index.within == binders[0].within)) continue;
      used("triangular range");
      Scope inner = scope;
      inner.lets = nullptr;
      ++inner.reductions;
      inner.indices.push_back(binders[0]);
      Type term = type;
      std::string op = type == kBool ? "any" : type.is_index ? "count" : is_complex(type.scalar) ? "sum" : rng_.of({"sum", "max", "min"});
      if (type.is_index) term = kBool;
      if (size_of(type.scalar) < 4 && op == "sum") op = "max";
      Node body = expression(inner, term, depth);
      const std::string range = rng_.of({0, 1}) == 0 ? fmt::format("{} in 0..={}", binders[0].name, index.name)
                                                     : fmt::format("{} in {}..{}", binders[0].name, index.name, program_.extent_text(index.within));
      Node list = leaf(range, {});
      list.is_value = false;
      return composed(type, kPostfix, {op + "[", "](", ")"}, {std::move(list), std::move(body)});
    }
  }
  if (type == kBool) return reduce_over(scope, rng_.chance(50) ? "any" : "all", kBool, kBool, binders, depth);
  if (type.is_index) {
    if (rng_.chance(60)) return reduce_over(scope, "count", kIndex, kBool, binders, depth);
    ScalarType term = evaluation_type(element_type());
    if (term == ScalarType::Bool || is_complex(term)) term = ScalarType::F32;
    used("argmax inside");
    return reduce_over(scope, rng_.chance(50) ? "argmax" : "argmin", kIndex, {term}, binders, depth);
  }
  if (is_complex(type.scalar)) return reduce_over(scope, "sum", type, type, binders, depth);
  if (is_float(type.scalar)) {
    static const std::vector<const char*> ops = {"sum", "sum", "sum", "max", "min", "mean", "prod"};
    const std::string op = rng_.pick(ops);
    if (type.scalar == ScalarType::F64 && op != "max" && op != "min" && rng_.chance(30)) {
      used("wider accumulator");
      return reduce_over(scope, op + "<f64>", type, {ScalarType::F32}, binders, depth);
    }
    return reduce_over(scope, op, type, type, binders, depth);
  }
  const bool narrow = size_of(type.scalar) < 4;
  const std::string op = narrow ? rng_.of({"max", "min"}) : rng_.of({"sum", "sum", "max", "min", "prod"});
  if (op == "sum" && (type.scalar == ScalarType::I32 || type.scalar == ScalarType::U32) && rng_.chance(30)) {
    const bool has_sign = type.scalar == ScalarType::I32;
    return reduce_over(scope, op, type, {has_sign ? ScalarType::I8 : ScalarType::U8}, binders, depth);
  }
  return reduce_over(scope, op, type, type, binders, depth);
}

}  // namespace cdsl::random
