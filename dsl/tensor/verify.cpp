#include "dsl/tensor/verify.h"

#include <unordered_set>

#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"

namespace cdsl::tir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Function& function) : f_(function), arena_(function.arena) {
    names_.tensor = [this](TensorId id) { return id.index() < f_.tensors.size() ? f_.tensor(id).name : "?"; };
    names_.depth_limit = 12;
  }

  std::vector<std::string> run() {
    for (const Size& size : f_.sizes) bind(size.symbol, SymbolKind::Size, "size");
    for (const ScalarParameter& scalar : f_.scalars) bind(scalar.symbol, SymbolKind::Scalar, "scalar parameter");
    for (const Tensor& tensor : f_.tensors) check(tensor);
    for (const Check& check : f_.checks) launch_expression(check.condition, ScalarType::Bool, "launch check");
    check(f_.body);
    return std::move(problems_);
  }

 private:
  void fail(std::string message) { problems_.push_back(f_.name + ": " + std::move(message)); }
  void expect(bool holds, const std::string& message) {
    if (!holds) fail(message);
  }
  std::string text(ExprId id) const { return to_string(arena_, id, names_); }

  void bind(SymbolId symbol, SymbolKind kind, const std::string& what) {
    expect(symbol.valid() && symbol.index() < arena_.symbol_count(), what + " has no symbol");
    expect(arena_.symbol(symbol).kind == kind, what + " '" + arena_.symbol(symbol).name + "' has a symbol of another kind");
    expect(bound_.insert(symbol.value).second, "'" + arena_.symbol(symbol).name + "' is bound twice at one place");
  }

  void launch_expression(ExprId id, ScalarType type, const std::string& what) {
    if (!id.valid()) return fail(what + " is missing");
    expect(arena_.type(id) == type, what + " has type " + std::string(name_of(arena_.type(id))));
    for (ExprId node : postorder(arena_, std::span(&id, 1))) {
      const bool pure = arena_.get_if<Read>(node) == nullptr && arena_.get_if<Reduce>(node) == nullptr;
      if (!pure) fail(what + " reads memory: " + text(id));
    }
    expression(id, what);
  }

  void check(const Tensor& tensor) {
    const std::string name = "'" + tensor.name + "'";
    if (!tensor.element.valid() || tensor.element.index() >= f_.records.size()) return fail(name + " has no element type");
    for (ExprId extent : tensor.shape) launch_expression(extent, ScalarType::I64, "an extent of " + name);
    expect(tensor.may_be_one.empty() || tensor.may_be_one.size() == tensor.shape.size(), name + ": broadcast flags");
    expect(!tensor.is_constant || tensor.role == Role::Input, name + ": constants are inputs");
  }

  void check(const Block& block) {
    for (const Statement& statement : block.statements) {
      std::visit([&](const auto& s) { check(s); }, statement);
    }
  }

  // Binds the axes of a domain, runs `inside`, and unbinds them.
  template <class Inside>
  void in_domain(const Domain& domain, Inside inside) {
    in_axes(domain.axes, domain.guard, inside);
  }

  template <class Inside>
  void in_axes(const std::vector<Axis>& axes, ExprId guard, Inside inside) {
    for (const Axis& axis : axes) {
      for (ExprId limit : {axis.lo, axis.hi}) {
        if (!limit.valid()) return fail("an axis without a bound");
        if (arena_.type(limit) != ScalarType::I64) fail("a bound that is not i64: " + text(limit));
        expression(limit, "a bound");
      }
      bind(axis.index, SymbolKind::Index, "index");
    }
    if (guard.valid()) {
      if (arena_.type(guard) != ScalarType::Bool) fail("a guard that is not bool: " + text(guard));
      expression(guard, "a guard");
    }
    inside();
    for (const Axis& axis : axes) bound_.erase(axis.index.value);
  }

  void check(const Target& target) {
    if (!target.tensor.valid() || target.tensor.index() >= f_.tensors.size()) return fail("a target without a tensor");
    const Tensor& tensor = f_.tensor(target.tensor);
    expect(tensor.role != Role::Input, "input '" + tensor.name + "' is written");
    if (target.leaf >= f_.element(target.tensor).leaves.size()) return fail("'" + tensor.name + "' has no such leaf");
    const Leaf& leaf = f_.leaf(target.tensor, target.leaf);
    expect(target.subscripts.size() == tensor.shape.size() + leaf.extents.size(), "'" + tensor.name + "': rank of a target");
    for (ExprId subscript : target.subscripts) {
      expect(arena_.type(subscript) == ScalarType::I64, "a subscript that is not i64");
      expression(subscript, "a subscript");
    }
    if (!target.value.valid()) return fail("'" + tensor.name + "': a target without a value");
    expect(arena_.type(target.value) == leaf.type, "'" + tensor.name + "' of " + std::string(name_of(leaf.type)) + " gets " +
                                                       std::string(name_of(arena_.type(target.value))) + ": " + text(target.value));
    expression(target.value, "a value");
  }

  void check(const Stage& stage) {
    in_domain(stage.domain, [&] {
      for (const Target& target : stage.targets) check(target);
    });
  }

  void check(const Scatter& scatter) { in_domain(scatter.domain, [&] { check(scatter.target); }); }

  void check(const Loop& loop) {
    for (ExprId limit : {loop.lo, loop.hi}) {
      expect(limit.valid() && arena_.type(limit) == ScalarType::I64, "a loop bound that is not i64");
      expression(limit, "a loop bound");
    }
    bind(loop.index, SymbolKind::Index, "loop index");
    expect(loop.body != nullptr, "a loop without a body");
    check(*loop.body);
    if (loop.until.valid()) {
      expect(arena_.type(loop.until) == ScalarType::Bool, "an until that is not bool");
      expression(loop.until, "until");
    }
    bound_.erase(loop.index.value);
  }

  // Types of operands, bound symbols, and storage-only types under casts alone.
  void expression(ExprId root, const std::string& what) {
    if (!root.valid()) return fail(what + " is missing");
    std::vector<ExprId> stack{root};
    std::unordered_set<uint32_t> seen;
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (!seen.insert(id.value).second) continue;
      if (const auto* symbol = arena_.get_if<Symbol>(id)) {
        expect(bound_.contains(symbol->symbol.value), "'" + arena_.symbol(symbol->symbol).name + "' is not bound in " + what);
      } else if (const auto* apply = arena_.get_if<Apply>(id)) {
        operands(id, *apply);
      } else if (const auto* read = arena_.get_if<Read>(id)) {
        this->read(id, *read, stack);
      } else if (const auto* reduce = arena_.get_if<Reduce>(id)) {
        reduction(arena_.reduction(reduce->reduction));
      } else {
        expect(arena_.get_if<Load>(id) == nullptr, "a Load in Tensor IR");
      }
      for (ExprId arg : arena_.args(id)) stack.push_back(arg);
    }
  }

  void operands(ExprId id, const Apply& apply) {
    const auto args = arena_.args(id);
    if (apply.op == Op::Cast) return;
    for (ExprId arg : args) {
      const bool storage = is_storage_only(arena_.type(arg)) && apply.op != Op::Select;
      if (storage) fail("arithmetic on the storage type " + std::string(name_of(arena_.type(arg))) + ": " + text(id));
    }
    const bool mixed = info(apply.op).op_class == OpClass::Shift || info(apply.op).op_class == OpClass::FloatInt ||
                       info(apply.op).op_class == OpClass::Random;
    for (std::size_t k = apply.op == Op::Select ? 2 : 1; k < args.size() && !mixed; ++k) {
      if (arena_.type(args[k]) != arena_.type(args[k - 1])) fail("operands of different types: " + text(id));
    }
    if (apply.op == Op::Select && arena_.type(args[0]) != ScalarType::Bool) fail("a condition that is not bool: " + text(id));
  }

  void read(ExprId id, const Read& read, std::vector<ExprId>& stack) {
    if (read.tensor.index() >= f_.tensors.size() || read.leaf >= f_.element(read.tensor).leaves.size()) {
      return fail("a read of no tensor");
    }
    const Leaf& leaf = f_.leaf(read.tensor, read.leaf);
    const std::size_t rank = f_.tensor(read.tensor).shape.size() + leaf.extents.size();
    if (arena_.args(id).size() != rank) fail("rank of " + text(id));
    if (arena_.type(id) != leaf.type) fail("type of " + text(id));
    for (ExprId subscript : arena_.args(id)) {
      if (arena_.type(subscript) != ScalarType::I64) fail("a subscript that is not i64: " + text(id));
    }
    for (const AxisRule& rule : arena_.rules(id)) {
      if (!((rule.boundary == Boundary::Fill) == rule.fill.valid())) fail("a fill value belongs to fill: " + text(id));
      if (rule.fill.valid()) {
        if (arena_.type(rule.fill) != leaf.type) fail("type of the fill value of " + text(id));
        stack.push_back(rule.fill);
      }
      if (rule.holes.valid()) stack.push_back(rule.holes);
    }
  }

  void reduction(const Reduction& r) {
    in_axes(r.axes, r.guard, [&] {
      const bool counts = r.monoid == Monoid::Count;
      expect(r.lifted.size() == (counts ? 1 : r.types.size()), "terms of a reduction");
      for (std::size_t k = 0; k < r.lifted.size(); ++k) {
        if (arena_.type(r.lifted[k]) != (counts ? ScalarType::Bool : r.types[k])) fail("type of a reduction's term: " + text(r.lifted[k]));
        expression(r.lifted[k], "a term");
      }
    });
    if (r.monoid != Monoid::User) return;
    expect(r.identity.size() == r.types.size() && r.combine.size() == r.types.size(), "parts of reducer " + r.name);
    for (const auto* side : {&r.left, &r.right}) {
      for (SymbolId symbol : *side) bound_.insert(symbol.value);
    }
    for (ExprId part : r.identity) expression(part, "an identity");
    for (ExprId part : r.combine) expression(part, "a combination");
    for (const auto* side : {&r.left, &r.right}) {
      for (SymbolId symbol : *side) bound_.erase(symbol.value);
    }
  }

  const Function& f_;
  const ExprArena& arena_;
  ExprNames names_;
  std::unordered_set<uint32_t> bound_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Function& function) { return Verifier(function).run(); }

}  // namespace cdsl::tir
