#pragma once
// The token that every request carries. A service account's token lives in a file that the kubelet rewrites
// about every hour; it is read again once a minute (as client-go does), and at once, though at most once a
// minute, when the server refuses it. The token appears in no message.

#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "ports/clock.h"
#include "ports/files.h"

namespace berth::kube {

class BearerToken {
 public:
  /// `fixed` counts until `file` could be read; both may be empty.
  BearerToken(std::string fixed, std::string file, const ports::Files& files, ports::Clock& clock);

  /// Empty where there is nothing to carry. kUnauthorized where there should be, and none was ever readable.
  Result<std::string> current();

  /// After a 401: whether there is another token now, so that it is worth asking again.
  bool changed_after_refusal();

 private:
  void read_file();

  std::string token_;
  std::string file_;
  const ports::Files& files_;
  ports::Clock& clock_;
  std::optional<MonoTime> read_at_;
  std::optional<MonoTime> refused_at_;  // when a refusal last made us read
  std::string trouble_;                 // why the file could not be read last time
  Logger log_{"kube"};
};

}  // namespace berth::kube
