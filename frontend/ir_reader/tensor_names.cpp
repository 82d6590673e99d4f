#include "frontend/ir_reader/tensor_names.h"

#include <optional>

#include <fmt/format.h>

#include "dsl/expr/print.h"

namespace cdsl::ir_reader {

SymbolId TensorNames::show(const std::string& name, SymbolId symbol) {
  if (!visible_.emplace(name, symbol).second) c_.fail(fmt::format("'{}' is bound already", name));
  return symbol;
}

SymbolId TensorNames::bind(SymbolKind kind, ScalarType type) {
  if (visible_.contains(c_.text())) c_.fail(fmt::format("'{}' is bound already", c_.text()));
  const std::string name = c_.name("a name");
  return show(name, f_.arena.add_symbol(name, kind, type));
}

void TensorNames::hide(const std::vector<SymbolId>& symbols) {
  for (SymbolId symbol : symbols) visible_.erase(f_.arena.symbol(symbol).name);
}

void TensorNames::bind_tensor(const std::string& name, TensorId id, SourceRange where) {
  if (!tensors_.emplace(name, id).second)
    c_.fail(where, fmt::format("a second tensor is named '{}'", name));
}

TensorId TensorNames::tensor() {
  const auto found = tensors_.find(c_.text());
  if (found == tensors_.end()) c_.fail_expected("the name of a tensor");
  c_.advance();
  return found->second;
}

uint32_t TensorNames::leaf(TensorId id) {
  const RecordType& element = f_.element(id);
  if (element.is_scalar()) return 0;
  c_.expect(Tok::Dot);
  const SourceRange begin = c_.here();
  const std::string path = c_.path();
  for (uint32_t leaf = 0; leaf < element.leaves.size(); ++leaf) {
    if (element.leaves[leaf].path == path) return leaf;
  }
  c_.fail(c_.since(begin), fmt::format("{} has no leaf '{}'", element.name, path));
}

uint32_t TensorNames::scalar() {
  for (uint32_t k = 0; k < f_.scalars.size(); ++k) {
    if (f_.arena.symbol(f_.scalars[k].symbol).name != c_.text()) continue;
    c_.advance();
    return k;
  }
  c_.fail_expected("a tensor or a scalar parameter");
}

ExprId TensorNames::primary(ExprReader& reader) {
  if (at_reduction()) {
    if (!memory_) c_.fail("no reduction may stand here");
    return reduction(reader);
  }
  std::size_t after = 1;
  while (c_.kind(after) == Tok::Dot && c_.kind(after + 1) == Tok::Name) after += 2;
  if (at_tensor() && c_.kind(after) == Tok::LBracket) {
    if (!memory_) c_.fail("no tensor may be read here");
    return read(reader);
  }
  const auto found = visible_.find(c_.text());
  if (found == visible_.end()) c_.fail(fmt::format("'{}' is not known here", c_.text()));
  c_.advance();
  return f_.arena.symbol_ref(found->second);
}

ExprId TensorNames::read(ExprReader& reader) {
  const SourceRange begin = c_.here();
  const TensorId id = tensor();
  const uint32_t which = leaf(id);
  const ScalarType type = f_.leaf(id, which).type;
  const std::size_t rank = f_.tensor(id).shape.size() + f_.leaf(id, which).extents.size();
  std::vector<ExprId> subscripts;
  std::vector<AxisRule> rules;
  c_.expect(Tok::LBracket);
  while (!c_.at(Tok::RBracket)) {
    if (!subscripts.empty()) c_.expect(Tok::Comma);
    subscripts.push_back(reader.expr_of(ScalarType::I64));
    rules.push_back(rule(reader, type));
  }
  c_.expect(Tok::RBracket);
  if (subscripts.size() != rank) {
    c_.fail(c_.since(begin), fmt::format("'{}' takes {} subscripts, here are {}",
                                         f_.tensor(id).name, rank, subscripts.size()));
  }
  return f_.arena.read(id, which, type, subscripts, rules, c_.since(begin));
}

AxisRule TensorNames::rule(ExprReader& reader, ScalarType type) {
  AxisRule rule;
  rule.bounds = Bounds::Proved;
  while (c_.accept(Tok::At)) {
    if (c_.accept("launch")) {
      rule.bounds = Bounds::AtLaunch;
    } else if (c_.accept("check")) {
      rule.bounds = Bounds::PerElement;
    } else if (c_.accept("holes")) {
      c_.expect(Tok::LParen);
      rule.holes = reader.expr_of(ScalarType::I64);
      c_.expect(Tok::RParen);
    } else if (c_.accept("fill")) {
      rule.boundary = Boundary::Fill;
      c_.expect(Tok::LParen);
      rule.fill = reader.expr_of(type);
      c_.expect(Tok::RParen);
    } else {
      std::optional<Boundary> mode;
      for (Boundary b : {Boundary::Zero, Boundary::Clamp, Boundary::Reflect, Boundary::Symmetric,
                         Boundary::Wrap, Boundary::Unchecked}) {
        if (c_.at_word(name_of(b))) mode = b;
      }
      if (!mode) c_.fail_expected("a boundary mode, 'holes', 'launch' or 'check'");
      rule.boundary = *mode;
      c_.advance();
    }
  }
  return rule;
}

}  // namespace cdsl::ir_reader
