#include "dsl/tensor/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"

namespace cdsl::tir {
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

std::string_view word(Role role) {
  constexpr std::string_view kWords[] = {"input", "inout", "output", "temporary"};
  return kWords[static_cast<std::size_t>(role)];
}

std::string_view word(ScatterOp op) {
  constexpr std::string_view kWords[] = {"+", "*", "min", "max", "&", "|", "^"};
  return kWords[static_cast<std::size_t>(op)];
}

std::string_view suffix(Bounds bounds) {
  constexpr std::string_view kWords[] = {"", " @launch", " @check"};
  return kWords[static_cast<std::size_t>(bounds)];
}

// Words that would not read back as the name of a symbol.
constexpr std::string_view kReserved[] = {"fn",    "let", "if",  "else",    "in",     "true",
                                          "false", "inf", "nan", "noalias", "require"};

std::string identifier(std::string name) {
  for (char& c : name) {
    const bool good =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!good) c = '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(name.begin(), '_');
  const bool reserved =
      std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
  return reserved ? name + "_" : name;
}

class Printer {
 public:
  explicit Printer(const Function& function) : f_(function), arena_(function.arena) {
    std::set<std::string> used;
    for (const Tensor& tensor : f_.tensors) tensor_names_.push_back(unique(tensor.name, used));
    names_.tensor = [this](TensorId id) { return tensor_names_[id.index()]; };
    names_.leaf = [this](TensorId id, uint32_t leaf) { return f_.leaf(id, leaf).path; };
    names_.symbol = [this](SymbolId id) { return name(id); };
    names_.depth_limit = 100'000;
  }

  std::string run() {
    out_ = fmt::format("function {} {{\n", f_.name);
    header();
    block(f_.body, 1);
    return out_ + "}\n";
  }

 private:
  static std::string unique(const std::string& wanted, std::set<std::string>& used) {
    const std::string base = identifier(wanted);
    std::string name = base;
    for (int k = 2; !used.insert(name).second; ++k) name = fmt::format("{}_{}", base, k);
    return name;
  }

  std::string name(SymbolId id) {
    const auto found = symbol_names_.find(id);
    return found != symbol_names_.end() ? found->second : arena_.symbol(id).name;
  }

  void bind(SymbolId id) {
    if (!symbol_names_.contains(id)) symbol_names_[id] = unique(arena_.symbol(id).name, visible_);
  }

  void unbind(SymbolId id) {
    const auto found = symbol_names_.find(id);
    if (found == symbol_names_.end()) return;
    visible_.erase(found->second);
    symbol_names_.erase(found);
  }

  void line(int depth, const std::string& text) {
    out_ += std::string(2 * static_cast<std::size_t>(depth), ' ') + text + "\n";
  }
  std::string expr(ExprId id) { return to_string(arena_, id, names_); }

  std::string list(const std::vector<ExprId>& ids) {
    std::string text;
    for (ExprId id : ids) text += (text.empty() ? "" : ", ") + expr(id);
    return text;
  }

  void header() {
    for (const RecordType& record : f_.records) {
      if (!record.is_scalar()) line(1, record_text(record));
    }
    for (const Size& size : f_.sizes) {
      bind(size.symbol);
      line(1, size_text(size));
    }
    for (const ScalarParameter& scalar : f_.scalars) {
      bind(scalar.symbol);
      line(1, fmt::format("scalar {}: {};", name(scalar.symbol), name_of(scalar.declared)));
    }
    for (std::size_t k = 0; k < f_.tensors.size(); ++k) line(1, tensor_text(TensorId(k)));
    line(1, "parameters(" + parameters_text() + ");");
    if (f_.tf32) line(1, "precision(tf32);");
    for (const Check& check : f_.checks) {
      line(1, fmt::format("check {} : {}({});", expr(check.condition), quoted(check.message),
                          list(check.operands)));
    }
    for (const Fact& fact : f_.facts) line(1, fact_text(fact));
    for (const Directive& directive : f_.directives) line(1, directive_text(directive));
    for (const Expectation& e : f_.expectations) {
      const std::string value = cdsl::to_string(Value::of_float(e.value), ScalarType::F64);
      line(1, fmt::format("expect {} {} {};", quoted(e.metric), e.relation, value));
    }
  }

  static std::string directive_text(const Directive& directive) {
    std::string arguments;
    for (const DirectiveArgument& argument : directive.arguments) {
      arguments += (arguments.empty() ? "" : ", ") +
                   (argument.key.empty() ? "" : argument.key + ": ") + quoted(argument.text);
    }
    return fmt::format(
        "directive {}{}({}){};", directive.target.empty() ? "" : quoted(directive.target) + " ",
        directive.name, arguments,
        directive.architecture.empty() ? "" : " for " + quoted(directive.architecture));
  }

  static std::string record_text(const RecordType& record) {
    std::string leaves;
    for (const Leaf& leaf : record.leaves) {
      std::string extents;
      for (int64_t extent : leaf.extents)
        extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
      leaves +=
          fmt::format("{}{}: {}{} at {}", leaves.empty() ? "" : ", ", quoted(leaf.path),
                      name_of(leaf.type), extents.empty() ? "" : "[" + extents + "]", leaf.offset);
    }
    return fmt::format("record {} {{ {} }} size {} align {};", record.name, leaves, record.size,
                       record.alignment);
  }

  std::string size_text(const Size& size) {
    const std::string known = size.known ? fmt::format(" known {}", *size.known) : "";
    if (size.is_parameter) return fmt::format("size {} parameter{};", name(size.symbol), known);
    return fmt::format("size {} from {} axis {} scale {} offset {}{};", name(size.symbol),
                       tensor_names_[size.tensor.index()], size.axis, size.scale, size.offset,
                       known);
  }

  static std::string layout_text(const Layout& layout) {
    switch (layout.kind) {
      case Layout::Kind::Aos: return "";
      case Layout::Kind::Soa: return " layout(soa)";
      case Layout::Kind::Auto: return " layout(auto)";
      case Layout::Kind::Aosoa: return fmt::format(" layout(aosoa({}))", layout.width);
      case Layout::Kind::Split: break;
    }
    std::string groups;
    for (const auto& group : layout.groups) {
      std::string leaves;
      for (uint32_t leaf : group) leaves += (leaves.empty() ? "" : ", ") + std::to_string(leaf);
      groups += (groups.empty() ? "{" : ", {") + leaves + "}";
    }
    return " layout(split(" + groups + "))";
  }

  std::string tensor_text(TensorId id) {
    const Tensor& tensor = f_.tensor(id);
    std::string extents;
    for (std::size_t k = 0; k < tensor.shape.size(); ++k) {
      const bool broadcast = k < tensor.may_be_one.size() && tensor.may_be_one[k];
      const bool is_or = arena_.is_apply(tensor.shape[k], Op::Or);  // 1 | N is no broadcast
      const std::string extent = is_or ? "(" + expr(tensor.shape[k]) + ")" : expr(tensor.shape[k]);
      extents += (k == 0 ? "" : ", ") + std::string(broadcast ? "1|" : "") + extent;
    }
    const RecordType& element = f_.element(id);
    const std::string type =
        element.is_scalar() ? std::string(name_of(element.leaves[0].type)) : element.name;
    std::string text =
        fmt::format("{} {}: {}[{}]{}", tensor.is_constant ? "const" : word(tensor.role),
                    tensor_names_[id.index()], type, extents, layout_text(tensor.layout));
    if (tensor.order == Order::ColMajor) text += " col_major";
    if (tensor.order == Order::Strided) text += " strided";
    if (!tensor.declared) text += " inferred";
    if (tensor.is_constant) {
      std::string values;
      for (const Value& v : tensor.constants)
        values += (values.empty() ? "" : ", ") + cdsl::to_string(v, element.leaves[0].type);
      text += " = {" + values + "}";
    }
    return text + ";";
  }

  std::string parameters_text() {
    std::string text;
    for (const Parameter& parameter : f_.parameters) {
      const auto* tensor = std::get_if<TensorId>(&parameter.what);
      text += (text.empty() ? "" : ", ") +
              (tensor ? tensor_names_[tensor->index()]
                      : name(f_.scalars[std::get<uint32_t>(parameter.what)].symbol));
    }
    return text;
  }

  std::string fact_text(const Fact& fact) {
    const std::string_view require = fact.required ? "require " : "";
    switch (fact.kind) {
      case Fact::Kind::Condition: return fmt::format("fact {}{};", require, expr(fact.condition));
      case Fact::Kind::Aligned:
        return fmt::format("fact {}aligned({}, {});", require, tensor_names_[fact.tensor.index()],
                           fact.bytes);
      case Fact::Kind::NoAlias: break;
    }
    std::string names;
    for (TensorId tensor : fact.tensors) {
      names += names.empty() ? "(" : ", ";
      names += tensor_names_[tensor.index()];
    }
    return fmt::format("fact {}noalias{}{};", require, names, names.empty() ? "" : ")");
  }

  void block(const Block& body, int depth) {
    for (const Statement& statement : body.statements) {
      std::visit([&](const auto& s) { print(s, depth); }, statement);
    }
  }

  // Names the indices of every reduction under `roots`; within a statement each name is one symbol.
  void open(const std::vector<ExprId>& roots) {
    for (ExprId id : postorder(arena_, roots)) {
      const auto* reduce = arena_.get_if<Reduce>(id);
      if (reduce == nullptr) continue;
      const Reduction& r = arena_.reduction(reduce->reduction);
      for (const Axis& axis : r.axes) opened(axis.index);
      for (const auto* side : {&r.left, &r.right}) {
        for (SymbolId symbol : *side) opened(symbol);
      }
    }
  }

  // Shared nodes on lines of their own, save those that depend on an index of a reduction: they
  // mean nothing outside it.
  void define(const std::vector<ExprId>& roots, int depth) {
    std::unordered_set<uint32_t> dependent;
    for (ExprId id : postorder(arena_, roots)) {
      const auto* symbol = arena_.get_if<Symbol>(id);
      bool depends = symbol != nullptr && temporary_.contains(symbol->symbol);
      if (arena_.get_if<Reduce>(id) == nullptr) {
        for_each_child(arena_, id,
                       [&](ExprId child) { depends |= dependent.contains(child.value); });
      } else {
        for (SymbolId free : free_symbols(arena_, id)) depends |= temporary_.contains(free);
      }
      if (depends) dependent.insert(id.value);
    }
    for (ExprId id : nodes_to_define(arena_, roots)) {
      if (dependent.contains(id.value)) continue;
      const std::string definition = expr(id);
      const std::string label = fmt::format("%{}", ++definitions_);
      line(depth, fmt::format("let {} = {};", label, definition));
      names_.defined[id] = label;
    }
  }

  void opened(SymbolId symbol) {
    bind(symbol);
    temporary_.insert(symbol);
  }

  void close() {
    for (SymbolId symbol : temporary_) unbind(symbol);
    temporary_.clear();
    names_.defined.clear();
  }

  std::string axes_text(const Domain& domain) {
    std::string text;
    for (const Axis& axis : domain.axes) {
      text += fmt::format("{}{} in {}..{}", text.empty() ? "" : ", ", name(axis.index),
                          expr(axis.lo), expr(axis.hi));
    }
    return "[" + text + "]";
  }

  // `stage [i in 0..N] {`, then what the statement shares and its guard.
  void print(const Domain& domain, const std::string& keyword, const std::vector<ExprId>& roots,
             int depth) {
    for (const Axis& axis : domain.axes) bind(axis.index);
    open(roots);
    line(depth, keyword + " " + axes_text(domain) + " {");
    define(roots, depth + 1);
    if (domain.guard.valid()) line(depth + 1, "if " + expr(domain.guard) + ";");
  }

  void print_end(const Domain& domain, int depth) {
    line(depth, "}");
    close();
    for (const Axis& axis : domain.axes) unbind(axis.index);
  }

  static void add_roots(const Domain& domain, std::vector<ExprId>& roots) {
    for (const Axis& axis : domain.axes) {
      roots.push_back(axis.lo);
      roots.push_back(axis.hi);
    }
    if (domain.guard.valid()) roots.push_back(domain.guard);
  }

  static void add_roots(const Target& target, std::vector<ExprId>& roots) {
    roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
    roots.push_back(target.value);
  }

  std::string place(const Target& target) {
    const std::string leaf = f_.leaf(target.tensor, target.leaf).path;
    return fmt::format("{}{}[{}]{}", tensor_names_[target.tensor.index()],
                       leaf.empty() ? "" : "." + leaf, list(target.subscripts),
                       suffix(target.bounds));
  }

  void print(const Stage& stage, int depth) {
    std::vector<ExprId> roots;
    add_roots(stage.domain, roots);
    for (const Target& target : stage.targets) add_roots(target, roots);
    print(stage.domain, "stage", roots, depth);
    for (const Target& target : stage.targets)
      line(depth + 1, place(target) + " = " + expr(target.value) + ";");
    print_end(stage.domain, depth);
  }

  void print(const Scatter& scatter, int depth) {
    std::vector<ExprId> roots;
    add_roots(scatter.domain, roots);
    add_roots(scatter.target, roots);
    print(scatter.domain, scatter.deterministic ? "scatter deterministic" : "scatter", roots,
          depth);
    line(depth + 1, fmt::format("{} {}= {};", place(scatter.target), word(scatter.op),
                                expr(scatter.target.value)));
    print_end(scatter.domain, depth);
  }

  void print(const Loop& loop, int depth) {
    std::string states;
    for (TensorId state : loop.states)
      states += (states.empty() ? "" : ", ") + tensor_names_[state.index()];
    open({loop.lo, loop.hi});
    define({loop.lo, loop.hi}, depth);
    const std::string lo = expr(loop.lo), hi = expr(loop.hi);
    close();
    bind(loop.index);
    line(depth,
         fmt::format("{} {} in {}..{}{}{} {{", loop.kind == Loop::Kind::Repeat ? "repeat" : "along",
                     name(loop.index), lo, hi, loop.descending ? " descending" : "",
                     states.empty() ? "" : " states(" + states + ")"));
    block(*loop.body, depth + 1);
    if (loop.until.valid()) {
      open({loop.until});
      define({loop.until}, depth + 1);
      line(depth + 1, "until " + expr(loop.until) + ";");
      close();
    }
    line(depth, "}");
    unbind(loop.index);
  }

  const Function& f_;
  const ExprArena& arena_;
  ExprNames names_;
  std::vector<std::string> tensor_names_;
  std::map<SymbolId, std::string> symbol_names_;
  std::set<std::string> visible_;
  std::set<SymbolId> temporary_;  // indices of the reductions of the statement at hand
  int definitions_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Function& function) {
  return Printer(function).run();
}

}  // namespace cdsl::tir
