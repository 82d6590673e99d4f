// The parts of the page that `explain --html` writes, as they stand in this folder (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace cdsl::tools {

extern const std::string_view page_html, page_css, page_js;

}  // namespace cdsl::tools
