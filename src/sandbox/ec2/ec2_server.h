#pragma once
// EC2's Query API over a world: authentication, faults, the protocol's envelope. What an action does is in
// actions.h, the rules of the world in world.h. Written from AWS's own description of the protocol, never
// from our client: it is there to disagree with it.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/prng.h"
#include "ports/clock.h"
#include "ports/http.h"
#include "sandbox/ec2/actions.h"
#include "sandbox/ec2/sigv4.h"
#include "sandbox/ec2/world.h"
#include "sandbox/faults.h"

namespace berth::sandbox {

class Ec2Server final : public ports::HttpHandler {
 public:
  /// The references must outlive the server.
  Ec2Server(ports::Clock& clock, Faults& faults, Ec2World& world, std::vector<AwsCredentials> known);
  ~Ec2Server() override;

  ports::Task<void> handle(ports::HttpRequest request, ports::HttpResponder& responder) override;

 private:
  struct Accepted {
    const Action* action;
    Query query;
  };
  struct Finished {
    ports::HttpReply reply;
    std::string result;  // "ok", or the error's code
  };

  Outcome<Accepted> accept(const ports::HttpRequest& request);
  Finished run(const Accepted& accepted, const Suffered& suffered);
  Finished refused(const Ec2Error& error);
  /// For a caller that gave up: the call that it sent still arrives.
  void run_later(MonoTime at, Accepted accepted, Suffered suffered);
  std::string next_request_id();

  ports::Clock& clock_;
  Faults& faults_;
  Ec2World& world_;
  std::vector<AwsCredentials> known_;
  Prng prng_;
  std::set<ports::Clock::TimerId> late_;
};

}  // namespace berth::sandbox
