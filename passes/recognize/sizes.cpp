#include "passes/recognize/sizes.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

constexpr int64_t kShort = 8, kTiny = 8;
// By the number of axes of open extent that a tensor has.
constexpr int64_t kLikely[] = {0, int64_t{1} << 24, 4096, 256, 64};

// For each size the smallest that one of its tensors suggests.
std::unordered_map<SymbolId, int64_t> suggested(const tir::Function& function, const std::set<SymbolId>& open) {
  std::unordered_map<SymbolId, int64_t> result;
  for (const tir::Tensor& tensor : function.tensors) {
    std::vector<SymbolId> found;
    int64_t axes = 0;
    for (ExprId extent : tensor.shape) {
      const std::size_t before = found.size();
      for (SymbolId symbol : free_symbols(function.arena, extent))
        if (open.contains(symbol)) found.push_back(symbol);
      axes += found.size() > before;
    }
    const int64_t likely = kLikely[std::clamp<int64_t>(axes, 1, 4)];
    for (SymbolId symbol : found) {
      const auto [at, is_new] = result.try_emplace(symbol, likely);
      if (!is_new) at->second = std::min(at->second, likely);
    }
  }
  return result;
}

std::optional<int64_t> typical_of(const tir::Function& function, const std::string& name) {
  for (const Directive& directive : function.directives) {
    if (directive.name != "sizes") continue;
    for (const DirectiveArgument& argument : directive.arguments) {
      int64_t value = 0;
      const char* end = argument.text.data() + argument.text.size();
      if (argument.key == name && std::from_chars(argument.text.data(), end, value).ptr == end && value > 0) return value;
    }
  }
  return std::nullopt;
}

}  // namespace

SizeValues::SizeValues(const tir::Function& function) : arena_(&function.arena) {
  std::set<SymbolId> open;
  for (const tir::Size& size : function.sizes)
    if (!size.known) open.insert(size.symbol);
  const auto suggestions = suggested(function, open);
  for (const tir::Size& size : function.sizes) {
    // A parameter of its own is a stride, a padding, a width: small.
    const auto suggestion = suggestions.find(size.symbol);
    const int64_t guess = size.is_parameter || suggestion == suggestions.end() ? 1 : suggestion->second;
    const auto typical = typical_of(function, function.arena.symbol(size.symbol).name);
    sizes_[size.symbol] = {size.known.value_or(typical.value_or(guess)), size.known.has_value(), typical.has_value()};
  }
}

int64_t SizeValues::likely(ExprId id) const {
  const auto found = value(id, true);
  if (!found || *found >= kTiny || !is_open(id)) return found.value_or(1);
  int64_t greatest = *found;
  for (SymbolId symbol : free_symbols(*arena_, id)) {
    const auto size = sizes_.find(symbol);
    if (size != sizes_.end()) greatest = std::max(greatest, size->second.likely);
  }
  return greatest;
}

SizeValues SizeValues::with_short(std::span<const ExprId> ends) const {
  SizeValues result = *this;
  for (ExprId end : ends) {
    for (SymbolId symbol : free_symbols(*arena_, end)) {
      const auto size = result.sizes_.find(symbol);
      if (size != result.sizes_.end() && !size->second.known && !size->second.typical) size->second.likely = kShort;
    }
  }
  return result;
}

std::optional<int64_t> SizeValues::value(ExprId id, bool guess) const {
  if (const auto c = constant_integer(*arena_, id)) return c;
  if (const auto* symbol = arena_->get_if<Symbol>(id)) {
    const auto found = sizes_.find(symbol->symbol);
    if (found == sizes_.end() || (!guess && !found->second.known)) return std::nullopt;
    return found->second.likely;
  }
  const auto* apply = arena_->get_if<Apply>(id);
  const auto args = arena_->args(id);
  if (apply == nullptr || args.empty() || args.size() > 2) return std::nullopt;
  const auto a = value(args[0], guess);
  if (apply->op == Op::Cast) return a;
  const auto b = args.size() == 2 ? value(args[1], guess) : std::nullopt;
  if (!a || !b) return std::nullopt;
  int64_t result = 0;
  switch (apply->op) {
    case Op::Add: return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case Op::Sub: return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case Op::Mul: return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
    case Op::Min: return std::min(*a, *b);
    case Op::Max: return std::max(*a, *b);
    case Op::FloorDiv:
    case Op::Div: return *b > 0 && *a >= 0 ? std::optional(*a / *b) : std::nullopt;
    case Op::FloorMod:
    case Op::Rem: return *b > 0 && *a >= 0 ? std::optional(*a % *b) : std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace cdsl::deciding
