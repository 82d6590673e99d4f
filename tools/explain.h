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

/// Every domain, every launch check, and why each read is inside its tensor.
std::string ranges_text(const Source& source, const tir::Function& function);

/// "1.5 MB", "320 B"; "2.1 G", "840".
std::string bytes_text(double bytes);
std::string count_text(double count);

}  // namespace cdsl::tools
