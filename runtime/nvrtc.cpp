#include "runtime/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace cdsl::runtime {
namespace {

using Program = struct OpaqueProgram*;
using Status = int;

/// The size of the file that holds a function; 0 where that cannot be told.
std::uintmax_t file_size_behind(const void* function) {
  Dl_info info;
  if (::dladdr(function, &info) == 0) return 0;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(info.dli_fname, error);
  return error ? 0 : size;
}

}  // namespace

/// The functions of nvrtc.h that are used, by their C types.
struct Nvrtc::Api {
  std::unique_ptr<SharedLibrary> library;
  Status (*version)(int*, int*) = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*arch_count)(int*) = nullptr;
  Status (*archs)(int*) = nullptr;
  Status (*create)(Program*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
  Status (*destroy)(Program*) = nullptr;
  Status (*compile)(Program, int, const char* const*) = nullptr;
  Status (*log_size)(Program, std::size_t*) = nullptr;
  Status (*log)(Program, char*) = nullptr;
  Status (*ptx_size)(Program, std::size_t*) = nullptr;
  Status (*ptx)(Program, char*) = nullptr;
  Status (*cubin_size)(Program, std::size_t*) = nullptr;
  Status (*cubin)(Program, char*) = nullptr;
  int major = 0, minor = 0;
  std::string build;

  bool load() {
    const SharedLibrary& from = *library;
    return from.load(version, "nvrtcVersion") && from.load(error_string, "nvrtcGetErrorString") &&
           from.load(arch_count, "nvrtcGetNumSupportedArchs") &&
           from.load(archs, "nvrtcGetSupportedArchs") && from.load(create, "nvrtcCreateProgram") &&
           from.load(destroy, "nvrtcDestroyProgram") && from.load(compile, "nvrtcCompileProgram") &&
           from.load(log_size, "nvrtcGetProgramLogSize") && from.load(log, "nvrtcGetProgramLog") &&
           from.load(ptx_size, "nvrtcGetPTXSize") && from.load(ptx, "nvrtcGetPTX") &&
           from.load(cubin_size, "nvrtcGetCUBINSize") && from.load(cubin, "nvrtcGetCUBIN") &&
           version(&major, &minor) == 0;
  }
};

Nvrtc::Nvrtc(std::unique_ptr<Api> api) : api_(std::move(api)) {}
Nvrtc::~Nvrtc() = default;

std::unique_ptr<Nvrtc> Nvrtc::load(const LibraryHints& hints, std::string* why) {
  auto api = std::make_unique<Api>();
  api->library = SharedLibrary::open(nvrtc_candidates(hints));
  if (!api->library) {
    if (why != nullptr) {
      *why =
          "libnvrtc.so was not found: looked at CUDA_HOME and CUDA_PATH, the loader's path, "
          "/usr/local/cuda* and "
          "Python's nvidia packages";
    }
    return nullptr;
  }
  if (!api->load()) {
    if (why != nullptr)
      *why = fmt::format("{} lacks functions of NVRTC 11.2 or later", api->library->path());
    return nullptr;
  }
  api->build = fmt::format("{}.{}, {} bytes", api->major, api->minor,
                           file_size_behind(reinterpret_cast<const void*>(api->version)));
  return std::unique_ptr<Nvrtc>(new Nvrtc(std::move(api)));
}

const std::string& Nvrtc::path() const {
  return api_->library->path();
}
int Nvrtc::major() const {
  return api_->major;
}
int Nvrtc::minor() const {
  return api_->minor;
}
const std::string& Nvrtc::build() const {
  return api_->build;
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  if (api_->arch_count(&count) != 0 || count <= 0) return {};
  std::vector<int> list(static_cast<std::size_t>(count));
  if (api_->archs(list.data()) != 0) return {};
  return list;
}

bool Nvrtc::supports(std::string_view architecture) const {
  if (architecture.starts_with("sm_")) architecture.remove_prefix(3);
  int number = 0;
  std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  const std::vector<int> known = architectures();
  return std::find(known.begin(), known.end(), number) != known.end();
}

std::vector<std::string> Nvrtc::all_options(const std::string& architecture,
                                            const std::vector<std::string>& options) {
  std::vector<std::string> words = {"--gpu-architecture=" + architecture, "--std=c++17",
                                    "--ptxas-options=-v"};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

NvrtcResult Nvrtc::compile(const std::string& text, const std::string& name,
                           const std::string& architecture,
                           const std::vector<std::string>& options) const {
  NvrtcResult result;
  Program program = nullptr;
  if (const Status status = api_->create(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr);
      status != 0) {
    result.error = api_->error_string(status);
    return result;
  }
  const std::vector<std::string> words = all_options(architecture, options);
  std::vector<const char*> flags;
  for (const std::string& word : words) flags.push_back(word.c_str());

  const Status status = api_->compile(program, static_cast<int>(flags.size()), flags.data());
  result.ok = status == 0;
  if (!result.ok) result.error = api_->error_string(status);
  // Sizes of texts count a closing NUL.
  std::size_t size = 0;
  if (api_->log_size(program, &size) == 0 && size > 1) {
    result.log.resize(size);
    api_->log(program, result.log.data());
    result.log.resize(size - 1);
  }
  if (result.ok && api_->ptx_size(program, &size) == 0 && size > 1) {
    result.ptx.resize(size);
    api_->ptx(program, result.ptx.data());
    result.ptx.resize(size - 1);
  }
  if (result.ok && api_->cubin_size(program, &size) == 0 && size > 0) {
    result.cubin.resize(size);
    api_->cubin(program, reinterpret_cast<char*>(result.cubin.data()));
  }
  api_->destroy(&program);
  return result;
}

}  // namespace cdsl::runtime
