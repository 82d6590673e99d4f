#include "codegen/expression.h"

#include <algorithm>

#include "codegen/literal.h"
#include "codegen/text.h"
#include "codegen/types.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {
namespace {

bool is_narrow(ScalarType type) {
  return is_integer(type) && size_of(type) < 4;
}

}  // namespace

const std::string& SpellingTable::operator[](std::size_t index) const {
  static const std::string none;
  const auto found = names_.find(index);
  return found == names_.end() ? none : found->second;
}

std::string ExpressionPrinter::print(ExprId id, Use use) {
  put({Operand{id, use}});
  return run();
}

std::string ExpressionPrinter::element(BufferId buffer, uint32_t leaf, ExprId index,
                                       ExprId within) {
  const std::string& name = c_.spellings.buffers[buffer.index()];
  std::vector<Piece> pieces{name + "[", Operand{index, {.address = true}},
                            "]" + c_.records.member(c_.buffers[buffer.index()].element, leaf)};
  if (!c_.buffers[buffer.index()].element.leaves[leaf].extents.empty()) {
    pieces.push_back("[");
    within.valid() ? pieces.push_back(Operand{within, {.address = true}}) : pieces.push_back("0");
    pieces.push_back("]");
  }
  put(std::move(pieces));
  return run();
}

std::string ExpressionPrinter::run() {
  std::string out;
  while (!stack_.empty()) {
    const Piece piece = std::move(stack_.back());
    stack_.pop_back();
    if (const auto* text = std::get_if<std::string>(&piece)) {
      out += *text;
    } else {
      expand(std::get<Operand>(piece));
    }
  }
  return out;
}

void ExpressionPrinter::put(std::vector<Piece> pieces) {
  std::move(pieces.rbegin(), pieces.rend(), std::back_inserter(stack_));
}

void ExpressionPrinter::expand(const Operand& operand) {
  const ExprId id = operand.id;
  if (const Value* value = c_.arena.constant_value(id)) {
    const auto named = c_.spellings.constants.find({c_.arena.constant_name(id), value->i});
    if (named != c_.spellings.constants.end()) {
      const bool cast = operand.use.exact && type(id) == ScalarType::I64;
      return put({cast ? "(long long)" + named->second : named->second});
    }
    std::string text = literal(*value, type(id), operand.use.exact, c_.prelude, c_.on_host);
    if (is_negative_literal(*value, type(id)) && operand.use.least > kUnary)
      text = "(" + text + ")";
    return put({std::move(text)});
  }
  if (const Symbol* symbol = c_.arena.get_if<Symbol>(id)) {
    const std::string& name = c_.spellings.symbols[symbol->symbol.index()];
    return put({is_special(id) ? "(int)" + name : name});
  }
  if (const Load* load = c_.arena.get_if<Load>(id)) return expand_load(*load, id);
  const Apply* apply = c_.arena.get_if<Apply>(id);
  CDSL_CHECK(apply != nullptr, "a node of Tensor IR in Loop IR");
  expand_apply(apply->op, operand);
}

void ExpressionPrinter::expand_load(const Load& load, ExprId id) {
  const auto args = c_.arena.args(id);
  const loop::Buffer& buffer = c_.buffers[load.buffer.index()];
  c_.prelude.use_type(type(id));
  std::vector<Piece> pieces{c_.spellings.buffers[load.buffer.index()] + "[",
                            Operand{args[0], {.address = true}},
                            "]" + c_.records.member(buffer.element, load.leaf)};
  if (!buffer.element.leaves[load.leaf].extents.empty()) {
    pieces.push_back("[");
    args.size() > 1 ? pieces.push_back(Operand{args[1], {.address = true}}) : pieces.push_back("0");
    pieces.push_back("]");
  }
  put(std::move(pieces));
}

void ExpressionPrinter::expand_apply(Op op, const Operand& operand) {
  const ScalarType of = type(c_.arena.args(operand.id)[0]);
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Neg: return expand_arithmetic(op, operand);
    case Op::Div:
    case Op::Rem:
    case Op::FloorDiv:
    case Op::FloorMod: return expand_division(op, operand);
    case Op::Shl:
    case Op::Shr: return expand_shift(op, operand);
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::BitNot:
    case Op::PopCount:
    case Op::LeadingZeros: return expand_bits(op, operand);
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne: return expand_comparison(op, operand);
    case Op::LogicalAnd: return infix("&&", kAnd, operand);
    case Op::LogicalOr: return infix("||", kOr, operand);
    case Op::LogicalNot: return prefix("!", c_.arena.args(operand.id)[0], operand);
    case Op::Select:
    case Op::Min:
    case Op::Max:
    case Op::Relu: return expand_choice(op, operand);
    case Op::Cast: return expand_cast(operand);
    case Op::MakeComplex:
    case Op::Real:
    case Op::Imag:
    case Op::Conj: return expand_complex(op, operand);
    case Op::Abs:
    case Op::Sign:
    default:
      if (is_complex(of)) return expand_complex(op, operand);
      return expand_math(op, operand);
  }
}

void ExpressionPrinter::infix(const char* spelling, Precedence own, const Operand& operand,
                              bool address) {
  const auto args = c_.arena.args(operand.id);
  const bool mixed = own == kOr || (own >= kBitOr && own <= kBitAnd) ||
                     own == kShift;  // not left to the reader's memory
  const auto level = [&](ExprId id, bool right) {
    const Apply* inner = c_.arena.get_if<Apply>(id);
    const Apply* outer = c_.arena.get_if<Apply>(operand.id);
    if (mixed && inner != nullptr && inner->op != outer->op) return own == kOr ? kBitOr : kUnary;
    // Grouping to the right says nothing where it cannot matter.
    const bool logic = own == kAnd || own == kOr;
    const bool sum = outer->op == Op::Add && address && inner != nullptr && is_integer(type(id)) &&
                     c_.facts.is_plain(id, true);
    return static_cast<Precedence>(right && !logic && !sum ? own + 1 : own);
  };
  // One side of its own full type is enough: the other is widened by the language.
  const bool wide = type(args[0]) == ScalarType::I64 || type(args[0]) == ScalarType::I32;
  const bool left_exact = wide && !is_natural(args[0]) && !is_natural(args[1]);
  const std::vector<Piece> pieces{
      operand.use.least > own ? "(" : "",
      Operand{args[0], {level(args[0], false), left_exact, address}},
      std::string(" ") + spelling + (own <= kAnd ? kOuterBreak : kBreak),
      Operand{args[1], {level(args[1], true), false, address}}, operand.use.least > own ? ")" : ""};
  put(pieces);
}

void ExpressionPrinter::prefix(const char* spelling, ExprId arg, const Operand& operand,
                               bool address) {
  const bool sign = spelling[0] == '-';
  const Use use{sign ? kPostfix : kUnary, operand.use.exact || sign, address};
  const bool parentheses = operand.use.least > kUnary;
  put({std::string(parentheses ? "(" : "") + spelling, Operand{arg, use}, parentheses ? ")" : ""});
}

void ExpressionPrinter::call(const std::string& name, std::span<const ExprId> args, bool address) {
  std::vector<Piece> pieces{name + "("};
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (k != 0) pieces.push_back(std::string(",") + kBreak);
    pieces.push_back(Operand{args[k], {.exact = true, .address = address}});
  }
  pieces.push_back(")");
  put(std::move(pieces));
}

void ExpressionPrinter::narrowed(ScalarType to, Precedence least, std::vector<Piece> inner,
                                 Precedence own) {
  std::string before = least > kUnary ? "(" : "", after = least > kUnary ? ")" : "";
  before += "(" + std::string(cuda_type(to)) + ")";
  if (own <= kUnary) {
    before += "(";
    after += ")";
  }
  inner.insert(inner.begin(), std::move(before));
  inner.push_back(std::move(after));
  put(std::move(inner));
}

bool ExpressionPrinter::is_special(ExprId id) const {
  const Symbol* symbol = c_.arena.get_if<Symbol>(id);
  return symbol != nullptr && c_.arena.symbol(symbol->symbol).kind == SymbolKind::Special;
}

// A widening that the language does by itself next to an operand of the wide type.
bool ExpressionPrinter::is_elidable_cast(ExprId id) const {
  if (!c_.arena.is_apply(id, Op::Cast)) return false;
  const ScalarType from = type(c_.arena.args(id)[0]);
  const bool integer = from == ScalarType::Bool || is_integer(from);
  if (type(id) == ScalarType::I64) return integer && (size_of(from) < 8);
  // Narrow values are ints wherever they are computed with.
  const bool fits = size_of(from) < size_of(type(id)) &&
                    (is_signed_integer(type(id)) || !is_signed_integer(from));
  return (type(id) == ScalarType::I32 || is_narrow(type(id))) &&
         (from == ScalarType::Bool || is_narrow(from)) && fits;
}

// Is the loose text of `id` of the C++ type that the node has? One such arm is enough for a choice.
bool ExpressionPrinter::is_natural(ExprId id) const {
  const auto leaf_is_natural = [&](ExprId leaf) {
    if (c_.arena.constant_value(leaf) != nullptr && type(leaf) == ScalarType::I64) return false;
    return !is_elidable_cast(leaf) && !is_narrow(type(leaf)) &&
           !c_.arena.is_apply(leaf, Op::Select);
  };
  for (; c_.arena.is_apply(id, Op::Select); id = c_.arena.args(id)[2]) {
    if (leaf_is_natural(c_.arena.args(id)[1])) return true;
  }
  return leaf_is_natural(id);
}

}  // namespace cdsl::cuda
