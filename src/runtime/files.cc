#include "runtime/files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace berth::runtime {
namespace {

constexpr std::size_t kMaxSize = std::size_t{16} << 20U;

/// A descriptor that is closed with its scope.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      // A pipe or a device must not hold the loop up until somebody writes to it.
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Error failure(const std::string& operation, int cause) {
  const ErrorKind kind = cause == ENOENT || cause == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kInvalid;
  return Error{kind, operation, std::generic_category().message(cause)};
}

}  // namespace

Result<std::string> DiskFiles::read(const std::string& path) const {
  const std::string operation = "read " + path;
  const OpenFile file(path);
  struct stat info{};
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &info) != 0) {
    return failure(operation, errno);
  }
  if (!S_ISREG(info.st_mode)) {
    const char* what = S_ISDIR(info.st_mode) ? "a folder" : "a device, pipe or socket";
    return Error{ErrorKind::kInvalid, operation, fmt::format("it is {}; a regular file is expected", what)};
  }
  const Error too_large{ErrorKind::kInvalid, operation, "it is larger than 16 MiB; a small file is expected"};
  if (static_cast<std::size_t>(info.st_size) > kMaxSize) {
    return too_large;
  }
  std::string content;
  // To the end and not to the size seen above: the file may be growing, and files of /proc say 0.
  for (;;) {
    const std::size_t have = content.size();
    content.resize(std::max<std::size_t>(have + 4096, static_cast<std::size_t>(info.st_size) + 1));
    const ssize_t got = ::read(file.descriptor(), content.data() + have, content.size() - have);
    if (got < 0 && errno != EINTR) {
      return failure(operation, errno);
    }
    content.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (content.size() > kMaxSize) {
      return too_large;
    }
    if (got == 0) {
      return content;
    }
  }
}

bool DiskFiles::is_folder(const std::string& path) const {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

Result<std::vector<std::string>> DiskFiles::list(const std::string& folder) const {
  const std::string operation = "list " + folder;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  std::vector<std::string> names;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    names.push_back(entries->path().filename().string());
  }
  if (error) {
    return failure(operation, error.value());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace berth::runtime
