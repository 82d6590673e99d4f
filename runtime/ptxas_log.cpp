#include <charconv>

#include "runtime/kernel_resources.h"

namespace cdsl::runtime {
namespace {

/// The number right before `words`, as in "160 bytes stack frame"; 0 where they do not occur.
int64_t number_before(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return 0;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  int64_t number = 0;
  std::from_chars(line.data() + first, line.data() + at, number);
  return number;
}

std::string_view quoted_name(std::string_view line) {
  const std::size_t open = line.find('\'');
  const std::size_t close = line.find('\'', open + 1);
  return close == std::string_view::npos ? std::string_view{}
                                         : line.substr(open + 1, close - open - 1);
}

}  // namespace

// Source: ptxas of CUDA 11.2 to 13.0 with -v.
//   ptxas info    : Compiling entry function 'k' for 'sm_90a'
//   ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 8 registers, used 1 barriers, 1200 bytes smem, 364 bytes cmem[0]
std::vector<KernelResources> resources_in_log(std::string_view log) {
  std::vector<KernelResources> kernels;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    if (line.find("Compiling entry function") != std::string_view::npos) {
      kernels.emplace_back().name = quoted_name(line);
    }
    if (kernels.empty()) continue;
    KernelResources& kernel = kernels.back();
    if (line.find("bytes stack frame") != std::string_view::npos) {
      kernel.stack_bytes = number_before(line, " bytes stack frame");
      kernel.spill_store_bytes = number_before(line, " bytes spill stores");
      kernel.spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (line.find("Used ") != std::string_view::npos) {
      kernel.registers = static_cast<int>(number_before(line, " registers"));
      kernel.shared_bytes = number_before(line, " bytes smem");
      kernel.constant_bytes = number_before(line, " bytes cmem[0]");
    }
  }
  return kernels;
}

}  // namespace cdsl::runtime
