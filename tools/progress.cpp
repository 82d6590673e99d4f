#include "tools/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace cdsl::tools {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

void write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

Progress::Progress(std::size_t total) : total_(total), is_shown_(::isatty(2) == 1 && total > 1) {}

void Progress::next(const std::string& what) {
  ++at_;
  if (is_shown_) write(fmt::format("{}[{}/{}] {}", kClearLine, at_, total_, what));
}

void Progress::clear() const {
  if (is_shown_) write(kClearLine);
}

}  // namespace cdsl::tools
