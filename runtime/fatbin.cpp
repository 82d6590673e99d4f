#include "runtime/fatbin.h"

#include <fmt/format.h>

namespace cdsl::runtime {
namespace {

using Handle = struct OpaqueFatbin*;
using Status = int;

/// The functions of nvFatbin.h that are used, by their C types.
struct Api {
  Status (*create)(Handle*, const char**, std::size_t) = nullptr;
  Status (*destroy)(Handle*) = nullptr;
  Status (*add_cubin)(Handle, const void*, std::size_t, const char* architecture, const char* identifier) = nullptr;
  Status (*add_ptx)(Handle, const char*, std::size_t, const char* architecture, const char* identifier, const char* options) = nullptr;
  Status (*size)(Handle, std::size_t*) = nullptr;
  Status (*get)(Handle, void*) = nullptr;
  const char* (*error_string)(Status) = nullptr;

  bool load(const SharedLibrary& from) {
    return from.load(create, "nvFatbinCreate") && from.load(destroy, "nvFatbinDestroy") && from.load(add_cubin, "nvFatbinAddCubin") &&
           from.load(add_ptx, "nvFatbinAddPTX") && from.load(size, "nvFatbinSize") && from.load(get, "nvFatbinGet") &&
           from.load(error_string, "nvFatbinGetErrorString");
  }
};

/// "90a" of "sm_90a"
std::string number_of(const std::string& architecture) { return architecture.substr(architecture.find('_') + 1); }

Status fill(const Api& api, Handle handle, const FatbinContents& contents, std::vector<std::byte>& bytes) {
  const char* identifier = contents.identifier.c_str();
  const std::string architecture = number_of(contents.architecture), ptx_architecture = number_of(contents.ptx_architecture);
  Status status = api.add_cubin(handle, contents.cubin.data(), contents.cubin.size(), architecture.c_str(), identifier);
  if (status == 0 && !ptx_architecture.empty()) {
    const std::size_t with_nul = contents.ptx.size() + 1;
    status = api.add_ptx(handle, contents.ptx.c_str(), with_nul, ptx_architecture.c_str(), identifier, "");
  }
  std::size_t size = 0;
  if (status == 0) status = api.size(handle, &size);
  bytes.resize(size);
  return status == 0 ? api.get(handle, bytes.data()) : status;
}

}  // namespace

std::optional<std::vector<std::byte>> make_fatbin(const LibraryHints& hints, const FatbinContents& contents, std::string& why) {
  const auto library = SharedLibrary::open(nvfatbin_candidates(hints));
  if (!library) {
    why = "libnvfatbin.so was not found, which CUDA has from 12.4 on; --emit=cubin and --emit=ptx do without";
    return std::nullopt;
  }
  Api api;
  if (!api.load(*library)) {
    why = fmt::format("{} lacks functions of nvFatbin 12.4", library->path());
    return std::nullopt;
  }
  const char* options[] = {"-64", "-host=linux"};
  Handle handle = nullptr;
  std::vector<std::byte> bytes;
  Status status = api.create(&handle, options, std::size(options));
  if (status == 0) status = fill(api, handle, contents, bytes);
  if (handle != nullptr) api.destroy(&handle);
  if (status == 0) return bytes;
  why = fmt::format("nvFatbin: {}", api.error_string(status));
  return std::nullopt;
}

}  // namespace cdsl::runtime
