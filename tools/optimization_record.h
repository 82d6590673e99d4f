// Decisions as LLVM's optimization records: YAML documents that its viewers read.
#pragma once

#include <vector>

#include "tools/session.h"

namespace cdsl::tools {

/// Writes the file that --save-opt-record names, if it names one. False, with a message, where that fails.
bool write_optimization_record(const Session& session, const Source& source, const std::vector<Compiled>& units);

}  // namespace cdsl::tools
