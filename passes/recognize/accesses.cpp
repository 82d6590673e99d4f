#include "passes/recognize/accesses.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

// Adds the terms of one subscript to an access, which stays affine or strided only if they are.
class Terms {
 public:
  Terms(const ExprArena& arena, const SizeValues& sizes, Access& access) : arena_(arena), sizes_(sizes), access_(access) {}

  void add(ExprId id, int64_t factor) {
    if (const auto c = constant_integer(arena_, id)) {
      int64_t offset = 0;
      if (__builtin_mul_overflow(factor, *c, &offset) || __builtin_add_overflow(access_.offsets.back(), offset, &offset)) return give_up(id);
      access_.offsets.back() = offset;
      return;
    }
    if (const auto* symbol = arena_.get_if<Symbol>(id)) {
      if (!is_index(symbol->symbol)) return;
      int64_t& coefficient = access_.subscripts.back()[symbol->symbol];
      if (__builtin_add_overflow(coefficient, factor, &coefficient)) give_up(id);
      return;
    }
    const auto* apply = arena_.get_if<Apply>(id);
    if (apply == nullptr) return give_up(id);
    const auto args = arena_.args(id);
    switch (apply->op) {
      case Op::Cast: return arena_.type(id) == ScalarType::I64 ? add(args[0], factor) : give_up(id);
      case Op::Add: return add(args[0], factor), add(args[1], factor);
      case Op::Sub: return add(args[0], factor), add(args[1], factor == INT64_MIN ? 0 : -factor);
      case Op::Mul: return multiply(args[0], args[1], factor, id);
      default: return mentions_index(id) ? give_up(id) : void();
    }
  }

 private:
  bool is_index(SymbolId symbol) const { return arena_.symbol(symbol).kind == SymbolKind::Index; }
  bool mentions_index(ExprId id) const {
    const auto symbols = free_symbols(arena_, id);
    return std::any_of(symbols.begin(), symbols.end(), [&](SymbolId s) { return is_index(s); });
  }
  void multiply(ExprId a, ExprId b, int64_t factor, ExprId product) {
    for (const auto& [multiple, rest] : {std::pair(a, b), std::pair(b, a)}) {
      if (mentions_index(multiple)) continue;
      if (!mentions_index(rest)) return;
      access_.affine = access_.affine && constant_integer(arena_, multiple).has_value();
      int64_t scaled = 0;
      if (__builtin_mul_overflow(factor, std::max<int64_t>(1, sizes_.likely(multiple)), &scaled)) return give_up(product);
      return add(rest, scaled);
    }
    give_up(product);
  }
  // Moved by its indices, nobody knows how far.
  void give_up(ExprId id) {
    for (SymbolId symbol : free_symbols(arena_, id))
      if (is_index(symbol)) access_.subscripts.back().try_emplace(symbol, 0);
    access_.irregular.back() = true;
    access_.affine = access_.strided = false;
  }

  const ExprArena& arena_;
  const SizeValues& sizes_;
  Access& access_;
};

// Bytes from a field of one record to that of the next.
int64_t pitch_of(const RecordType& record, const Layout& layout, uint32_t leaf) {
  if (layout.kind == Layout::Kind::Aos) return record.size;
  if (layout.kind == Layout::Kind::Split) {
    for (const LayoutPart& part : parts_of(record, layout))
      if (part.leaf_of[leaf] != LayoutPart::kAbsent) return part.element.size;
  }
  return size_of(record.leaves[leaf].type);
}

Access access_of(const tir::Function& function, TensorId tensor, uint32_t leaf, std::span<const ExprId> subscripts,
                 const SizeValues& sizes) {
  const tir::Tensor& info = function.tensor(tensor);
  const Leaf& element = function.leaf(tensor, leaf);
  Access access;
  access.tensor = tensor;
  access.leaf = leaf;
  access.bytes = size_of(element.type);
  access.pitch = pitch_of(function.element(tensor), info.layout, leaf);
  access.grouped = info.layout.kind == Layout::Kind::Aosoa && !function.element(tensor).is_scalar();
  access.affine = access.strided = true;
  for (ExprId subscript : subscripts) {
    access.subscripts.emplace_back();
    access.offsets.push_back(0);
    access.irregular.push_back(false);
    Terms(function.arena, sizes, access).add(subscript, 1);
  }
  if (access.affine && element.extents.empty() && !subscripts.empty() && info.order != tir::Order::Strided) {
    const auto& last = info.order == tir::Order::ColMajor ? access.subscripts.front() : access.subscripts.back();
    for (const auto& [index, coefficient] : last) {
      if (coefficient == 1) access.unit = index;
    }
  }
  return access;
}

// Fields of one record that an access of a whole vector moves: of a store all of the vector, of a read two at least, and all but in
// inputs, since what nobody reads may never have been written elsewhere.
void join_fields(const tir::Function& function, const std::vector<tir::Target>& stores, std::vector<Access>& all) {
  const auto place = [&](std::size_t k) {
    const auto args = all[k].is_store() ? std::span<const ExprId>(stores[k].subscripts) : function.arena.args(all[k].read);
    return std::vector<ExprId>(args.begin(), args.end());
  };
  std::map<std::tuple<uint32_t, uint32_t, bool, std::vector<ExprId>>, std::vector<std::size_t>> together;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const tir::Tensor& tensor = function.tensor(all[k].tensor);
    const RecordType& record = function.element(all[k].tensor);
    if (tensor.role == tir::Role::Temporary || tensor.layout.kind != Layout::Kind::Aos || record.is_scalar()) continue;
    together[{all[k].tensor.value, begin_of_access(record, all[k].leaf), all[k].is_store(), place(k)}].push_back(k);
  }
  for (const auto& [key, members] : together) {
    const auto& [tensor, first, is_store, at] = key;
    std::set<uint32_t> leaves;
    for (const std::size_t k : members) leaves.insert(all[k].leaf);
    const int64_t whole = side_by_side(function.element(TensorId(tensor)), first);
    const bool all_there = static_cast<int64_t>(leaves.size()) == whole;
    if (leaves.size() < 2 || (!all_there && (is_store || function.tensor(TensorId(tensor)).role != tir::Role::Input))) continue;
    for (const std::size_t k : members) {
      all[k].joined = static_cast<int64_t>(leaves.size());
      all[k].joined_bytes = whole * all[k].bytes;
    }
  }
}

}  // namespace

std::vector<Access> accesses(const tir::Function& function, const std::vector<tir::Target>& stores, const SizeValues& sizes,
                             std::span<const ExprId> further) {
  std::vector<Access> result;
  std::vector<ExprId> roots;
  for (const tir::Target& target : stores) {
    roots.push_back(target.value);
    result.push_back(access_of(function, target.tensor, target.leaf, target.subscripts, sizes));
    result.back().where = target.where;
  }
  roots.insert(roots.end(), further.begin(), further.end());
  for (ExprId id : postorder(function.arena, roots)) {
    const auto* read = function.arena.get_if<Read>(id);
    if (read == nullptr) continue;
    result.push_back(access_of(function, read->tensor, read->leaf, function.arena.args(id), sizes));
    result.back().read = id;
    result.back().where = function.arena.where(id);
  }
  join_fields(function, stores, result);
  return result;
}

}  // namespace cdsl::deciding
