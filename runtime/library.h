// A shared library opened at run time, and where CUDA's libraries are looked for. Nothing of CUDA
// is ever linked.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cdsl::runtime {

/// Where to look besides the usual places; filled from the environment by the caller.
struct LibraryHints {
  std::vector<std::string> cuda_roots;       // CUDA_HOME, CUDA_PATH
  std::vector<std::string> python_prefixes;  // VIRTUAL_ENV, CONDA_PREFIX, ~/.local
};

class SharedLibrary {
 public:
  /// Opens the first of `candidates` (names for the loader, or paths) that loads; null where none
  /// does.
  static std::unique_ptr<SharedLibrary> open(std::span<const std::string> candidates);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  /// The file that was loaded, as the loader names it.
  const std::string& path() const { return path_; }
  /// Null where the library has no such symbol.
  void* symbol(const char* name) const;
  template <class Function>
  bool load(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(symbol(name));
    return function != nullptr;
  }

 private:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::string path_;
};

/// Candidates for NVRTC, best first: one that the process has loaded, CUDA_HOME and its kind, the
/// loader's path, the usual prefixes, the folders of Python wheels.
std::vector<std::string> nvrtc_candidates(const LibraryHints& hints);

/// The same for nvFatbin.
std::vector<std::string> nvfatbin_candidates(const LibraryHints& hints);

/// Folders of CUDA toolkits that exist on this machine.
std::vector<std::string> toolkit_roots(const LibraryHints& hints);

}  // namespace cdsl::runtime
