// Parser: literals, names, calls, reductions, reads and records.
#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

constexpr std::string_view kModes[] = {"zero",      "fill", "clamp",     "reflect",
                                       "symmetric", "wrap", "unchecked", "holes"};
constexpr std::string_view kTypes[] = {"bool", "i8",  "i16",  "i32",    "i64",   "u8",
                                       "u16",  "u32", "u64",  "f16",    "bf16",  "f32",
                                       "f64",  "c64", "c128", "f8e4m3", "f8e5m2"};

template <std::size_t N>
std::size_t position(const std::string_view (&list)[N], std::string_view text) {
  std::size_t i = 0;
  while (i < N && list[i] != text) ++i;
  return i;
}

std::string without_underscores(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != '_') out += c;
  return out;
}

}  // namespace

// postfix = primary {subscripts | "." name | "." integer | "with" fields}
ast::ExprId Parser::postfix() {
  Nesting level(*this);
  std::uint32_t begin = token().begin;
  bool base_is_name = kind() == Tok::Name && kind(1) == Tok::Dot;
  ast::ExprId value = primary();
  for (;; base_is_name = false) {
    if (kind() == Tok::LBracket) {
      value = index(value, begin, std::nullopt);
    } else if (kind() == Tok::Dot) {
      value = member(value, begin, base_is_name);
    } else if (is_word("with") && kind(1) == Tok::LParen) {
      value = with_fields(value, begin);
    } else if (kind() == Tok::LParen) {
      fail(Code::Expected, range(), "only a name can be called");
    } else {
      return value;
    }
  }
}

ast::ExprId Parser::primary() {
  SourceRange here = range();
  switch (kind()) {
    case Tok::Name: return named();
    case Tok::Int: return int_literal();
    case Tok::Float:
      take();
      return add(here, ast::FloatLiteral{without_underscores(sources_.text(here))});
    case Tok::KwTrue: take(); return add(here, ast::BoolLiteral{true});
    case Tok::KwFalse: take(); return add(here, ast::BoolLiteral{false});
    case Tok::LParen: return parenthesised();
    case Tok::LBracket: return array_literal();
    case Tok::String: fail(Code::ExpectedExpression, here, "a string is no value");
    default: break;
  }
  if (is_keyword(kind()))
    fail(Code::ReservedWord, here, fmt::format("{} is a reserved word, not a value", found()));
  fail(Code::ExpectedExpression, here, fmt::format("expected an expression, found {}", found()));
}

ast::ExprId Parser::int_literal() {
  SourceRange here = range();
  ast::IntLiteral out;
  out.text = std::string(sources_.text(here));
  take();
  std::string digits = without_underscores(out.text);
  bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  bool binary = digits.starts_with("0b") || digits.starts_with("0B");
  unsigned base = hex ? 16 : binary ? 2 : 10;
  __extension__ using Wide = unsigned __int128;
  Wide value = 0;
  for (char c : std::string_view(digits).substr(hex || binary ? 2 : 0)) {
    unsigned digit =
        c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 32) - 'a' + 10);
    if (digit >= base) break;  // the lexer has reported it
    if (value > (~Wide{0} - digit) / base) {
      error(Code::IntegerTooLarge, here, "integer exceeds 128 bits");
      break;
    }
    value = value * base + digit;
  }
  out.hi = static_cast<std::uint64_t>(value >> 64);
  out.lo = static_cast<std::uint64_t>(value);
  return add(here, std::move(out));
}

// "(" expression ")", or a tuple
ast::ExprId Parser::parenthesised() {
  std::uint32_t begin = token().begin;
  ast::Tuple tuple;
  bracketed("the parts", [&] {
    tuple.parts.push_back(expression());
    if (kind() != Tok::Assign) return;
    error(Code::AssignInExpression, range(), "'=' defines; to compare write '=='")
        .fix(range(), "==");
    throw SyntaxError{};
  });
  if (tuple.parts.empty()) fail(Code::EmptyList, since(begin), "there is no empty tuple");
  if (tuple.parts.size() == 1) return tuple.parts[0];
  return add(since(begin), std::move(tuple));
}

ast::ExprId Parser::array_literal() {
  std::uint32_t begin = token().begin;
  ast::ArrayLiteral out;
  bracketed("the elements", [&] { out.elements.push_back(expression()); });
  return add(since(begin), std::move(out));
}

bool Parser::is_reduction() const {
  if (kind() != Tok::LBracket) return false;
  std::uint32_t close = partner();
  return close != kNoToken && list_.tokens[close + 1].kind == Tok::LParen;
}

// A name and what belongs to it alone: a call, a reduction, or nothing.
ast::ExprId Parser::named() {
  std::uint32_t begin = token().begin;
  ast::Name name = take_name();
  if (kind() == Tok::LParen) return call(std::move(name), begin);
  if (is_reduction()) return reduction(std::move(name), begin);
  if (kind() == Tok::Lt && kind(1) == Tok::Name) {
    if (kind(2) == Tok::Colon) return call(std::move(name), begin);
    if (kind(2) == Tok::Gt && kind(3) == Tok::LBracket) return reduction(std::move(name), begin);
    bool type_given = position(kTypes, word(1)) != std::size(kTypes);
    if (kind(2) == Tok::Gt && kind(3) == Tok::LParen && type_given)
      fail(Code::Expected, range(1),
           fmt::format("a generic argument is named, as in {}<T: {}>(...)", name.text, word(1)));
  }
  return add(name.range, ast::NameRef{std::move(name.text)});
}

// reduction = name ["<" type ">"] binders "(" expression {"," expression} ")"
ast::ExprId Parser::reduction(ast::Name op, std::uint32_t begin) {
  ast::Reduction out;
  out.op = std::move(op);
  if (accept(Tok::Lt)) {
    out.accumulator = expect_name("the type of the accumulator");
    expect(Tok::Gt, "after the type of the accumulator");
  }
  out.binders = binder_list();
  if (kind() != Tok::LParen) fail_expected("'(' with the value that is reduced");
  std::uint32_t opener = at_;
  take();
  out.value = expression();
  if (kind() == Tok::Comma)
    fail(Code::Expected, range(),
         "a reduction takes one value; several parts are a tuple in parentheses of its own");
  expect_closer(opener);
  return add(since(begin), std::move(out));
}

// call = name ["<" name ":" value {"," ...} ">"] "(" [argument {"," argument}] ")"
ast::ExprId Parser::call(ast::Name callee, std::uint32_t begin) {
  ast::Call out;
  out.callee = std::move(callee);
  if (kind() == Tok::Lt) generic_arguments(out.arguments);
  if (kind() != Tok::LParen) fail_expected("'(' with the arguments");
  arguments(out.arguments);
  return add(since(begin), std::move(out));
}

void Parser::generic_arguments(std::vector<ast::Argument>& out) {
  take();
  do {
    ast::Argument argument;
    argument.generic = true;
    argument.key = expect_name("a generic parameter");
    expect(Tok::Colon, "and its value");
    argument.value = operators(ast::precedence(ast::BinaryOp::Add));
    out.push_back(std::move(argument));
  } while (accept(Tok::Comma));
  expect(Tok::Gt, "after the generic arguments");
}

// argument = [name ":"] expression
void Parser::arguments(std::vector<ast::Argument>& out) {
  bool named = false;
  bracketed("the arguments", [&] {
    ast::Argument argument;
    std::uint32_t begin = token().begin;
    if (kind() == Tok::Name && kind(1) == Tok::Colon) {
      argument.key = take_name();
      take();
      named = true;
      for (const ast::Argument& earlier : out) {
        if (!earlier.key || earlier.key->text != argument.key->text) continue;
        error(Code::DuplicateClause, argument.key->range,
              fmt::format("'{}' is given twice", argument.key->text))
            .note(earlier.key->range, "first given here");
        break;
      }
    }
    argument.value = expression();
    if (!argument.key && named)
      error(Code::PositionalAfterNamed, since(begin),
            "arguments given by place come before named ones");
    if (kind() == Tok::Assign)
      fail(Code::Expected, range(),
           "a named argument is written 'name: value'; to compare write '=='");
    out.push_back(std::move(argument));
  });
}

// base with "(" name ":" expression {"," ...} ")"
ast::ExprId Parser::with_fields(ast::ExprId base, std::uint32_t begin) {
  ast::With out;
  out.base = base;
  take();
  std::uint32_t from = token().begin;
  arguments(out.fields);
  if (out.fields.empty()) error(Code::EmptyList, since(from), "'with' replaces at least one field");
  for (const ast::Argument& field : out.fields)
    if (!field.key)
      error(Code::MixedArguments, exprs_[field.value].range, "'with' gives fields by name: (x: 0)");
  return add(since(begin), std::move(out));
}

// "." and a field, a part of a tuple, or a mode of all axes
ast::ExprId Parser::member(ast::ExprId base, std::uint32_t begin, bool base_is_name) {
  take();
  if (kind() == Tok::Int) {
    ast::TuplePart part;
    part.base = base;
    part.index_range = range();
    std::string_view digits = sources_.text(range());
    if (digits.size() > 4) fail(Code::Expected, range(), "no tuple has that many parts");
    for (char c : digits) part.index = part.index * 10 + static_cast<std::uint32_t>(c - '0');
    take();
    return add(since(begin), part);
  }
  bool takes_subscripts = kind(1) == Tok::LBracket;
  if (base_is_name && kind(1) == Tok::LParen) {
    std::uint32_t close = list_.match[at_ + 1];
    takes_subscripts = close != kNoToken && list_.tokens[close + 1].kind == Tok::LBracket;
  }
  bool is_mode = position(kModes, word()) != std::size(kModes);
  if (base_is_name && takes_subscripts && (is_mode || kind(1) == Tok::LParen)) {
    SourceRange here = range();
    ast::Mode all = mode(here.begin);
    if (all.kind == ast::ModeKind::Holes)
      error(Code::UnknownMode, here, "'holes' belongs to one axis, as in x[h - D*i @holes(S)]");
    if (kind() != Tok::LBracket) fail_expected("'[' after the mode");
    return index(base, begin, all);
  }
  ast::Name field = expect_name("a field");
  if (kind() == Tok::LParen)
    fail(Code::Expected, range(), fmt::format("a field is not called; write {}(...)", field.text));
  return add(since(begin), ast::Field{base, std::move(field)});
}

// "[" [subscript {"," subscript}] "]"
ast::ExprId Parser::index(ast::ExprId base, std::uint32_t begin, std::optional<ast::Mode> mode) {
  ast::Index out;
  out.base = base;
  out.mode = mode;
  bracketed("the subscripts", [&] { out.subscripts.push_back(subscript()); });
  return add(since(begin), std::move(out));
}

// subscript = expression {"@" mode}
ast::Subscript Parser::subscript() {
  ast::Subscript out;
  out.value = expression();
  if (kind() == Tok::DotDot || kind() == Tok::DotDotEq)
    fail(Code::Expected, range(), "a read takes one element, not a range");
  if (kind() == Tok::KwIn)
    fail(Code::Expected, range(),
         "a read binds no index; of a reduction the value follows in parentheses, as in "
         "sum[k in a..b](e)");
  while (kind() == Tok::At) {
    std::uint32_t begin = token().begin;
    take();
    out.modes.push_back(mode(begin));
  }
  std::size_t plain = 0;
  for (const ast::Mode& mode : out.modes) plain += mode.kind != ast::ModeKind::Holes;
  if (plain > 1 || out.modes.size() - plain > 1)
    error(Code::ModeNotAllowed, out.modes.back().range,
          "an axis has one mode, or holes and one other");
  return out;
}

// mode = name ["(" expression ")"]
ast::Mode Parser::mode(std::uint32_t begin) {
  ast::Mode out;
  std::size_t which = position(kModes, word());
  if (which == std::size(kModes)) {
    std::optional<std::string> near = nearest(word(), kModes);
    Diagnostic& report =
        error(Code::UnknownMode, range(),
              fmt::format("{} is not a boundary mode{}", found(), did_you_mean(word(), kModes)));
    if (!near) throw SyntaxError{};
    report.fix(range(), *near);
    which = position(kModes, *near);
  }
  out.kind = static_cast<ast::ModeKind>(which);
  take();
  bool wants = out.kind == ast::ModeKind::Fill || out.kind == ast::ModeKind::Holes;
  if (kind() == Tok::LParen) {
    std::uint32_t opener = at_;
    take();
    out.argument = expression();
    expect_closer(opener);
  }
  out.range = since(begin);
  if (wants != out.argument.valid())
    error(Code::ModeArgument, out.range,
          wants ? fmt::format("'{0}' needs a value, as in {0}(0)", kModes[which])
                : fmt::format("'{}' takes no value", kModes[which]));
  return out;
}

}  // namespace cdsl
