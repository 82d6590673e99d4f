// Whose a folder must be before kernels are read from it: a kernel runs with all that its user may
// do, so nobody but the user (or root) may have put it there.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/cache/file_handle.h"

namespace cdsl::runtime {

enum class Trust {
  Own,       // the user's
  ReadOnly,  // the user's, or root's
};

/// A real folder of the right owner that nobody else may write to, opened; nothing, and a sentence
/// in `why`, where it is not.
std::optional<FileHandle> open_trusted(const std::filesystem::path& path, Trust trust,
                                       std::string& why);

/// Is a file's or folder's owner the right one, and may nobody else write to it?
bool is_private(const struct stat& info, Trust trust);

/// Makes the folder and those above it that are missing, for the user alone.
/// The errno of the first that cannot be made, else 0.
int make_private_folders(const std::filesystem::path& path);

}  // namespace cdsl::runtime
