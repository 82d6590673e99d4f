#include "passes/decide/accesses.h"

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

// Coefficients of indices; false where the subscript is no such sum.
bool add_terms(const ExprArena& arena, ExprId id, int64_t factor, std::map<SymbolId, int64_t>& terms) {
  if (arena.constant_value(id) != nullptr) return true;
  if (const auto* symbol = arena.get_if<Symbol>(id)) {
    if (arena.symbol(symbol->symbol).kind == SymbolKind::Index) terms[symbol->symbol] += factor;
    return true;
  }
  const auto* apply = arena.get_if<Apply>(id);
  if (apply == nullptr) return false;
  const auto args = arena.args(id);
  switch (apply->op) {
    case Op::Cast: return arena.type(id) == ScalarType::I64 && add_terms(arena, args[0], factor, terms);
    case Op::Add: return add_terms(arena, args[0], factor, terms) && add_terms(arena, args[1], factor, terms);
    case Op::Sub: return add_terms(arena, args[0], factor, terms) && add_terms(arena, args[1], -factor, terms);
    case Op::Mul:
      if (const auto c = constant_integer(arena, args[0])) return add_terms(arena, args[1], factor * *c, terms);
      if (const auto c = constant_integer(arena, args[1])) return add_terms(arena, args[0], factor * *c, terms);
      [[fallthrough]];
    default:
      for (SymbolId symbol : free_symbols(arena, id)) {
        if (arena.symbol(symbol).kind == SymbolKind::Index) return false;
      }
      return true;
  }
}

Access access_of(const tir::Function& function, TensorId tensor, uint32_t leaf, std::span<const ExprId> subscripts) {
  const tir::Tensor& info = function.tensor(tensor);
  const Leaf& element = function.leaf(tensor, leaf);
  Access access;
  access.tensor = tensor;
  access.bytes = size_of(element.type);
  access.affine = true;
  for (ExprId subscript : subscripts) {
    access.subscripts.emplace_back();
    access.affine = add_terms(function.arena, subscript, 1, access.subscripts.back()) && access.affine;
  }
  const bool whole_element = function.element(tensor).leaves.size() == 1 || info.layout.kind == Layout::Kind::Soa ||
                             info.layout.kind == Layout::Kind::Auto;
  if (access.affine && whole_element && element.extents.empty() && !subscripts.empty() && info.order != tir::Order::Strided) {
    const auto& last = info.order == tir::Order::ColMajor ? access.subscripts.front() : access.subscripts.back();
    for (const auto& [index, coefficient] : last) {
      if (coefficient == 1) access.unit = index;
    }
  }
  return access;
}

}  // namespace

std::vector<Access> accesses(const tir::Function& function, const std::vector<tir::Target>& stores) {
  std::vector<Access> result;
  std::vector<ExprId> roots;
  for (const tir::Target& target : stores) {
    roots.push_back(target.value);
    result.push_back(access_of(function, target.tensor, target.leaf, target.subscripts));
    result.back().where = target.where;
  }
  for (ExprId id : postorder(function.arena, roots)) {
    const auto* read = function.arena.get_if<Read>(id);
    if (read == nullptr) continue;
    result.push_back(access_of(function, read->tensor, read->leaf, function.arena.args(id)));
    result.back().read = id;
    result.back().where = function.arena.where(id);
  }
  return result;
}

}  // namespace cdsl::deciding
