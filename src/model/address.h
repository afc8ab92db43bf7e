#pragma once
// A static public address and where it is associated, as one reading of the cloud showed it.

#include <optional>
#include <string>
#include <vector>

#include "base/ip_address.h"
#include "base/time.h"
#include "model/ids.h"
#include "model/tag_map.h"

namespace berth::model {

/// A private address of an interface: what an address is associated with.
struct Target {
  InterfaceId interface;
  IpAddress private_ip;

  friend auto operator<=>(const Target&, const Target&) = default;
};

struct Association {
  AssociationId id;  // empty where the cloud has not told it
  Target target;
  InstanceId instance;     // empty where the interface is on none, or where the cloud does not say
  std::string owner = {};  // account of the interface's owner

  friend bool operator==(const Association&, const Association&) = default;
};

struct Address {
  AllocationId id;
  IpAddress ip;
  TagMap tags;
  bool in_vpc = true;                     // EC2: domain "vpc"
  std::string network_border_group = {};  // empty: the region's
  std::string service_managed = {};       // the service that manages it (alb, nlb, rnat, …); empty: nobody's
  std::optional<Association> association;

  friend bool operator==(const Address&, const Address&) = default;
};

/// One reading of all addresses. It says how the world was at some moment not before `started`.
struct Snapshot {
  MonoTime started;
  std::vector<Address> addresses;  // ordered by ip
};

}  // namespace berth::model
