// A shared object of units, loaded.
#pragma once

#include <cstdint>
#include <string>

#include "shim/api.h"

namespace cdsl::emulation {

class Library {
 public:
  /// Throws std::runtime_error with the loader's words.
  explicit Library(std::string path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const ::emulated::Unit& unit(std::size_t k) const;
  void connect(const ::emulated::Api& api) const { connect_(&api); }
  /// "row_sum.cdsl:5", as the line directives of the text say; empty where nobody can tell.
  std::string locate(const void* pc) const;

 private:
  std::string path_;
  void* handle_ = nullptr;
  void (*connect_)(const ::emulated::Api*) = nullptr;
};

}  // namespace cdsl::emulation
