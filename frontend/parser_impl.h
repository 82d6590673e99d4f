// The recursive-descent parser of one file; private to frontend/parser*.cpp.
//
// A member named after a construct parses it, starting at the current token. On a mistake it
// reports and either repairs (pretending that the text was right) or throws SyntaxError, which
// statement and item loops catch to go on behind the damage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/lexer.h"
#include "frontend/parser.h"

namespace cdsl {

struct SyntaxError {};

class Parser {
 public:
  Parser(const SourceManager& sources, const TokenList& list, ast::ExprArena& exprs,
         DiagnosticSink& sink, std::uint32_t max_expressions);

  // The whole file.
  std::vector<ast::Item> items();

 private:
  // --- parser_cursor.cpp: tokens, expectations, recovery ---
  Tok kind(std::size_t ahead = 0) const;
  Token token(std::size_t ahead = 0) const;
  std::string_view word(std::size_t ahead = 0) const;  // text of a name, else empty
  bool is_word(std::string_view text, std::size_t ahead = 0) const;
  SourceRange range(std::size_t ahead = 0) const;
  SourceRange since(std::uint32_t begin) const;  // from a byte to the end of the last token taken
  SourceRange last_range() const;
  std::string found() const;      // the current token, for messages
  std::uint32_t partner() const;  // of the bracket at the current token

  Token take();
  bool accept(Tok wanted);
  bool accept_word(std::string_view text);
  void expect(Tok wanted, std::string_view where);
  void expect_closer(std::uint32_t opener);  // index of the opening token
  void expect_semicolon(std::string_view after);
  ast::Name expect_name(std::string_view what);
  ast::Name take_name();
  // Comma-separated parts up to the closer of the opening bracket at the current token.
  template <class Part>
  void bracketed(std::string_view where, Part&& part);
  // The same; after a mistake inside, it goes on behind the closer where there is one.
  template <class Part>
  void bracketed_or_skipped(std::string_view where, Part&& part);

  Diagnostic& error(Code code, SourceRange where, std::string message);
  [[noreturn]] void fail(Code code, SourceRange where, std::string message);
  [[noreturn]] void fail_expected(std::string_view what);
  [[noreturn]] void fail_without_colon();
  void skip_statement(std::uint32_t start, std::uint32_t block_end);
  void skip_item(std::uint32_t start);
  bool starts_item(std::uint32_t at) const;
  bool given_up() const { return fatal_ || sink_.full(); }

  // --- parser_items.cpp ---
  ast::Item item();
  void confused_item();
  ast::StructDecl struct_decl();
  ast::DefDecl def_decl();
  ast::ReducerDecl reducer_decl();
  ast::ConstDecl const_decl();
  ast::ImportDecl import_decl();
  std::string string_value(Token token);

  // --- parser_fn.cpp ---
  ast::FnDecl fn_decl();
  ast::GenericParam generic_param();
  ast::Param param(bool is_output);
  void fn_clauses(ast::FnDecl& fn);
  void skip_to_body();
  ast::Fact fact();

  // --- parser_types.cpp ---
  ast::TypeExpr type();
  void type_qualifiers(ast::TypeExpr& type);
  ast::Extent extent();
  ast::Layout layout();
  std::vector<ast::Name> name_group();

  // --- parser_statements.cpp ---
  ast::Block block();
  ast::Stmt statement();
  bool at_scatter() const;
  [[noreturn]] void confused_statement();
  ast::Let let_statement();
  ast::Tmp tmp_statement();
  ast::Stmt definition_or_call();
  ast::Definition tuple_definition();
  void definition_sign();
  ast::Target target();
  ast::LeftSubscript left_subscript();

  // --- parser_loops.cpp ---
  ast::Repeat repeat_statement();
  ast::Along along_statement();
  ast::Scatter scatter_statement();
  ast::ScatterOp scatter_op();
  ast::StateInit state_init();
  void expect_loop_body(std::string_view loop);
  ast::IndexRange index_range();
  ast::BinderList binder_list();
  ast::ExprId list_guard();

  // --- parser_expr.cpp ---
  ast::ExprId add(SourceRange where, ast::ExprNode node);
  ast::ExprId expression();
  ast::ExprId if_expression();
  ast::ExprId branch();
  // Operators of at least this precedence (1..5). `first` is an operand already parsed, or invalid.
  ast::ExprId operators(int least, ast::ExprId first = {});
  bool binary_operator(ast::BinaryOp& op);
  ast::ExprId operand();
  struct Operand {
    ast::ExprId value;
    SourceRange range;         // with its parentheses
    ast::ExprId comparison{};  // the last one in it, where it is one without parentheses
    bool is_chain = false;     // such a chain, already reported
  };
  Operand ranged_operand();
  Operand binary(Operand lhs, Operand rhs, ast::BinaryOp op, SourceRange op_range);

  // --- parser_primary.cpp ---
  ast::ExprId postfix();
  ast::ExprId primary();
  ast::ExprId named();
  ast::ExprId parenthesised();
  ast::ExprId array_literal();
  ast::ExprId int_literal();
  ast::ExprId reduction(ast::Name op, std::uint32_t begin);
  ast::ExprId call(ast::Name callee, std::uint32_t begin);
  void generic_arguments(std::vector<ast::Argument>& out);
  void arguments(std::vector<ast::Argument>& out);
  ast::ExprId member(ast::ExprId base, std::uint32_t begin, bool base_is_name);
  ast::ExprId index(ast::ExprId base, std::uint32_t begin, std::optional<ast::Mode> mode);
  ast::ExprId with_fields(ast::ExprId base, std::uint32_t begin);
  ast::Subscript subscript();
  ast::Mode mode(std::uint32_t begin);
  bool is_reduction() const;

  // --- parser_schedule.cpp ---
  ast::ScheduleDecl schedule_decl();
  ast::ScheduleLine schedule_line();
  ast::SizesLine sizes_line();
  ast::Directive directive();
  ast::ExpectDecl expect_decl();
  ast::Expectation expectation();
  template <class Line>
  void lines(Line&& line);

  // Counts one level of nesting while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { parser_.enter(); }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };
  void enter();

  const SourceManager& sources_;
  const TokenList& list_;
  ast::ExprArena& exprs_;
  DiagnosticSink& sink_;
  std::uint32_t max_expressions_;
  std::string_view text_;
  std::uint32_t at_ = 0;  // index of the current token
  int depth_ = 0;
  bool fatal_ = false;  // a limit was hit: no use to go on
};

template <class Part>
void Parser::bracketed(std::string_view where, Part&& part) {
  std::uint32_t opener = at_;
  Tok closer = closer_of(take().kind);
  while (kind() != closer) {
    part();
    if (kind() != Tok::Comma) break;
    take();
    if (kind() == closer)
      error(Code::Expected, last_range(), "no comma after the last of " + std::string(where))
          .fix(last_range(), "");
  }
  expect_closer(opener);
}

template <class Part>
void Parser::bracketed_or_skipped(std::string_view where, Part&& part) {
  std::uint32_t closer = partner();
  try {
    bracketed(where, part);
  } catch (const SyntaxError&) {
    if (closer == kNoToken || closer < at_ || given_up()) throw;
    at_ = closer + 1;
  }
}

// The lines of a block in braces, each repaired on its own.
template <class Line>
void Parser::lines(Line&& line) {
  std::uint32_t opener = at_;
  expect(Tok::LBrace, "before the lines");
  std::uint32_t end = list_.match[opener];
  if (end == kNoToken) end = static_cast<std::uint32_t>(list_.tokens.size() - 1);
  while (kind() != Tok::RBrace && kind() != Tok::End && !given_up()) {
    std::uint32_t start = at_;
    try {
      line();
    } catch (const SyntaxError&) {
      skip_statement(start, end);
    }
    if (at_ == start) take();
  }
  if (!given_up()) expect_closer(opener);
}

}  // namespace cdsl
