#include "tests/random/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cdsl::random {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string listed(const Program& program, const Tensor& tensor) {
  std::string text = tensor.name + ": " + tensor.element;
  if (!tensor.shape.empty()) {
    std::vector<std::string> extents;
    for (std::size_t k = 0; k < tensor.shape.size(); ++k) {
      const bool one = k < tensor.may_be_one.size() && tensor.may_be_one[k];
      extents.push_back((one ? "1|" : "") + program.extent_text(tensor.shape[k]));
    }
    text += fmt::format("[{}]", fmt::join(extents, ", "));
  } else if (!tensor.is_scalar && !tensor.fields.empty()) {
    text += "[]";
  }
  return text + tensor.suffix;
}

void print_block(const std::vector<Statement>& body, int depth, std::string& text) {
  for (const Statement& statement : body) {
    text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + statement.head.text();
    if (!statement.is_block) {
      text += ";\n";
      continue;
    }
    text += " {\n";
    print_block(statement.body, depth + 1, text);
    text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "}\n";
  }
}

int count_block(const std::vector<Statement>& body) {
  int total = 0;
  for (const Statement& statement : body) total += statement.head.count() + count_block(statement.body) + 1;
  return total;
}

void print_lines(const std::string& word, const std::vector<Line>& lines, const std::string& block, std::string& text) {
  std::string inside;
  for (const Line& line : lines) {
    bool known = true;
    for (const std::string& tensor : line.tensors) known &= mentions(block, tensor);
    if (known) inside += "  " + line.text + ";\n";
  }
  if (!inside.empty()) text += fmt::format("\n{} f {{\n{}}}\n", word, inside);
}

/// The size that an extent of an argument determines; -1: none.
int determined(const Tensor& tensor, std::size_t axis) {
  const Extent& extent = tensor.shape[axis];
  const bool one = axis < tensor.may_be_one.size() && tensor.may_be_one[axis];
  return extent.d == 1 && !one ? extent.size : -1;
}

}  // namespace

bool mentions(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string Node::text() const {
  const auto kid = [&](std::size_t k) {
    const std::string inner = kids[k].text();
    return k < needs.size() && kids[k].level < needs[k] ? "(" + inner + ")" : inner;
  };
  if (is_access) {
    std::string text = pieces[0];
    for (std::size_t k = 0; k < kids.size(); ++k) text += (k == 0 ? "[" : ", ") + kid(k);
    return text + (kids.empty() ? "" : "]") + pieces[1];
  }
  std::string text = pieces[0];
  for (std::size_t k = 0; k < kids.size(); ++k) text += kid(k) + pieces[k + 1];
  return text;
}

int Node::count() const {
  int total = 1;
  for (const Node& kid : kids) total += kid.count();
  return total;
}

Node leaf(std::string text, Type type, int level) {
  Node node;
  node.type = type;
  node.level = level;
  node.pieces = {std::move(text)};
  return node;
}

Node at(const std::string& index) { return leaf(index, kIndex); }

Node words(std::string text) {
  Node node = leaf(std::move(text), {});
  node.is_value = false;
  return node;
}

Node composed(Type type, int level, std::vector<std::string> pieces, std::vector<Node> kids, std::vector<int> needs) {
  Node node;
  node.type = type;
  node.level = level;
  node.pieces = std::move(pieces);
  node.kids = std::move(kids);
  node.needs = std::move(needs);
  return node;
}

Node binary(Type type, int level, const std::string& op, Node left, Node right) {
  // Comparisons do not chain.
  const int left_needs = level == kCompare ? level + 1 : level;
  return composed(type, level, {"", " " + op + " ", ""}, {std::move(left), std::move(right)}, {left_needs, level + 1});
}

Node reduce(Type type, const std::string& op, std::string binders, Node body) {
  return composed(type, kPostfix, {op + "[", "](", ")"}, {words(std::move(binders)), std::move(body)});
}

Node call(Type type, const std::string& function, std::vector<Node> arguments) {
  std::vector<std::string> pieces(arguments.size() + 1, ", ");
  pieces.front() = function + "(";
  pieces.back() = ")";
  return composed(type, kPostfix, std::move(pieces), std::move(arguments));
}

Node access(Type type, std::string name, std::vector<Node> subscripts, std::string suffix) {
  Node node = composed(type, kPostfix, {std::move(name), std::move(suffix)}, std::move(subscripts));
  node.is_access = true;
  return node;
}

std::string Program::extent_text(const Extent& extent) const {
  if (extent.size < 0) return fmt::format("{}", extent.b);
  const std::string& name = sizes[static_cast<std::size_t>(extent.size)].name;
  std::string text = extent.a == 1 ? name : fmt::format("{} * {}", extent.a, name);
  if (extent.b != 0) text += fmt::format(" {} {}", extent.b < 0 ? "-" : "+", std::abs(extent.b));
  if (extent.d == 1) return text;
  return fmt::format("{} / {}", extent.b != 0 ? "(" + text + ")" : text, extent.d);
}

int64_t Program::extent_value(const Extent& extent) const {
  if (extent.size < 0) return extent.b;
  return (extent.a * sizes[static_cast<std::size_t>(extent.size)].value + extent.b) / extent.d;
}

int Program::count() const {
  return count_block(body);
}

std::map<std::string, int64_t> Program::size_values() const {
  const std::string text = print();
  std::map<std::string, int64_t> values;
  for (const Size& size : sizes) {
    if (mentions(text, size.name)) values[size.name] = size.value;
  }
  return values;
}

std::string Program::print() const {
  std::string block;
  print_block(body, 1, block);
  std::vector<std::string> parameters, results;
  std::set<int> found;
  for (const auto* list : {&inputs, &inouts}) {
    for (const Tensor& tensor : *list) {
      if (!mentions(block, tensor.name)) continue;
      parameters.push_back((list == &inouts ? "inout " : "") + listed(*this, tensor));
      for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) found.insert(determined(tensor, axis));
    }
  }
  for (const Tensor& tensor : outputs) {
    if (mentions(block, tensor.name)) results.push_back(listed(*this, tensor));
  }
  std::string clauses;
  for (const std::string& fact : facts) {
    bool known = true;  // aligned(x, 16) needs its x
    for (const Tensor& tensor : inputs)
      if (mentions(fact, tensor.name)) known &= mentions(block, tensor.name);
    if (known) clauses += (clauses.empty() ? "\n  where " : ", ") + fact;
  }
  const std::string signature = fmt::format("({}){}{}", fmt::join(parameters, ", "),
                                            results.empty() ? "" : fmt::format(" -> ({})", fmt::join(results, ", ")), clauses);
  std::vector<std::string> generics;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const bool used = mentions(signature, sizes[k].name) || mentions(block, sizes[k].name);
    if (used && !found.contains(static_cast<int>(k))) generics.push_back(sizes[k].name + ": size");
  }
  std::string text = fmt::format("fn f{}{} {{\n{}}}\n", generics.empty() ? "" : fmt::format("<{}>", fmt::join(generics, ", ")),
                                 signature, block);
  print_lines("schedule", schedule, block, text);
  print_lines("expect", expect, block, text);
  // Items may use earlier ones.
  std::string head;
  for (std::size_t k = items.size(); k-- > 0;) {
    if (mentions(text, items[k].name) || mentions(head, items[k].name)) head = items[k].text + "\n" + head;
  }
  return head.empty() ? text : head + "\n" + text;
}

}  // namespace cdsl::random
