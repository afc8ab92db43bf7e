#pragma once
// Ec2World: a region of EC2, its state and its rules, and nothing of HTTP. It also remembers the last
// minutes, so that a describe can be answered with what was true some time ago.
//
// Where AWS's documentation says how EC2 behaves, this does so; the rules are in the user guide's chapters
// "Elastic IP addresses", "Instance IP addressing" and "Instance state changes", and in the API reference.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/time.h"
#include "ports/clock.h"
#include "sandbox/ec2/errors.h"
#include "sandbox/ec2/ledger.h"
#include "sandbox/ec2/resources.h"

namespace berth::sandbox {

/// Of both, the VPC and its one subnet.
inline constexpr std::string_view kNetworkCidr = "10.0.0.0/16";

struct WorldOptions {
  std::string region = "us-east-1";
  std::string account = "123456789012";
  std::uint64_t seed = 1;
  Duration pending = std::chrono::seconds(1);  // how long each state that ends by itself lasts
  Duration stopping = std::chrono::seconds(1);
  Duration shutting_down = std::chrono::seconds(1);
  Duration terminated_visible = std::chrono::hours(1);  // "usually about an hour"
  std::optional<std::size_t> address_limit;             // EC2's default is 5; none: as many as are asked for
  bool internet_gateway = true;

  // The one network, not a default one: releasing an associated address is refused.
  std::string vpc_id = "vpc-0b1e7d0000000001a";
  std::string subnet_id = "subnet-0b1e7d0000000001b";
  std::string group_id = "sg-0b1e7d0000000001c";
  std::string group_name = "default";

  std::string zone() const { return region + "a"; }
};

/// The world at one time. Pointers are valid until the world changes.
class Moment {
 public:
  const Address* address(const AllocationId& id) const { return addresses_.find(id, at_); }
  const Interface* interface(const InterfaceId& id) const { return interfaces_.find(id, at_); }
  const Instance* instance(const InstanceId& id) const { return instances_.find(id, at_); }

  std::vector<const Address*> addresses() const { return addresses_.all(at_); }
  std::vector<const Interface*> interfaces() const { return interfaces_.all(at_); }
  std::vector<const Instance*> instances() const { return instances_.all(at_); }

  /// The instance whose interface holds the address; nullptr where there is none.
  const Instance* instance_of(const Address& address) const;

  const WorldOptions& options() const { return options_; }

 private:
  friend class Ec2World;
  Moment(const WorldOptions& options, const Ledger<AllocationId, Address>& addresses,
         const Ledger<InterfaceId, Interface>& interfaces, const Ledger<InstanceId, Instance>& instances,
         MonoTime at)
      : options_(options), addresses_(addresses), interfaces_(interfaces), instances_(instances), at_(at) {}

  const WorldOptions& options_;
  const Ledger<AllocationId, Address>& addresses_;
  const Ledger<InterfaceId, Interface>& interfaces_;
  const Ledger<InstanceId, Instance>& instances_;
  MonoTime at_;
};

struct AllocateRequest {
  std::optional<IpAddress> public_ip;  // asked for by name
  std::string border_group;            // empty: the region's
  Tags tags;
};

struct AssociateRequest {
  AllocationId allocation_id;           // this,
  std::optional<IpAddress> public_ip;   // or that
  InterfaceId interface_id;             // to this,
  InstanceId instance_id;               // or to that one's only interface
  std::optional<IpAddress> private_ip;  // none: the primary one
  bool allow_reassociation = true;      // EC2's default in a VPC
};

/// A tag to delete: with a value, only where it has that value.
using TagToDelete = std::pair<std::string, std::optional<std::string>>;

/// EC2's message about ids that it does not know.
std::string no_such_instances(const std::vector<std::string>& ids);

/// What EC2 demands of the tags of one resource.
Outcome<> check_tags(const Tags& tags);

class Ec2World {
 public:
  explicit Ec2World(ports::Clock& clock, WorldOptions options = {});

  const WorldOptions& options() const { return options_; }
  Moment now() { return at(MonoTime::max()); }
  /// The world as it was at `time`; at kLedgerMemory ago where that is earlier.
  Moment at(MonoTime time);

  // What the world starts with, or what an outsider does to it; never refused.
  /// A running instance, whatever `launch.count` says.
  InstanceId run_seed_instance(const Launch& launch = {});
  InterfaceId attach_seed_interface(const InstanceId& instance, const InterfaceSpec& spec);
  /// One of nobody's instance, as a load balancer or a NAT gateway has it.
  InterfaceId create_seed_interface(const InterfaceSpec& spec);
  AllocationId allocate_seed_address(const SeedAddress& seed);
  AllocationId allocate_seed_address(const Tags& tags) {
    return allocate_seed_address(SeedAddress{.tags = tags});
  }
  void set_internet_gateway(bool attached) { options_.internet_gateway = attached; }

  // What EC2's actions do.
  Outcome<AllocationId> allocate_address(const AllocateRequest& request);
  Outcome<> release_address(const AllocationId& id);
  Outcome<AssociationId> associate_address(const AssociateRequest& request);
  Outcome<> disassociate_address(const AssociationId& id);

  Outcome<std::vector<InstanceId>> run_instances(const Launch& launch);
  Outcome<std::vector<StateChange>> start_instances(const std::vector<InstanceId>& ids);
  Outcome<std::vector<StateChange>> stop_instances(const std::vector<InstanceId>& ids);
  Outcome<std::vector<StateChange>> terminate_instances(const std::vector<InstanceId>& ids);

  Outcome<> create_tags(const std::vector<std::string>& resources, const Tags& tags);
  /// No tags: all that are the user's own.
  Outcome<> delete_tags(const std::vector<std::string>& resources, const std::vector<TagToDelete>& tags);

 private:
  /// To be called first in each public call: takes its time, and lets every state that ended by then be
  /// followed by its next one.
  void settle();
  void end_state(const InstanceId& id, MonoTime at);
  void enter_state(const InstanceId& id, InstanceState state, MonoTime at);
  void dismantle(const Instance& instance, MonoTime at);
  Outcome<> check_exist(const std::vector<InstanceId>& ids) const;

  InstanceId launch_one(const Launch& launch, const std::string& reservation, int index, InstanceState state);
  Outcome<> check_launch(const Launch& launch) const;
  /// Not attached where `instance` is empty.
  InterfaceId create_interface(const InstanceId& instance, const InterfaceSpec& spec);

  AllocationId add_address(const SeedAddress& seed);
  Outcome<const Address*> find_for_association(const AssociateRequest& request) const;
  Outcome<const Interface*> find_target(const AssociateRequest& request) const;
  Outcome<> check_state_for_association(const Interface& interface, bool named_by_instance) const;
  /// Cuts the association of the address, which must have one.
  void detach(const AllocationId& id, MonoTime at);
  void give_public_ip(const InterfaceId& id, MonoTime at);
  void drop_public_ip(const InterfaceId& id, MonoTime at);

  std::string next_id(const char* prefix);
  std::string next_mac();
  IpAddress next_private_ip();

  template <class Change>
  Outcome<> change_tags(const std::vector<std::string>& resources, Change change);

  ports::Clock& clock_;
  WorldOptions options_;
  Prng prng_;
  MonoTime now_{};  // of the call under way; taken once, so that one call happens at one time

  Ledger<AllocationId, Address> addresses_;
  Ledger<InterfaceId, Interface> interfaces_;
  Ledger<InstanceId, Instance> instances_;

  std::multimap<MonoTime, InstanceId> state_ends_;
  std::map<IpAddress, AllocationId> by_public_ip_;
  std::map<AssociationId, AllocationId> by_association_;
  std::map<IpAddress, InterfaceId> by_private_ip_;
  std::map<std::string, std::pair<Launch, std::vector<InstanceId>>> by_client_token_;
  unsigned last_public_ = 0;
  unsigned last_auto_ = 0;
  unsigned last_private_ = 3;  // the subnet's first four addresses are AWS's own
};

}  // namespace berth::sandbox
