#pragma once
// EC2's calls as EC2 words them: one method an action, over HTTP, signed. It knows the protocol, paging and
// what a failure means; it decides nothing and repeats nothing.

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "aws/credentials.h"
#include "aws/endpoint.h"
#include "aws/query.h"
#include "aws/reply.h"
#include "base/log.h"
#include "base/result.h"
#include "ports/cloud.h"
#include "ports/http.h"
#include "ports/task.h"

namespace berth::aws {

/// Why a call failed. `refusal` is there only where EC2 certainly did nothing; without it a mutating call may
/// have had its effect.
struct CallFailure {
  Error error;
  std::optional<ports::RefusalCause> refusal;
};

/// What a mutating call gives.
template <class T>
using Called = tl::expected<T, CallFailure>;

struct AssociateAddressRequest {
  std::string allocation_id;
  std::string network_interface_id;
  std::string private_ip_address;
};

class Ec2Client {
 public:
  /// EC2 takes this many values in one filter.
  /// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html
  static constexpr std::size_t kMaxFilterValues = 200;

  /// `http` and `credentials` outlive it.
  Ec2Client(ports::HttpClient& http, CredentialsProvider& credentials, Ec2Endpoint endpoint);

  /// All of the account and region, in one call: EC2 does not page this list.
  ports::Task<Result<std::vector<AddressItem>>> describe_addresses(ports::CallLimits limits);

  /// The instances of these ids (at most kMaxFilterValues; none gives none), as a filter: ids that EC2 does
  /// not know are just absent from the answer, where naming them as InstanceId would fail the call for all.
  /// Follows pages; kInternal where they do not end.
  ports::Task<Result<std::vector<InstanceItem>>> describe_instances(std::vector<std::string> ids,
                                                                    ports::CallLimits limits);

  /// The association's id. With AllowReassociation=false: EC2's default would take the address from its
  /// holder.
  ports::Task<Called<std::string>> associate_address(AssociateAddressRequest request,
                                                     ports::CallLimits limits);

  ports::Task<Called<void>> disassociate_address(std::string association_id, ports::CallLimits limits);

  const std::string& region() const { return endpoint_.region; }

 private:
  /// The body of a successful reply. Every call goes through here.
  ports::Task<Called<std::string>> send(Query query, ports::CallLimits limits);

  ports::HttpClient& http_;
  CredentialsProvider& credentials_;
  Ec2Endpoint endpoint_;
  Logger log_{"ec2"};
};

}  // namespace berth::aws
