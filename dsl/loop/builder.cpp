#include "dsl/loop/builder.h"

#include <algorithm>

#include "dsl/support/check.h"

namespace cdsl::loop {

Builder::Builder(Program& program, std::string name) : program_(program) {
  kernel_.name = std::move(name);
  block_ = &kernel_.body;
}

uint32_t Builder::finish() {
  CDSL_CHECK(block_ == &kernel_.body, "finish inside a nested block of " + kernel_.name);
  // Parameters first: codegen and the simulator take arguments in that order.
  std::stable_partition(kernel_.buffers.begin(), kernel_.buffers.end(),
                        [&](BufferId id) { return program_.buffer(id).space == Space::Global; });
  program_.kernels.push_back(std::move(kernel_));
  return static_cast<uint32_t>(program_.kernels.size() - 1);
}

BufferId Builder::add_buffer(Buffer buffer) {
  buffer.name = unique(std::move(buffer.name));
  BufferId id(program_.buffers.size());
  program_.buffers.push_back(std::move(buffer));
  kernel_.buffers.push_back(id);
  return id;
}

std::string Builder::unique(std::string name) {
  for (char& c : name) {
    const bool good =
        c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!good) c = '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(name.begin(), '_');
  int& n = first_free_.try_emplace(name, 1).first->second;
  std::string candidate;
  do {
    candidate = n == 1 ? name : name + "_" + std::to_string(n);
    ++n;
  } while (visible_.contains(candidate));
  reserve(candidate);
  return candidate;
}

void Builder::reserve(std::string name) {
  ++visible_[name];
  names_.push_back(std::move(name));
}

void Builder::hide_names(std::size_t outer) {
  for (; names_.size() > outer; names_.pop_back()) {
    const std::string& name = names_.back();
    const auto found = visible_.find(name);
    if (--found->second > 0) continue;
    visible_.erase(found);
    const auto free = [this](const std::string& base, int n) {
      const auto first = first_free_.find(base);
      if (first != first_free_.end()) first->second = std::min(first->second, n);
    };
    free(name, 1);
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits < name.size() && digits > 1 && name[digits - 1] == '_' && name.size() - digits < 9)
      free(name.substr(0, digits - 1), std::max(1, std::stoi(name.substr(digits))));
  }
}

BufferId Builder::global(std::string name, RecordType element, bool read_only) {
  return add_buffer({std::move(name), std::move(element), Space::Global, 0, read_only});
}

BufferId Builder::shared(std::string name, RecordType element, int64_t count) {
  return add_buffer({std::move(name), std::move(element), Space::Shared, count, false});
}

BufferId Builder::registers(std::string name, RecordType element, int64_t count) {
  return add_buffer({std::move(name), std::move(element), Space::Register, count, false});
}

ExprId Builder::parameter(SymbolId symbol) {
  if (std::find(kernel_.scalars.begin(), kernel_.scalars.end(), symbol) == kernel_.scalars.end()) {
    kernel_.scalars.push_back(symbol);
    reserve(arena().symbol(symbol).name);
  }
  return arena().symbol_ref(symbol);
}

ExprId Builder::parameter(std::string name, ScalarType type, SymbolKind kind) {
  const SymbolId symbol = arena().add_symbol(unique(std::move(name)), kind, type);
  kernel_.scalars.push_back(symbol);
  return arena().symbol_ref(symbol);
}

ExprId Builder::special(Special special) {
  return arena().symbol_ref(program_.special(special));
}

ExprId Builder::special64(Special which) {
  return cast(special(which), ScalarType::I64);
}

ExprId Builder::load(BufferId buffer, ExprId index, uint32_t leaf, ExprId within) {
  ScalarType type = program_.buffer(buffer).element.leaves[leaf].type;
  return arena().load(buffer, leaf, type, index, within, where_);
}

Access Builder::access(BufferId buffer, ExprId index, uint32_t leaf, ExprId within) const {
  return {buffer, leaf, index, within, where_};
}

void Builder::add_statement(Statement statement) {
  block_->statements.push_back(std::move(statement));
}

void Builder::comment(std::string text) {
  add_statement({Comment{std::move(text)}, where_});
}

SymbolId Builder::add_local(std::string name, ScalarType type) {
  return arena().add_symbol(unique(std::move(name)), SymbolKind::Local, type);
}

ExprId Builder::let(std::string name, ExprId value) {
  SymbolId local = add_local(std::move(name), arena().type(value));
  add_statement({Let{local, value}, where_});
  definitions_[local.value] = value;
  return arena().symbol_ref(local);
}

ExprId Builder::let_within(std::string name, ExprId value, ExprId lo, ExprId hi) {
  const ExprId made = let(std::move(name), value);
  auto& last = std::get<Let>(block_->statements.back().node);
  last.lo = lo, last.hi = hi;
  return made;
}

std::optional<ExprId> Builder::definition(SymbolId local) const {
  const auto found = definitions_.find(local.value);
  return found == definitions_.end() ? std::nullopt : std::optional(found->second);
}

Variable Builder::var(std::string name, ExprId value) {
  SymbolId local = add_local(std::move(name), arena().type(value));
  add_statement({Var{local, value}, where_});
  definitions_[local.value] = {};
  return {local, arena().symbol_ref(local)};
}

void Builder::assign(const Variable& variable, ExprId value) {
  add_statement({Assign{variable.symbol, value}, where_});
}

void Builder::store(BufferId buffer, ExprId index, ExprId value, uint32_t leaf, ExprId within) {
  store(access(buffer, index, leaf, within), value);
}

void Builder::store(Access access, ExprId value) {
  add_statement({Store{access, value}, where_});
}

std::vector<ExprId> Builder::vector_load(const std::string& name, BufferId buffer, ExprId index,
                                         int width) {
  VectorLoad load{{}, access(buffer, index)};
  std::vector<ExprId> values;
  ScalarType type = program_.buffer(buffer).element.leaves[0].type;
  for (int k = 0; k < width; ++k) {
    load.locals.push_back(add_local(name + std::to_string(k), type));
    values.push_back(arena().symbol_ref(load.locals.back()));
  }
  add_statement({std::move(load), where_});
  return values;
}

ExprId Builder::load_from(const std::string& name, Access access) {
  const SymbolId local = add_local(name, program_.buffer(access.buffer).element.leaves[access.leaf].type);
  add_statement({VectorLoad{{local}, access}, where_});
  return arena().symbol_ref(local);
}

void Builder::vector_store(BufferId buffer, ExprId index, std::vector<ExprId> values) {
  add_statement({VectorStore{access(buffer, index), std::move(values)}, where_});
}

void Builder::vector_move(Access to, Access from, ExprId width) {
  add_statement({VectorMove{to, from, width}, where_});
}

void Builder::atomic(AtomicOp op, Access access, ExprId value, Scope scope) {
  add_statement({Atomic{op, access, value, {}, {}, Order::Relaxed, scope}, where_});
}

ExprId Builder::atomic_old(std::string name, AtomicOp op, Access access, ExprId value,
                           ExprId expected, Order order, Scope scope) {
  SymbolId old = add_local(std::move(name), arena().type(value));
  add_statement({Atomic{op, access, value, expected, old, order, scope}, where_});
  return arena().symbol_ref(old);
}

void Builder::barrier(BarrierScope scope) {
  add_statement({Barrier{scope}, where_});
}

void Builder::fence(Scope scope) {
  add_statement({Fence{scope}, where_});
}

ExprId Builder::shuffle(std::string name, ShuffleKind kind, ExprId value, ExprId lane,
                        uint32_t mask) {
  SymbolId result = add_local(std::move(name), arena().type(value));
  add_statement({Shuffle{kind, result, value, lane, mask}, where_});
  return arena().symbol_ref(result);
}

ExprId Builder::vote(std::string name, VoteKind kind, ExprId predicate, uint32_t mask) {
  ScalarType type = kind == VoteKind::Ballot ? ScalarType::U32 : ScalarType::Bool;
  SymbolId result = add_local(std::move(name), type);
  add_statement({Vote{kind, result, predicate, mask}, where_});
  return arena().symbol_ref(result);
}

uint32_t Builder::map(TensorMap map) {
  map.name = unique(std::move(map.name));
  program_.maps.push_back(std::move(map));
  const auto index = static_cast<uint32_t>(program_.maps.size() - 1);
  kernel_.maps.push_back(index);
  return index;
}

void Builder::use_map(uint32_t map) {
  if (std::find(kernel_.maps.begin(), kernel_.maps.end(), map) != kernel_.maps.end()) return;
  kernel_.maps.push_back(map);
  reserve(program_.maps[map].name);
}

ExprId Builder::load_at(std::string name, Access access) {
  const SymbolId local =
      add_local(std::move(name), program_.buffer(access.buffer).element.leaves[access.leaf].type);
  issue(VectorLoad{{local}, access});
  return arena().symbol_ref(local);
}

ExprId Builder::elect(std::string name) {
  const SymbolId local = add_local(std::move(name), ScalarType::Bool);
  issue(Elect{local});
  return arena().symbol_ref(local);
}

void Builder::report(uint32_t site, ExprId value) {
  add_statement({Report{site, value}, where_});
}

For& Builder::add_for(For loop) {
  add_statement({std::move(loop), where_});
  return std::get<For>(block_->statements.back().node);
}

ExprId Builder::thread_in_grid() {
  return add(mul(special64(Special::BlockX), special64(Special::BlockDimX)),
             special64(Special::ThreadX));
}

ExprId Builder::threads_of_grid() {
  return mul(special64(Special::GridDimX), special64(Special::BlockDimX));
}

}  // namespace cdsl::loop
