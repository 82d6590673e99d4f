#include "frontend/ir_reader/loop_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace cdsl::ir_reader {

BufferId LoopNames::add_buffer(loop::Buffer buffer, SourceRange where) {
  const BufferId id(p_.buffers.size());
  if (!buffers_.emplace(buffer.name, id).second)
    c_.fail(where, fmt::format("a second buffer is named '{}'", buffer.name));
  p_.buffers.push_back(std::move(buffer));
  return id;
}

SymbolId LoopNames::add_register(const std::string& name, SymbolKind kind, ScalarType type) {
  return p_.arena.add_symbol(name, kind, type);
}

const SymbolId* LoopNames::find(std::string_view name) const {
  const auto found = std::find_if(visible_.rbegin(), visible_.rend(),
                                  [&](const auto& v) { return v.first == name; });
  return found == visible_.rend() ? nullptr : &found->second;
}

SymbolId LoopNames::visible() {
  if (assume_sizes_ && c_.at(Tok::Name)) assume(c_.text(), ScalarType::I64);
  const SymbolId* found = find(c_.text());
  if (found == nullptr) c_.fail(fmt::format("'{}' is not known here", c_.text()));
  c_.advance();
  return *found;
}

SymbolId LoopNames::shared(const std::string& name, SymbolKind kind, ScalarType type) {
  const auto found = shared_.find({name, type});
  if (found != shared_.end() && p_.arena.symbol(found->second).kind == kind) return found->second;
  return shared_[{name, type}] = p_.arena.add_symbol(name, kind, type);
}

SymbolId LoopNames::shared_i64(const std::string& name) {
  const auto found = shared_.find({name, ScalarType::I64});
  return found != shared_.end() ? found->second : shared(name, SymbolKind::Size, ScalarType::I64);
}

void LoopNames::assume(std::string_view name, ScalarType type) {
  if (!assume_sizes_ || find(name) != nullptr) return;
  const std::string kept(name);
  show(kept, shared(kept, type == ScalarType::I64 ? SymbolKind::Size : SymbolKind::Scalar, type));
}

void LoopNames::show_shared() {
  for (const bool wide : {false, true}) {          // what is shown last is found first
    for (const auto& [key, symbol] : shared_)
      if ((key.second == ScalarType::I64) == wide) show(key.first, symbol);
  }
}

void LoopNames::end_kernel() {
  buffers_.clear();
  visible_.clear();
}

ExprId LoopNames::primary(ExprReader& reader) {
  if (at_buffer() && c_.kind(1) == Tok::LBracket) {
    const loop::Access a = access(reader);
    const ScalarType type = p_.buffer(a.buffer).element.leaves[a.leaf].type;
    return p_.arena.load(a.buffer, a.leaf, type, a.index, a.within, a.where);
  }
  const bool dotted = c_.kind(1) == Tok::Dot && c_.kind(2) == Tok::Name;
  for (int k = 0; k < loop::kSpecialCount; ++k) {
    const std::string_view name = loop::name_of(static_cast<loop::Special>(k));
    const std::size_t dot = name.find('.');
    const bool whole = dot == std::string_view::npos && c_.text() == name && find(name) == nullptr;
    const bool parts = dot != std::string_view::npos && dotted &&
                       c_.text() == name.substr(0, dot) && c_.text(2) == name.substr(dot + 1);
    if (!whole && !parts) continue;
    for (int taken = 0; taken < (parts ? 3 : 1); ++taken) c_.advance();
    return p_.arena.symbol_ref(p_.special(static_cast<loop::Special>(k)));
  }
  return p_.arena.symbol_ref(visible());
}

BufferId LoopNames::buffer() {
  const auto found = buffers_.find(c_.text());
  if (found == buffers_.end()) c_.fail_expected("the name of a buffer");
  c_.advance();
  return found->second;
}

bool LoopNames::at_register_buffer() const {
  const auto found = buffers_.find(c_.text());
  return found != buffers_.end() && p_.buffer(found->second).space == loop::Space::Register;
}

uint32_t LoopNames::add_map(const std::string& name) {
  const auto same = [&](const loop::TensorMap& map) { return map.name == name; };
  const auto found = std::find_if(p_.maps.begin(), p_.maps.end(), same);
  const auto index = static_cast<uint32_t>(found - p_.maps.begin());
  if (found == p_.maps.end()) p_.maps.emplace_back().name = name;
  return index;
}

uint32_t LoopNames::map() {
  const auto named = [&](const loop::TensorMap& map) { return c_.at_word(map.name); };
  const auto found = std::find_if(p_.maps.begin(), p_.maps.end(), named);
  if (found == p_.maps.end()) c_.fail_expected("the name of a tensor map");
  c_.advance();
  return static_cast<uint32_t>(found - p_.maps.begin());
}

loop::Access LoopNames::place(ExprReader& reader) {
  loop::Access out = access(reader);
  if (c_.accept("at")) out.rank = reader.expr();
  return out;
}

loop::Access LoopNames::access(ExprReader& reader) {
  const SourceRange begin = c_.here();
  loop::Access access;
  access.buffer = buffer();
  c_.expect(Tok::LBracket);
  access.index = reader.expr();
  c_.expect(Tok::RBracket);
  access.leaf = leaf(p_.buffer(access.buffer));
  const bool is_array = !p_.buffer(access.buffer).element.leaves[access.leaf].extents.empty();
  if (is_array && c_.accept(Tok::LBracket)) {
    access.within = reader.expr();
    c_.expect(Tok::RBracket);
  }
  access.where = c_.since(begin);
  return access;
}

// No leaf's path is the beginning of another's.
uint32_t LoopNames::leaf(const loop::Buffer& buffer) {
  const RecordType& element = buffer.element;
  if (element.leaves.size() == 1 && element.leaves[0].path.empty()) return 0;
  const SourceRange begin = c_.here();
  std::string path;
  while (c_.accept(Tok::Dot)) {
    path += (path.empty() ? "" : ".") + c_.name("a field");
    for (uint32_t leaf = 0; leaf < element.leaves.size(); ++leaf) {
      if (element.leaves[leaf].path == path) return leaf;
    }
  }
  c_.fail(c_.since(begin), fmt::format("'{}' has no leaf '{}'", buffer.name, path));
}

}  // namespace cdsl::ir_reader
