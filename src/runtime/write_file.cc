#include "runtime/write_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace berth::runtime {
namespace {

Error failed(const std::string& path, int error_number) {
  return {ErrorKind::kInvalid, "write " + path, std::strerror(error_number)};
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  return true;
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view text, unsigned mode) {
  std::error_code error;
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) {
    std::filesystem::create_directories(folder, error);
    if (error) {
      return failed(folder.string(), error.value());
    }
  }
  const std::string beside = path + ".tmp-" + std::to_string(::getpid());
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) {
    return failed(beside, errno);
  }
  const bool written = write_all(file, text) && ::fchmod(file, mode) == 0;
  const int write_error = errno;
  ::close(file);
  if (!written) {
    ::unlink(beside.c_str());
    return failed(path, write_error);
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const int rename_error = errno;
    ::unlink(beside.c_str());
    return failed(path, rename_error);
  }
  return {};
}

Result<std::string> make_temporary_folder(const std::string& prefix) {
  const char* base = std::getenv("TMPDIR");
  std::string name = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/" + prefix + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return failed(name, errno);
  }
  return name;
}

void remove_folder(const std::string& path) {
  std::error_code ignored;  // a folder that cannot be removed does no harm
  std::filesystem::remove_all(path, ignored);
}

}  // namespace berth::runtime
