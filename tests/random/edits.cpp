#include "tests/random/edits.h"

namespace cdsl::random {
namespace {

void collect(std::vector<Statement>& block, std::vector<std::pair<std::vector<Statement>*, std::size_t>>& places) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    places.emplace_back(&block, k);
    collect(block[k].body, places);
  }
}

void collect(Node& node, std::vector<Node*>& nodes) {
  nodes.push_back(&node);
  for (Node& kid : node.kids) collect(kid, nodes);
}

/// Name of an index that a left subscript binds: the first word of it.
std::string bound_name(const Node& subscript) {
  const std::string text = subscript.text();
  return text.substr(0, text.find(' '));
}

void parts(const Node& node, Type type, std::vector<Node>& found) {
  for (const Node& kid : node.kids) {
    if (kid.is_value && kid.type == type) found.push_back(kid);
    parts(kid, type, found);
  }
}

/// `index`: the name that the axis bound on a left side.
bool drop_axis_in(Node& node, const std::string& name, std::size_t axis, std::string& index) {
  bool found = false;
  for (Node& kid : node.kids) found |= drop_axis_in(kid, name, axis, index);
  if (!node.is_access || node.pieces[0] != name || axis >= node.kids.size()) return found;
  if (!node.is_value) index = bound_name(node.kids[axis]);
  node.kids.erase(node.kids.begin() + static_cast<std::ptrdiff_t>(axis));
  return true;
}

}  // namespace

std::vector<std::pair<std::vector<Statement>*, std::size_t>> statements(Program& program) {
  std::vector<std::pair<std::vector<Statement>*, std::size_t>> places;
  collect(program.body, places);
  return places;
}

std::vector<Node*> nodes_of(Program& program) {
  std::vector<Node*> nodes;
  for (const auto& [block, at] : statements(program)) collect((*block)[at].head, nodes);
  return nodes;
}

void replace_word(Node& node, const std::string& word, const std::string& by) {
  for (std::string& piece : node.pieces) {
    for (std::size_t at = 0; (at = piece.find(word, at)) != std::string::npos;) {
      if (!mentions(piece.substr(at == 0 ? 0 : at - 1, word.size() + (at == 0 ? 1 : 2)), word)) {
        ++at;
        continue;
      }
      piece.replace(at, word.size(), by);
      at += by.size();
    }
  }
  for (Node& kid : node.kids) replace_word(kid, word, by);
}

std::vector<Node> replacements(const Node& node) {
  std::vector<Node> result;
  const std::string type(name_of(node.type.scalar));
  if (node.count() > 1 || node.pieces[0].size() > 2) {
    if (node.type.is_index) result.push_back(leaf("0", node.type));
    else if (node.type.scalar == ScalarType::Bool) result.push_back(leaf("true", node.type)), result.push_back(leaf("false", node.type));
    else if (node.text() != type + "(1)" && node.text() != "1") {
      result.push_back(leaf("1", node.type));
      result.push_back(leaf(type + "(1)", node.type));
    }
  }
  std::vector<Node> found;
  parts(node, node.type, found);
  for (Node& each : found)
    if (result.size() < 12) result.push_back(std::move(each));
  return result;
}

bool inline_let(Program& program, std::vector<Statement>& block, std::size_t at) {
  const Statement let = block[at];
  if (!let.head.pieces[0].starts_with("let ") || let.head.kids.size() != 1) return false;
  block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
  for (Node* node : nodes_of(program))
    if (node->is_value && node->kids.empty() && node->text() == let.defines[0]) *node = let.head.kids[0];
  return true;
}

bool drop_axis(Program& program, const std::string& name, std::size_t axis) {
  bool found = false;
  for (auto* list : {&program.outputs, &program.inputs, &program.inouts}) {
    for (Tensor& tensor : *list) {
      if (tensor.name != name || axis >= tensor.shape.size()) continue;
      tensor.shape.erase(tensor.shape.begin() + static_cast<std::ptrdiff_t>(axis));
      tensor.may_be_one.clear();
      if (tensor.shape.empty()) tensor.suffix = tensor.fields.empty() ? "[]" : "";
      if (list == &program.outputs && tensor.shape.empty()) tensor.suffix = "";
      found = true;
    }
  }
  for (const auto& [block, at] : statements(program)) {
    Statement& statement = (*block)[at];
    std::string index;
    found |= drop_axis_in(statement.head, name, axis, index);
    if (!index.empty()) {
      replace_word(statement.head, index, "0");
    }
  }
  return found;
}

}  // namespace cdsl::random
