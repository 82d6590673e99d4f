// NVRTC, loaded at run time: CUDA C++ text in, cubin or PTX and the compiler's log out. Needs no
// GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/library.h"

namespace cdsl::runtime {

struct NvrtcResult {
  bool ok = false;
  std::string error;  // NVRTC's name of its error, where not ok
  std::string log;    // of the front end and of ptxas, which tells registers and spills
  std::string ptx;
  std::vector<std::byte> cubin;
};

class Nvrtc {
 public:
  /// Null where no NVRTC was found; `why` then says where it was looked for.
  static std::unique_ptr<Nvrtc> load(const LibraryHints& hints, std::string* why = nullptr);
  ~Nvrtc();

  const std::string& path() const;
  int major() const;
  int minor() const;
  /// Version and size of the library: updates of one version differ in what they generate.
  const std::string& build() const;
  /// Architectures it can compile for, as numbers: 90 for sm_90 and sm_90a.
  std::vector<int> architectures() const;
  bool supports(std::string_view architecture) const;

  /// All options of a compilation for `architecture` ("sm_90a"): those that every one needs, then
  /// `options`. Line tables are always asked for: profilers then show lines of the .cdsl, and instructions stay the same.
  static std::vector<std::string> all_options(const std::string& architecture,
                                              const std::vector<std::string>& options);
  /// Compiles with all_options.
  NvrtcResult compile(const std::string& text, const std::string& name,
                      const std::string& architecture,
                      const std::vector<std::string>& options = {}) const;

 private:
  struct Api;
  explicit Nvrtc(std::unique_ptr<Api> api);
  std::unique_ptr<Api> api_;
};

}  // namespace cdsl::runtime
