#pragma once
// The instance metadata service, version 2 only: every read carries a session token. Version 1 is never
// tried; it lets whoever can make a process fetch a URL read the instance's credentials.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html

#include <string>

#include "base/result.h"
#include "ports/clock.h"
#include "ports/http.h"
#include "ports/instance_metadata.h"
#include "ports/task.h"

namespace berth::aws {

class Imds final : public ports::InstanceMetadata {
 public:
  /// `endpoint` as imds_endpoint() gives it. `http` and `clock` outlive it.
  Imds(ports::HttpClient& http, ports::Clock& clock, std::string endpoint);

  /// kUnavailable and kTimeout where the service cannot be reached or is switched off, kNotFound where it has
  /// no such value, kInternal where a value is not what it must be.
  ports::Task<Result<ports::InstanceFacts>> fetch(ports::CallLimits limits) override;

 private:
  /// One value under /latest/meta-data/. Renews the token once where the service no longer takes it.
  ports::Task<Result<std::string>> fetch_value(std::string path, ports::CallLimits limits);
  ports::Task<Result<ports::HttpReply>> send_get(std::string path, ports::CallLimits limits);
  ports::Task<Result<void>> renew_token(ports::CallLimits limits);

  ports::HttpClient& http_;
  ports::Clock& clock_;
  std::string endpoint_;
  std::string token_;          // empty: none
  MonoTime token_good_until_;  // with a margin
};

}  // namespace berth::aws
