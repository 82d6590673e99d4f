// The checks of a call, in the order of docs/language.md, 3.4: sizes, extents, memory, then what
// the function asks for.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/launcher_context.h"
#include "dsl/expr/print.h"
#include "dsl/plan/variants.h"
#include "dsl/tensor/bind.h"

namespace cdsl::cuda {
namespace {

bool is_strided(const LauncherContext& c, const plan::Buffer& buffer) {
  return buffer.kind == plan::Buffer::Kind::Parameter &&
         c.function.tensor(buffer.tensor).order == tir::Order::Strided;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char ch : text) out += ch == '%' ? std::string("%%") : std::string(1, ch);
  return out;
}

// `format` is for printf if there are values, a plain text otherwise.
void print_refusal(LauncherContext& c, const std::string& condition, const std::string& format,
                   const std::string& values, Writer& out) {
  c.module.support.need(values.empty() ? Support::Refuse : Support::RefuseValues);
  out.guarded(condition,
              fmt::format("return refuse(why,{}{}{});", kBreak, string_literal(format), values));
}

void print_sizes(LauncherContext& c, Writer& out) {
  for (const tir::Size& size : c.function.sizes) {
    const std::string name = c.function.arena.symbol(size.symbol).name;
    const std::string& value = c.spellings.symbols[size.symbol.index()];
    const std::string values = fmt::format(",{}{}", kBreak, value);
    if (size.known) {
      print_refusal(c, fmt::format("{} != {}", value, *size.known),
                    fmt::format("this was compiled for {} = {}, not %lld", name, *size.known),
                    values, out);
    } else {
      print_refusal(c, value + " < 0", fmt::format("size {} is negative: %lld", name), values, out);
    }
  }
  for (const plan::ViewSymbol& view : c.plan.views) {
    if (view.kind != plan::ViewSymbol::Kind::Extent) continue;
    const tir::Tensor& tensor = c.function.tensor(view.tensor);
    const std::string& value = c.spellings.symbols[view.symbol.index()];
    const std::string declared = c.expression(tensor.shape[view.axis], {kRelation});
    print_refusal(
        c, fmt::format("{} != 1 &&{}{} != {}", value, kOuterBreak, value, declared),
        fmt::format("axis {} of {} has extent %lld, neither 1 nor %lld", view.axis, tensor.name),
        fmt::format(",{}{},{}{}", kBreak, value, kBreak, declared), out);
  }
}

// A size that only axes `1|N` carry is the extent of one of them: 1 where all are.
void print_carried(LauncherContext& c, Writer& out) {
  for (const tir::Size& size : c.function.sizes) {
    if (size.is_parameter) continue;
    std::string all_one;
    for (const auto& [tensor, axis] : tir::determining_axes(c.function, size)) {
      const auto view = std::find_if(c.plan.views.begin(), c.plan.views.end(), [&](const plan::ViewSymbol& v) {
        return v.kind == plan::ViewSymbol::Kind::Extent && v.tensor == tensor && v.axis == axis;
      });
      all_one += view == c.plan.views.end()
                     ? " && false"
                     : fmt::format(" &&{}{} == 1", kOuterBreak, c.spellings.symbols[view->symbol.index()]);
    }
    if (all_one.find("false") != all_one.npos) continue;
    const std::string& value = c.spellings.symbols[size.symbol.index()];
    print_refusal(c, value + " != 1" + all_one,
                  fmt::format("size {} is %lld, but all axes that have it are 1",
                              c.function.arena.symbol(size.symbol).name),
                  fmt::format(",{}{}", kBreak, value), out);
  }
}

// Extents that are neither a size nor a constant can be negative.
void print_extents(LauncherContext& c, Writer& out) {
  for (const tir::Tensor& tensor : c.function.tensors) {
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      if (c.function.arena.get_if<Apply>(tensor.shape[axis]) == nullptr) continue;
      const std::string value = c.expression(tensor.shape[axis], {kShift});
      print_refusal(c, value + " < 0",
                    fmt::format("extent {} of {} is negative: %lld", axis, escaped(tensor.name)),
                    fmt::format(",{}{}", kBreak, c.expression(tensor.shape[axis], {.exact = true})),
                    out);
    }
  }
}

int64_t aligned_to(const LauncherContext& c, const plan::Buffer& buffer, int64_t natural) {
  for (const tir::Fact& fact : c.function.facts) {
    const bool here =
        fact.kind == tir::Fact::Kind::Aligned && fact.required && fact.tensor == buffer.tensor;
    if (here && buffer.part == 0 && fact.bytes > natural) natural = fact.bytes;
  }
  return natural;
}

std::string range_text(LauncherContext& c, std::size_t b) {
  const plan::Buffer& buffer = c.plan.buffers[b];
  const tir::Tensor& tensor = c.function.tensor(buffer.tensor);
  const std::string name = string_literal(c.display_names[b]);
  const int64_t alignment = aligned_to(c, buffer, c.alignments[b]);
  if (!is_strided(c, buffer) || tensor.shape.empty()) {
    return fmt::format("{{{}, {}, {}, {}, {}}},", name, c.buffers[b], c.bytes(buffer), alignment,
                       tensor.role == tir::Role::Input ? "false" : "true");
  }
  c.module.support.need(Support::StridedRange);
  std::string extents, strides;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    std::string stride = "0", extent = c.expression(tensor.shape[axis]);
    for (const plan::ViewSymbol& view : c.plan.views) {
      if (view.tensor != buffer.tensor || view.axis != axis) continue;
      (view.kind == plan::ViewSymbol::Kind::Stride ? stride : extent) =
          c.spellings.symbols[view.symbol.index()];
    }
    extents += (axis == 0 ? "" : ", ") + extent;
    strides += (axis == 0 ? "" : ", ") + stride;
  }
  return fmt::format("strided_range({}, {}, sizeof({}), {},{}{{{}}},{}{{{}}}),", name, c.buffers[b],
                     c.pointer_types[b], alignment, kBreak, extents, kBreak, strides);
}

void print_ranges(LauncherContext& c, Writer& out) {
  std::vector<std::size_t> parameters;
  for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
    if (c.plan.buffers[b].kind == plan::Buffer::Kind::Parameter && !c.buffers[b].empty())
      parameters.push_back(b);
  }
  if (parameters.empty()) return;
  bool all_apart = false;
  for (const tir::Fact& fact : c.function.facts)
    all_apart |= fact.kind == tir::Fact::Kind::NoAlias && fact.required && fact.tensors.empty();
  c.module.support.need(Support::Ranges);
  out.line("const memory_range ranges[] = {");
  out.indent();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    c.ranges[parameters[k]] = static_cast<int>(k);
    out.line(range_text(c, parameters[k]));
  }
  out.dedent();
  out.line("};");
  out.guarded(fmt::format("cudaError_t error = check_ranges(ranges, {}, why)", all_apart),
              "return error;");
}

// Alignment is a part of the ranges' checks, and so is `noalias` of all.
void print_requirement(LauncherContext& c, const tir::Fact& fact, Writer& out) {
  if (fact.kind == tir::Fact::Kind::Condition) {
    const std::string text = "required: " + to_string(c.function.arena, fact.condition, {});
    print_refusal(c, "!(" + c.expression(fact.condition) + ")", text, "", out);
  }
  if (fact.kind != tir::Fact::Kind::NoAlias || fact.tensors.empty()) return;
  const plan::NoAlias apart = plan::no_alias(c.plan, fact.tensors);
  std::string names;
  for (const TensorId tensor : fact.tensors)
    names += (names.empty() ? "" : ", ") + c.function.tensor(tensor).name;
  print_refusal(c, "!" + no_alias(c, apart.buffers), "required: noalias(" + names + ")", "", out);
}

// A message with its {k} filled in by printf: the text, and the values in the order of their
// places.
void print_check(LauncherContext& c, const tir::Check& check, Writer& out) {
  std::string format, values;
  for (std::size_t k = 0; k < check.message.size(); ++k) {
    const std::size_t close = check.message.find('}', k);
    const bool place = check.message[k] == '{' && close == k + 2 && check.message[k + 1] >= '0' &&
                       check.message[k + 1] <= '9';
    const auto operand =
        place ? static_cast<std::size_t>(check.message[k + 1] - '0') : check.operands.size();
    if (operand >= check.operands.size()) {
      format += escaped(check.message.substr(k, 1));
      continue;
    }
    const bool real = is_float(c.function.arena.type(check.operands[operand]));
    format += real ? "%g" : "%lld";
    values += fmt::format(",{}({}){}", kBreak, real ? "double" : "long long",
                          c.expression(check.operands[operand], {kUnary}));
    k = close;
  }
  print_refusal(c, "!(" + c.expression(check.condition) + ")",
                values.empty() ? check.message : format, values, out);
}

}  // namespace

void print_checks(LauncherContext& c, Writer& out) {
  print_sizes(c, out);
  print_carried(c, out);
  print_extents(c, out);
  print_products(c, out);
  print_ranges(c, out);
  for (const tir::Fact& fact : c.function.facts) {
    if (fact.required) print_requirement(c, fact, out);
  }
  for (const tir::Check& check : c.function.checks) print_check(c, check, out);
}

}  // namespace cdsl::cuda
