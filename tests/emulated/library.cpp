#include "library.h"

#include <dlfcn.h>

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "process.h"

namespace cdsl::emulation {

Library::Library(std::string path) : path_(std::move(path)), handle_(dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
  connect_ = reinterpret_cast<void (*)(const ::emulated::Api*)>(dlsym(handle_, "emulated_connect"));
  if (connect_ == nullptr) throw std::runtime_error(path_ + " is no library of units");
}

Library::~Library() {
  dlclose(handle_);
}

const ::emulated::Unit& Library::unit(std::size_t k) const {
  const void* found = dlsym(handle_, fmt::format("emulated_unit_{}", k).c_str());
  if (found == nullptr) throw std::runtime_error(fmt::format("{} has no unit {}", path_, k));
  return *static_cast<const ::emulated::Unit*>(found);
}

// Asked once a fault, which is rare: reading line tables is binutils' business.
std::string Library::locate(const void* pc) const {
  Dl_info info;
  if (dladdr(pc, &info) == 0) return "";
  const auto offset = reinterpret_cast<uintptr_t>(pc) - reinterpret_cast<uintptr_t>(info.dli_fbase) - 1;
  const Ended ended = run({"addr2line", "-s", "-e", path_, fmt::format("{:#x}", offset)});
  const std::string place = ended.output.substr(0, ended.output.find_first_of(" \n"));
  return ended.status != 0 || place.starts_with("?") ? "" : place;
}

}  // namespace cdsl::emulation
