// Reductions of Tensor IR text: "sum<f32>[k in 0..N if c](term)", "argmax<f32>[k in 0..N](x[k]).1",
// "w<f32, f32>[k in 0..N](terms; identity; a_0, a_1, b_0, b_1 commutative => combined).0".
#include <optional>

#include <fmt/format.h>

#include "frontend/ir_reader/tensor_names.h"

namespace cdsl::ir_reader {
namespace {

constexpr std::size_t kMaxAxes = 16, kMaxParts = 64;

constexpr Monoid kBuiltIn[] = {Monoid::Sum,   Monoid::Prod,   Monoid::Min,
                               Monoid::Max,   Monoid::Any,    Monoid::All,
                               Monoid::Count, Monoid::ArgMin, Monoid::ArgMax};

/// Equal for reductions that compute the same; two of them in one statement are one node, as the
/// printer found them.
std::string key_of(const Reduction& r) {
  std::string key =
      fmt::format("{} {} {} {}", static_cast<int>(r.monoid), r.name, r.guard.value, r.commutative);
  for (const Axis& axis : r.axes)
    key += fmt::format(" {}:{}:{}", axis.index.value, axis.lo.value, axis.hi.value);
  for (ScalarType type : r.types) key += fmt::format(" {}", name_of(type));
  for (const auto* part : {&r.lifted, &r.identity, &r.combine}) {
    key += " |";
    for (ExprId id : *part) key += fmt::format(" {}", id.value);
  }
  for (const auto* side : {&r.left, &r.right}) {
    key += " |";
    for (SymbolId id : *side) key += fmt::format(" {}", id.value);
  }
  return key;
}

}  // namespace

Monoid TensorNames::built_in(std::string_view name) {
  for (Monoid monoid : kBuiltIn) {
    if (name_of(monoid) == name) return monoid;
  }
  c_.fail(fmt::format("'{}' is no reduction; one of one's own has an identity and a combination",
                      name));
}

bool TensorNames::at_reduction() const {
  if (c_.kind(1) != Tok::Lt) return false;
  if (c_.kind(2) == Tok::Gt) return c_.kind(3) == Tok::LBracket;
  return c_.kind(2) == Tok::Name && scalar_type_named(c_.text(2)) &&
         (c_.kind(3) == Tok::Comma || c_.kind(3) == Tok::Gt);
}

SymbolId TensorNames::bind_inner(ScalarType type, SymbolKind kind) {
  if (visible_.contains(c_.text())) c_.fail(fmt::format("'{}' is bound already", c_.text()));
  const std::string name = c_.name("an index");
  const auto known = inner_.find(name);
  if (known != inner_.end()) {
    const SymbolInfo& info = f_.arena.symbol(known->second);
    if (info.type == type && info.kind == kind) return show(name, known->second);
  }
  const SymbolId symbol = f_.arena.add_symbol(name, kind, type);
  inner_[name] = symbol;
  return show(name, symbol);
}

std::vector<Axis> TensorNames::axes(ExprReader& reader, Tok closer, bool of_reduction) {
  std::vector<Axis> axes;
  while (!c_.at(closer) && !c_.at(Tok::KwIf)) {
    if (!axes.empty()) c_.expect(Tok::Comma);
    if (axes.size() == kMaxAxes) c_.fail(fmt::format("more than {} indices", kMaxAxes));
    Axis axis;
    // The index is visible after its own bounds, in which its name means nothing.
    axis.index = of_reduction ? bind_inner(ScalarType::I64, SymbolKind::Index)
                              : bind(SymbolKind::Index, ScalarType::I64);
    const std::string name = f_.arena.symbol(axis.index).name;
    const auto hidden = visible_.extract(name);
    c_.expect(Tok::KwIn);
    axis.lo = reader.expr_of(ScalarType::I64);
    c_.expect(Tok::DotDot);
    axis.hi = reader.expr_of(ScalarType::I64);
    show(name, axis.index);
    axes.push_back(axis);
  }
  return axes;
}

ExprId TensorNames::reduction(ExprReader& reader) {
  const SourceRange begin = c_.here();
  Reduction r;
  r.name = c_.name("a reduction");
  c_.expect(Tok::Lt);
  while (!c_.at(Tok::Gt)) {
    if (!r.types.empty()) c_.expect(Tok::Comma);
    if (r.types.size() == kMaxParts) c_.fail(fmt::format("more than {} parts", kMaxParts));
    r.types.push_back(c_.scalar_type());
  }
  c_.expect(Tok::Gt);
  c_.expect(Tok::LBracket);
  r.axes = axes(reader, Tok::RBracket, true);
  if (c_.accept(Tok::KwIf)) r.guard = reader.expr_of(ScalarType::Bool);
  c_.expect(Tok::RBracket);
  std::vector<SymbolId> bound;
  for (const Axis& axis : r.axes) bound.push_back(axis.index);
  c_.expect(Tok::LParen);
  r.lifted = reader.list(Tok::RParen);
  r.monoid = c_.at(Tok::Semicolon) ? Monoid::User : built_in(r.name);
  if (r.monoid != Monoid::User) {
    r.name.clear();
  } else {
    hide(bound);
    bound.clear();
    reducer(reader, r, bound);
  }
  c_.expect(Tok::RParen);
  hide(bound);
  const bool has_position = r.monoid == Monoid::ArgMin || r.monoid == Monoid::ArgMax;
  const std::size_t parts = r.monoid == Monoid::User ? r.types.size() : has_position ? 2 : 1;
  const bool counts = r.monoid == Monoid::Count;
  if (!counts && r.monoid != Monoid::User && r.types.size() != 1)
    c_.fail(c_.since(begin), "expected one type in '<' '>'");
  if (r.lifted.size() != (counts ? 1 : r.types.size()))
    c_.fail(c_.since(begin), "as many terms as types are expected");
  r.where = c_.since(begin);
  uint32_t part = 0;
  if (r.monoid == Monoid::User || has_position) {
    c_.expect(Tok::Dot);
    part = static_cast<uint32_t>(c_.integer_between(0, static_cast<std::int64_t>(parts) - 1));
  }
  return f_.arena.reduce(unique(std::move(r)), part);
}

void TensorNames::reducer(ExprReader& reader, Reduction& r, std::vector<SymbolId>& bound) {
  c_.expect(Tok::Semicolon);
  r.identity = reader.list(Tok::Semicolon);
  c_.expect(Tok::Semicolon);
  for (auto* side : {&r.left, &r.right}) {
    for (ScalarType type : r.types) {
      if (!bound.empty()) c_.expect(Tok::Comma);
      side->push_back(bind_inner(type, SymbolKind::Local));
      bound.push_back(side->back());
    }
  }
  r.commutative = c_.accept("commutative");
  c_.expect(Tok::Assign);
  c_.expect(Tok::Gt);
  r.combine = reader.list(Tok::RParen);
}

ReductionId TensorNames::unique(Reduction reduction) {
  const std::string key = key_of(reduction);
  const auto found = reductions_.find(key);
  if (found != reductions_.end()) return found->second;
  const ReductionId id = f_.arena.add_reduction(std::move(reduction));
  reductions_.emplace(key, id);
  return id;
}

}  // namespace cdsl::ir_reader
