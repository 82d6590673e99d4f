// The structs that elements of records become: fields by name, nested as the user nested them, laid
// out as C does.
#pragma once

#include <string>
#include <vector>

#include "codegen/names.h"
#include "dsl/types/record.h"

namespace cdsl::cuda {

/// The struct types that a program uses, each printed once. Field names are made safe; two types
/// that differ and share a name are told apart. An array leaf is a flat array, row-major.
class Records {
 public:
  explicit Records(Scopes& names) : names_(names) {}

  /// Spelling of an element type; a struct that is new is remembered.
  std::string spelled(const RecordType& record);
  /// The text after an element to reach `leaf`: "" for a scalar, ".pos", ".body.mass".
  std::string member(const RecordType& record, uint32_t leaf);
  /// Definitions, in the order of first use.
  std::string definitions() const;

 private:
  struct Struct {
    RecordType type;
    std::string name;
    std::vector<std::string> members;  // by leaf
    std::string definition;
  };
  const Struct& find(const RecordType& record);

  Scopes& names_;
  std::vector<Struct> structs_;
};

}  // namespace cdsl::cuda
