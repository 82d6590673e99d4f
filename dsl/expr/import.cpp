#include "dsl/expr/import.h"

#include "dsl/support/check.h"

namespace cdsl {

ExprImport::ExprImport(const ExprArena& from, ExprArena& to, Names names)
    : from_(from), to_(to), names_(std::move(names)) {}

// Operands have smaller ids and are copied first, without recursion.
ExprId ExprImport::operator()(ExprId root) {
  if (!root.valid()) return root;
  std::vector<ExprId> open{root};
  while (!open.empty()) {
    const ExprId id = open.back();
    const std::size_t before = open.size();
    if (!done_.contains(id.value)) {
      for (ExprId arg : from_.args(id)) {
        if (!done_.contains(arg.value)) open.push_back(arg);
      }
      if (open.size() > before) continue;
      done_[id.value] = copy(id);
    }
    open.pop_back();
  }
  return done_.at(root.value);
}

ExprId ExprImport::copy(ExprId id) {
  const ScalarType type = from_.type(id);
  std::vector<ExprId> args;
  for (ExprId arg : from_.args(id)) args.push_back(done_.at(arg.value));
  if (const Value* constant = from_.constant_value(id)) return to_.constant(type, *constant, from_.constant_name(id));
  if (const auto* symbol = from_.get_if<Symbol>(id))
    return to_.symbol_ref(names_.symbol(symbol->symbol));
  if (const auto* load = from_.get_if<Load>(id)) {
    return to_.load(names_.buffer(load->buffer), load->leaf, type, args[0],
                    args.size() > 1 ? args[1] : ExprId{}, from_.where(id));
  }
  const auto* apply = from_.get_if<Apply>(id);
  CDSL_CHECK(apply != nullptr, "an expression of Tensor IR does not stand alone");
  return apply->op == Op::Cast ? to_.cast(args[0], type) : to_.apply(apply->op, args);
}

}  // namespace cdsl
