#pragma once
// The instance metadata service (IMDSv2) of one instance of the sandbox's world, as a process on that
// instance sees it. Version 1 (without a token) is refused, as on instances with HttpTokens=required.
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html

#include <map>
#include <string>
#include <string_view>

#include "base/prng.h"
#include "ports/clock.h"
#include "ports/http.h"
#include "sandbox/ec2/world.h"
#include "sandbox/faults.h"

namespace berth::sandbox {

class ImdsServer final : public ports::HttpHandler {
 public:
  /// The references must outlive the server.
  ImdsServer(ports::Clock& clock, Faults& faults, Ec2World& world, InstanceId instance);

  /// Faults and counts go by the action "imds"; the error of a fault is an HTTP status ("503").
  ports::Task<void> handle(ports::HttpRequest request, ports::HttpResponder& responder) override;

 private:
  ports::HttpReply answer(const ports::HttpRequest& request, Duration stale);
  ports::HttpReply issue_token(const ports::HttpRequest& request);
  bool is_authorized(const ports::HttpRequest& request);

  ports::Clock& clock_;
  Faults& faults_;
  Ec2World& world_;
  InstanceId instance_;
  Prng prng_;
  std::map<std::string, MonoTime, std::less<>> tokens_;  // until when each is good
};

/// All documents of an instance by path ("latest/meta-data/instance-id").
std::map<std::string, std::string> metadata_documents(const Moment& moment, const Instance& instance);

}  // namespace berth::sandbox
