#include "twins.h"

#include <fmt/format.h>
#include <algorithm>

namespace cdsl::emulation {
namespace {

constexpr Twin kTwins[] = {
    // Storage types.
    {"half_to_f32", " return emulated::to_float(bits, 10); "},
    {"to_f16", " return {(unsigned short)emulated::from_float(x, 10)}; "},
    {"to_bf16", " return {(unsigned short)emulated::from_float(x, 7)}; "},
    {"to_f8e4m3", " return {(unsigned char)emulated::from_float(x, 3)}; "},
    {"to_f8e5m2", " return {(unsigned char)emulated::from_float(x, 2)}; "},
    // Arithmetic.
    {"min_nan", " return emulated::lesser(a, b); "},
    {"max_nan", " return emulated::greater(a, b); "},
    {"exp2_normal", " return exp2f(x); "},
    {"neg_i16", " return (short)-(int)a; "},
    // Memory.
    {"load_acquire", " const int value = atomicOr(const_cast<int*>(address), 0); __threadfence(); return value; "},
    {"load_streamed", " const vector_of<T, Count> all = *(const vector_of<T, Count>*)from; for (int k = 0; k < Count; ++k) to[k] = all.at[k]; "},
    // Clusters, barriers of some warps, roles.
    {"cluster_sync", " emulated::sync_cluster(__COUNTER__); "},
    {"cluster_rank", " return emulated::cluster_rank(); "},
    {"at_rank", " return (T*)emulated::at_rank((void*)place, rank); "},
    {"barrier_sync", " emulated::sync_some(barrier, threads, true); "},
    {"barrier_pass", " emulated::sync_some(barrier, threads, false); "},
    {"elect_one", " return emulated::elect_one(__COUNTER__); "},
    {"lower_registers", ""},
    {"raise_registers", ""},
    // Copies in the background.
    {"copy_async", " emulated::copy_async(to, from, Bytes, true); "},
    {"copy_async_when", " emulated::copy_async(to, from, Bytes, holds); "},
    {"commit_async", " emulated::commit_async(); "},
    {"wait_async", " emulated::wait_async(Pending); "},
};

constexpr std::string_view kWithout[] = {
    // Arrival barriers, and the copies that count at them.
    "shared_address_at", "barrier_init", "barrier_arrive", "barrier_arrive_at", "barrier_expect", "barrier_expect_at",
    "barrier_wait", "fence_init", "fence_proxy", "copy_bulk", "copy_bulk_at", "store_bulk", "commit_bulk", "wait_bulk",
    "wait_bulk_read", "copy_box*", "store_box*", "add_bulk*",
    // Matrix instructions.
    "matrix_load_x*", "matrix_store_x*", "mma_m*", "wgmma_m*", "mma_fence", "mma_commit", "mma_wait",
};

/// After the brace that closes the one at `at`; braces in strings and comments do not count.
std::size_t closing(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t k = at; k < text.size(); ++k) {
    if (text[k] == '"') {
      for (++k; k < text.size() && text[k] != '"'; ++k) k += text[k] == '\\' ? 1 : 0;
    } else if (text.substr(k, 2) == "//") {
      k = std::min(text.find('\n', k), text.size());
    } else if (text[k] == '{') {
      ++depth;
    } else if (text[k] == '}' && --depth == 0) {
      return k;
    }
  }
  return text.size();
}

struct Function {
  std::string name;
  std::size_t open = 0, close = 0;  // its braces
};

/// The function definitions at the left margin, which is where helpers stand.
Function next_helper(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = text.substr(from, end - from);
    const std::size_t bracket = line.find('(');
    const std::size_t brace = text.find('{', from);
    if ((line.starts_with("__device__") || line.starts_with("__host__")) && bracket != std::string_view::npos && brace != std::string_view::npos) {
      const std::size_t space = line.rfind(' ', bracket);
      return {std::string(line.substr(space + 1, bracket - space - 1)), brace, closing(text, brace)};
    }
    from = end + 1;
  }
  return {};
}

bool is_asm(std::string_view body) {
  for (std::size_t at = 0; (at = body.find("asm", at)) != std::string_view::npos; at += 3) {
    if (body.substr(at).starts_with("asm(") || body.substr(at).starts_with("asm volatile(")) return true;
  }
  return false;
}

}  // namespace

std::span<const Twin> twins() {
  return kTwins;
}

std::span<const std::string_view> without_twin() {
  return kWithout;
}

std::string with_twins(std::string text, std::string& problem) {
  std::size_t at = 0;
  for (Function f; !(f = next_helper(text, at)).name.empty();) {
    at = f.close;
    const std::string_view body = std::string_view(text).substr(f.open, f.close - f.open);
    if (!is_asm(body)) continue;
    const auto twin = std::find_if(std::begin(kTwins), std::end(kTwins), [&](const Twin& t) { return t.name == f.name; });
    if (twin == std::end(kTwins)) {
      problem = fmt::format("the helper '{}' holds PTX that has no twin in C++ (tests/emulated/twins.cpp)", f.name);
      return text;
    }
    text.replace(f.open + 1, f.close - f.open - 1, twin->body);
    at = f.open + 1 + twin->body.size();
  }
  return text;
}

}  // namespace cdsl::emulation
