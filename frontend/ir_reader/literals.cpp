// Constants of IR text: bare ones (i64, f32), typed ones ("u16(7)"), and those whose type is known
// from context.
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dsl/types/arithmetic.h"
#include "frontend/ir_reader/expr_reader.h"

namespace cdsl::ir_reader {
namespace {

struct IntegerRange {
  std::int64_t least;
  std::uint64_t greatest;
};

IntegerRange range_of(ScalarType type) {
  const int bits = 8 * size_of(type);
  if (is_signed_integer(type)) {
    const std::uint64_t greatest = (std::uint64_t{1} << (bits - 1)) - 1;
    return {-static_cast<std::int64_t>(greatest) - 1, greatest};
  }
  return {0, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1};
}

}  // namespace

bool ExprReader::at_number(std::size_t ahead) const {
  const Tok kind = c_.kind(ahead);
  if (kind == Tok::Int || kind == Tok::Float) return true;
  return (c_.at_word("inf", ahead) || c_.at_word("nan", ahead)) &&
         c_.kind(ahead + 1) != Tok::LBracket;
}

Value ExprReader::literal(ScalarType type) {
  if (type == ScalarType::Bool) {
    const bool value = c_.at(Tok::KwTrue);
    if (!value && !c_.at(Tok::KwFalse)) c_.fail_expected("true or false");
    c_.advance();
    return Value::of_bool(value);
  }
  const SourceRange begin = c_.here();
  if (is_complex(type)) {
    const ExprId value = expr_of(type);
    const Value* constant = arena_.constant_value(value);
    if (constant == nullptr) c_.fail(c_.since(begin), "expected a constant");
    return *constant;
  }
  const bool negative = c_.accept(Tok::Minus);
  if (is_float(type)) return Value::of_float(real_literal(type, negative));
  if (!c_.at(Tok::Int)) c_.fail_expected("an integer");
  const std::string_view digits = c_.text();
  std::uint64_t magnitude = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  const IntegerRange range = range_of(type);
  const std::uint64_t limit =
      negative ? std::uint64_t{0} - static_cast<std::uint64_t>(range.least) : range.greatest;
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  if (!whole || magnitude > limit)
    c_.fail(cover(begin, c_.here()), fmt::format("this constant does not fit {}", name_of(type)));
  c_.advance();
  return Value::of_int(
      static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude));
}

double ExprReader::real_literal(ScalarType type, bool negative) {
  double value = 0;
  if (c_.at_word("inf") || c_.at_word("nan")) {
    value = c_.at_word("inf") ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (c_.at(Tok::Int) || c_.at(Tok::Float)) {
    const std::string_view digits = c_.text();
    const char* end = digits.data() + digits.size();
    std::from_chars_result read{};
    if (type == ScalarType::F64) {
      read = std::from_chars(digits.data(), end, value);
    } else {  // as printed: the shortest text of the float
      float single = 0;
      read = std::from_chars(digits.data(), end, single);
      value = single;
    }
    if (read.ec != std::errc() || read.ptr != end)
      c_.fail(fmt::format("this constant is no {}", name_of(type)));
    value = round_to(Value::of_float(value), type).re;
  } else {
    c_.fail_expected("a number");
  }
  c_.advance();
  return negative ? -value : value;
}

// Without a type of its own: i64, or f32 with a point, an exponent or a word.
ExprId ExprReader::bare_number(bool negative) {
  if (!c_.at(Tok::Int))
    return arena_.real(real_literal(ScalarType::F32, negative), ScalarType::F32);
  const std::string_view digits = c_.text();
  std::uint64_t magnitude = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  const std::uint64_t limit = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  const bool whole = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  if (!whole || magnitude > limit) c_.fail("this constant does not fit i64");
  c_.advance();
  return arena_.integer(
      static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude));
}

// After "u16(": a constant of that type where nothing but a number stands inside; a number in
// parentheses of its own is an operand of a cast.
std::optional<ExprId> ExprReader::typed_constant(ScalarType to) {
  if (is_complex(to)) return std::nullopt;
  if (to == ScalarType::Bool) return std::nullopt;
  std::string name;
  if (c_.at(Tok::Name) && c_.kind(1) == Tok::Assign) {   // i32(tile_i = 32)
    name = c_.text();
    c_.advance();
    c_.advance();
  }
  const std::size_t first = c_.at(Tok::Minus) ? 1 : 0;
  if (name.empty() && (!at_number(first) || c_.kind(first + 1) != Tok::RParen)) return std::nullopt;
  const Value value = literal(to);
  c_.expect(Tok::RParen);
  return arena_.constant(to, value, name);
}

}  // namespace cdsl::ir_reader
