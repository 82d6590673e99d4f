// The statements of kernels.
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "frontend/ir_reader/loop_reader.h"
#include "frontend/ir_reader/loop_words.h"

namespace cdsl::ir_reader {
namespace {

constexpr int kMaxDepth = 200;

}  // namespace

std::unique_ptr<loop::Block> LoopReader::block() {
  auto out = std::make_unique<loop::Block>();
  const std::size_t scope = names_.open();
  c_.expect(Tok::LBrace);
  statements(*out);
  c_.expect(Tok::RBrace);
  names_.close(scope);
  return out;
}

void LoopReader::statements(loop::Block& out) {
  const Nested nested(c_, depth_, kMaxDepth);
  while (!c_.at(Tok::RBrace) && !c_.at_end()) {
    while (c_.at(Tok::Percent)) {  // %0 := e;
      const std::int64_t label = reader_.label_number();
      c_.expect(Tok::Colon);
      c_.expect(Tok::Assign);
      reader_.define(label, reader_.expr());
      c_.expect(Tok::Semicolon);
    }
    const SourceRange begin = c_.here();
    out.statements.push_back(statement());
    out.statements.back().where = begin;
    reader_.forget_labels();
  }
}

LoopReader::Typed LoopReader::typed() {
  Typed typed;
  typed.name = c_.name("a name");
  c_.expect(Tok::Colon);
  typed.type = c_.scalar_type();
  return typed;
}

/// Made after the expressions of its statement were read: they do not see it.
SymbolId LoopReader::define(const Typed& typed, SymbolKind kind) {
  const SymbolId symbol = names_.add_register(typed.name, kind, typed.type);
  names_.show(typed.name, symbol);
  return symbol;
}

loop::Statement LoopReader::statement() {
  if (c_.at(Tok::KwLet)) return let();
  if (c_.at(Tok::KwIf)) return if_();
  if (c_.kind(1) == Tok::Assign) {
    const SymbolId local = names_.visible();
    c_.advance();
    const ExprId value = reader_.expr();
    c_.expect(Tok::Semicolon);
    return {loop::Assign{local, value}, {}};
  }
  if (names_.at_buffer() && c_.kind(1) == Tok::LBracket) {
    const loop::Access access = names_.place(reader_);
    c_.expect(Tok::Assign);
    const ExprId value = reader_.expr();
    c_.expect(Tok::Semicolon);
    return {loop::Store{access, value}, {}};
  }
  return named_statement();
}

loop::Statement LoopReader::named_statement() {
  if (c_.at_word("for")) return for_();
  if (c_.at_word("atomic")) return atomic(nullptr);
  if (c_.at_word("vector")) return vector_store();
  if (c_.at_word("var")) return var();
  if (c_.at_word("axis")) return axis();
  if (c_.at_word("mma")) return tile_multiply();
  if (c_.accept("while")) {
    const ExprId condition = reader_.expr();
    reader_.forget_labels();
    return {loop::While{condition, block()}, {}};
  }
  if (auto async = async_statement()) return std::move(*async);
  loop::Statement out;
  if (c_.accept("barrier")) {
    out.node = loop::Barrier{word<loop::BarrierScope>(c_, 3, "a scope")};
  } else if (c_.at_word("fence") && (c_.at_word("proxy", 1) || c_.at_word("init", 1))) {
    c_.advance();
    out.node = loop::FenceAsync{word<loop::FenceKind>(c_, 2, "proxy or init")};
  } else if (c_.accept("fence")) {
    out.node = loop::Fence{word<loop::Scope>(c_, 4, "a scope")};
  } else if (c_.accept("report")) {
    const auto site =
        static_cast<uint32_t>(c_.integer_between(0, std::numeric_limits<uint32_t>::max()));
    c_.expect(Tok::Comma);
    out.node = loop::Report{site, reader_.expr()};
  } else if (c_.accept("note")) {
    out.node = loop::Comment{c_.string()};
  } else {
    c_.fail_expected("a statement");
  }
  c_.expect(Tok::Semicolon);
  return out;
}

loop::Statement LoopReader::let() {
  c_.expect(Tok::KwLet);
  if (c_.at(Tok::LParen)) return let_several();
  const Typed local = typed();
  c_.expect(Tok::Assign);
  const bool keyword = c_.kind(1) == Tok::Name;
  if (keyword && c_.at_word("atomic")) return atomic(&local);
  if (keyword && c_.at_word("shuffle")) return shuffle(local);
  if (keyword && c_.at_word("vote")) return vote(local);
  if (keyword && c_.accept("elect")) {
    c_.expect("warp");
    c_.expect(Tok::Semicolon);
    return {loop::Elect{define(local)}, {}};
  }
  loop::Let made{{}, reader_.expr()};
  if (c_.accept("within")) {
    c_.expect(Tok::LParen);
    made.lo = reader_.expr();
    c_.expect(Tok::Comma);
    made.hi = reader_.expr();
    c_.expect(Tok::RParen);
  }
  c_.expect(Tok::Semicolon);
  made.local = define(local);
  return {made, {}};
}

// let (a: f32, b: f32) = vector x[i];   let (top: f32) = reduce ...;   let (s: f32; all: f32) = scan ...;
loop::Statement LoopReader::let_several() {
  c_.expect(Tok::LParen);
  const std::vector<Typed> locals = typed_list();
  const std::vector<Typed> totals = c_.accept(Tok::Semicolon) ? typed_list() : std::vector<Typed>{};
  c_.expect(Tok::RParen);
  c_.expect(Tok::Assign);
  if (c_.at_word("scan")) return tile_scan(locals, totals);
  if (!totals.empty()) c_.fail_expected("'scan'");
  if (c_.at_word("reduce")) return tile_reduce(locals);
  c_.expect("vector");
  loop::VectorLoad load{{}, names_.place(reader_)};
  c_.expect(Tok::Semicolon);
  for (const Typed& local : locals) load.locals.push_back(define(local));
  return {std::move(load), {}};
}

// vector y[i] = (a, b);   vector 4 x_now[0] = x[i];
loop::Statement LoopReader::vector_store() {
  c_.expect("vector");
  if (!names_.at_buffer()) {
    const ExprId width = reader_.expr();
    loop::VectorMove move{names_.place(reader_), {}, width};
    c_.expect(Tok::Assign);
    move.from = names_.place(reader_);
    c_.expect(Tok::Semicolon);
    return {std::move(move), {}};
  }
  loop::VectorStore store{names_.place(reader_), {}};
  c_.expect(Tok::Assign);
  c_.expect(Tok::LParen);
  store.values = reader_.list(Tok::RParen);
  c_.expect(Tok::RParen);
  c_.expect(Tok::Semicolon);
  return {std::move(store), {}};
}

// let was: i32 = atomic compare_exchange h[k], e expect f relaxed device;
loop::Statement LoopReader::atomic(const Typed* old) {
  c_.expect("atomic");
  loop::Atomic out;
  out.op = word<loop::AtomicOp>(c_, 9, "an atomic operator");
  out.access = names_.place(reader_);
  c_.expect(Tok::Comma);
  out.value = reader_.expr();
  if (c_.accept("expect")) out.expected = reader_.expr();
  if (out.expected.valid() != (out.op == loop::AtomicOp::CompareExchange))
    c_.fail("'expect' belongs to compare_exchange");
  out.order = word<loop::Order>(c_, 4, "an order of memory");
  out.scope = word<loop::Scope>(c_, 4, "a scope");
  c_.expect(Tok::Semicolon);
  if (old != nullptr) out.old = define(*old);
  return {out, {}};
}

// for i: i64 = lo to hi step s unroll 4 note "..." { }
loop::Statement LoopReader::for_() {
  c_.expect("for");
  const Typed index = typed();
  loop::For out;
  c_.expect(Tok::Assign);
  out.lo = reader_.expr();
  c_.expect("to");
  out.hi = reader_.expr();
  c_.expect("step");
  out.step = reader_.expr();
  if (c_.accept("unroll")) out.unroll = static_cast<int>(c_.integer_between(1, 1 << 20));
  if (c_.accept("note")) out.note = c_.string();
  reader_.forget_labels();
  const std::size_t scope = names_.open();
  out.index = define(index, SymbolKind::Index);
  out.body = block();
  names_.close(scope);
  return {std::move(out), {}};
}

loop::Statement LoopReader::if_() {
  c_.expect(Tok::KwIf);
  loop::If out;
  out.condition = reader_.expr();
  reader_.forget_labels();
  out.then_body = block();
  if (c_.accept(Tok::KwElse)) out.else_body = block();
  return {std::move(out), {}};
}

uint32_t LoopReader::mask() {
  c_.expect("mask");
  return static_cast<uint32_t>(c_.integer_between(0, std::numeric_limits<uint32_t>::max()));
}

loop::Statement LoopReader::shuffle(const Typed& result) {
  c_.expect("shuffle");
  loop::Shuffle out;
  out.kind = word<loop::ShuffleKind>(c_, 4, "index, up, down or xor");
  out.value = reader_.expr();
  c_.expect(Tok::Comma);
  out.lane = reader_.expr();
  out.mask = mask();
  c_.expect(Tok::Semicolon);
  out.result = define(result);
  return {out, {}};
}

loop::Statement LoopReader::vote(const Typed& result) {
  c_.expect("vote");
  loop::Vote out;
  out.kind = word<loop::VoteKind>(c_, 3, "any, all or ballot");
  out.predicate = reader_.expr();
  out.mask = mask();
  c_.expect(Tok::Semicolon);
  out.result = define(result);
  return {out, {}};
}

}  // namespace cdsl::ir_reader
