// The statements of a function.
#include <optional>

#include "frontend/ir_reader/tensor_reader.h"

namespace cdsl::ir_reader {
namespace {

constexpr int kMaxDepth = 200;

std::vector<SymbolId> indices(const tir::Domain& domain) {
  std::vector<SymbolId> symbols;
  for (const Axis& axis : domain.axes) symbols.push_back(axis.index);
  return symbols;
}

}  // namespace

void TensorReader::block(tir::Block& out) {
  const Nested nested(c_, depth_, kMaxDepth);
  while (!c_.at(Tok::RBrace) && !c_.at_word("until") && !c_.at_end()) statement(out);
}

void TensorReader::statement(tir::Block& out) {
  if (c_.at(Tok::KwLet)) return definition();
  if (c_.at_word("stage")) return void(out.statements.emplace_back(stage()));
  if (c_.at_word("scatter")) return void(out.statements.emplace_back(scatter()));
  if (c_.at_word("repeat")) return void(out.statements.emplace_back(loop(tir::Loop::Kind::Repeat)));
  if (c_.at_word("along")) return void(out.statements.emplace_back(loop(tir::Loop::Kind::Along)));
  c_.fail_expected("a statement");
}

// let %1 = e;
void TensorReader::definition() {
  c_.expect(Tok::KwLet);
  const std::int64_t label = reader_.label_number();
  c_.expect(Tok::Assign);
  reader_.define(label, reader_.expr());
  c_.expect(Tok::Semicolon);
}

void TensorReader::end_statement() {
  reader_.forget_labels();
  names_.end_statement();
}

// [i in 0..N, j in 0..M] { definitions, then `if guard;`
tir::Domain TensorReader::domain() {
  tir::Domain domain;
  c_.expect(Tok::LBracket);
  domain.axes = names_.axes(reader_, Tok::RBracket, false);
  c_.expect(Tok::RBracket);
  c_.expect(Tok::LBrace);
  while (c_.at(Tok::KwLet)) definition();
  if (c_.accept(Tok::KwIf)) {
    domain.guard = reader_.expr_of(ScalarType::Bool);
    c_.expect(Tok::Semicolon);
  }
  return domain;
}

Bounds TensorReader::bounds() {
  if (!c_.accept(Tok::At)) return Bounds::Proved;
  if (c_.accept("launch")) return Bounds::AtLaunch;
  c_.expect("check");
  return Bounds::PerElement;
}

tir::Target TensorReader::place() {
  tir::Target target;
  target.where = c_.here();
  target.tensor = names_.tensor();
  target.leaf = names_.leaf(target.tensor);
  c_.expect(Tok::LBracket);
  target.subscripts = reader_.list(Tok::RBracket);
  c_.expect(Tok::RBracket);
  target.bounds = bounds();
  return target;
}

tir::Stage TensorReader::stage() {
  tir::Stage stage;
  stage.where = c_.here();
  c_.expect("stage");
  stage.domain = domain();
  while (!c_.at(Tok::RBrace)) {
    tir::Target target = place();
    c_.expect(Tok::Assign);
    target.value = reader_.expr();
    target.where = c_.since(target.where);
    c_.expect(Tok::Semicolon);
    stage.targets.push_back(std::move(target));
  }
  c_.expect(Tok::RBrace);
  names_.hide(indices(stage.domain));
  end_statement();
  return stage;
}

tir::Scatter TensorReader::scatter() {
  tir::Scatter scatter;
  scatter.where = c_.here();
  c_.expect("scatter");
  scatter.deterministic = c_.accept("deterministic");
  scatter.domain = domain();
  scatter.target = place();
  scatter.op = scatter_op();
  scatter.target.value = reader_.expr();
  scatter.target.where = c_.since(scatter.target.where);
  c_.expect(Tok::Semicolon);
  c_.expect(Tok::RBrace);
  names_.hide(indices(scatter.domain));
  end_statement();
  return scatter;
}

tir::ScatterOp TensorReader::scatter_op() {
  if (c_.accept(Tok::PlusEq)) return tir::ScatterOp::Add;
  if (c_.accept(Tok::StarEq)) return tir::ScatterOp::Mul;
  if (c_.accept(Tok::AmpEq)) return tir::ScatterOp::And;
  if (c_.accept(Tok::PipeEq)) return tir::ScatterOp::Or;
  if (c_.accept(Tok::CaretEq)) return tir::ScatterOp::Xor;
  const bool is_min = c_.at_word("min");
  if (!is_min && !c_.at_word("max")) c_.fail_expected("+=, *=, min=, max=, &=, |= or ^=");
  c_.advance();
  c_.expect(Tok::Assign);
  return is_min ? tir::ScatterOp::Min : tir::ScatterOp::Max;
}

// repeat t in 0..T descending states(u) { ... until c; }
tir::Loop TensorReader::loop(tir::Loop::Kind kind) {
  tir::Loop loop;
  loop.kind = kind;
  loop.where = c_.here();
  c_.advance();
  // The index means nothing in its own bounds.
  loop.index = names_.bind(SymbolKind::Index, ScalarType::I64);
  c_.expect(Tok::KwIn);
  loop.lo = reader_.expr_of(ScalarType::I64);
  c_.expect(Tok::DotDot);
  loop.hi = reader_.expr_of(ScalarType::I64);
  end_statement();
  loop.descending = c_.accept("descending");
  if (c_.accept("states")) {
    c_.expect(Tok::LParen);
    do loop.states.push_back(names_.tensor());
    while (c_.accept(Tok::Comma));
    c_.expect(Tok::RParen);
  }
  loop.where = c_.since(loop.where);
  c_.expect(Tok::LBrace);
  loop.body = std::make_unique<tir::Block>();
  block(*loop.body);
  if (c_.accept("until")) {
    loop.until = reader_.expr_of(ScalarType::Bool);
    c_.expect(Tok::Semicolon);
  }
  end_statement();
  c_.expect(Tok::RBrace);
  names_.hide({loop.index});
  return loop;
}

}  // namespace cdsl::ir_reader
