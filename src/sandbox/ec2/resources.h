#pragma once
// What a region of the sandbox's EC2 holds, as plain values. Who is associated with whom is said once: the
// address names its interface and private address, and the private address names only the allocation.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.h"
#include "base/time.h"
#include "sandbox/ec2/ids.h"

namespace berth::sandbox {

using Tags = std::map<std::string, std::string>;

struct Association {
  AssociationId id;
  InterfaceId interface_id;
  IpAddress private_ip;
};

/// An Elastic IP.
struct Address {
  AllocationId id;
  IpAddress public_ip;
  std::string domain = "vpc";
  std::string border_group;     // "us-east-1"
  std::string service_managed;  // "alb", "nlb", "rnat", "rds"; empty: nobody but its owner manages it
  Tags tags;
  std::optional<Association> association;
};

struct PrivateAddress {
  IpAddress ip;
  AllocationId allocation_id;        // empty: no Elastic IP
  std::optional<IpAddress> auto_ip;  // the auto-assigned public IP; never beside an Elastic IP
};

struct Attachment {
  std::string id;  // "eni-attach-…"
  InstanceId instance_id;
  int device_index = 0;
  int network_card = 0;
  bool delete_on_termination = true;
  WallTime since{};
};

struct Interface {
  InterfaceId id;
  std::string description;
  std::string mac;
  std::string type = "interface";
  bool auto_public_ip = false;                    // whether it is given a public IP when it has none
  std::vector<PrivateAddress> private_addresses;  // the first is the primary one
  std::optional<Attachment> attachment;
  Tags tags;
};

enum class InstanceState : std::uint8_t {
  kPending,
  kRunning,
  kShuttingDown,
  kTerminated,
  kStopping,
  kStopped
};

std::string_view to_string(InstanceState state);  // "shutting-down"
int state_code(InstanceState state);              // 32

struct Instance {
  InstanceId id;
  std::string reservation_id;
  InstanceState state = InstanceState::kPending;
  std::optional<MonoTime> state_ends;  // when the next state follows by itself
  std::string reason;                  // "User initiated (2026-01-01 00:00:00 GMT)" after a stop
  std::string image_id;
  std::string type;
  std::string key_name;
  std::string client_token;
  int launch_index = 0;
  WallTime launched{};
  std::vector<InterfaceId> interfaces;  // in order of network card and device index
  Tags tags;
};

/// One interface that a launch asks for.
struct InterfaceSpec {
  int device_index = 0;
  int network_card = 0;
  std::optional<IpAddress> private_ip;   // none: the next free one
  std::vector<IpAddress> secondary_ips;  // these
  int secondary_count = 0;               // and so many more
  bool auto_public_ip = false;
  bool delete_on_termination = true;
  std::string description;
  std::string type = "interface";
  Tags tags;

  friend bool operator==(const InterfaceSpec&, const InterfaceSpec&) = default;
};

/// What RunInstances, or whoever composes a sandbox, asks for.
struct Launch {
  std::string image_id = "ami-0abcdef1234567890";
  std::string instance_type = "m5.large";
  std::string key_name;
  std::string client_token;
  int count = 1;
  std::vector<InterfaceSpec> interfaces = {InterfaceSpec{.auto_public_ip = true}};
  Tags tags;

  friend bool operator==(const Launch&, const Launch&) = default;
};

/// What an address that a test or a sandbox starts with is like, beyond its tags.
struct SeedAddress {
  Tags tags;
  std::optional<IpAddress> public_ip;  // none: the next free one
  std::string border_group;            // empty: the region's
  std::string service_managed;
  std::string domain = "vpc";
};

struct StateChange {
  InstanceId instance_id;
  InstanceState previous;
  InstanceState current;
};

}  // namespace berth::sandbox
