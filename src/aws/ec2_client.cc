#include "aws/ec2_client.h"

#include <charconv>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "aws/error_table.h"
#include "base/check.h"

namespace berth::aws {
namespace {

using Cause = ports::RefusalCause;

/// EC2's own upper bound for a page of DescribeInstances.
constexpr std::string_view kPageSize = "1000";
/// 200 instances are one page; EC2 may cut pages shorter, but not into more than one each.
constexpr std::size_t kMaxPages = Ec2Client::kMaxFilterValues + 1;

/// The peer's words stay, the operation becomes EC2's.
Error rename(const std::string& action, Error error) {
  error.detail = error.message();
  error.operation = action;
  error.code.clear();
  return error;
}

/// Without credentials nothing is sent.
CallFailure unsigned_failure(const std::string& action, Error error) {
  const bool for_a_person = error.kind == ErrorKind::kUnauthorized || error.kind == ErrorKind::kInvalid;
  return {rename(action, std::move(error)), for_a_person ? Cause::kDenied : Cause::kUnavailable};
}

/// The port says which failures leave the request undelivered; all others may come after EC2's work was done.
CallFailure transport_failure(const std::string& action, Error error) {
  std::optional<Cause> refusal;
  if (error.kind == ErrorKind::kUnavailable) {
    refusal = Cause::kUnavailable;
  } else if (error.kind == ErrorKind::kInvalid) {
    refusal = Cause::kInvalid;
  }
  return {rename(action, std::move(error)), refusal};
}

/// Seconds; the other form of the header, a date, is not used by AWS.
std::optional<Duration> retry_after(const ports::HttpHeaders& headers) {
  const std::string_view text = headers.find("Retry-After").value_or("");
  unsigned seconds = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return std::chrono::seconds(seconds);
}

CallFailure reply_failure(const std::string& action, ports::HttpReply reply, const Logger& log) {
  const std::optional<ErrorReply> said = decode_error(std::move(reply.body));
  const ErrorRow& row = error_row(said ? said->code : "", reply.status);
  std::string what = said ? readable_message(said->message)
                          : fmt::format("HTTP status {} without an error of EC2's in it", reply.status);
  if (what.empty()) {
    what = fmt::format("HTTP status {} without a message", reply.status);
  }
  if (said) {
    // For AWS Support. Not part of the error: it differs each time, and what shows the error would be written
    // anew for it.
    log.debug("EC2 answered with an error", {{"action", action},
                                             {"code", said->code},
                                             {"status", std::to_string(reply.status)},
                                             {"request_id", said->request_id}});
  }
  return {Error{.kind = row.kind,
                .operation = action,
                .detail = fmt::format("{}: {}", what, row.meaning),
                .code = said ? said->code : "",
                .retry_after = retry_after(reply.headers)},
          row.refusal};
}

Error endless_pages(std::string detail) {
  return Error{.kind = ErrorKind::kInternal, .operation = "DescribeInstances", .detail = std::move(detail)};
}

}  // namespace

Ec2Client::Ec2Client(ports::HttpClient& http, CredentialsProvider& credentials, Ec2Endpoint endpoint)
    : http_(http), credentials_(credentials), endpoint_(std::move(endpoint)) {}

ports::Task<Called<std::string>> Ec2Client::send(Query query, ports::CallLimits limits) {
  Result<Credentials> credentials = co_await credentials_.fetch(limits);
  if (!credentials) {
    co_return tl::unexpected(unsigned_failure(query.action(), std::move(credentials).error()));
  }
  ports::HttpRequest request{
      .method = "POST",
      .target = endpoint_.url,
      .headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
      .body = query.body(),
      .sign = ports::AwsSigning{.access_key_id = std::move(credentials->access_key_id),
                                .secret_access_key = std::move(credentials->secret_access_key),
                                .session_token = std::move(credentials->session_token),
                                .region = endpoint_.region,
                                .service = "ec2"},
  };
  Result<ports::HttpReply> reply = co_await http_.fetch(std::move(request), std::move(limits));
  if (!reply) {
    co_return tl::unexpected(transport_failure(query.action(), std::move(reply).error()));
  }
  if (reply->status != 200) {
    co_return tl::unexpected(reply_failure(query.action(), *std::move(reply), log_));
  }
  co_return std::move(reply->body);
}

ports::Task<Result<std::vector<AddressItem>>> Ec2Client::describe_addresses(ports::CallLimits limits) {
  Called<std::string> body = co_await send(Query("DescribeAddresses"), std::move(limits));
  if (!body) {
    co_return std::move(body.error().error);
  }
  co_return decode_describe_addresses(*std::move(body));
}

ports::Task<Result<std::vector<InstanceItem>>> Ec2Client::describe_instances(std::vector<std::string> ids,
                                                                             ports::CallLimits limits) {
  CHECK(ids.size() <= kMaxFilterValues);
  std::vector<InstanceItem> instances;
  std::set<std::string> tokens;
  std::string token;
  // Without a value the filter would be none, and the call a listing of everything.
  bool more = !ids.empty();
  while (more) {
    Query query("DescribeInstances");
    // Filter and page size: EC2 refuses a page size together with InstanceId.
    query.filter("instance-id", ids).set("MaxResults", kPageSize);
    if (!token.empty()) {
      query.set("NextToken", token);
    }
    Called<std::string> body = co_await send(std::move(query), limits);
    if (!body) {
      co_return std::move(body.error().error);
    }
    Result<InstancesPage> page = decode_describe_instances(*std::move(body));
    if (!page) {
      co_return std::move(page).error();
    }
    std::move(page->instances.begin(), page->instances.end(), std::back_inserter(instances));
    token = std::move(page->next_token);
    more = !token.empty();
    if (more && !tokens.insert(token).second) {
      co_return endless_pages("a page names one that was read before as its next");
    }
    if (tokens.size() >= kMaxPages) {
      co_return endless_pages(fmt::format("{} pages for {} ids, and more to come", kMaxPages, ids.size()));
    }
  }
  co_return instances;
}

ports::Task<Called<std::string>> Ec2Client::associate_address(AssociateAddressRequest request,
                                                              ports::CallLimits limits) {
  Query query("AssociateAddress");
  query.set("AllocationId", request.allocation_id)
      .set("NetworkInterfaceId", request.network_interface_id)
      .set("PrivateIpAddress", request.private_ip_address)
      .set("AllowReassociation", "false");
  Called<std::string> body = co_await send(std::move(query), std::move(limits));
  if (!body) {
    co_return body;
  }
  Result<std::string> association = decode_associate_address(*std::move(body));
  if (!association) {
    co_return tl::unexpected(CallFailure{std::move(association).error(), std::nullopt});
  }
  co_return *std::move(association);
}

ports::Task<Called<void>> Ec2Client::disassociate_address(std::string association_id,
                                                          ports::CallLimits limits) {
  Query query("DisassociateAddress");
  query.set("AssociationId", association_id);
  Called<std::string> body = co_await send(std::move(query), std::move(limits));
  if (!body) {
    co_return tl::unexpected(std::move(body).error());
  }
  Result<void> done = decode_disassociate_address(*std::move(body));
  if (!done) {
    co_return tl::unexpected(CallFailure{std::move(done).error(), std::nullopt});
  }
  co_return Called<void>();
}

}  // namespace berth::aws
