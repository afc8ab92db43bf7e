#pragma once
// The sandbox's own door, plain JSON over HTTP: a person or a test asks for faults there and reads the
// counts.
//
//   PUT    /faults/ACTION   {"error": CODE, "count": n, "delay_ms": d, "stale_ms": s, "lost_reply": true,
//                            "bucket": {"burst": b, "rate": r}}, any of them    -> 204
//   GET    /faults          what is in force, by action                         -> 200
//   DELETE /faults          DELETE /faults/ACTION                               -> 204
//   GET    /calls           {"AssociateAddress": {"ok": 3}}                     -> 200
//   DELETE /calls           counts from zero                                    -> 204
//
// ACTION is an EC2 action, "imds", or VERB:RESOURCE of the Kubernetes side ("event:RESOURCE" is one event of
// a watch), percent-encoded or not. What is wrong is answered with 400 and {"error": "…"}.

#include <string>
#include <string_view>

#include "ports/clock.h"
#include "ports/http.h"
#include "sandbox/faults.h"

namespace berth::sandbox {

class ControlServer final : public ports::HttpHandler {
 public:
  /// The references must outlive the server.
  ControlServer(ports::Clock& clock, Faults& faults) : clock_(clock), faults_(faults) {}

  ports::Task<void> handle(ports::HttpRequest request, ports::HttpResponder& responder) override;

 private:
  ports::HttpReply answer(const ports::HttpRequest& request);
  ports::HttpReply put_fault(const std::string& action, std::string_view body);

  ports::Clock& clock_;
  Faults& faults_;
};

}  // namespace berth::sandbox
