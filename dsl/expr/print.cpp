#include "dsl/expr/print.h"

#include <charconv>
#include <cmath>

#include <algorithm>

#include "dsl/expr/walk.h"

namespace cdsl {
namespace {

// Go's five levels, then unary and postfix.
constexpr int kUnary = 6, kPostfix = 7;

int precedence_of(Op op) {
  switch (op) {
    case Op::LogicalOr: return 1;
    case Op::LogicalAnd: return 2;
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge: return 3;
    case Op::Add:
    case Op::Sub:
    case Op::Or:
    case Op::Xor: return 4;
    case Op::Mul:
    case Op::Div:
    case Op::Rem:
    case Op::Shl:
    case Op::Shr:
    case Op::And: return 5;
    case Op::Neg:
    case Op::LogicalNot:
    case Op::BitNot: return kUnary;
    default: return kPostfix;
  }
}

std::string real_text(double value, bool single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end =
      single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
             : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Printer {
 public:
  Printer(const ExprArena& arena, const ExprNames& names) : arena_(arena), names_(names) {}

  std::string print(ExprId id, int least, int depth) const {
    if (!id.valid()) return "<none>";
    if (const auto found = names_.defined.find(id); found != names_.defined.end())
      return found->second;
    if (depth > names_.depth_limit) return "...";
    return std::visit([&](const auto& node) { return text(node, id, least, depth + 1); },
                      arena_.node(id));
  }

 private:
  std::string list(std::span<const ExprId> ids, int depth) const {
    std::string out;
    for (ExprId id : ids) out += (out.empty() ? "" : ", ") + print(id, 0, depth);
    return out;
  }

  // An operand that text would take for a part of one constant: -(3), i32((3)).
  std::string operand(ExprId id, int least, int depth) const {
    const std::string out = print(id, least, depth);
    const ScalarType type = arena_.type(id);
    const bool is_number = arena_.get_if<Constant>(id) != nullptr && !names_.defined.contains(id) &&
                           type != ScalarType::Bool && is_bare(type);
    return is_number && out[0] != '(' ? "(" + out + ")" : out;
  }

  // A complex number made of two constants is itself none: cplx((1.0), 2.0).
  std::string make_complex(std::span<const ExprId> args, int depth) const {
    const auto is_constant = [&](ExprId id) {
      return arena_.get_if<Constant>(id) != nullptr && !names_.defined.contains(id);
    };
    std::string re = print(args[0], 0, depth);
    if (is_constant(args[0]) && is_constant(args[1])) re = "(" + re + ")";
    return "cplx(" + re + ", " + print(args[1], 0, depth) + ")";
  }

  static bool is_bare(ScalarType type) {
    return type == ScalarType::I64 || type == ScalarType::F32 || type == ScalarType::Bool ||
           is_complex(type);
  }

  std::string text(const Constant& node, ExprId id, int least, int) const {
    const ScalarType type = arena_.type(id);
    const std::string value = to_string(node.value, type);
    if (node.name != 0) return std::string(name_of(type)) + "(" + arena_.constant_name(id) + " = " + value + ")";
    if (!is_bare(type)) return std::string(name_of(type)) + "(" + value + ")";
    return value[0] == '-' && least > kUnary - 1 ? "(" + value + ")" : value;
  }

  std::string text(const Symbol& node, ExprId, int, int) const {
    return names_.symbol ? names_.symbol(node.symbol) : arena_.symbol(node.symbol).name;
  }

  std::string text(const Apply& node, ExprId id, int least, int depth) const {
    const auto args = arena_.args(id);
    if (node.op == Op::Cast)
      return std::string(name_of(arena_.type(id))) + "(" + operand(args[0], 0, depth) + ")";
    if (node.op == Op::Select) {
      return "(if " + print(args[0], 0, depth) + " { " + print(args[1], 0, depth) + " } else { " +
             print(args[2], 0, depth) + " })";
    }
    if (node.op == Op::Real || node.op == Op::Imag) {
      const std::string whole =
          print(args[0], kPostfix, depth);  // after a label the dot would be a decimal point
      return (whole[0] == '%' ? "(" + whole + ")" : whole) + "." +
             std::string(info(node.op).spelling);
    }
    const int own = precedence_of(node.op);
    if (node.op == Op::MakeComplex) return make_complex(args, depth);
    if (own == kPostfix) return std::string(info(node.op).spelling) + "(" + list(args, depth) + ")";
    std::string out;
    if (own == kUnary) {
      out = (node.op == Op::Neg      ? "-"
             : node.op == Op::BitNot ? "~"
                                     : "!") +
            operand(args[0], kUnary, depth);
    } else {
      // Comparisons do not chain: both sides bind tighter.
      out = print(args[0], own == 3 ? 4 : own, depth) + " " + std::string(info(node.op).spelling) +
            " " + print(args[1], own + 1, depth);
    }
    return own < least ? "(" + out + ")" : out;
  }

  std::string rule_text(const AxisRule& rule, int depth) const {
    std::string out;
    if (rule.holes.valid()) out += " @holes(" + print(rule.holes, 0, depth) + ")";
    if (rule.boundary == Boundary::Fill) return out + " @fill(" + print(rule.fill, 0, depth) + ")";
    if (rule.boundary != Boundary::None) return out + " @" + std::string(name_of(rule.boundary));
    if (rule.bounds == Bounds::AtLaunch && names_.bounds) return out + " @launch";
    if (rule.bounds == Bounds::PerElement && names_.bounds) return out + " @check";
    return out;
  }

  std::string text(const Read& node, ExprId id, int, int depth) const {
    const auto args = arena_.args(id);
    const auto rules = arena_.rules(id);
    std::string out =
        names_.tensor ? names_.tensor(node.tensor) : "t" + std::to_string(node.tensor.value);
    const std::string leaf = names_.leaf ? names_.leaf(node.tensor, node.leaf) : "";
    if (!leaf.empty()) out += "." + leaf;
    std::string inside;
    for (std::size_t k = 0; k < args.size(); ++k) {
      inside += (k == 0 ? "" : ", ") + print(args[k], 0, depth) + rule_text(rules[k], depth);
    }
    return out + "[" + inside + "]";
  }

  std::string axes_text(const Reduction& r, int depth) const {
    std::string out;
    for (const Axis& axis : r.axes) {
      const std::string name =
          names_.symbol ? names_.symbol(axis.index) : arena_.symbol(axis.index).name;
      out += (out.empty() ? "" : ", ") + name + " in " + print(axis.lo, 4, depth) + ".." +
             print(axis.hi, 4, depth);
    }
    if (r.guard.valid()) out += " if " + print(r.guard, 0, depth);
    return out;
  }

  std::string text(const Reduce& node, ExprId, int, int depth) const {
    const Reduction& r = arena_.reduction(node.reduction);
    std::string types;
    for (ScalarType type : r.types)
      types += (types.empty() ? "" : ", ") + std::string(name_of(type));
    std::string out = r.monoid == Monoid::User ? r.name : std::string(name_of(r.monoid));
    out += "<" + types + ">[" + axes_text(r, depth) + "](" + list(r.lifted, depth);
    if (r.monoid == Monoid::User) {
      std::string symbols;
      for (const auto* side : {&r.left, &r.right}) {
        for (SymbolId s : *side) {
          symbols += (symbols.empty() ? "" : ", ") +
                     (names_.symbol ? names_.symbol(s) : arena_.symbol(s).name);
        }
      }
      out += "; " + list(r.identity, depth) + "; " + symbols +
             (r.commutative ? " commutative" : "") + " => " + list(r.combine, depth);
    }
    out += ")";
    const bool has_parts =
        r.monoid == Monoid::User || r.monoid == Monoid::ArgMin || r.monoid == Monoid::ArgMax;
    return has_parts ? out + "." + std::to_string(node.part) : out;
  }

  std::string text(const Load& node, ExprId id, int, int depth) const {
    const auto args = arena_.args(id);
    std::string out =
        names_.buffer ? names_.buffer(node.buffer) : "b" + std::to_string(node.buffer.value);
    const std::string leaf = names_.buffer_leaf ? names_.buffer_leaf(node.buffer, node.leaf) : "";
    out += "[" + print(args[0], 0, depth) + "]" + (leaf.empty() ? "" : "." + leaf);
    return args.size() > 1 ? out + "[" + print(args[1], 0, depth) + "]" : out;
  }

  const ExprArena& arena_;
  const ExprNames& names_;
};

bool is_leaf(const ExprArena& arena, ExprId id) {
  return arena.get_if<Constant>(id) != nullptr || arena.get_if<Symbol>(id) != nullptr;
}

}  // namespace

std::string to_string(const Value& value, ScalarType type) {
  if (type == ScalarType::Bool) return value.i != 0 ? "true" : "false";
  if (is_integer(type))
    return is_signed_integer(type) ? std::to_string(value.i) : std::to_string(value.bits());
  const bool single = type != ScalarType::F64 && type != ScalarType::C128;
  if (!is_complex(type)) return real_text(value.re, single);
  const std::string part(name_of(component_type(type)));
  const auto component = [&](double x) {
    return single ? real_text(x, true) : part + "(" + real_text(x, false) + ")";
  };
  return "cplx(" + component(value.re) + ", " + component(value.im) + ")";
}

std::string_view name_of(Boundary boundary) {
  constexpr std::string_view kNames[] = {"none",    "zero",      "fill", "clamp",
                                         "reflect", "symmetric", "wrap", "unchecked"};
  return kNames[static_cast<std::size_t>(boundary)];
}

std::string to_string(const ExprArena& arena, ExprId id, const ExprNames& names) {
  return Printer(arena, names).print(id, 0, 0);
}

std::vector<ExprId> nodes_to_define(const ExprArena& arena, std::span<const ExprId> roots,
                                    int depth_limit) {
  const auto order = postorder(arena, roots);
  std::unordered_map<uint32_t, int> uses, height;
  for (ExprId id : order) for_each_child(arena, id, [&](ExprId child) { ++uses[child.value]; });
  std::vector<ExprId> defined;
  for (ExprId id : order) {
    int tallest = 0;
    for_each_child(arena, id,
                   [&](ExprId child) { tallest = std::max(tallest, height[child.value]); });
    const bool shared = uses[id.value] > 1 && !is_leaf(arena, id);
    const bool deep = tallest + 1 >= depth_limit;
    height[id.value] = shared || deep ? 1 : tallest + 1;
    if (shared || deep) defined.push_back(id);
  }
  return defined;
}

}  // namespace cdsl
