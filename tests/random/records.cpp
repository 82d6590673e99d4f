// Records in every layout, and functions that are called.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

const Type kIndex{ScalarType::I64, true};

std::string layout_of(Rng& rng, const Tensor& tensor) {
  switch (rng.below(6)) {
    case 0: return "";
    case 1: return " layout(aos)";
    case 2: return " layout(soa)";
    case 3: return fmt::format(" layout(aosoa({}))", rng.of({2, 4, 8, 32}));
    case 4: {
      std::vector<std::string> names;
      for (const Field& field : tensor.fields) names.push_back(field.name);
      const std::size_t first = 1 + static_cast<std::size_t>(rng.below(static_cast<int>(names.size())));
      std::vector<std::string> rest(names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
      names.resize(first);
      return fmt::format(" layout(split({{{}}}{}))", fmt::join(names, ", "), rest.empty() ? "" : fmt::format(", {{{}}}", fmt::join(rest, ", ")));
    }
    default: return " layout(auto)";
  }
}

Tensor record_tensor(Rng& rng, Program& program, const std::string& name, const std::string& structure, std::vector<ScalarType> types) {
  Tensor tensor;
  tensor.name = name;
  tensor.element = structure;
  static const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  std::string text;
  for (int k = 2 + rng.below(3); k > 0; --k) {
    Field field{names[tensor.fields.size()], rng.pick(types), rng.chance(20) ? 2 + rng.below(2) : 0};
    text += fmt::format(" {}: {}{};", field.name, name_of(field.type), field.extent > 0 ? fmt::format("[{}]", field.extent) : "");
    tensor.fields.push_back(field);
  }
  program.items.push_back({structure, fmt::format("struct {} {{{} }}", structure, text)});
  return tensor;
}

}  // namespace

void Generator::records() {
  if (in_loop_) return;
  const Extent n = extent();
  Tensor p = record_tensor(rng_, program_, fresh("x"), fresh("Point"), types_);
  p.shape = {n};
  if (rng_.chance(20)) p.shape.push_back(extent());
  p.suffix = layout_of(rng_, p);
  used(p.suffix.empty() ? "layout(aos)" : p.suffix.substr(1, p.suffix.find('(', 8) - 1));
  program_.inputs.push_back(p);
  visible_.push_back(p);
  const std::vector<Index> indices = left_indices(p.shape);
  Scope scope = scope_of(indices);
  const ScalarType type = evaluation_type(p.fields[0].type);
  Node value = read_of(scope, p, &p.fields[0]);
  if (type != ScalarType::Bool) value = binary({type}, kAdd, "+", std::move(value), expression(scope, {type}, 2));
  define(type, indices, scope, std::move(value));
}

void Generator::record_update() {
  if (in_loop_) return;
  const Extent n = extent();
  Tensor p = record_tensor(rng_, program_, fresh("x"), fresh("Body"), types_);
  p.shape = {n};
  p.suffix = layout_of(rng_, p);
  program_.inputs.push_back(p);
  visible_.push_back(p);
  Tensor q = p;
  q.name = fresh("y");
  q.suffix = layout_of(rng_, q);
  program_.outputs.push_back(q);
  const std::vector<Index> indices = left_indices(p.shape);
  Scope scope = scope_of(indices);
  std::vector<Node> kids;
  std::vector<std::string> pieces;
  const bool with = rng_.chance(50);
  std::string before = with ? fmt::format("{}[i] with (", p.name) : q.element + "(";
  for (const Field& field : p.fields) {
    if (with && rng_.chance(40) && !kids.empty()) continue;
    before += field.name + ": ";
    const int parts = std::max(1, field.extent);
    if (field.extent > 0) before += "[";
    for (int part = 0; part < parts; ++part) {
      pieces.push_back(before);
      kids.push_back(value_for(scope, field.type, 1));
      before = ", ";
    }
    before = field.extent > 0 ? "], " : ", ";
  }
  pieces.push_back(before.substr(0, before.find(',')) + ")");
  Node value = composed({}, kPostfix, std::move(pieces), std::move(kids));
  value.is_value = false;
  define_as(q, indices, std::move(value));
  visible_.push_back(q);
}

/// y = helper(x, s);
void Generator::call_function() {
  if (in_loop_) return;
  const ScalarType type = rng_.chance(70) ? float_type() : element_type();
  const Type value{evaluation_type(type)};
  const std::string name = fresh("helper");
  const std::vector<Extent> extents = shape(1, 2);
  const std::vector<Index> indices = left_indices(extents);
  const bool generic = rng_.chance(40);
  const std::string spelt = generic ? "T" : std::string(name_of(type));
  std::string dims, on;
  static const char* const sizes[] = {"A", "B"};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    dims += fmt::format("{}{}", k == 0 ? "" : ", ", sizes[k]);
    on += fmt::format("{}{}", k == 0 ? "" : ", ", indices[k].name);
  }
  const Tensor x = input(type, extents);
  if (!x.suffix.empty() || !x.may_be_one.empty()) return pointwise();
  Scope body;
  body.reads = false;
  body.values = {leaf(fmt::format("p[{}]", on), value), leaf(fmt::format("p[{}]", on), value)};
  const bool reduced = extents.size() == 2 && rng_.chance(40) && value.scalar != ScalarType::Bool && size_of(value.scalar) >= 4;
  std::string text, result_dims = dims;
  if (generic) {
    used("generic fn");
    const char* kind = is_float(type) ? "float" : is_integer(type) ? "int" : "number";
    if (type == ScalarType::Bool) return pointwise();
    text = fmt::format("fn {}<T: {}>", name, kind);
  } else {
    text = fmt::format("fn {}", name);
  }
  std::string statement_text;
  if (reduced) {
    result_dims = "A";
    statement_text = fmt::format("q[i] = {}(sum[j](p[i, j]))", spelt);
  } else {
    Node e = generic ? leaf(fmt::format("p[{}]", on), value) : expression(body, value, 2);
    statement_text = fmt::format("q[{}] = {}({})", on, spelt, generic ? fmt::format("p[{}] + p[{}]", on, on) : e.text());
  }
  text += fmt::format("(p: {}[{}]) -> (q: {}[{}]) {{\n  {};\n}}", spelt, dims, spelt, result_dims, statement_text);
  program_.items.push_back({name, text});
  std::vector<Extent> made = extents;
  if (reduced) made.pop_back();
  Tensor y;
  if (rng_.chance(60)) {
    y = output(type, made);
  } else {
    y.name = fresh("h");
    y.type = type;
    y.element = name_of(type);
    y.shape = made;
  }
  emit(statement(y.name, leaf(fmt::format("{}({})", name, x.name), {}), {y.name}));
  visible_.push_back(y);
}

}  // namespace cdsl::random
