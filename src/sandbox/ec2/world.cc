#include "sandbox/ec2/world.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::sandbox {
namespace {

/// The n-th address of a /16: "18.213." and 258 give 18.213.1.2.
IpAddress nth(std::string_view first_two_octets, unsigned n) {
  return *IpAddress::parse(fmt::format("{}{}.{}", first_two_octets, (n >> 8U) & 0xffU, n & 0xffU));
}

}  // namespace

std::string_view to_string(InstanceState state) {
  switch (state) {
    case InstanceState::kPending:
      return "pending";
    case InstanceState::kRunning:
      return "running";
    case InstanceState::kShuttingDown:
      return "shutting-down";
    case InstanceState::kTerminated:
      return "terminated";
    case InstanceState::kStopping:
      return "stopping";
    case InstanceState::kStopped:
      return "stopped";
  }
  return "";
}

int state_code(InstanceState state) { return static_cast<int>(state) * 16; }

const Instance* Moment::instance_of(const Address& address) const {
  if (!address.association) {
    return nullptr;
  }
  const Interface* holder = interface(address.association->interface_id);
  return holder != nullptr && holder->attachment ? instance(holder->attachment->instance_id) : nullptr;
}

Ec2World::Ec2World(ports::Clock& clock, WorldOptions options)
    : clock_(clock), options_(std::move(options)), prng_(options_.seed) {}

Moment Ec2World::at(MonoTime time) {
  settle();
  return {options_, addresses_, interfaces_, instances_, std::max(time, now_ - kLedgerMemory)};
}

AllocationId Ec2World::allocate_seed_address(const SeedAddress& seed) {
  settle();
  return add_address(seed);
}

Outcome<AllocationId> Ec2World::allocate_address(const AllocateRequest& request) {
  settle();
  const std::string& region = options_.region;
  if (!request.border_group.empty() && request.border_group != region &&
      !request.border_group.starts_with(region + "-")) {
    return refuse(
        "InvalidParameterValue",
        fmt::format("Value ({}) for parameter networkBorderGroup is invalid.", request.border_group));
  }
  if (request.public_ip && (!request.public_ip->is_v4() || by_public_ip_.contains(*request.public_ip))) {
    return refuse("InvalidAddress.NotFound",
                  fmt::format("Address '{}' not found.", request.public_ip->to_string()));
  }
  if (options_.address_limit && by_public_ip_.size() >= *options_.address_limit) {
    return refuse("AddressLimitExceeded", usual_message("AddressLimitExceeded"));
  }
  return add_address(
      {.tags = request.tags, .public_ip = request.public_ip, .border_group = request.border_group});
}

AllocationId Ec2World::add_address(const SeedAddress& seed) {
  Address address;
  address.id = AllocationId(next_id("eipalloc-"));
  if (seed.public_ip) {
    CHECK(!by_public_ip_.contains(*seed.public_ip));
    address.public_ip = *seed.public_ip;
  } else {
    do {
      address.public_ip = nth("18.213.", ++last_public_);
    } while (by_public_ip_.contains(address.public_ip));
  }
  address.domain = seed.domain;
  address.border_group = seed.border_group.empty() ? options_.region : seed.border_group;
  address.service_managed = seed.service_managed;
  address.tags = seed.tags;
  by_public_ip_.emplace(address.public_ip, address.id);
  addresses_.put(address.id, address, now_);
  return address.id;
}

Outcome<> Ec2World::release_address(const AllocationId& id) {
  settle();
  const Address* address = addresses_.find(id);
  if (address == nullptr) {
    return refuse("InvalidAllocationID.NotFound",
                  fmt::format("The allocation ID '{}' does not exist", id.str()));
  }
  if (!address->service_managed.empty()) {
    return refuse("AuthFailure", "You do not have permission to access the specified resource.");
  }
  if (address->association) {
    return refuse("InvalidIPAddress.InUse",
                  fmt::format("Address {} is in use.", address->public_ip.to_string()));
  }
  by_public_ip_.erase(address->public_ip);
  addresses_.erase(id, now_);
  return {};
}

InterfaceId Ec2World::create_interface(const InstanceId& instance, const InterfaceSpec& spec) {
  Interface made;
  made.id = InterfaceId(next_id("eni-"));
  made.description = spec.description;
  made.mac = next_mac();
  made.type = spec.type;
  made.auto_public_ip = spec.auto_public_ip;
  const auto add = [&](const IpAddress& ip) {
    by_private_ip_.emplace(ip, made.id);
    made.private_addresses.push_back({ip, {}, {}});
  };
  add(spec.private_ip ? *spec.private_ip : next_private_ip());
  std::ranges::for_each(spec.secondary_ips, add);
  for (int i = 0; i < spec.secondary_count; ++i) {
    add(next_private_ip());
  }
  if (!instance.empty()) {
    made.attachment = Attachment{.id = next_id("eni-attach-"),
                                 .instance_id = instance,
                                 .device_index = spec.device_index,
                                 .network_card = spec.network_card,
                                 .delete_on_termination = spec.delete_on_termination,
                                 .since = clock_.wall_now()};
  }
  made.tags = spec.tags;
  interfaces_.put(made.id, made, now_);
  return made.id;
}

/// EC2's ids since 2016: a prefix and 17 hexadecimal digits, of which the first is 0.
std::string Ec2World::next_id(const char* prefix) { return fmt::format("{}0{:016x}", prefix, prng_.next()); }

std::string Ec2World::next_mac() {
  const std::uint64_t random = prng_.next();
  std::string mac = "0a";  // locally administered, as EC2's are
  for (unsigned byte = 0; byte < 5; ++byte) {
    mac += fmt::format(":{:02x}", (random >> (8 * byte)) & 0xffU);
  }
  return mac;
}

IpAddress Ec2World::next_private_ip() {
  IpAddress ip;
  do {
    ip = nth("10.0.", ++last_private_);
  } while (by_private_ip_.contains(ip));
  return ip;
}

}  // namespace berth::sandbox
