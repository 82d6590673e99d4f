// The top-level items of a program by name, and its structs laid out.
//
// Two namespaces (docs/decisions/0001): callables and types here together, `const`s among the
// values.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsl/support/diagnostic.h"
#include "dsl/types/record.h"
#include "frontend/ast.h"

namespace cdsl::sema {

struct StructInfo;

// What a tensor holds, or a field: a scalar, a record, or a small array of scalars.
struct ElementType {
  ScalarType scalar = ScalarType::F32;
  const StructInfo* record = nullptr;  // where set, `scalar` means nothing
  std::vector<std::int64_t> extents;   // of an array field
};

struct FieldInfo {
  std::string name;
  ElementType type;
  std::uint32_t first_leaf = 0;
  std::uint32_t leaf_count = 0;
  SourceRange where;
};

struct StructInfo {
  std::string name;
  std::vector<FieldInfo> fields;
  RecordType record;
  SourceRange where;

  const FieldInfo* find(std::string_view field) const;
};

template <class Decl>
struct Declared {
  const Decl* decl = nullptr;
  const ast::Item* item = nullptr;
  explicit operator bool() const { return decl != nullptr; }
};

class Module {
 public:
  // Reports names that are declared twice and structs that cannot be laid out.
  Module(const ast::Program& program, DiagnosticSink& sink);

  Declared<ast::FnDecl> fn(std::string_view name) const { return find(fns_, name); }
  Declared<ast::DefDecl> def(std::string_view name) const { return find(defs_, name); }
  Declared<ast::ReducerDecl> reducer(std::string_view name) const { return find(reducers_, name); }
  Declared<ast::ConstDecl> constant(std::string_view name) const { return find(constants_, name); }
  const StructInfo* structure(std::string_view name) const;
  // `schedule`s and `expect`s of a `fn`, in source order.
  const std::vector<const ast::Item*>& schedules(std::string_view fn) const;

  // For "did you mean".
  std::vector<std::string_view> callables() const;
  std::vector<std::string_view> types() const;
  std::vector<std::string_view> constants() const;

 private:
  template <class Decl>
  using Table = std::map<std::string, Declared<Decl>, std::less<>>;
  template <class Decl>
  static Declared<Decl> find(const Table<Decl>& table, std::string_view name) {
    const auto found = table.find(name);
    return found == table.end() ? Declared<Decl>{} : found->second;
  }

  void lay_out_structs(const ast::Program& program, DiagnosticSink& sink);
  bool lay_out(const ast::Program& program, const Declared<ast::StructDecl>& decl,
               std::vector<std::string>& path, DiagnosticSink& sink);
  bool add_field(const ast::Program& program, const ast::FieldDecl& field, StructInfo& info,
                 std::vector<std::string>& path, DiagnosticSink& sink);

  Table<ast::FnDecl> fns_;
  Table<ast::DefDecl> defs_;
  Table<ast::ReducerDecl> reducers_;
  Table<ast::ConstDecl> constants_;
  Table<ast::StructDecl> struct_decls_;
  std::map<std::string, std::unique_ptr<StructInfo>, std::less<>> structs_;
  std::map<std::string, std::vector<const ast::Item*>, std::less<>> schedules_;
  std::set<std::string> unusable_;  // structs that have errors: told once, not at each use
};

}  // namespace cdsl::sema
