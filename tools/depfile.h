// The files that an output depends on, for make and ninja.
#pragma once

#include "tools/session.h"

namespace cdsl::tools {

/// Writes `output: main.cdsl lib.cdsl`. False, with a message, where that fails.
bool write_depfile(const Session& session, const Source& source);
/// Of several files that were made of several programs.
bool write_depfile(const Session& session, const std::vector<std::string>& targets, const std::vector<const Source*>& sources);

}  // namespace cdsl::tools
