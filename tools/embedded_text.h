// A program of several files as one text, for where there are no files.
#pragma once

#include <string>

#include "api/pipeline.h"

namespace cdsl::tools {

/// The main file with its imports taken out, and the imported files behind it: lines of the main file keep their numbers. The
/// order of items means nothing to the language.
std::string embedded_text(const Source& source);

}  // namespace cdsl::tools
