// The functions of tests/programs and examples, for tests of the IRs' texts.
#pragma once

#include <functional>
#include <string>

#include "api/pipeline.h"

namespace cdsl::test {

std::string messages(const DiagnosticSink& sink);

/// Calls `visit` with every function that needs no type.
void for_each_function(const std::function<void(Source& source, const std::string& name)>& visit);

}  // namespace cdsl::test
