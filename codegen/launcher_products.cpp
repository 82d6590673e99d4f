// Counts of elements and bytes are products of extents: a call whose products do not fit the
// arithmetic of addresses is refused before anything is computed from them.
#include <fmt/format.h>
#include <algorithm>
#include <set>

#include "codegen/launcher_context.h"
#include "dsl/expr/walk.h"
#include "dsl/plan/variants.h"

namespace cdsl::cuda {
namespace {

class ProductPrinter {
 public:
  ProductPrinter(LauncherContext& context, Writer& out) : c_(context), out_(out) {}

  void run() {
    for (const plan::Buffer& buffer : c_.plan.buffers) {
      if (buffer.kind == plan::Buffer::Kind::Constant || is_strided(buffer)) continue;
      print(buffer.bytes, (buffer.tensor.valid() ? c_.function.tensor(buffer.tensor).name
                                                 : buffer.name) +
                              " is too large");
    }
    for (const plan::Variant& variant : c_.plan.variants)
      plan::for_each_launch(variant.steps, [this](const plan::Launch& launch) { print(launch); });
  }

 private:
  // Its reach is checked with its strides.
  bool is_strided(const plan::Buffer& buffer) const {
    return buffer.tensor.valid() &&
           c_.function.tensor(buffer.tensor).order == tir::Order::Strided;
  }

  void print(const plan::Launch& launch) {
    if (!launch.grid.items.valid()) return;
    const auto symbols = free_symbols(c_.plan.arena, launch.grid.items);
    const bool known = std::all_of(symbols.begin(), symbols.end(), [&](SymbolId symbol) {
      return !c_.spellings.symbols[symbol.index()].empty();
    });
    if (known) print(launch.grid.items, "a statement has too many points");
  }

  void print(ExprId product, const std::string& message) {
    const ExprArena& arena = c_.plan.arena;
    std::string factors;
    int64_t constant = 1;
    std::vector<ExprId> pending{product};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      const auto args = arena.args(id);
      if (arena.is_apply(id, Op::Mul)) {
        pending.insert(pending.end(), args.rbegin(), args.rend());
      } else if (const Value* value = arena.constant_value(id)) {
        constant *= value->i;
      } else {
        factors += (factors.empty() ? "" : ", ") + c_.expression(id);
      }
    }
    const bool is_new = printed_.insert(factors).second;
    if (factors.empty() || (constant == 1 && !is_new)) return;
    if (constant != 1) factors += fmt::format(", {}", constant);
    if (constant != 1 && !printed_.insert(factors).second) return;
    c_.module.support.need(Support::Fits);
    c_.module.support.need(Support::Refuse);
    out_.guarded(fmt::format("!fits({{{}}})", factors),
                 fmt::format("return refuse(why,{}{});", kBreak, string_literal(message)));
  }

  LauncherContext& c_;
  Writer& out_;
  std::set<std::string> printed_;
};

}  // namespace

void print_products(LauncherContext& c, Writer& out) {
  ProductPrinter(c, out).run();
}

}  // namespace cdsl::cuda
