#pragma once
// The disk, for reading.

#include <string>
#include <vector>

#include "ports/files.h"

namespace berth::runtime {

class DiskFiles final : public ports::Files {
 public:
  Result<std::string> read(const std::string& path) const override;
  bool is_folder(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& folder) const override;
};

}  // namespace berth::runtime
