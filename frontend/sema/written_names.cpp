#include "frontend/sema/written_names.h"

#include <type_traits>

namespace cdsl::sema {
namespace {

// An argument may be an inout.
void add_arguments(const ast::Program& program, ast::ExprId call, std::set<std::string>& names) {
  const auto* node = program.exprs.get_if<ast::Call>(call);
  if (node == nullptr) return;
  for (const ast::Argument& argument : node->arguments) {
    const auto* name = program.exprs.get_if<ast::NameRef>(argument.value);
    if (name != nullptr) names.insert(name->name);
  }
}

void collect(const ast::Program& program, const ast::Block& block, std::set<std::string>& names) {
  for (const ast::Stmt& statement : block.statements) {
    std::visit(
        [&](const auto& node) {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, ast::Definition>) {
            for (const ast::Target& target : node.targets) names.insert(target.name.text);
            add_arguments(program, node.value, names);
          } else if constexpr (std::is_same_v<Node, ast::Scatter>) {
            names.insert(node.target.name.text);
          } else if constexpr (std::is_same_v<Node, ast::Repeat>) {
            for (const ast::StateInit& state : node.states) names.insert(state.target.name.text);
            collect(program, node.body, names);
          } else if constexpr (std::is_same_v<Node, ast::Along>) {
            collect(program, node.body, names);
          } else if constexpr (std::is_same_v<Node, ast::CallStmt>) {
            add_arguments(program, node.call, names);
          }
        },
        statement.node);
  }
}

}  // namespace

std::set<std::string> written_names(const ast::Program& program, const ast::Block& block) {
  std::set<std::string> names;
  collect(program, block, names);
  return names;
}

}  // namespace cdsl::sema
