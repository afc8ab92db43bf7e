#include "aws/error_table.h"

#include <set>

#include <gmock/gmock.h>

namespace berth::aws {
namespace {

using enum ErrorKind;
using Cause = ports::RefusalCause;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr std::optional<Cause> kUnknown = std::nullopt;

struct Expected {
  std::string_view code;  // as EC2 sends it
  ErrorKind kind;
  std::optional<Cause> refusal;
};

class ErrorTable : public testing::TestWithParam<Expected> {};

TEST_P(ErrorTable, maps_the_code_to_a_kind_and_a_cause) {
  const ErrorRow& row = error_row(GetParam().code, 400);
  EXPECT_EQ(row.kind, GetParam().kind) << GetParam().code;
  EXPECT_EQ(row.refusal, GetParam().refusal) << GetParam().code;
  EXPECT_FALSE(row.code.empty()) << GetParam().code << " was told by its status";
  EXPECT_FALSE(row.meaning.empty());
}

const Expected kExpected[] = {
    {"Resource.AlreadyAssociated", kAlreadyTaken, Cause::kAddressTaken},
    {"InvalidIPAddress.InUse", kAlreadyTaken, Cause::kAddressTaken},
    {"InvalidAllocationID.NotFound", kNotFound, Cause::kAddressGone},
    {"InvalidAddress.NotFound", kNotFound, Cause::kAddressGone},
    {"InvalidAddressID.NotFound", kNotFound, Cause::kAddressGone},
    {"InvalidAssociationID.NotFound", kNotFound, Cause::kAssociationGone},
    {"AddressLimitExceeded", kUnavailable, Cause::kUnavailable},
    {"InvalidNetworkInterfaceID.NotFound", kNotFound, Cause::kTargetGone},
    {"InvalidInstanceID.NotFound", kNotFound, Cause::kTargetGone},
    {"InvalidInstanceID", kConflict, Cause::kTargetNotReady},
    {"IncorrectInstanceState", kConflict, Cause::kTargetNotReady},
    {"InvalidInstanceState", kConflict, Cause::kTargetNotReady},
    {"IncorrectState", kConflict, Cause::kTargetNotReady},
    {"Gateway.NotAttached", kInvalid, Cause::kNoInternetGateway},
    {"UnauthorizedOperation", kUnauthorized, Cause::kDenied},
    {"OperationNotPermitted", kUnauthorized, Cause::kDenied},
    {"AccessDenied", kUnauthorized, Cause::kDenied},
    {"AccessDeniedException", kUnauthorized, Cause::kDenied},
    {"AuthFailure", kUnauthorized, Cause::kDenied},
    {"InvalidClientTokenId", kUnauthorized, Cause::kDenied},
    {"UnrecognizedClientException", kUnauthorized, Cause::kDenied},
    {"MissingAuthenticationToken", kUnauthorized, Cause::kDenied},
    {"IncompleteSignature", kUnauthorized, Cause::kDenied},
    {"SignatureDoesNotMatch", kUnauthorized, Cause::kDenied},
    {"RequestExpired", kUnauthorized, Cause::kDenied},
    {"ExpiredToken", kUnauthorized, Cause::kDenied},
    {"ExpiredTokenException", kUnauthorized, Cause::kDenied},
    {"OptInRequired", kUnauthorized, Cause::kDenied},
    {"PendingVerification", kUnauthorized, Cause::kDenied},
    {"Blocked", kUnauthorized, Cause::kDenied},
    {"RequestLimitExceeded", kThrottled, Cause::kThrottled},
    {"Throttling", kThrottled, Cause::kThrottled},
    {"ThrottlingException", kThrottled, Cause::kThrottled},
    {"Throttling.User", kThrottled, Cause::kThrottled},
    {"ThrottledException", kThrottled, Cause::kThrottled},
    {"RequestThrottled", kThrottled, Cause::kThrottled},
    {"RequestThrottledException", kThrottled, Cause::kThrottled},
    {"EC2ThrottledException", kThrottled, Cause::kThrottled},
    {"TooManyRequestsException", kThrottled, Cause::kThrottled},
    {"BandwidthLimitExceeded", kThrottled, Cause::kThrottled},
    {"SlowDown", kThrottled, Cause::kThrottled},
    {"InternalError", kUnavailable, kUnknown},
    {"InternalFailure", kUnavailable, kUnknown},
    {"Unavailable", kUnavailable, kUnknown},
    {"ServiceUnavailable", kUnavailable, kUnknown},
    {"DryRunOperation", kInvalid, Cause::kInvalid},
    {"InvalidPaginationToken", kExpired, Cause::kInvalid},
    {"InvalidNextToken", kExpired, Cause::kInvalid},
    {"InvalidParameter", kInvalid, Cause::kInvalid},
    {"InvalidParameterValue", kInvalid, Cause::kInvalid},
    {"InvalidParameterCombination", kInvalid, Cause::kInvalid},
    {"MissingParameter", kInvalid, Cause::kInvalid},
    {"UnknownParameter", kInvalid, Cause::kInvalid},
    {"ValidationError", kInvalid, Cause::kInvalid},
    {"InvalidAction", kInvalid, Cause::kInvalid},
    {"UnsupportedOperation", kInvalid, Cause::kInvalid},
};

INSTANTIATE_TEST_SUITE_P(Codes, ErrorTable, testing::ValuesIn(kExpected));

TEST(ErrorTableRows, every_row_is_expected_by_a_test_and_stands_once) {
  std::set<std::string_view> tested;
  for (const Expected& expected : kExpected) {
    tested.insert(error_row(expected.code, 400).code);
  }
  std::set<std::string_view> rows;
  for (const ErrorRow& row : error_rows()) {
    EXPECT_TRUE(rows.insert(row.code).second) << row.code << " stands twice";
    EXPECT_TRUE(tested.contains(row.code)) << row.code << " has no test";
  }
}

TEST(ErrorTableRows, a_code_with_a_suffix_is_not_the_code_without_it) {
  EXPECT_EQ(error_row("InvalidInstanceID.Malformed", 400).refusal, Cause::kInvalid);
  EXPECT_EQ(error_row("UnauthorizedOperationX", 400).refusal, Cause::kInvalid);
}

TEST(ErrorTableRows, R4_a_server_error_leaves_a_mutation_unknown_but_throttling_does_not) {
  EXPECT_EQ(error_row("", 500).refusal, kUnknown);
  EXPECT_EQ(error_row("", 503).refusal, kUnknown);
  EXPECT_EQ(error_row("SomethingNew", 502).refusal, kUnknown);
  EXPECT_EQ(error_row("RequestLimitExceeded", 503).refusal, Cause::kThrottled);
  EXPECT_EQ(error_row("", 429).refusal, Cause::kThrottled);
}

TEST(ErrorTableRows, an_unknown_code_is_told_by_its_status) {
  EXPECT_EQ(error_row("SomethingNew", 400).kind, kInvalid);
  EXPECT_EQ(error_row("SomethingNew", 403).kind, kUnauthorized);
  EXPECT_EQ(error_row("", 401).refusal, Cause::kDenied);
  EXPECT_EQ(error_row("SomethingNew", 500).kind, kUnavailable);
  EXPECT_EQ(error_row("", 302).kind, kInternal);
  EXPECT_EQ(error_row("", 302).refusal, kUnknown);
}

TEST(ReadableMessage, drops_the_encoded_authorization_failure_message) {
  const std::string message =
      "You are not authorized to perform this operation. User: "
      "arn:aws:sts::111122223333:assumed-role/berth/x is not "
      "authorized to perform: ec2:AssociateAddress. Encoded authorization failure message: " +
      std::string(1500, 'A');
  const std::string readable = readable_message(message);
  EXPECT_THAT(readable, HasSubstr("not authorized to perform: ec2:AssociateAddress"));
  EXPECT_THAT(readable, Not(HasSubstr("AAAA")));
  EXPECT_THAT(readable, EndsWith("ec2:AssociateAddress"));
}

TEST(ReadableMessage, is_bounded_and_never_cuts_a_character) {
  std::string message;
  for (int i = 0; i < 400; ++i) {
    message += "ü";
  }
  message.insert(0, "x");
  const std::string readable = readable_message(message);
  EXPECT_LT(readable.size(), 510U);
  EXPECT_THAT(readable, EndsWith("ü…"));
}

TEST(ReadableMessage, is_one_line_without_a_full_stop_at_its_end) {
  EXPECT_EQ(readable_message("one\ntwo. "), "one two");
  EXPECT_EQ(readable_message(""), "");
}

}  // namespace
}  // namespace berth::aws
