#pragma once
// Writing small files whole, so that whoever reads one sees the old or the new content and never half of it.

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::runtime {

/// Makes the folders that are missing, writes beside `path` and renames. `mode`: permission bits. kInvalid.
Result<void> write_file(const std::string& path, std::string_view text, unsigned mode);

/// A new empty folder under $TMPDIR or /tmp, whose name begins with `prefix`. kInvalid.
Result<std::string> make_temporary_folder(const std::string& prefix);

/// The folder and everything in it; what is not there is no error.
void remove_folder(const std::string& path);

}  // namespace berth::runtime
