#include "runtime/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path().string());
  }
  std::sort(found.begin(), found.end(), std::greater<>());  // newest version first
  return found;
}

void append(std::vector<std::string>& to, std::vector<std::string> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::vector<std::string> python_package_folders(const LibraryHints& hints) {
  std::vector<std::string> prefixes = hints.python_prefixes;
  prefixes.insert(prefixes.end(), {"/usr/local", "/usr"});
  std::vector<std::string> folders;
  for (const std::string& prefix : prefixes) {
    for (const std::string& python : entries(fs::path(prefix) / "lib", "python3")) {
      folders.push_back(python + "/site-packages");
      folders.push_back(python + "/dist-packages");
    }
  }
  return folders;
}

}  // namespace

std::unique_ptr<SharedLibrary> SharedLibrary::open(std::span<const std::string> candidates) {
  // One that the process already has is the one that the rest of the process uses.
  for (const int flags : {RTLD_LAZY | RTLD_NOLOAD, RTLD_LAZY}) {
    for (const std::string& candidate : candidates) {
      void* handle = dlopen(candidate.c_str(), flags);
      if (handle == nullptr) continue;
      return std::unique_ptr<SharedLibrary>(new SharedLibrary(handle, candidate));
    }
  }
  return nullptr;
}

// Stays loaded: threads that the library started, or memory that it keeps, may outlive the handle.
SharedLibrary::~SharedLibrary() = default;

void* SharedLibrary::symbol(const char* name) const {
  return dlsym(handle_, name);
}

std::vector<std::string> toolkit_roots(const LibraryHints& hints) {
  std::vector<std::string> roots;
  const auto add = [&roots](const std::string& root) {
    std::error_code error;
    if (!root.empty() && fs::is_directory(root, error) &&
        std::find(roots.begin(), roots.end(), root) == roots.end()) {
      roots.push_back(root);
    }
  };
  for (const std::string& root : hints.cuda_roots) add(root);
  add("/usr/local/cuda");
  for (const std::string& root : entries("/usr/local", "cuda-")) add(root);
  for (const char* root : {"/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"}) add(root);
  return roots;
}

namespace {

/// Files whose names begin with `library`; `names`: what the loader's path is asked for.
std::vector<std::string> candidates_for(std::string_view library, std::vector<std::string> names, const LibraryHints& hints) {
  std::vector<std::string> candidates;
  const auto add_folder = [&](const std::string& folder) {
    append(candidates, entries(folder, library));
  };
  for (const std::string& root : hints.cuda_roots) {
    add_folder(root + "/lib64");
    add_folder(root + "/targets/x86_64-linux/lib");
  }
  append(candidates, std::move(names));
  for (const std::string& root : toolkit_roots(hints)) {
    for (const char* folder :
         {"/lib64", "/lib", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib"})
      add_folder(root + folder);
  }
  add_folder("/usr/lib/x86_64-linux-gnu");
  for (const std::string& packages : python_package_folders(hints)) {
    for (const std::string& toolkit : entries(packages + "/nvidia", "cu"))
      add_folder(toolkit + "/lib");
  }
  for (const std::string& prefix : hints.python_prefixes) add_folder(prefix + "/lib");
  return candidates;
}

}  // namespace

std::vector<std::string> nvrtc_candidates(const LibraryHints& hints) {
  return candidates_for("libnvrtc.so", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}, hints);
}

std::vector<std::string> nvfatbin_candidates(const LibraryHints& hints) {
  return candidates_for("libnvfatbin.so", {"libnvfatbin.so.13", "libnvfatbin.so.12", "libnvfatbin.so"}, hints);
}

}  // namespace cdsl::runtime
