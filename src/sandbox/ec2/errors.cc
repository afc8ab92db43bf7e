#include "sandbox/ec2/errors.h"

#include <array>

namespace berth::sandbox {
namespace {

struct Known {
  std::string_view code;
  int status;
  std::string_view message;
};

constexpr std::array kKnown{
    Known{"AuthFailure", 401, "AWS was not able to validate the provided access credentials"},
    Known{"MissingAuthenticationToken", 403, "Request is missing Authentication Token"},
    Known{"InvalidClientTokenId", 403, "The security token included in the request is invalid."},
    Known{"SignatureDoesNotMatch", 403,
          "The request signature we calculated does not match the signature you provided. Check your AWS "
          "Secret "
          "Access Key and signing method. Consult the service documentation for details."},
    Known{"UnauthorizedOperation", 403, "You are not authorized to perform this operation."},
    Known{"OptInRequired", 403, "You are not subscribed to this service."},
    Known{"Blocked", 403, "This account is currently blocked."},
    Known{"PendingVerification", 403, "Your account is pending verification."},
    Known{"DryRunOperation", 412, "Request would have succeeded, but DryRun flag is set."},
    Known{"OperationNotPermitted", 400, "The operation is not permitted."},
    Known{"RequestLimitExceeded", 503, "Request limit exceeded."},
    Known{"Throttling", 400, "Rate exceeded"},
    Known{"ThrottlingException", 400, "Rate exceeded"},
    Known{"RequestExpired", 400, "Request has expired."},
    Known{"AddressLimitExceeded", 400, "The maximum number of addresses has been reached."},
    Known{"InternalError", 500, "An internal error has occurred"},
    Known{"InternalFailure", 500, "The request processing has failed due to some unknown error."},
    Known{"InsufficientInstanceCapacity", 500, "We currently do not have sufficient capacity."},
    Known{"Unavailable", 503, "The service is unavailable. Please try again shortly."},
    Known{"ServiceUnavailable", 503, "The request has failed due to a temporary failure of the server."},
};

const Known* find(std::string_view code) {
  for (const Known& known : kKnown) {
    if (known.code == code) {
      return &known;
    }
  }
  return nullptr;
}

}  // namespace

tl::unexpected<Ec2Error> refuse(std::string code, std::string message) {
  return tl::unexpected<Ec2Error>(Ec2Error{std::move(code), std::move(message)});
}

int http_status(std::string_view code) {
  const Known* known = find(code);
  return known != nullptr ? known->status : 400;
}

std::string usual_message(std::string_view code) {
  const Known* known = find(code);
  return std::string(known != nullptr ? known->message : "A fault of the sandbox asks for this error.");
}

}  // namespace berth::sandbox
