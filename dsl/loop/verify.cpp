// The invariants of lane form (docs/ir.md, "Invariants of lane form"), each with a sentence of its
// own.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "dsl/loop/program.h"
#include "dsl/loop/verify_async.h"
#include "dsl/loop/verify_plan.h"
#include "dsl/loop/verify_tile.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

bool is_identifier(const std::string& name) {
  const auto word = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && word(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return word(c) || digit(c); });
}

/// Checks one kernel. `visible` holds the registers defined so far in the enclosing blocks.
class KernelVerifier {
 public:
  KernelVerifier(const Program& program, const Kernel& kernel, std::vector<std::string>& errors)
      : program_(program), arena_(program.arena), kernel_(kernel), errors_(errors) {}

  void run() {
    check_shape();
    for (BufferId id : kernel_.buffers) declare(id);
    for (const uint32_t map : kernel_.maps) {
      if (map < program_.maps.size()) declare_map(program_.maps[map].name);
    }
    for (SymbolId s : kernel_.scalars) {
      if (s.index() >= arena_.symbol_count())
        fail("a scalar parameter is no symbol of the arena");
      else
        define(s, "parameter");
    }
    check_facts();
    check_block(kernel_.body);
  }

 private:
  struct Visible {
    SymbolId symbol;
    bool is_mutable;
  };

  void fail(const std::string& what) { errors_.push_back("kernel " + kernel_.name + ": " + what); }

  void check_facts() {
    const auto lists = [](const auto& all, auto one) { return std::find(all.begin(), all.end(), one) != all.end(); };
    for (const Multiple& fact : kernel_.multiples) {
      if (!lists(kernel_.scalars, fact.symbol) || !is_integer(arena_.symbol(fact.symbol).type))
        fail("a multiple is promised of what is no integer parameter");
      if (fact.of < 1) fail("a multiple of a number below 1");
    }
    for (const Alignment& fact : kernel_.alignments) {
      if (!lists(kernel_.buffers, fact.buffer) || program_.buffer(fact.buffer).space != Space::Global)
        fail("an alignment is promised of what is no buffer parameter");
      if (fact.bytes < 1 || (fact.bytes & (fact.bytes - 1)) != 0) fail("an alignment that is no power of two");
    }
    for (const BufferId id : kernel_.streamed) {
      if (!lists(kernel_.buffers, id) || program_.buffer(id).space != Space::Global || !program_.buffer(id).read_only)
        fail("what streams is no buffer parameter that is only read");
    }
  }

  void check_shape() {
    if (!is_identifier(kernel_.name)) fail("the name is no identifier");
    int64_t threads = 1, blocks = 1;
    for (int k = 0; k < 3; ++k) {
      if (kernel_.block[k] < 1 || kernel_.cluster[k] < 1)
        return fail("block and cluster extents are at least 1");
      threads *= kernel_.block[k];
      blocks *= kernel_.cluster[k];
    }
    if (threads > 1024) fail(fmt::format("{} threads a block, at most 1024", threads));
    if (blocks > 16) fail(fmt::format("{} blocks a cluster, at most 16", blocks));
  }

  void declare(BufferId id) {
    if (id.index() >= program_.buffers.size()) return fail("a buffer is not in the program");
    if (!own_buffers_.insert(id.value).second)
      return fail("buffer " + program_.buffer(id).name + " is listed twice");
    const Buffer& buffer = program_.buffer(id);
    if (!is_identifier(buffer.name)) fail("buffer name '" + buffer.name + "' is no identifier");
    if (buffer.element.leaves.empty() || buffer.element.size <= 0)
      fail("buffer " + buffer.name + " has no element");
    if (buffer.space == Space::Global && buffer.count != 0)
      fail("global buffer " + buffer.name + " has a count");
    if (buffer.space != Space::Global && buffer.count < 1)
      fail("buffer " + buffer.name + " needs a count");
    if (buffer.space != Space::Global && buffer.read_only)
      fail("buffer " + buffer.name + " is read only, and its own");
    if (!names_.insert(buffer.name).second) fail("two buffers are named " + buffer.name);
  }

  void declare_map(const std::string& map) {
    if (!is_identifier(map)) fail("map name '" + map + "' is no identifier");
    if (!names_.insert(map).second) fail("two parameters are named " + map);
  }

  const std::string& name(SymbolId s) const { return arena_.symbol(s).name; }

  void define(SymbolId s, const char* what, bool is_mutable = false) {
    if (!s.valid() || s.index() >= arena_.symbol_count())
      return fail(std::string(what) + " defines no symbol");
    if (!is_identifier(name(s))) fail(fmt::format("{} name '{}' is no identifier", what, name(s)));
    if (!defined_once_.insert(s.value).second)
      fail(fmt::format("register {} is defined twice", name(s)));
    std::vector<std::size_t>& places = places_[s.value];
    std::size_t& of_this_name = visible_names_[name(s)];
    if (of_this_name > places.size() || names_.contains(name(s))) {
      fail(fmt::format("{} {} hides a name that is visible there", what, name(s)));
    }
    places.push_back(visible_.size());
    ++of_this_name;
    visible_.push_back({s, is_mutable});
  }

  const Visible* find(SymbolId s) const {
    const auto found = places_.find(s.value);
    return found == places_.end() || found->second.empty() ? nullptr : &visible_[found->second.back()];
  }

  void hide(std::size_t outer) {
    for (; visible_.size() > outer; visible_.pop_back()) {
      const SymbolId s = visible_.back().symbol;
      places_.at(s.value).pop_back();
      --visible_names_.at(name(s));
    }
  }

  void check_block(const Block& block) {
    const std::size_t outer = visible_.size();
    for (const Statement& statement : block.statements) {
      const std::size_t before = visible_.size();
      for (SymbolId s : accumulators_of(statement)) define(s, "accumulator");
      const bool good = check_roots(statement);
      hide(before);
      if (!good) continue;
      statement_ = &statement;
      std::visit([&](const auto& node) { check(node); }, statement.node);
    }
    hide(outer);
  }

  // Expressions of a statement: only nodes of lane form, every name visible.
  bool check_roots(const Statement& statement) {
    std::vector<ExprId> roots;
    for_each_expression(statement, [&](ExprId id) { roots.push_back(id); });
    for (ExprId root : roots) {
      if (root.index() >= arena_.size()) return fail("an expression is not in the arena"), false;
    }
    for (ExprId id : postorder(arena_, roots)) {
      std::visit([&](const auto& node) { check_node(node, id); }, arena_.node(id));
    }
    return true;
  }

  void check_node(const Constant&, ExprId) {}
  void check_node(const Read&, ExprId) { fail("a tensor read (Tensor IR) in lane form"); }
  void check_node(const Reduce&, ExprId) { fail("a reduction (Tensor IR) in lane form"); }

  void check_node(const Symbol& node, ExprId) {
    if (arena_.symbol(node.symbol).kind == SymbolKind::Special) {
      const auto& specials = program_.specials;
      if (std::find(specials.begin(), specials.end(), node.symbol) == specials.end()) {
        fail("special " + name(node.symbol) + " is not registered with the program");
      }
    } else if (find(node.symbol) == nullptr) {
      fail(name(node.symbol) + " is read where it is not defined");
    }
  }

  void check_node(const Apply& node, ExprId id) {
    const auto args = arena_.args(id);
    const OpInfo& op = info(node.op);
    if (static_cast<int>(args.size()) != op.arity)
      return fail(fmt::format("'{}' has {} operands", op.spelling, args.size()));
    const auto type = [&](std::size_t k) { return arena_.type(args[k]); };
    if (node.op == Op::Cast) return;
    if (is_storage_only(type(0)) && op.op_class != OpClass::Select) {
      return fail(fmt::format("'{}' on {}, which is for storage only", op.spelling,
                              cdsl::name_of(type(0))));
    }
    switch (op.op_class) {
      case OpClass::Select:
        if (type(0) != ScalarType::Bool || type(1) != type(2))
          fail("the operands of select disagree in type");
        break;
      case OpClass::Numeric:
      case OpClass::Integer:
      case OpClass::Compare:
      case OpClass::Logic:
      case OpClass::FloatMath:
        for (std::size_t k = 1; k < args.size(); ++k) {
          if (type(k) != type(0))
            fail(fmt::format("the operands of '{}' disagree in type", op.spelling));
        }
        break;
      default: break;
    }
  }

  void check_node(const Load& node, ExprId id) {
    const auto args = arena_.args(id);
    check_access(node.buffer, node.leaf, args[0], args.size() > 1 ? args[1] : ExprId{});
    if (legal_leaf(node.buffer, node.leaf) &&
        leaf(node.buffer, node.leaf).type != arena_.type(id)) {
      fail("a load of " + program_.buffer(node.buffer).name + " has not the type of its leaf");
    }
  }

  bool legal_leaf(BufferId id, uint32_t leaf) const {
    return own_buffers_.contains(id.value) && leaf < program_.buffer(id).element.leaves.size();
  }
  const Leaf& leaf(BufferId id, uint32_t leaf) const {
    return program_.buffer(id).element.leaves[leaf];
  }

  void check_access(BufferId id, uint32_t which, ExprId index, ExprId within) {
    if (!id.valid() || !own_buffers_.contains(id.value))
      return fail("access to a buffer that the kernel does not list");
    const std::string& buffer = program_.buffer(id).name;
    if (!legal_leaf(id, which)) return fail("access to a leaf that " + buffer + " does not have");
    if (!index.valid() || !is_integer(arena_.type(index)))
      fail("the index into " + buffer + " is no integer");
    if (!within.valid()) return;
    if (leaf(id, which).extents.empty())
      fail("a position within leaf " + leaf(id, which).path + " of " + buffer + ", no array");
    if (!is_integer(arena_.type(within)))
      fail("the position within a leaf of " + buffer + " is no integer");
  }

  // The leaf that a statement writes, null (with a message) where the access is illegal.
  const Leaf* written(const Access& access) {
    check_access(access.buffer, access.leaf, access.index, access.within);
    if (!access.buffer.valid() || !legal_leaf(access.buffer, access.leaf)) return nullptr;
    if (program_.buffer(access.buffer).read_only)
      fail("a write to read-only buffer " + program_.buffer(access.buffer).name);
    return &leaf(access.buffer, access.leaf);
  }

  void same_type(ScalarType expected, ExprId value, const char* what) {
    if (!value.valid()) return fail(std::string(what) + " has no value");
    if (arena_.type(value) != expected) {
      fail(fmt::format("{} of type {} gets a value of type {}", what, cdsl::name_of(expected),
                       cdsl::name_of(arena_.type(value))));
    }
  }
  void same_type(SymbolId s, ExprId value, const char* what) {
    if (s.valid() && s.index() < arena_.symbol_count())
      same_type(arena_.symbol(s).type, value, what);
  }

  void check(const Let& n) {
    same_type(n.local, n.value, "let");
    if (n.lo.valid() != n.hi.valid()) fail("a let with one bound");
    for (ExprId bound : {n.lo, n.hi})
      if (bound.valid() && !is_integer(arena_.type(bound))) fail("a bound that is no integer");
    define(n.local, "let");
  }
  void check(const Var& n) {
    same_type(n.local, n.value, "var");
    for (SymbolId axis : n.over) uses_axis(axis, "var");
    define(n.local, "var", true);
  }

  void check(const Assign& n) {
    const Visible* target = find(n.local);
    if (target == nullptr) return fail("assignment to a register that is not defined there");
    if (!target->is_mutable) fail("assignment to " + name(n.local) + ", which is no var");
    same_type(n.local, n.value, "assignment");
  }

  void check(const Store& n) {
    if (const Leaf* leaf = written(n.access)) same_type(leaf->type, n.value, "store");
  }

  void check_vector(const Access& access, std::size_t width) {
    const bool power = (width == 1 && access.rank.valid()) || width == 2 || width == 4 || width == 8 || width == 16;
    if (!power) fail(fmt::format("a vector of {} elements", width));
    if (!access.buffer.valid() || !legal_leaf(access.buffer, access.leaf)) return;
    const Buffer& buffer = program_.buffer(access.buffer);
    if (!buffer.element.is_scalar()) {
      if (side_by_side(buffer.element, access.leaf) < static_cast<int64_t>(width)) fail("a vector access to fields of " + buffer.name + " that do not lie side by side");
      return;
    }
    if (static_cast<int64_t>(width) * buffer.element.size > 32)
      fail("a vector access of more than 32 bytes");
  }

  void check(const VectorLoad& n) {
    check_access(n.access.buffer, n.access.leaf, n.access.index, n.access.within);
    check_vector(n.access, n.locals.size());
    for (SymbolId local : n.locals) {
      define(local, "let");
      if (n.access.buffer.valid() && legal_leaf(n.access.buffer, n.access.leaf) && local.valid() &&
          arena_.symbol(local).type != leaf(n.access.buffer, n.access.leaf).type) {
        fail("a register of a vector load has not the type of the buffer");
      }
    }
  }

  void check(const VectorStore& n) {
    const Leaf* leaf = written(n.access);
    check_vector(n.access, n.values.size());
    for (ExprId value : n.values) {
      if (leaf != nullptr) same_type(leaf->type, value, "vector store");
    }
  }

  void check(const VectorMove& n) {
    const Leaf* to = written(n.to);
    check_access(n.from.buffer, n.from.leaf, n.from.index, n.from.within);
    if (to == nullptr || !n.from.buffer.valid() || !legal_leaf(n.from.buffer, n.from.leaf)) return;
    const auto is_register = [&](const Access& access) { return program_.buffer(access.buffer).space == Space::Register; };
    if (is_register(n.to) == is_register(n.from)) return fail("a vector move that is not between memory and registers");
    const Access& memory = is_register(n.to) ? n.from : n.to;
    const Value* width = n.width.valid() ? arena_.constant_value(n.width) : nullptr;
    if (width == nullptr || width->i < 2) return fail("a vector move whose width is no constant above 1");
    if (!program_.buffer(memory.buffer).element.is_scalar()) return fail("a vector move of records");
    check_vector(memory, static_cast<std::size_t>(width->i));
    if (!program_.buffer((is_register(n.to) ? n.to : n.from).buffer).element.is_scalar())
      fail("a vector move of records");
    const ScalarType from = leaf(n.from.buffer, n.from.leaf).type;
    if (from != to->type && !(is_register(n.to) && is_packed(from, to->type, width->i))) fail("a vector move between types");
  }

  void check(const Atomic& n) {
    const Leaf* leaf = written(n.access);
    if (leaf == nullptr) return;
    if (program_.buffer(n.access.buffer).space == Space::Register) fail("an atomic on registers");
    same_type(leaf->type, n.value, "atomic");
    if (size_of(leaf->type) > 8 && n.op != AtomicOp::Add)
      fail("an atomic update of 16 bytes that is no sum");
    if (n.op == AtomicOp::CompareExchange)
      same_type(leaf->type, n.expected, "compare-exchange");
    else if (n.expected.valid())
      fail("only compare-exchange expects a value");
    if (!n.old.valid()) return;
    define(n.old, "let");
    if (arena_.symbol(n.old).type != leaf->type)
      fail("the old value of an atomic has not the type of the memory");
  }

  void check(const For& n) {
    const ScalarType type = n.index.valid() ? arena_.symbol(n.index).type : ScalarType::Bool;
    if (type != ScalarType::I32 && type != ScalarType::I64) fail("a loop index is i32 or i64");
    same_type(type, n.lo, "loop start"), same_type(type, n.hi, "loop end"),
        same_type(type, n.step, "loop step");
    if (const Value* step = n.step.valid() ? arena_.constant_value(n.step) : nullptr;
        step != nullptr && step->i == 0) {
      fail("a loop whose step is 0");
    }
    const std::size_t outer = visible_.size();
    define(n.index, "for");
    nested(n.body);
    hide(outer);
  }

  void check(const While& n) { same_type(ScalarType::Bool, n.condition, "while"), nested(n.body); }

  void check(const If& n) {
    same_type(ScalarType::Bool, n.condition, "if");
    nested(n.then_body);
    if (n.else_body != nullptr) check_block(*n.else_body);
  }

  void nested(const std::unique_ptr<Block>& body) {
    if (body == nullptr) return fail("a statement without its block");
    check_block(*body);
  }

  void check(const Barrier& n) {
    const int64_t cluster = int64_t{kernel_.cluster[0]} * kernel_.cluster[1] * kernel_.cluster[2];
    if (n.scope == BarrierScope::Cluster && cluster == 1)
      fail("a cluster barrier in a kernel without clusters");
  }
  void check(const Fence&) {}

  void check(const Shuffle& n) {
    if (n.mask == 0) fail("a shuffle of no lanes");
    if (arena_.type(n.lane) != ScalarType::I32 && arena_.type(n.lane) != ScalarType::U32)
      fail("the lane of a shuffle is 32 bits");
    same_type(n.result, n.value, "shuffle"), define(n.result, "let");
  }

  void check(const Vote& n) {
    if (n.mask == 0) fail("a vote of no lanes");
    same_type(ScalarType::Bool, n.predicate, "vote");
    define(n.result, "let");
    const ScalarType type = n.kind == VoteKind::Ballot ? ScalarType::U32 : ScalarType::Bool;
    if (n.result.valid() && arena_.symbol(n.result).type != type)
      fail("the result of a vote has the wrong type");
  }

  void check(const Report& n) {
    if (n.site >= program_.sites.size()) fail("a report of a site that does not exist");
    if (!is_integer(arena_.type(n.value))) fail("a report of a value that is no integer");
  }
  void check(const TileAxis& n) {
    axes_.insert(n.index.value);
    define(n.index, "axis");
    if (n.index.valid() && n.index.index() < arena_.symbol_count() &&
        arena_.symbol(n.index).type != ScalarType::I64)
      fail("the index of axis " + name(n.index) + " is no i64");
  }

  void uses_axis(SymbolId axis, const char* what) {
    if (find(axis) == nullptr || !axes_.contains(axis.value))
      fail(std::string(what) + " over an axis that is not visible there");
  }

  void check(const TileReduce& n) {
    for (SymbolId axis : n.axes) uses_axis(axis, "reduce");
    for (SymbolId result : n.results) define(result, "let");
  }

  void check(const TileScan& n) {
    uses_axis(n.axis, "scan");
    for (SymbolId result : n.results) define(result, "let");
    for (SymbolId total : n.totals) define(total, "let");
  }

  void check(const TileMultiply& n) {
    const Visible* target = find(n.d);
    if (target == nullptr || find(n.a) == nullptr || find(n.b) == nullptr)
      return fail("mma of a register that is not defined there");
    if (!target->is_mutable) fail("mma adds to " + name(n.d) + ", which is no var");
  }

  void check(const Elect& n) {
    define(n.local, "let");
    if (n.local.valid() && arena_.symbol(n.local).type != ScalarType::Bool)
      fail("the result of elect is no bool");
  }

  void check(const Comment&) {}
  // The others have rules of their own (verify_async.h); here their places.
  template <class Node>
  void check(const Node&) {
    for_each_access(*statement_, [&](const Access& access) {
      check_access(access.buffer, access.leaf, access.index, access.within);
    });
  }

  const Program& program_;
  const ExprArena& arena_;
  const Kernel& kernel_;
  std::vector<std::string>& errors_;
  const Statement* statement_ = nullptr;
  std::unordered_set<uint32_t> own_buffers_, defined_once_, axes_;
  std::unordered_set<std::string> names_;
  std::vector<Visible> visible_;
  std::unordered_map<uint32_t, std::vector<std::size_t>> places_;    // in `visible_`, of a symbol
  std::unordered_map<std::string, std::size_t> visible_names_;       // counted
};

void check_specials(const Program& program, std::vector<std::string>& errors) {
  for (int k = 0; k < kSpecialCount; ++k) {
    const SymbolId s = program.special(static_cast<Special>(k));
    const bool good = s.valid() && s.index() < program.arena.symbol_count() &&
                      program.arena.symbol(s).kind == SymbolKind::Special &&
                      program.arena.symbol(s).type == ScalarType::I32;
    if (!good)
      errors.push_back(
          fmt::format("special {} is not registered", name_of(static_cast<Special>(k))));
  }
}

}  // namespace

std::vector<std::string> verify(const Program& program) {
  std::vector<std::string> errors;
  check_specials(program, errors);
  if (!errors.empty()) return errors;
  std::unordered_set<std::string> names;
  for (const Kernel& kernel : program.kernels) {
    if (!names.insert(kernel.name).second) errors.push_back("two kernels are named " + kernel.name);
    const std::size_t before = errors.size();
    KernelVerifier(program, kernel, errors).run();
    if (errors.size() != before) continue;
    verify_async(program, kernel, errors);
    if (is_tile_form(kernel)) verify_tile(program, kernel, errors);
  }
  verify_maps(program, errors);
  verify_plan(program, errors);
  return errors;
}

}  // namespace cdsl::loop
