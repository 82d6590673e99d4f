// Printing of types, statements and items.
#include "frontend/ast_printer.h"

namespace cdsl::ast {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out + "\"";
}

class Printer {
 public:
  explicit Printer(const ExprArena& exprs, int level = 0) : exprs_(exprs), level_(level) {}

  std::string take() { return std::move(out_); }

  void type(const TypeExpr& type) {
    out_ += type.name.text;
    if (type.has_shape) {
      out_ += "[";
      separated(type.shape, [&](const Extent& extent) {
        if (extent.may_be_one) out_ += "1|";
        expr(extent.value);
      });
      out_ += "]";
    }
    if (type.strided) out_ += " strided";
    if (type.col_major) out_ += " col_major";
    if (type.layout) out_ += " ", layout(*type.layout);
  }

  void statement(const Stmt& statement) {
    indent();
    std::visit([&](const auto& node) { print(node); }, statement.node);
    out_ += "\n";
  }

  void item(const Item& item) {
    std::visit([&](const auto& node) { print(node); }, item.node);
    out_ += "\n";
  }

 private:
  void indent() { out_.append(static_cast<std::size_t>(2 * level_), ' '); }
  void expr(ExprId id) { out_ += ast::print(exprs_, id); }

  template <class List, class Each>
  void separated(const List& list, Each&& each) {
    bool first = true;
    for (const auto& entry : list) {
      if (!first) out_ += ", ";
      first = false;
      each(entry);
    }
  }
  void names(const std::vector<Name>& list) {
    separated(list, [&](const Name& name) { out_ += name.text; });
  }

  void layout(const Layout& layout) {
    constexpr const char* words[] = {"aos", "soa", "aosoa", "split", "auto"};
    out_ += std::string("layout(") + words[static_cast<int>(layout.kind)];
    if (layout.kind == LayoutKind::Aosoa) {
      out_ += "(";
      expr(layout.width);
      out_ += ")";
    }
    if (layout.kind == LayoutKind::Split) {
      out_ += "(";
      separated(layout.groups, [&](const std::vector<Name>& group) {
        out_ += "{";
        names(group);
        out_ += "}";
      });
      out_ += ")";
    }
    out_ += ")";
  }

  void span(const IndexRange& span) {
    // A bound that is an `if` needs the parentheses that print gives no top-level expression.
    auto bound = [&](ExprId id) {
      bool is_if = exprs_.get_if<IfElse>(id) != nullptr;
      if (is_if) out_ += "(";
      expr(id);
      if (is_if) out_ += ")";
    };
    bound(span.lo);
    out_ += span.closed ? "..=" : "..";
    bound(span.hi);
  }

  void binders(const BinderList& list) {
    out_ += "[";
    separated(list.binders, [&](const Binder& binder) {
      out_ += binder.index.text;
      if (binder.span) out_ += " in ", span(*binder.span);
    });
    guard(list.guard);
    out_ += "]";
  }
  void guard(ExprId condition) {
    if (condition.valid()) out_ += " if ", expr(condition);
  }

  void target(const Target& target) {
    out_ += target.name.text;
    if (!target.has_subscripts) return;
    out_ += "[";
    separated(target.subscripts, [&](const LeftSubscript& subscript) {
      std::visit([&](const auto& node) { print(node); }, subscript.node);
    });
    guard(target.guard);
    out_ += "]";
  }
  void print(const LeftExpr& left) { expr(left.value); }
  void print(const LeftRanged& left) {
    out_ += left.index.text + " in ";
    span(left.span);
  }
  void print(const LeftUnique& left) {
    out_ += "unique(";
    expr(left.value);
    out_ += ")";
  }

  void block(const Block& block) {
    out_ += " {\n";
    ++level_;
    for (const Stmt& each : block.statements) statement(each);
    --level_;
    indent();
    out_ += "}";
  }

  // --- statements ---
  void print(const Definition& node) {
    if (node.is_tuple) out_ += "(";
    separated(node.targets, [&](const Target& each) { target(each); });
    out_ += node.is_tuple ? ") = " : " = ";
    expr(node.value);
    out_ += ";";
  }
  void print(const Let& node) {
    out_ += node.is_tuple ? "let (" : "let ";
    names(node.names);
    out_ += node.is_tuple ? ") = " : " = ";
    expr(node.value);
    out_ += ";";
  }
  void print(const Tmp& node) {
    out_ += "tmp " + node.name.text + ": ";
    type(node.type);
    out_ += ";";
  }
  void print(const Repeat& node) {
    out_ += "repeat " + node.index.text + " in ";
    span(node.span);
    if (!node.states.empty()) out_ += " from ";
    separated(node.states, [&](const StateInit& state) {
      target(state.target);
      out_ += " = ";
      expr(state.value);
    });
    if (node.until.valid()) out_ += " until ", expr(node.until);
    block(node.body);
  }
  void print(const Along& node) {
    out_ += "along " + node.index.text + " in ";
    span(node.span);
    if (node.descending) out_ += " descending";
    block(node.body);
  }
  void print(const Scatter& node) {
    out_ += node.deterministic ? "scatter deterministic" : "scatter";
    binders(node.binders);
    out_ += " ";
    target(node.target);
    out_ += std::string(" ") + spelling(node.op) + " ";
    expr(node.value);
    out_ += ";";
  }
  void print(const CallStmt& node) {
    expr(node.call);
    out_ += ";";
  }

  // --- items ---
  void print(const StructDecl& node) {
    out_ += "struct " + node.name.text + " {\n";
    for (const FieldDecl& field : node.fields) {
      out_ += "  " + field.name.text + ": ";
      type(field.type);
      out_ += ";\n";
    }
    out_ += "}";
  }
  void param(const Param& param) {
    if (param.is_inout) out_ += "inout ";
    out_ += param.name.text + ": ";
    type(param.type);
  }
  void fact(const Fact& fact) {
    if (fact.is_required) out_ += "require ";
    std::visit([&](const auto& node) { print(node); }, fact.node);
  }
  void print(const FactExpr& fact) { expr(fact.condition); }
  void print(const FactAligned& fact) {
    out_ += "aligned(" + fact.tensor.text + ", ";
    expr(fact.bytes);
    out_ += ")";
  }
  void print(const FactNoAlias& fact) {
    out_ += "noalias";
    if (fact.tensors.empty()) return;
    out_ += "(";
    names(fact.tensors);
    out_ += ")";
  }
  void print(const FnDecl& node) {
    out_ += "fn " + node.name.text;
    if (!node.generics.empty()) {
      out_ += "<";
      separated(node.generics, [&](const GenericParam& generic) {
        out_ += generic.name.text + ": " + spelling(generic.kind);
      });
      out_ += ">";
    }
    out_ += "(";
    separated(node.params, [&](const Param& each) { param(each); });
    out_ += ")";
    if (!node.outputs.empty()) {
      out_ += " -> (";
      separated(node.outputs, [&](const Param& each) { param(each); });
      out_ += ")";
    }
    if (!node.facts.empty()) {
      out_ += " where ";
      separated(node.facts, [&](const Fact& each) { fact(each); });
    }
    if (node.precision) out_ += " precision(" + node.precision->text + ")";
    block(node.body);
  }
  void print(const DefDecl& node) {
    out_ += "def " + node.name.text + "(";
    names(node.params);
    out_ += ") = ";
    expr(node.body);
    out_ += ";";
  }
  void print(const ReducerDecl& node) {
    out_ += "reducer " + node.name.text + "(" + node.left.text + ": " + (node.is_tuple ? "(" : "");
    separated(node.parts, [&](const TypeExpr& part) { type(part); });
    out_ += (node.is_tuple ? "), " : ", ") + node.right.text + ") identity ";
    expr(node.identity);
    out_ += node.is_commutative ? " commutative = " : " = ";
    expr(node.combine);
    out_ += ";";
  }
  void print(const ConstDecl& node) {
    out_ += "const " + node.name.text + ": ";
    type(node.type);
    out_ += " = ";
    expr(node.value);
    out_ += ";";
  }
  void print(const ImportDecl& node) { out_ += "import " + quoted(node.path); }

  void directive(const Directive& directive) {
    if (directive.layout) {
      layout(*directive.layout);
      return;
    }
    out_ += directive.name.text;
    if (directive.arguments.empty()) return;
    out_ += "(";
    separated(directive.arguments, [&](const Argument& argument) {
      if (argument.key) out_ += argument.key->text + ": ";
      expr(argument.value);
    });
    out_ += ")";
  }
  void print(const DirectiveLine& line) {
    if (line.target) out_ += line.target->text + ": ";
    separated(line.directives, [&](const Directive& each) { directive(each); });
  }
  void print(const SizesLine& line) {
    out_ += "sizes " + line.size.text + " in {";
    separated(line.values, [&](ExprId value) { expr(value); });
    out_ += "}";
  }
  template <class Decl, class Each>
  void lines(const char* word, const Decl& node, Each&& each) {
    out_ += word + node.fn.text;
    if (node.arch) out_ += " for " + node.arch->text;
    out_ += " {\n";
    for (const auto& line : node.lines) {
      out_ += "  ";
      each(line);
      out_ += ";\n";
    }
    out_ += "}";
  }
  void print(const ScheduleDecl& node) {
    lines("schedule ", node, [&](const ScheduleLine& line) {
      std::visit([&](const auto& each) { print(each); }, line.node);
    });
  }
  void print(const ExpectDecl& node) {
    lines("expect ", node, [&](const Expectation& line) {
      out_ += line.metric.text;
      if (!line.arguments.empty()) {
        out_ += "(";
        names(line.arguments);
        out_ += ")";
      }
      out_ += std::string(" ") + spelling(line.op) + " ";
      expr(line.value);
    });
  }

  const ExprArena& exprs_;
  int level_;
  std::string out_;
};

}  // namespace

std::string print(const ExprArena& exprs, const TypeExpr& type) {
  Printer printer(exprs);
  printer.type(type);
  return printer.take();
}

std::string print(const ExprArena& exprs, const Stmt& statement, int level) {
  Printer printer(exprs, level);
  printer.statement(statement);
  return printer.take();
}

std::string print(const ExprArena& exprs, const Item& item) {
  Printer printer(exprs);
  printer.item(item);
  return printer.take();
}

std::string print(const Program& program, std::uint32_t file) {
  std::string out;
  for (const Item& item : program.items) {
    if (file != kNoFile && item.range.file != file) continue;
    if (!out.empty()) out += "\n";
    out += print(program.exprs, item);
  }
  return out;
}

}  // namespace cdsl::ast
