// Which variant a call runs: guards as a chain of `if`s, the general variant last.
#include <fmt/format.h>

#include "codegen/launcher_context.h"

namespace cdsl::cuda {
namespace {

std::string text_of(LauncherContext& c, const plan::Holds& guard) {
  return c.expression(guard.condition, {kAnd});
}

std::string text_of(LauncherContext& c, const plan::Aligned& guard) {
  c.module.support.need(Support::IsAligned);
  return fmt::format("is_aligned({}, {})", c.buffers[guard.buffer.buffer], guard.bytes);
}

std::string text_of(LauncherContext& c, const plan::NoAlias& guard) {
  return no_alias(c, guard.buffers);
}

std::string condition_of(LauncherContext& c, const plan::Variant& variant) {
  std::string all;
  for (const plan::Guard& guard : variant.guards) {
    const std::string one = std::visit([&](const auto& node) { return text_of(c, node); }, guard);
    all += (all.empty() ? "" : std::string(" &&") + kOuterBreak) + one;
  }
  return all.empty() ? "true" : all;
}

}  // namespace

std::string no_alias(LauncherContext& c, const std::vector<plan::BufferRef>& buffers) {
  std::string numbers;
  int count = 0;
  for (const plan::BufferRef ref : buffers) {
    if (c.ranges[ref.buffer] < 0) continue;
    numbers += fmt::format("{}{}", count++ == 0 ? "" : ", ", c.ranges[ref.buffer]);
  }
  if (count < 2) return "true";
  c.module.support.need(Support::NoAlias);
  return fmt::format("no_alias(ranges, {{{}}})", numbers);
}

void print_variants(LauncherContext& c, Writer& out) {
  if (c.plan.variants.size() == 1) return print_variant(c, c.plan.general(), out);
  for (const plan::Variant& variant : c.plan.variants) {
    const bool last = &variant == &c.plan.general();
    const std::string head = last ? "" : fmt::format("if ({})", condition_of(c, variant));
    if (&variant == &c.plan.variants.front()) {
      out.open(head);
    } else {
      out.close(last ? "} else {" : "} else " + head + " {");
      out.indent();
    }
    out.comment("Variant " + variant.name + ".");
    c.names.push();
    print_variant(c, variant, out);
    c.names.pop();
  }
  out.close();
}

}  // namespace cdsl::cuda
