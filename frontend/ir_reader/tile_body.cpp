// The statements of tile form (docs/ir.md, section 2.8).
#include <charconv>

#include <fmt/format.h>

#include "frontend/ir_reader/loop_reader.h"
#include "frontend/ir_reader/loop_words.h"

namespace cdsl::ir_reader {
namespace {

constexpr std::size_t kMaxFactors = 32, kMaxParts = 64, kMaxAxes = 64;
constexpr std::int64_t kMaxExtent = 1 << 20;
constexpr int kLevels = 5, kMonoids = 10;

/// Takes `letter` and a number from the front of a word; nothing if they are not there.
bool take(std::string_view& word, char letter, int& number) {
  if (word.empty() || word[0] != letter) return false;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + 1, end, number);
  word = {rest, static_cast<std::size_t>(end - rest)};
  return error == std::errc() && number > 0 && number <= 1024;
}

}  // namespace

// axis m = warp 8 from 4 * reg 2 * lane 4 by 8 * vec 4;
loop::Statement LoopReader::axis() {
  c_.expect("axis");
  const Typed index{c_.name("the index of the axis"), ScalarType::I64};
  c_.expect(Tok::Assign);
  loop::TileAxis out;
  do {
    if (out.factors.size() == kMaxFactors) c_.fail(fmt::format("more than {} factors", kMaxFactors));
    loop::Factor& factor = out.factors.emplace_back();
    factor.level = word<loop::Level>(c_, kLevels, "reg, vec, lane, warp or rank");
    factor.extent = c_.integer_between(1, kMaxExtent);
    if (c_.accept("by")) factor.stride = c_.integer_between(1, kMaxExtent);
    if (factor.level == loop::Level::Warp && out.first_warp == 0 && c_.accept("from"))
      out.first_warp = c_.integer_between(1, kMaxExtent);
  } while (c_.accept(Tok::Star));
  c_.expect(Tok::Semicolon);
  out.index = define(index, SymbolKind::Index);
  return {std::move(out), {}};
}

// (m, n)
std::vector<SymbolId> LoopReader::axes() {
  std::vector<SymbolId> out;
  c_.expect(Tok::LParen);
  do {
    if (out.size() == kMaxAxes) c_.fail(fmt::format("more than {} axes", kMaxAxes));
    out.push_back(names_.visible());
  } while (c_.accept(Tok::Comma));
  c_.expect(Tok::RParen);
  return out;
}

// var acc over (m, n): f32 = 0.0;
loop::Statement LoopReader::var() {
  c_.expect("var");
  Typed variable;
  variable.name = c_.name("a name");
  loop::Var out;
  if (c_.accept("over")) out.over = axes();
  c_.expect(Tok::Colon);
  variable.type = c_.scalar_type();
  c_.expect(Tok::Assign);
  out.value = reader_.expr();
  c_.expect(Tok::Semicolon);
  out.local = define(variable);
  return {std::move(out), {}};
}

// a: f32, b: i64
std::vector<LoopReader::Typed> LoopReader::typed_list() {
  std::vector<Typed> out;
  do {
    if (out.size() == kMaxParts) c_.fail(fmt::format("more than {} registers", kMaxParts));
    out.push_back(typed());
  } while (c_.accept(Tok::Comma));
  return out;
}

// (a, b)  or  (a, b; 0.0, 0.0; l0, l1, r0, r1 commutative => e0, e1)
std::vector<ExprId> LoopReader::operands(loop::Combine& how) {
  c_.expect(Tok::LParen);
  std::vector<ExprId> values = reader_.list(Tok::RParen);
  if (how.monoid == Monoid::User) {
    c_.expect(Tok::Semicolon);
    how.identity = reader_.list(Tok::Semicolon);
    c_.expect(Tok::Semicolon);
    const std::size_t scope = names_.open();
    for (auto* side : {&how.left, &how.right}) {
      for (const ExprId value : values) {
        if (side == &how.right || !side->empty()) c_.expect(Tok::Comma);
        side->push_back(define({c_.name("an accumulator"), p_.arena.type(value)}));
      }
    }
    how.commutative = c_.accept("commutative");
    c_.expect(Tok::Assign);
    c_.expect(Tok::Gt);
    how.combine = reader_.list(Tok::RParen);
    names_.close(scope);
  }
  c_.expect(Tok::RParen);
  c_.expect(Tok::Semicolon);
  return values;
}

// let (top: f32) = reduce max over (j) (x);
loop::Statement LoopReader::tile_reduce(const std::vector<Typed>& results) {
  c_.expect("reduce");
  loop::TileReduce out;
  out.how.monoid = word<Monoid>(c_, kMonoids, "a reduction");
  c_.expect("over");
  out.axes = axes();
  out.values = operands(out.how);
  for (const Typed& result : results) out.results.push_back(define(result));
  return {std::move(out), {}};
}

// let (s: f32; all: f32) = scan sum along j exclusive (x);
loop::Statement LoopReader::tile_scan(const std::vector<Typed>& results, const std::vector<Typed>& totals) {
  c_.expect("scan");
  loop::TileScan out;
  out.how.monoid = word<Monoid>(c_, kMonoids, "a reduction");
  c_.expect("along");
  out.axis = names_.visible();
  out.exclusive = c_.accept("exclusive");
  out.values = operands(out.how);
  for (const Typed& result : results) out.results.push_back(define(result));
  for (const Typed& total : totals) out.totals.push_back(define(total));
  return {std::move(out), {}};
}

// m16n8k16
loop::MatrixShape LoopReader::matrix_shape() {
  loop::MatrixShape shape;
  std::string_view word = c_.text();
  const bool good = c_.at(Tok::Name) && take(word, 'm', shape.m) && take(word, 'n', shape.n) &&
                    take(word, 'k', shape.k) && word.empty();
  if (!good) c_.fail_expected("the shape of a matrix instruction, like m16n8k16");
  c_.advance();
  return shape;
}

// mma m16n8k16 acc += a * b tf32;
loop::Statement LoopReader::tile_multiply() {
  c_.expect("mma");
  loop::TileMultiply out;
  out.shape = matrix_shape();
  if (names_.at_buffer()) return matrix_multiply(out.shape);
  out.d = names_.visible();
  c_.expect(Tok::PlusEq);
  out.a = names_.visible();
  c_.expect(Tok::Star);
  out.b = names_.visible();
  out.tf32 = c_.accept("tf32");
  c_.expect(Tok::Semicolon);
  return {out, {}};
}

}  // namespace cdsl::ir_reader
