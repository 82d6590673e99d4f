// The reports of `explain`, each a text made from the same data.
#pragma once

#include <string>
#include <vector>

#include "api/explain.h"
#include "tools/session.h"

namespace cdsl::tools {

/// For people: memory first, then occupancy, then waves and roofs, then decisions.
std::string explanation_text(const Session& session, const Source& source, const Compiled& unit,
                             const Explanation& explanation);

/// For programs: one JSON object. Keys are only ever added.
std::string explanation_json(const Session& session, const Source& source, const Compiled& unit,
                             const Explanation& explanation);

/// One function of a page.
struct PageUnit {
  const Compiled& unit;
  Explanation explanation;
};
/// For people with a browser: one page that needs nothing else. It shows what --json says of each function beside its texts.
/// Where those would make it kLargestPage bytes or more, they are cut, PTX first, and said to be.
inline constexpr std::size_t kLargestPage = 1'000'000;
std::string explanation_page(const Session& session, const Source& source, const std::vector<PageUnit>& units);

/// Every domain, every launch check, and why each read is inside its tensor.
std::string ranges_text(const Source& source, const tir::Function& function);

/// What an access names in the source, "p[i].x"; invalid where its place is that of a whole statement.
SourceRange access_range(const Source& source, const predicting::Access& access);
/// The same as text, else the tensor's name.
std::string access_text(const Source& source, const predicting::Access& access);

/// "1.5 MB", "320 B"; "2.1 G", "840".
std::string bytes_text(double bytes);
std::string count_text(double count);

}  // namespace cdsl::tools
