// The statements of tile form.
#include "dsl/loop/builder.h"
#include "dsl/support/check.h"

namespace cdsl::loop {
namespace {

SymbolId symbol_of(const ExprArena& arena, ExprId reference) {
  const auto* node = arena.get_if<Symbol>(reference);
  CDSL_CHECK(node != nullptr, "an expression where a register is asked for");
  return node->symbol;
}

std::vector<SymbolId> symbols_of(const ExprArena& arena, const std::vector<ExprId>& references) {
  std::vector<SymbolId> symbols;
  for (ExprId reference : references) symbols.push_back(symbol_of(arena, reference));
  return symbols;
}

}  // namespace

ExprId Builder::axis(std::string name, std::vector<Factor> factors, int64_t first_warp) {
  const SymbolId index = arena().add_symbol(unique(std::move(name)), SymbolKind::Index, ScalarType::I64);
  add_statement({TileAxis{index, std::move(factors), first_warp}, where_});
  return arena().symbol_ref(index);
}

Variable Builder::var_over(std::string name, const std::vector<ExprId>& axes, ExprId value) {
  const SymbolId local = add_local(std::move(name), arena().type(value));
  add_statement({Var{local, value, symbols_of(arena(), axes)}, where_});
  return {local, arena().symbol_ref(local)};
}

std::vector<SymbolId> Builder::parts(const std::string& name, const Combine& how, const std::vector<ExprId>& values) {
  std::vector<SymbolId> locals;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ScalarType type = how.monoid == Monoid::Count ? ScalarType::I64 : arena().type(values[k]);
    locals.push_back(add_local(values.size() == 1 ? name : name + "_" + std::to_string(k), type));
  }
  return locals;
}

std::vector<ExprId> Builder::references(const std::vector<SymbolId>& symbols) {
  std::vector<ExprId> out;
  for (SymbolId symbol : symbols) out.push_back(arena().symbol_ref(symbol));
  return out;
}

ExprId Builder::reduce(const std::string& name, Monoid monoid, const std::vector<ExprId>& axes, ExprId value) {
  return reduce(name, Combine{monoid, {}, {}, {}, {}, true}, axes, std::vector<ExprId>{value}).front();
}

std::vector<ExprId> Builder::reduce(const std::string& name, Combine how, const std::vector<ExprId>& axes,
                                    std::vector<ExprId> values) {
  std::vector<SymbolId> results = parts(name, how, values);
  std::vector<ExprId> out = references(results);
  add_statement({TileReduce{std::move(how), std::move(results), std::move(values), symbols_of(arena(), axes)}, where_});
  return out;
}

Builder::Scanned Builder::scan(const std::string& name, Combine how, ExprId axis, std::vector<ExprId> values,
                               bool exclusive, bool totals) {
  std::vector<SymbolId> results = parts(name, how, values), all;
  if (totals) all = parts(name + "_all", how, values);
  const Scanned out{references(results), references(all)};
  add_statement({TileScan{std::move(how), std::move(results), std::move(all), std::move(values),
                          symbol_of(arena(), axis), exclusive},
                 where_});
  return out;
}

void Builder::multiply(MatrixShape shape, const Variable& d, ExprId a, ExprId b, bool tf32) {
  add_statement({TileMultiply{shape, d.symbol, symbol_of(arena(), a), symbol_of(arena(), b), tf32}, where_});
}

}  // namespace cdsl::loop
