#include "bench/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace berth::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopTime = 10s;
constexpr auto kLookAgainAfter = 5ms;

/// The form in which exec takes texts; they stay the caller's.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(
    std::vector<std::string> command, const std::map<std::string, std::string>& environment,
    std::string output_file) {
  std::vector<std::string> variables;
  variables.reserve(environment.size());
  for (const auto& [name, value] : environment) {
    variables.push_back(fmt::format("{}={}", name, value));
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output_file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, command.front().c_str(), &files, nullptr, pointers(command).data(),
                                 pointers(variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    return Error{ErrorKind::kInvalid, "start " + command.front(), std::strerror(failed)};
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, std::move(output_file)));
}

bool ChildProcess::is_running() {
  if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = 0;
  }
  return pid_ != 0;
}

std::string ChildProcess::output() const {
  const std::ifstream file(output_file_);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string ChildProcess::last_lines(std::size_t count) const {
  const std::string text = output();
  std::size_t from = text.size();
  for (std::size_t line = 0; line <= count && from != std::string::npos && from > 0; ++line) {
    from = text.rfind('\n', from - 1);
  }
  return from == std::string::npos ? text : text.substr(from == 0 ? 0 : from + 1);
}

void ChildProcess::stop() {
  if (!is_running()) {
    return;
  }
  ::kill(pid_, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + kStopTime;
  while (is_running() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLookAgainAfter);
  }
  if (!is_running()) {
    return;
  }
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

}  // namespace berth::bench
