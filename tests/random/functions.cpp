// Functions that are called: of one type, of types that the call gives, on an inout.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

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

namespace {

const char* kind_of(ScalarType type) { return is_float(type) ? "float" : is_integer(type) ? "int" : "number"; }

}  // namespace

/// (y, h) = helper(x, w, S: 2); its types and one size are the call's.
void Generator::call_generic() {
  if (in_loop_) return;
  const ScalarType first = rng_.of({ScalarType::F32, ScalarType::F16, ScalarType::BF16, ScalarType::F64, ScalarType::C64});
  const ScalarType second = rng_.of({ScalarType::I32, ScalarType::U8, ScalarType::I64, ScalarType::U32, ScalarType::I16});
  const Extent rows = extent(), columns = extent();
  const Tensor x = input(first, {rows, columns}), w = input(second, {rows});
  // A strided argument needs a strided parameter.
  if (!x.suffix.empty() || !x.may_be_one.empty() || !w.suffix.empty() || !w.may_be_one.empty()) return pointwise();
  used("generic fn of several types");
  const std::string name = fresh("helper");
  const bool sized = rng_.chance(60), whole = rng_.chance(30);
  const std::string read = sized ? rng_.of({"p[i, j + S @clamp]", "p[i, j - S @zero]", "p[i, j * S @wrap]"}) : "p[i, j]";
  const std::string arithmetic = rng_.of({"+ g[i]", "* 3", "- g[i] / 2"});
  const std::string text = fmt::format(
      "fn {}<T: {}, U: {}{}>(p: T[A, B], g: U[A]) -> (q: T[A], c: U[A]) {{\n"
      "  let mean = sum[j in 0..B]({});\n"
      "  q[i] = T(mean);\n"
      "  c[i] = U(g[i] {});\n}}",
      name, kind_of(first), kind_of(second), sized ? ", S: size" : "", read, arithmetic);
  program_.items.push_back({name, text});
  Tensor q = output(first, {rows}), c;
  if (rng_.chance(50)) {
    c = output(second, {rows});
  } else {
    c.name = fresh("h");
    c.type = second;
    c.element = name_of(second);
    c.shape = {rows};
  }
  std::string arguments = fmt::format("{}, {}", x.name, w.name);
  if (sized) arguments += fmt::format(", S: {}", rng_.of({"1", "2", "0", "3"}));
  const std::string types = whole ? fmt::format("<T: {}, U: {}>", name_of(first), name_of(second)) : "";
  emit(statement(fmt::format("({}, {})", q.name, c.name), leaf(fmt::format("{}{}({})", name, types, arguments), {}), {q.name, c.name}));
  visible_.push_back(q);
  visible_.push_back(c);
}

/// step(z, x); z is an inout here and there.
void Generator::call_in_place() {
  if (in_loop_) return;
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::F16});
  const Extent n = extent();
  const Tensor x = input(type, {n});
  if (!x.suffix.empty() || !x.may_be_one.empty()) return pointwise();
  used("call on an inout");
  Tensor z;
  z.name = fresh("z");
  z.type = type;
  z.element = name_of(type);
  z.shape = {n};
  program_.inouts.push_back(z);
  const std::string name = fresh("step");
  const std::string read = rng_.of({"u[i]", "u[i - 1 @clamp]", "u[i + 1 @zero]"});
  const std::string value = is_storage_only(type) ? fmt::format("{}(f32({}) * 0.5 + f32(g[i]))", name_of(type), read) : fmt::format("{} * 3 + g[i]", read);
  const bool generic = rng_.chance(40) && !is_storage_only(type);
  const std::string spelt = generic ? "T" : std::string(name_of(type));
  program_.items.push_back({name, fmt::format("fn {}{}(inout u: {}[A], g: {}[A]) {{\n  u[i] = {};\n}}", name, generic ? fmt::format("<T: {}>", kind_of(type)) : "",
                                              spelt, spelt, value)});
  for (int times = rng_.of({1, 1, 2}); times > 0; --times) emit({words(fmt::format("{}({}, {})", name, z.name, x.name)), {z.name}, false, {}});
  visible_.push_back(z);
}

}  // namespace cdsl::random
