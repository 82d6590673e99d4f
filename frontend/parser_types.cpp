// Parser: types, extents, layouts.
#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

constexpr std::string_view kLayouts[] = {"aos", "soa", "aosoa", "split", "auto"};

}  // namespace

// type = name [ "[" [extent {"," extent}] "]" ] {"strided" | "col_major" | "layout" "(" layout ")"}
ast::TypeExpr Parser::type() {
  ast::TypeExpr out;
  std::uint32_t begin = token().begin;
  out.name = expect_name("a type");
  if (kind() == Tok::LBracket) {
    out.has_shape = true;
    bracketed("the extents", [&] { out.shape.push_back(extent()); });
  }
  type_qualifiers(out);
  out.range = since(begin);
  return out;
}

void Parser::type_qualifiers(ast::TypeExpr& type) {
  auto once = [&](bool already) {
    if (already)
      error(Code::DuplicateClause, range(), fmt::format("{} is given twice for one type", found()));
  };
  for (;;) {
    if (is_word("strided")) {
      once(type.strided);
      type.strided = true;
      take();
    } else if (is_word("col_major")) {
      once(type.col_major);
      type.col_major = true;
      take();
    } else if (is_word("layout") && kind(1) == Tok::LParen) {
      once(type.layout.has_value());
      take();
      type.layout = layout();
    } else {
      return;
    }
  }
}

// extent = ["1" "|"] expression
ast::Extent Parser::extent() {
  ast::Extent out;
  std::uint32_t begin = token().begin;
  bool one = kind() == Tok::Int && sources_.text(range()) == "1" && kind(1) == Tok::Pipe;
  if (one) {
    take();
    take();
    out.may_be_one = true;
  }
  out.value = expression();
  out.range = since(begin);
  return out;
}

// layout = "aos" | "soa" | "auto" | "aosoa" "(" expression ")" | "split" "(" group {"," group} ")"
// in parentheses, which are part of what this parses.
ast::Layout Parser::layout() {
  ast::Layout out;
  std::uint32_t begin = token().begin;
  std::uint32_t opener = at_;
  expect(Tok::LParen, "after 'layout'");
  std::string_view text = word();
  std::size_t which = 0;
  while (which < std::size(kLayouts) && kLayouts[which] != text) ++which;
  if (which == std::size(kLayouts))
    fail(Code::UnknownLayout, range(),
         fmt::format("{} is not a layout{}", found(), did_you_mean(text, kLayouts)));
  take();
  out.kind = static_cast<ast::LayoutKind>(which);
  std::uint32_t inner = at_;
  if (out.kind == ast::LayoutKind::Aosoa) {
    expect(Tok::LParen, "with the width, as in aosoa(32)");
    out.width = expression();
    expect_closer(inner);
  } else if (out.kind == ast::LayoutKind::Split) {
    if (kind() != Tok::LParen) fail_expected("'(' with the groups, as in split({x, y}, {m})");
    bracketed("the groups", [&] { out.groups.push_back(name_group()); });
  }
  expect_closer(opener);
  out.range = since(begin);
  return out;
}

std::vector<ast::Name> Parser::name_group() {
  std::vector<ast::Name> names;
  if (kind() != Tok::LBrace) fail_expected("'{' with names of fields");
  bracketed("the fields", [&] { names.push_back(expect_name("a field")); });
  return names;
}

}  // namespace cdsl
