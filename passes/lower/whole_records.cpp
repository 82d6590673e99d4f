#include "passes/lower/whole_records.h"

#include <algorithm>
#include <map>
#include <optional>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"

namespace cdsl {
namespace {

using loop::Statement;

// The fields of one access: of which buffer, from which leaf on, at which element.
struct Vector {
  BufferId buffer;
  uint32_t first = 0;
  ExprId index;
  auto operator<=>(const Vector&) const = default;
};

// A statement that moves one field.
struct Field {
  std::size_t at = 0;
  uint32_t leaf = 0;
};

class FieldJoiner {
 public:
  FieldJoiner(loop::Program& program, loop::Kernel& kernel) : program_(program), kernel_(kernel) {}

  void run() { block(kernel_.body); }
  int fields() const { return fields_; }
  int accesses() const { return accesses_; }

 private:
  const loop::Buffer& buffer(BufferId id) const { return program_.buffer(id); }

  void block(loop::Block& here) {
    for (Statement& s : here.statements) loop::for_each_block(s, [this](loop::Block& inner) { block(inner); });
    statements_ = &here.statements;
    std::size_t begin = 0;
    for (std::size_t k = 0; k <= here.statements.size(); ++k) {
      if (k != here.statements.size() && is_straight(here.statements[k])) continue;
      const std::size_t size = here.statements.size();
      run_of(begin, k);
      k -= size - here.statements.size();
      begin = k + 1;
    }
  }

  static bool is_straight(const Statement& s) {
    return std::holds_alternative<loop::Let>(s.node) || std::holds_alternative<loop::Store>(s.node) || std::holds_alternative<loop::VectorLoad>(s.node);
  }

  std::optional<Vector> vector_of(BufferId id, uint32_t leaf, ExprId index) const {
    const loop::Buffer& memory = buffer(id);
    if (memory.space != loop::Space::Global || memory.element.is_scalar()) return std::nullopt;
    const uint32_t first = begin_of_access(memory.element, leaf);
    const int64_t bytes = side_by_side(memory.element, first) * size_of(memory.element.leaves[first].type);
    if (side_by_side(memory.element, first) < 2) return std::nullopt;
    const bool aligned = std::any_of(kernel_.alignments.begin(), kernel_.alignments.end(),
                                     [&](const loop::Alignment& fact) { return fact.buffer == id && fact.bytes % bytes == 0; });
    return aligned ? std::optional(Vector{id, first, index}) : std::nullopt;
  }

  // The statements [begin, end), which run one after another whatever happens.
  void run_of(std::size_t begin, std::size_t end) {
    std::map<Vector, std::vector<Field>> loads, stores;
    for (std::size_t k = begin; k < end; ++k) {
      const auto& node = (*statements_)[k].node;
      if (const auto* let = std::get_if<loop::Let>(&node); let != nullptr && !let->lo.valid()) {
        const Load* load = program_.arena.get_if<Load>(let->value);
        if (load == nullptr || program_.arena.args(let->value).size() != 1) continue;
        if (const auto vector = vector_of(load->buffer, load->leaf, program_.arena.args(let->value)[0])) loads[*vector].push_back({k, load->leaf});
      } else if (const auto* store = std::get_if<loop::Store>(&node); store != nullptr && !store->access.within.valid() && !store->access.rank.valid()) {
        if (const auto vector = vector_of(store->access.buffer, store->access.leaf, store->access.index)) stores[*vector].push_back({k, store->access.leaf});
      }
    }
    std::map<std::size_t, Statement> instead;    // by the place of a statement
    std::vector<bool> gone(end - begin);
    const auto take = [&](const std::vector<Field>& fields) {
      for (const Field& field : fields) gone[field.at - begin] = true;
      fields_ += static_cast<int>(fields.size());
      ++accesses_;
    };
    for (const auto& [vector, fields] : loads) {
      if (!may_join_loads(vector, fields)) continue;
      take(fields);
      instead.emplace(fields.front().at, joined_load(vector, fields));
    }
    for (const auto& [vector, fields] : stores) {
      if (!may_join_stores(vector, fields, loads)) continue;
      take(fields);
      instead.emplace(fields.back().at, joined_store(vector, fields));
    }
    if (instead.empty()) return;
    std::vector<Statement> kept(std::make_move_iterator(statements_->begin()), std::make_move_iterator(statements_->begin() + static_cast<std::ptrdiff_t>(begin)));
    for (std::size_t k = begin; k < statements_->size(); ++k) {
      if (const auto made = instead.find(k); made != instead.end()) kept.push_back(std::move(made->second));
      if (k >= end || !gone[k - begin]) kept.push_back(std::move((*statements_)[k]));
    }
    *statements_ = std::move(kept);
  }

  int64_t width(const Vector& vector) const { return side_by_side(buffer(vector.buffer).element, vector.first); }

  static bool names_each_once(const std::vector<Field>& fields) {
    std::vector<uint32_t> leaves;
    for (const Field& field : fields) leaves.push_back(field.leaf);
    std::sort(leaves.begin(), leaves.end());
    return std::adjacent_find(leaves.begin(), leaves.end()) == leaves.end();
  }

  // All loads happen where the first one does: no store before the last may reach what they read. Fields that nobody reads may be
  // read only where nobody writes: elsewhere they may hold nothing yet.
  bool may_join_loads(const Vector& vector, const std::vector<Field>& fields) const {
    if (fields.size() < 2 || !names_each_once(fields)) return false;
    if (buffer(vector.buffer).read_only) return true;
    if (static_cast<int64_t>(fields.size()) != width(vector)) return false;
    for (std::size_t k = fields.front().at; k < fields.back().at; ++k) {
      const auto* store = std::get_if<loop::Store>(&(*statements_)[k].node);
      if (store == nullptr || !same_memory(store->access.buffer, vector.buffer)) continue;
      const bool other_field = store->access.buffer == vector.buffer && store->access.index == vector.index && !is_among(store->access.leaf, vector);
      if (!other_field) return false;
    }
    return true;
  }

  // All stores happen where the last one does: nothing after the first may read what they write, or write it differently.
  bool may_join_stores(const Vector& vector, const std::vector<Field>& fields, const std::map<Vector, std::vector<Field>>& loads) const {
    if (static_cast<int64_t>(fields.size()) != width(vector) || !names_each_once(fields)) return false;
    for (std::size_t k = fields.front().at; k <= fields.back().at; ++k) {
      const Statement& s = (*statements_)[k];
      if (const auto* store = std::get_if<loop::Store>(&s.node); store != nullptr && same_memory(store->access.buffer, vector.buffer)) {
        if (store->access.buffer != vector.buffer || store->access.index != vector.index) return false;
      }
      bool reads = false;
      loop::for_each_expression(s, [&](ExprId root) {
        for (const ExprId id : postorder(program_.arena, std::span(&root, 1))) {
          const Load* load = program_.arena.get_if<Load>(id);
          reads |= load != nullptr && same_memory(load->buffer, vector.buffer) && !is_other_field(*load, id, vector) && !is_joined_before(k, fields, loads);
        }
      });
      if (reads) return false;
    }
    return true;
  }

  bool is_among(uint32_t leaf, const Vector& vector) const {
    return leaf >= vector.first && leaf < vector.first + static_cast<uint32_t>(width(vector));
  }
  bool is_other_field(const Load& load, ExprId id, const Vector& vector) const {
    return load.buffer == vector.buffer && program_.arena.args(id)[0] == vector.index && !is_among(load.leaf, vector);
  }

  // A load that itself moves up to before the first store.
  bool is_joined_before(std::size_t at, const std::vector<Field>& stores, const std::map<Vector, std::vector<Field>>& loads) const {
    for (const auto& [vector, fields] : loads) {
      const bool there = std::any_of(fields.begin(), fields.end(), [&](const Field& field) { return field.at == at; });
      if (there) return fields.front().at < stores.front().at && may_join_loads(vector, fields);
    }
    return false;
  }

  /// Parameters of a kernel may be the same memory unless one is only read.
  bool same_memory(BufferId a, BufferId b) const {
    return a == b || (buffer(a).space == loop::Space::Global && buffer(b).space == loop::Space::Global && !buffer(a).read_only && !buffer(b).read_only);
  }

  Statement joined_load(const Vector& vector, const std::vector<Field>& fields) {
    const RecordType& record = buffer(vector.buffer).element;
    const Statement& first = (*statements_)[fields.front().at];
    loop::VectorLoad load{std::vector<SymbolId>(static_cast<std::size_t>(width(vector))), {vector.buffer, vector.first, vector.index, {}, first.where}};
    for (const Field& field : fields) load.locals[field.leaf - vector.first] = std::get<loop::Let>((*statements_)[field.at].node).local;
    for (std::size_t k = 0; k < load.locals.size(); ++k) {
      const Leaf& leaf = record.leaves[vector.first + k];
      if (!load.locals[k].valid()) load.locals[k] = program_.arena.add_symbol(fresh(buffer(vector.buffer).name + "_" + leaf.path), SymbolKind::Local, leaf.type);
    }
    return {std::move(load), first.where};
  }

  Statement joined_store(const Vector& vector, const std::vector<Field>& fields) {
    const Statement& last = (*statements_)[fields.back().at];
    loop::VectorStore store{{vector.buffer, vector.first, vector.index, {}, last.where}, std::vector<ExprId>(fields.size())};
    for (const Field& field : fields) store.values[field.leaf - vector.first] = std::get<loop::Store>((*statements_)[field.at].node).value;
    return {std::move(store), last.where};
  }

  // A name that no register of the program has.
  std::string fresh(std::string name) {
    std::replace(name.begin(), name.end(), '.', '_');
    return name + "_unread_" + std::to_string(++unread_);
  }

  loop::Program& program_;
  loop::Kernel& kernel_;
  std::vector<Statement>* statements_ = nullptr;
  int unread_ = 0;
  int fields_ = 0, accesses_ = 0;              // that were joined, and what they became
};

}  // namespace

loop::Program join_fields(loop::Program program, PassContext& context) {
  for (loop::Kernel& kernel : program.kernels) {
    if (kernel.alignments.empty()) continue;
    FieldJoiner joiner(program, kernel);
    joiner.run();
    if (joiner.accesses() == 0) continue;
    context.remarks.push_back({"records", kernel.name, true, "whole", "fields of one record that lie side by side move in one access",
                               {{"fields", static_cast<double>(joiner.fields()), ""}, {"accesses", static_cast<double>(joiner.accesses()), ""}}, {}, {}});
  }
  return program;
}

}  // namespace cdsl
