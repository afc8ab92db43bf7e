#pragma once
// Another program, run beside this one: started with exactly the environment that it is given, asked what it
// has said so far, and always ended and waited for. It is known by its pid alone.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace berth::bench {

class ChildProcess {
 public:
  /// `command` begins with the path of the program. What it writes goes to `output_file`. kInvalid where it
  /// cannot be started.
  static Result<std::unique_ptr<ChildProcess>> start(std::vector<std::string> command,
                                                     const std::map<std::string, std::string>& environment,
                                                     std::string output_file);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { stop(); }

  bool is_running();

  /// What it has written so far, to both of its outputs.
  std::string output() const;
  std::string last_lines(std::size_t count) const;

  /// Asks it to end, and kills it where it has not within 10 s. Returns when it is gone.
  void stop();

 private:
  ChildProcess(pid_t pid, std::string output_file) : pid_(pid), output_file_(std::move(output_file)) {}

  pid_t pid_;  // 0: it has ended, and the number may be another's
  std::string output_file_;
};

}  // namespace berth::bench
