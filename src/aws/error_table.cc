#include "aws/error_table.h"

#include <algorithm>
#include <array>

namespace berth::aws {
namespace {

using enum ErrorKind;
using Cause = ports::RefusalCause;

constexpr std::optional<Cause> kUnknown = std::nullopt;

constexpr std::string_view kBlobMark = "Encoded authorization failure message";
constexpr std::size_t kLongestMessage = 500;

constexpr auto kRows = std::to_array<ErrorRow>({
    // The address.
    {"Resource.AlreadyAssociated", kAlreadyTaken, Cause::kAddressTaken,
     "the address is associated elsewhere"},
    {"InvalidIPAddress.InUse", kAlreadyTaken, Cause::kAddressTaken, "the address is in use elsewhere"},
    {"InvalidAllocationID.NotFound", kNotFound, Cause::kAddressGone,
     "the address was released, or belongs to another account or region"},
    {"InvalidAddress.NotFound", kNotFound, Cause::kAddressGone,
     "the address was released, or belongs to another account or region"},
    {"InvalidAddressID.NotFound", kNotFound, Cause::kAddressGone,
     "the address was released, or belongs to another account or region"},
    {"InvalidAssociationID.NotFound", kNotFound, Cause::kAssociationGone,
     "the association has ended; an association's id dies with every move"},
    {"AddressLimitExceeded", kUnavailable, Cause::kUnavailable,
     "the account may not have more addresses in this region; raise its quota or release some"},

    // The target. Gone and not yet visible look alike: EC2's reads lag behind its writes.
    // https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
    {"InvalidNetworkInterfaceID.NotFound", kNotFound, Cause::kTargetGone,
     "the interface is gone, or not visible yet"},
    {"InvalidInstanceID.NotFound", kNotFound, Cause::kTargetGone, "the instance is gone, or not visible yet"},
    {"InvalidInstanceID", kConflict, Cause::kTargetNotReady,
     "the instance is in a state in which no address can be associated"},
    {"IncorrectInstanceState", kConflict, Cause::kTargetNotReady,
     "the instance is in a state in which no address can be associated"},
    {"InvalidInstanceState", kConflict, Cause::kTargetNotReady,
     "the instance is in a state in which no address can be associated"},
    {"IncorrectState", kConflict, Cause::kTargetNotReady,
     "the interface or instance is in the middle of a change"},
    {"Gateway.NotAttached", kInvalid, Cause::kNoInternetGateway,
     "the VPC has no internet gateway; attach one, and route the subnet to it"},

    // Who asks.
    {"UnauthorizedOperation", kUnauthorized, Cause::kDenied,
     "allow the operation in the IAM policy of the operator's identity, and look for a service control "
     "policy that "
     "denies it"},
    {"OperationNotPermitted", kUnauthorized, Cause::kDenied,
     "a policy, or the service that manages the resource, does not allow it"},
    {"AccessDenied*", kUnauthorized, Cause::kDenied,
     "allow the operation in the IAM policy of the operator's identity"},
    {"AuthFailure", kUnauthorized, Cause::kDenied,
     "the credentials are wrong, or the address or interface belongs to another account"},
    {"InvalidClientTokenId", kUnauthorized, Cause::kDenied,
     "AWS does not know the access key; it is wrong, deleted, or of another partition"},
    {"UnrecognizedClientException", kUnauthorized, Cause::kDenied,
     "AWS does not know the access key; it is wrong, deleted, or of another partition"},
    {"MissingAuthenticationToken", kUnauthorized, Cause::kDenied, "the request was not signed"},
    {"IncompleteSignature", kUnauthorized, Cause::kDenied, "the request was not signed as AWS asks for"},
    {"SignatureDoesNotMatch", kUnauthorized, Cause::kDenied,
     "the secret access key does not belong to the access key id, or a proxy changes requests on their way"},
    {"RequestExpired", kUnauthorized, Cause::kDenied,
     "the temporary credentials have expired, or this machine's clock is wrong by more than five minutes"},
    {"ExpiredToken*", kUnauthorized, Cause::kDenied, "the temporary credentials have expired; renew them"},
    {"OptInRequired", kUnauthorized, Cause::kDenied,
     "the account has not opted in to the region or the service; enable it in the account's settings"},
    {"PendingVerification", kUnauthorized, Cause::kDenied,
     "AWS is still verifying the account; wait, or ask AWS Support"},
    {"Blocked", kUnauthorized, Cause::kDenied, "AWS has blocked the account; ask AWS Support"},

    // Too many calls: refused before anything is done.
    // https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
    {"RequestLimitExceeded", kThrottled, Cause::kThrottled,
     "the account has used up its calls of this kind in this region; the limits are in Service Quotas"},
    {"Throttling*", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},
    {"ThrottledException", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},
    {"RequestThrottled*", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},
    {"EC2ThrottledException", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},
    {"TooManyRequestsException", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},
    {"BandwidthLimitExceeded", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},
    {"SlowDown", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"},

    // The server. It may have failed after the work was done, so a mutation's outcome is unknown.
    {"InternalError", kUnavailable, kUnknown, "EC2 failed while it worked on the request"},
    {"InternalFailure", kUnavailable, kUnknown, "EC2 failed while it worked on the request"},
    {"Unavailable", kUnavailable, kUnknown, "EC2 is overloaded"},
    {"ServiceUnavailable", kUnavailable, kUnknown, "EC2 is not available at the moment"},

    // The request.
    {"DryRunOperation", kInvalid, Cause::kInvalid,
     "the permissions are sufficient; nothing was done, because only a check was asked for"},
    {"InvalidPaginationToken", kExpired, Cause::kInvalid, "the list changed while it was read; start over"},
    {"InvalidNextToken", kExpired, Cause::kInvalid, "the list changed while it was read; start over"},
    {"InvalidParameter*", kInvalid, Cause::kInvalid, "EC2 does not accept a value of the request"},
    {"MissingParameter", kInvalid, Cause::kInvalid, "EC2 misses a value in the request"},
    {"UnknownParameter", kInvalid, Cause::kInvalid, "EC2 does not know a value of the request"},
    {"ValidationError", kInvalid, Cause::kInvalid, "EC2 does not accept a value of the request"},
    {"InvalidAction", kInvalid, Cause::kInvalid,
     "the endpoint does not know the operation; check that AWS_ENDPOINT_URL_EC2 or AWS_ENDPOINT_URL is an "
     "EC2 endpoint"},
    {"UnsupportedOperation", kInvalid, Cause::kInvalid, "EC2 does not do this with this resource"},
});

/// For a reply without a code that a row has. A status that says "refused" is believed; anything else may
/// come from a proxy in between, after the work was done.
constexpr ErrorRow kStatusThrottled{"", kThrottled, Cause::kThrottled, "AWS asks for fewer calls"};
constexpr ErrorRow kStatusDenied{"", kUnauthorized, Cause::kDenied,
                                 "the request was refused for who sent it"};
constexpr ErrorRow kStatusRefused{"", kInvalid, Cause::kInvalid, "the request was refused"};
constexpr ErrorRow kStatusServer{"", kUnavailable, kUnknown, "the server failed"};
constexpr ErrorRow kStatusOther{
    "", kInternal, kUnknown,
    "no such reply was expected; check that AWS_ENDPOINT_URL_EC2 or AWS_ENDPOINT_URL is an EC2 endpoint"};

/// How many characters of `code` the row stands for; 0 where it does not stand for it. An exact row counts
/// one more than a prefix of equal length.
std::size_t match_length(const ErrorRow& row, std::string_view code) {
  if (!row.code.ends_with('*')) {
    return row.code == code ? code.size() + 1 : 0;
  }
  const std::string_view prefix = row.code.substr(0, row.code.size() - 1);
  return code.starts_with(prefix) ? prefix.size() : 0;
}

const ErrorRow& status_row(int status) {
  if (status == 429) {
    return kStatusThrottled;
  }
  if (status == 401 || status == 403) {
    return kStatusDenied;
  }
  if (status >= 400 && status < 500) {
    return kStatusRefused;
  }
  return status >= 500 ? kStatusServer : kStatusOther;
}

}  // namespace

std::span<const ErrorRow> error_rows() { return kRows; }

const ErrorRow& error_row(std::string_view code, int http_status) {
  const auto& best =
      *std::ranges::max_element(kRows, {}, [code](const ErrorRow& row) { return match_length(row, code); });
  return match_length(best, code) > 0 ? best : status_row(http_status);
}

std::string readable_message(std::string_view message) {
  message = message.substr(0, message.find(kBlobMark));
  bool cut = false;
  if (message.size() > kLongestMessage) {
    // Not in the middle of a UTF-8 character: those go on with bytes 10xxxxxx.
    std::size_t end = kLongestMessage;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    message = message.substr(0, end);
    cut = true;
  }
  std::string text;
  for (const char c : message) {
    text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  while (text.ends_with(' ') || text.ends_with('.')) {
    text.pop_back();
  }
  return cut ? text + "…" : text;
}

}  // namespace berth::aws
