// repeat and along.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

void Generator::loop(const std::string& head, const std::string& defines, const std::function<void()>& body) {
  Statement made;
  made.is_block = true;
  made.defines = {defines};
  made.head = words(head);
  loops_.push_back(head.substr(head.find(' ') + 1, 1));
  std::vector<Statement>* const outer = block_;
  const std::vector<Tensor> before = visible_;
  const bool was_in_loop = in_loop_;
  block_ = &made.body;
  in_loop_ = true;
  body();
  in_loop_ = was_in_loop;
  block_ = outer;
  emit(std::move(made));
  std::vector<Tensor> after = before;
  for (const Tensor& tensor : visible_) {
    bool known = tensor.name[0] != 'x';
    for (const Tensor& old : before) known |= old.name == tensor.name;
    if (!known) after.push_back(tensor);
  }
  visible_ = std::move(after);
}

void Generator::repeat() {
  if (in_loop_) return;
  const ScalarType type = rng_.chance(70) ? float_type() : element_type();
  const std::vector<Index> indices = left_indices(shape(0, 2));
  std::vector<Extent> extents;
  for (const Index& index : indices) extents.push_back(index.within);
  const Tensor start = input(type, extents);
  Tensor state = start;
  const bool named = rng_.chance(70);
  if (named) {
    state = output(type, extents);
  } else {
    state.name = fresh("u");
    state.suffix = "";
    state.may_be_one.clear();
  }
  state.is_scalar = false;
  const std::string index = "t";
  std::string text;
  const bool open = rng_.chance(30);   // how often it repeats only the call says
  if (open) {
    Tensor steps;
    steps.name = fresh("steps");
    steps.type = ScalarType::I32;
    steps.element = "i32";
    steps.is_scalar = true;
    program_.inputs.push_back(steps);
    text = fmt::format("repeat t in 0..{}", steps.name);
  } else {
    const int first = rng_.below(2);
    text = fmt::format("repeat t in {}..{}", first, 1 + rng_.below(4));
  }
  std::string from = start.name;
  // A scalar of a storage type arrives as f32.
  if (start.is_scalar) from = fmt::format("{}({})", name_of(named ? type : evaluation_type(type)), start.name);
  if (start.is_scalar && !named) state.type = evaluation_type(type), state.element = name_of(state.type);
  text += fmt::format(" from {} = {}", state.name, from);
  const bool counted = rng_.chance(25);
  const std::string counter = counted ? fresh("n") : "";
  if (counted) text += fmt::format(", {} = i32(0)", counter);
  if (rng_.chance(20) && counted) text += fmt::format(" until {} >= {}", counter, rng_.below(3));

  loop(text, state.name, [&] {
    visible_.push_back(state);
    if (!open) loop_indices_.push_back({index, {-1, 1, 8, 1}});
    if (rng_.chance(40)) {
      static const std::vector<void (Generator::*)()> inner = {&Generator::pointwise, &Generator::reduce_rows, &Generator::stencil, &Generator::product, &Generator::scan};
      (this->*rng_.pick(inner))();
    }
    for (int times = rng_.of({1, 1, 1, 2}); times > 0; --times) {
      Scope scope = scope_of(indices);
      define_as(state, indices, value_for(scope, state.type, depth()));
    }
    if (counted) emit(statement(counter, leaf(counter + " + 1", {ScalarType::I32}), {counter}));
    if (!open) loop_indices_.pop_back();
  });
  visible_.push_back(state);
}

/// along i in 0..N { y[i, j] = (if i > 0 { y[i - 1, j] } else { 0 }) * a + ...; }
void Generator::along() {
  if (in_loop_) return;
  const ScalarType type = rng_.chance(75) ? rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32}) : element_type();
  const Type value{evaluation_type(type)};
  if (value == kBool) return pointwise();
  std::vector<Index> indices = left_indices(shape(1, 2));
  std::vector<Extent> extents;
  for (const Index& index : indices) extents.push_back(index.within);
  const auto axis = static_cast<std::size_t>(rng_.below(static_cast<int>(indices.size())));
  const bool down = rng_.chance(30), is_tmp = rng_.chance(20);
  Tensor target;
  if (is_tmp) {
    target.name = fresh("h");
    target.type = type;
    target.element = name_of(type);
    target.shape = extents;
    declare_tmp(target);
  } else {
    target = output(type, extents);
  }
  const std::string i = indices[axis].name, size = program_.extent_text(extents[axis]);
  const std::string head = fmt::format("along {} in 0..{}{}", i, size, down ? " descending" : "");
  loop(head, target.name, [&] {
    const int step = rng_.of({1, 1, 2});
    std::vector<Node> subscripts;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      std::string text = indices[k].name;
      if (k == axis) text = fmt::format("{} {} {}{}", i, down ? "+" : "-", step, " @zero");
      else if (rng_.chance(25)) text += rng_.of({" + 1 @clamp", " - 1 @zero"});
      subscripts.push_back(leaf(text, kIndex));
      subscripts.back().is_value = k != axis && text == indices[k].name;
    }
    Node previous = access(value, target.name, std::move(subscripts));
    if (is_storage_only(type)) previous = call(value, "f32", {std::move(previous)});
    Scope scope = scope_of(indices);
    if (rng_.chance(25)) {
      // A temporary of one iteration.
      Tensor half;
      half.name = fresh("h");
      half.type = value.scalar;
      half.element = name_of(value.scalar);
      std::vector<Node> on;
      std::string left = half.name;
      for (std::size_t k = 0; k < indices.size(); ++k) {
        if (k == axis) continue;
        half.shape.push_back(extents[k]);
        on.push_back(at(indices[k].name));
        left += fmt::format("[{} in 0..{}]", indices[k].name, program_.extent_text(extents[k]));
      }
      emit(statement(left, std::move(previous), {half.name}));
      previous = access(value, half.name, std::move(on));
    }
    Node other = expression(scope, value, depth());
    Node result = sum_or_product(value, std::move(previous), std::move(other));
    define_as(target, indices, store(type, std::move(result)));
  });
  visible_.push_back(target);
}

}  // namespace cdsl::random
