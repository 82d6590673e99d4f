#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

struct Expressions {
  const std::function<void(ExprId)>& visit;

  void one(ExprId id) const {
    if (id.valid()) visit(id);
  }
  void place(const Access& access) const {
    one(access.index);
    one(access.within);
  }
  void operator()(const Let& n) const { one(n.value); }
  void operator()(const Var& n) const { one(n.value); }
  void operator()(const Assign& n) const { one(n.value); }
  void operator()(const Store& n) const { place(n.access), one(n.value); }
  void operator()(const VectorLoad& n) const { place(n.access); }
  void operator()(const VectorStore& n) const {
    place(n.access);
    for (ExprId value : n.values) one(value);
  }
  void operator()(const Atomic& n) const { place(n.access), one(n.value), one(n.expected); }
  void operator()(const For& n) const { one(n.lo), one(n.hi), one(n.step); }
  void operator()(const While& n) const { one(n.condition); }
  void operator()(const If& n) const { one(n.condition); }
  void operator()(const Barrier&) const {}
  void operator()(const Fence&) const {}
  void operator()(const Shuffle& n) const { one(n.value), one(n.lane); }
  void operator()(const Vote& n) const { one(n.predicate); }
  void operator()(const Report& n) const { one(n.value); }
  void operator()(const Comment&) const {}
};

}  // namespace

void for_each_expression(const Statement& statement, const std::function<void(ExprId)>& visit) {
  std::visit(Expressions{visit}, statement.node);
}

void for_each_block(const Statement& statement, const std::function<void(const Block&)>& visit) {
  if (const auto* loop = std::get_if<For>(&statement.node)) visit(*loop->body);
  if (const auto* loop = std::get_if<While>(&statement.node)) visit(*loop->body);
  if (const auto* branch = std::get_if<If>(&statement.node)) {
    visit(*branch->then_body);
    if (branch->else_body != nullptr) visit(*branch->else_body);
  }
}

void for_each_statement(const Block& block, const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : block.statements) {
    visit(statement);
    for_each_block(statement, [&](const Block& inner) { for_each_statement(inner, visit); });
  }
}

const Access* access_of(const Statement& statement) {
  if (const auto* store = std::get_if<Store>(&statement.node)) return &store->access;
  if (const auto* load = std::get_if<VectorLoad>(&statement.node)) return &load->access;
  if (const auto* store = std::get_if<VectorStore>(&statement.node)) return &store->access;
  if (const auto* atomic = std::get_if<Atomic>(&statement.node)) return &atomic->access;
  return nullptr;
}

}  // namespace cdsl::loop
