#pragma once
// EC2 as a cloud: turns EC2's items into the model's values and EC2's failures into outcomes. What the calls
// look like is ec2_client.h's affair.
//
// Associations are taken from DescribeAddresses alone. DescribeInstances shows public IPs too, but also those
// that EC2 assigns by itself, which are never a static IP.

#include <set>
#include <string>
#include <vector>

#include "aws/ec2_client.h"
#include "base/log.h"
#include "ports/cloud.h"

namespace berth::aws {

class Ec2Cloud final : public ports::Cloud {
 public:
  /// `http` and `credentials` outlive it.
  Ec2Cloud(ports::HttpClient& http, CredentialsProvider& credentials, Ec2Endpoint endpoint)
      : client_(http, credentials, std::move(endpoint)) {}

  /// Ordered by ip. An entry that no target could use (a carrier's or customer's address, a text that is no
  /// address) is logged once and left out.
  ports::Task<Result<std::vector<model::Address>>> list_addresses(ports::CallLimits limits) override;

  /// Ids that have not the shape of an instance's id are not asked for.
  ports::Task<Result<std::vector<model::Instance>>> list_instances(std::vector<model::InstanceId> ids,
                                                                   ports::CallLimits limits) override;
  std::size_t max_instances_per_list() const override { return Ec2Client::kMaxFilterValues; }

  ports::Task<ports::AssociateOutcome> associate(model::AllocationId address, model::Target target,
                                                 ports::CallLimits limits) override;
  ports::Task<ports::DisassociateOutcome> disassociate(model::AssociationId association,
                                                       ports::CallLimits limits) override;

 private:
  /// One warning for each that was not left out of the listing before.
  void report(std::set<std::string> left_out);

  Ec2Client client_;
  std::set<std::string> left_out_;  // of the newest listing of addresses, as sentences
  Logger log_{"aws"};
};

}  // namespace berth::aws
