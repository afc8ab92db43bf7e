#pragma once
// Resources as EC2's replies show them, element by element as in AWS's service model.

#include <string>

#include "sandbox/ec2/world.h"
#include "sandbox/ec2/xml.h"

namespace berth::sandbox {

void write_address(Xml& out, const Moment& moment, const Address& address);
void write_instance(Xml& out, const Moment& moment, const Instance& instance);
void write_interface(Xml& out, const Moment& moment, const Interface& interface);
void write_state(Xml& out, std::string_view element, InstanceState state);

/// Why an instance is down; empty while it is not.
std::string state_reason_code(const Instance& instance);
std::string state_reason_message(const Instance& instance);

/// "ip-10-0-0-4.ec2.internal", "ec2-3-80-0-1.compute-1.amazonaws.com"; us-east-1 is named as it was before
/// there were regions.
std::string private_dns_name(const WorldOptions& options, const IpAddress& ip);
std::string public_dns_name(const WorldOptions& options, const IpAddress& ip);

/// The public address of a private one, whoever assigned it.
struct PublicSide {
  IpAddress ip;
  std::string owner;           // the account, or "amazon" for an auto-assigned one
  AllocationId allocation_id;  // empty for an auto-assigned one
  AssociationId association_id;
};
std::optional<PublicSide> public_side(const Moment& moment, const PrivateAddress& address);

/// "2026-01-01T00:00:00.000Z"
std::string ec2_time(WallTime time);

}  // namespace berth::sandbox
