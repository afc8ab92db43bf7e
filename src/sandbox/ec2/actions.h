#pragma once
// The actions of this EC2, by name: which parameters each knows, and what it does. Names of parameters and
// reply elements are those of AWS's own service model (botocore's data/ec2/2016-11-15/service-2.json). An
// action decodes, asks the world and writes; authentication, faults and transport are the server's.

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/ec2/query.h"
#include "sandbox/ec2/world.h"
#include "sandbox/ec2/xml.h"

namespace berth::sandbox {

struct Call {
  Ec2World& world;
  const Query& query;
  Moment moment;  // what a describe shows: now, or some time ago
  Xml& out;
};

struct Action {
  std::string_view name;
  std::string_view required;  // words; MissingParameter without any of them
  std::string parameters;     // as Query::first_unknown takes them; Action, Version and DryRun go anyway
  Outcome<> (*run)(Call& call);
};

/// Nullptr where there is no such action.
const Action* find_action(std::string_view name);
std::vector<std::string_view> ec2_action_names();

/// UnknownParameter, MissingParameter, NoSuchVersion, and DryRunOperation where the call asks for that.
Outcome<> check_parameters(const Action& action, const Query& query);

Outcome<> allocate_address(Call& call);
Outcome<> release_address(Call& call);
Outcome<> associate_address(Call& call);
Outcome<> disassociate_address(Call& call);
Outcome<> describe_addresses(Call& call);

Outcome<> run_instances(Call& call);
Outcome<> start_instances(Call& call);
Outcome<> stop_instances(Call& call);
Outcome<> terminate_instances(Call& call);
Outcome<> describe_instances(Call& call);
Outcome<> describe_network_interfaces(Call& call);

Outcome<> create_tags(Call& call);
Outcome<> delete_tags(Call& call);
Outcome<> describe_tags(Call& call);
Outcome<> describe_regions(Call& call);

/// The tags that TagSpecification.N gives to one type of resource ("elastic-ip").
Outcome<Tags> tag_specification(const Query& query, std::string_view resource_type,
                                const std::vector<std::string_view>& allowed_types);
/// Absent is nothing; anything but an address is InvalidParameterValue.
Outcome<std::optional<IpAddress>> get_ip(const Query& query, std::string_view name);

}  // namespace berth::sandbox
