#include "frontend/sema/infer.h"

#include <set>
#include <utility>

#include "dsl/expr/integer.h"
#include "frontend/sema/expression.h"

namespace cdsl::sema {
namespace {

class Collector {
 public:
  explicit Collector(Analysis& a) : a_(a) {}

  void visit(ast::ExprId root) { visit({root, false}); }

  ReadsByIndex take() { return std::move(reads_); }

 private:
  struct Visited {
    ast::ExprId id;
    bool in_let = false;
  };

  void visit(Visited root) {
    std::vector<Visited> stack{root};
    std::vector<ast::ExprId> children;
    while (!stack.empty()) {
      const auto [id, in_let] = stack.back();
      stack.pop_back();
      const auto* reduction = a_.ast_if<ast::Reduction>(id);
      if (reduction != nullptr && in_let) {
        see_private(id, *reduction);
        continue;
      }
      children.clear();
      ast::append_children(a_.program.exprs[id], children);
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        stack.push_back({*child, in_let});
      if (const auto* name = a_.ast_if<ast::NameRef>(id)) see_name(name->name, stack);
      if (const auto* index = a_.ast_if<ast::Index>(id)) see_index(*index);
      if (const auto* call = a_.ast_if<ast::Call>(id)) see_call(*call);
    }
  }

  // `let`s are read as if written out, each once under the same reductions.
  void see_name(const std::string& name, std::vector<Visited>& stack) {
    if (!parameters_.empty()) return;
    const Entity* entity = a_.scopes.find(name);
    if (entity == nullptr) return;
    const auto* let = std::get_if<LetSymbol*>(&entity->what);
    if (let != nullptr && lets_.emplace(*let, bound_).second) stack.push_back({(*let)->value, true});
  }

  // The names that a reduction in a `let` binds are its own. What nests deeper than evaluation goes is
  // left to its error.
  void see_private(ast::ExprId id, const ast::Reduction& reduction) {
    constexpr int kMaxDepth = 1000;
    if (depth_ >= kMaxDepth) return;
    ++depth_;
    std::vector<std::string> added;
    for (const ast::Binder& binder : reduction.binders.binders) {
      if (bound_.insert(binder.index.text).second) added.push_back(binder.index.text);
    }
    std::vector<ast::ExprId> children;
    ast::append_children(a_.program.exprs[id], children);
    for (const ast::ExprId child : children) visit({child, true});
    for (const std::string& name : added) bound_.erase(name);
    --depth_;
  }

  // The body of a `def` sees only its parameters and `const`s.
  void see_call(const ast::Call& call) {
    const auto def = a_.module.def(call.callee.text);
    if (!def || def.decl->params.size() != call.arguments.size() || parameters_.size() > 8) return;
    std::map<std::string, std::string, std::less<>> names;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const auto* name = a_.ast_if<ast::NameRef>(call.arguments[k].value);
      if (name != nullptr) names.emplace(def.decl->params[k].text, renamed(name->name));
    }
    if (names.empty() || !defs_.insert(def.decl).second) return;
    parameters_.push_back(std::move(names));
    const std::set<std::string> bound = std::exchange(bound_, {});
    visit(def.decl->body);
    bound_ = bound;
    parameters_.pop_back();
    defs_.erase(def.decl);
  }

  // The statement's name of what is called `name` here; empty where it has none.
  std::string renamed(const std::string& name) const {
    if (bound_.contains(name)) return {};
    if (parameters_.empty()) return name;
    const auto found = parameters_.back().find(name);
    return found == parameters_.back().end() ? std::string() : found->second;
  }

  std::vector<std::pair<ExprId, ExprId>> spans_of(ast::ExprId base) {
    std::vector<std::pair<ExprId, ExprId>> spans;
    const ExprId zero = a_.arena().integer(0);
    if (const auto* name = a_.ast_if<ast::NameRef>(base)) {
      const TensorSymbol* symbol = find_tensor(a_, name->name);
      if (symbol == nullptr || symbol->is_poisoned) return spans;
      const std::vector<ExprId>& shape = a_.ir(*symbol).shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (symbol->lo.empty()) {
          spans.emplace_back(zero, shape[axis]);
        } else {
          spans.emplace_back(symbol->lo[axis], symbol->hi[axis]);
        }
      }
    } else if (const auto type = field_type(base)) {
      for (const std::int64_t extent : type->extents)
        spans.emplace_back(zero, a_.arena().integer(extent));
    }
    return spans;
  }

  // The type of `p[i].body.pos`, of a record's field in a tensor.
  std::optional<ElementType> field_type(ast::ExprId id) {
    if (const auto* index = a_.ast_if<ast::Index>(id)) {
      const auto* name = a_.ast_if<ast::NameRef>(index->base);
      const TensorSymbol* symbol = name != nullptr ? find_tensor(a_, name->name) : nullptr;
      return symbol != nullptr ? std::optional(symbol->element) : std::nullopt;
    }
    const auto* field = a_.ast_if<ast::Field>(id);
    if (field == nullptr) return std::nullopt;
    const auto base = field_type(field->base);
    if (!base || base->record == nullptr) return std::nullopt;
    const FieldInfo* info = base->record->find(field->field.text);
    return info != nullptr ? std::optional(info->type) : std::nullopt;
  }

  void note_unknown(const ast::Index& index) {
    const auto* base = a_.ast_if<ast::NameRef>(index.base);
    if (base == nullptr || a_.scopes.find(base->name) != nullptr || a_.module.constant(base->name))
      return;
    for (const ast::Subscript& subscript : index.subscripts) {
      const auto* name = a_.ast_if<ast::NameRef>(subscript.value);
      if (name != nullptr)
        reads_[renamed(name->name)].unknown.emplace_back(base->name, a_.range(index.base));
    }
  }

  void see_index(const ast::Index& index) {
    note_unknown(index);
    const auto spans = spans_of(index.base);
    for (std::size_t axis = 0; axis < spans.size() && axis < index.subscripts.size(); ++axis) {
      const ast::Subscript& subscript = index.subscripts[axis];
      if (index.mode || !subscript.modes.empty()) continue;
      const auto& [lo, hi] = spans[axis];
      if (const auto* name = a_.ast_if<ast::NameRef>(subscript.value)) {
        reads_[renamed(name->name)].bare.push_back({lo, hi, a_.range(subscript.value)});
        continue;
      }
      ast::post_order(a_.program.exprs, subscript.value, [&](ast::ExprId id) {
        if (const auto* name = a_.ast_if<ast::NameRef>(id)) {
          reads_[renamed(name->name)].compound.push_back({subscript.value, lo, hi});
        }
      });
    }
  }

  Analysis& a_;
  ReadsByIndex reads_;
  std::set<std::string> bound_;  // by the reductions around, in `let`s
  int depth_ = 0;                // of those
  std::set<std::pair<const LetSymbol*, std::set<std::string>>> lets_;
  std::set<const ast::DefDecl*> defs_;
  std::vector<std::map<std::string, std::string, std::less<>>> parameters_;
};

}  // namespace

ReadsByIndex collect_reads(Analysis& a, std::span<const ast::ExprId> roots) {
  Collector collector(a);
  for (ast::ExprId root : roots) collector.visit(root);
  return collector.take();
}

}  // namespace cdsl::sema
