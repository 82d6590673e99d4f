// Whole files in and out. A file that exists is replaced as a whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/result.h"

namespace cdsl {

Result<std::string> read_file(const std::string& path);

/// Writes a temporary file beside `path` and renames it; what is no regular file (a pipe,
/// /dev/null) is written straight. The failure names the path and the reason.
std::optional<Failure> write_file(const std::string& path, std::string_view contents);

/// Creates the folder and those above it; nothing where it exists.
std::optional<Failure> make_folder(const std::string& path);

}  // namespace cdsl
