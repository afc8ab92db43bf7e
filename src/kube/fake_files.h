#pragma once
// For tests: files in memory.

#include <map>
#include <string>

#include "ports/files.h"

namespace berth::kube {

class FakeFiles final : public ports::Files {
 public:
  std::map<std::string, std::string> files;
  mutable int reads = 0;

  Result<std::string> read(const std::string& path) const override {
    ++reads;
    const auto found = files.find(path);
    if (found == files.end()) {
      return Error{.kind = ErrorKind::kNotFound, .operation = "read " + path, .detail = "no such file"};
    }
    return found->second;
  }
  bool is_folder(const std::string& /*path*/) const override { return false; }
  Result<std::vector<std::string>> list(const std::string& folder) const override {
    return Error{.kind = ErrorKind::kNotFound, .operation = "list " + folder, .detail = "no such folder"};
  }
};

}  // namespace berth::kube
