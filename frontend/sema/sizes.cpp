#include "frontend/sema/sizes.h"

namespace cdsl::sema {
namespace {

constexpr int kMaxDepth = 32;

std::optional<LinearExtent> collect(const ast::ExprArena& exprs, ast::ExprId id, int depth) {
  if (depth > kMaxDepth) return std::nullopt;
  if (const auto* literal = exprs.get_if<ast::IntLiteral>(id)) {
    if (literal->hi != 0 || literal->lo > INT32_MAX) return std::nullopt;
    return LinearExtent{{}, 0, static_cast<std::int64_t>(literal->lo)};
  }
  if (const auto* name = exprs.get_if<ast::NameRef>(id)) return LinearExtent{name->name, 1, 0};
  if (const auto* unary = exprs.get_if<ast::Unary>(id)) {
    auto inner = collect(exprs, unary->operand, depth + 1);
    if (!inner || unary->op != ast::UnaryOp::Neg) return std::nullopt;
    return LinearExtent{inner->name, -inner->scale, -inner->offset};
  }
  const auto* binary = exprs.get_if<ast::Binary>(id);
  if (binary == nullptr) return std::nullopt;
  const auto x = collect(exprs, binary->lhs, depth + 1), y = collect(exprs, binary->rhs, depth + 1);
  if (!x || !y || (!x->name.empty() && !y->name.empty())) return std::nullopt;
  const std::string& name = x->name.empty() ? y->name : x->name;
  switch (binary->op) {
    case ast::BinaryOp::Add: return LinearExtent{name, x->scale + y->scale, x->offset + y->offset};
    case ast::BinaryOp::Sub: return LinearExtent{name, x->scale - y->scale, x->offset - y->offset};
    case ast::BinaryOp::Mul: {
      const LinearExtent& constant = x->name.empty() ? *x : *y;
      const LinearExtent& other = x->name.empty() ? *y : *x;
      return LinearExtent{name, other.scale * constant.offset, other.offset * constant.offset};
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<LinearExtent> linear_extent(const ast::ExprArena& exprs, ast::ExprId id) {
  const auto extent = collect(exprs, id, 0);
  if (!extent || extent->name.empty() || extent->scale < 1) return std::nullopt;
  return extent;
}

}  // namespace cdsl::sema
