// After a bug of the compiler: a file with all that is needed to see it again.
#pragma once

#include <string>
#include <vector>

#include "tools/session.h"

namespace cdsl::tools {

/// Writes version, command line and source texts to the temporary folder and says where.
void write_reproducer(const Session& session, const std::vector<std::string>& words);

}  // namespace cdsl::tools
