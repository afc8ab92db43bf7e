#pragma once
// Small configuration files. Reads are whole and at once; what is read here is a few kilobytes.

#include <string>
#include <vector>

#include "base/result.h"

namespace berth::ports {

class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  virtual ~Files() = default;

  /// kNotFound where there is none; kInvalid where it is a folder, cannot be read, or is larger than 16 MiB.
  virtual Result<std::string> read(const std::string& path) const = 0;

  /// Whether `path` is a folder.
  virtual bool is_folder(const std::string& path) const = 0;

  /// Names (not paths) of the entries of a folder, in byte order, without "." and "..".
  virtual Result<std::vector<std::string>> list(const std::string& folder) const = 0;
};

}  // namespace berth::ports
