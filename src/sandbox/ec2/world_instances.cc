// The life of an instance.
//
//                 run                      start
//                  |        .---------------------------------.
//                  v        v                                 |
//               pending --------> running --stop--> stopping --> stopped
//                  |                 |                  |           |
//                  '-----------------'---- terminate ---'-----------'
//                                          v
//                                    shutting-down --> terminated --> (gone after an hour)
//
// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sandbox/ec2/world.h"

namespace berth::sandbox {

std::string no_such_instances(const std::vector<std::string>& ids) {
  return ids.size() == 1 ? fmt::format("The instance ID '{}' does not exist", ids.front())
                         : fmt::format("The instance IDs '{}' do not exist", fmt::join(ids, ", "));
}

InstanceId Ec2World::run_seed_instance(const Launch& launch) {
  settle();
  CHECK(check_launch(launch).has_value());
  // Launched with the primary interface and given the others afterwards, as a network plugin does it: so the
  // instance keeps its auto-assigned public IP.
  Launch primary_only = launch;
  std::erase_if(primary_only.interfaces,
                [](const InterfaceSpec& spec) { return spec.device_index != 0 || spec.network_card != 0; });
  const InstanceId id = launch_one(primary_only, next_id("r-"), 0, InstanceState::kRunning);
  for (const InterfaceSpec& spec : launch.interfaces) {
    if (spec.device_index != 0 || spec.network_card != 0) {
      attach_seed_interface(id, spec);
    }
  }
  return id;
}

InterfaceId Ec2World::attach_seed_interface(const InstanceId& instance, const InterfaceSpec& spec) {
  settle();
  const InterfaceId id = create_interface(instance, spec);
  instances_.edit(instance, now_, [&](Instance& changed) {
    changed.interfaces.push_back(id);
    std::ranges::sort(changed.interfaces, {}, [&](const InterfaceId& one) {
      const Attachment& attachment = *interfaces_.find(one)->attachment;
      return std::pair(attachment.network_card, attachment.device_index);
    });
  });
  return id;
}

InterfaceId Ec2World::create_seed_interface(const InterfaceSpec& spec) {
  settle();
  return create_interface(InstanceId(), spec);
}

Outcome<std::vector<InstanceId>> Ec2World::run_instances(const Launch& launch) {
  settle();
  const auto known = by_client_token_.find(launch.client_token);
  if (!launch.client_token.empty() && known != by_client_token_.end()) {
    if (known->second.first != launch) {
      return refuse("IdempotentParameterMismatch",
                    "The request uses the same client token as a previous, but non-identical request.");
    }
    return known->second.second;
  }
  if (const auto checked = check_launch(launch); !checked) {
    return tl::unexpected(checked.error());
  }
  std::vector<InstanceId> ids;
  ids.reserve(static_cast<std::size_t>(launch.count));
  const std::string reservation = next_id("r-");
  for (int index = 0; index < launch.count; ++index) {
    ids.push_back(launch_one(launch, reservation, index, InstanceState::kPending));
  }
  if (!launch.client_token.empty()) {
    by_client_token_.emplace(launch.client_token, std::pair(launch, ids));
  }
  return ids;
}

Outcome<> Ec2World::check_launch(const Launch& launch) const {
  std::set<IpAddress> asked;
  std::set<std::pair<int, int>> places;
  for (const InterfaceSpec& spec : launch.interfaces) {
    if (!places.emplace(spec.network_card, spec.device_index).second) {
      return refuse("InvalidParameterValue",
                    fmt::format("Each network interface requires a unique device index; {} is used twice.",
                                spec.device_index));
    }
    std::vector<IpAddress> ips = spec.secondary_ips;
    if (spec.private_ip) {
      ips.push_back(*spec.private_ip);
    }
    for (const IpAddress& ip : ips) {
      if (!ip.to_string().starts_with("10.0.")) {
        return refuse(
            "InvalidParameterValue",
            fmt::format("Address {} does not fall within the subnet's address range", ip.to_string()));
      }
      if (by_private_ip_.contains(ip) || !asked.insert(ip).second || launch.count > 1) {
        return refuse("InvalidIPAddress.InUse", fmt::format("Address {} is in use.", ip.to_string()));
      }
    }
  }
  if (!places.contains({0, 0})) {
    return refuse("InvalidParameterCombination",
                  "A launch needs a network interface with device index 0 on network card 0.");
  }
  return {};
}

InstanceId Ec2World::launch_one(const Launch& launch, const std::string& reservation, int index,
                                InstanceState state) {
  Instance made;
  made.id = InstanceId(next_id("i-"));
  made.reservation_id = reservation;
  made.image_id = launch.image_id;
  made.type = launch.instance_type;
  made.key_name = launch.key_name;
  made.client_token = launch.client_token;
  made.launch_index = index;
  made.launched = clock_.wall_now();
  made.tags = launch.tags;
  std::vector<InterfaceSpec> specs = launch.interfaces;
  std::ranges::sort(
      specs, {}, [](const InterfaceSpec& spec) { return std::pair(spec.network_card, spec.device_index); });
  for (const InterfaceSpec& spec : specs) {
    made.interfaces.push_back(create_interface(made.id, spec));
  }
  instances_.put(made.id, made, now_);
  enter_state(made.id, state, now_);
  give_public_ip(made.interfaces.front(), now_);
  return made.id;
}

void Ec2World::settle() {
  now_ = clock_.mono_now();
  while (!state_ends_.empty() && state_ends_.begin()->first <= now_) {
    const auto [at, id] = *state_ends_.begin();
    state_ends_.erase(state_ends_.begin());
    end_state(id, at);
  }
}

void Ec2World::end_state(const InstanceId& id, MonoTime at) {
  const Instance* instance = instances_.find(id);
  if (instance == nullptr || instance->state_ends != at) {
    return;  // it was told to do something else meanwhile
  }
  switch (instance->state) {
    case InstanceState::kPending:
      return enter_state(id, InstanceState::kRunning, at);
    case InstanceState::kStopping:
      for (const InterfaceId& interface : std::vector(instance->interfaces)) {
        drop_public_ip(interface, at);
      }
      return enter_state(id, InstanceState::kStopped, at);
    case InstanceState::kShuttingDown:
      dismantle(Instance(*instance), at);
      return enter_state(id, InstanceState::kTerminated, at);
    case InstanceState::kTerminated:
      return instances_.erase(id, at);
    case InstanceState::kRunning:
    case InstanceState::kStopped:
      return;
  }
}

void Ec2World::enter_state(const InstanceId& id, InstanceState state, MonoTime at) {
  std::optional<MonoTime> ends;
  switch (state) {
    case InstanceState::kPending:
      ends = at + options_.pending;
      break;
    case InstanceState::kStopping:
      ends = at + options_.stopping;
      break;
    case InstanceState::kShuttingDown:
      ends = at + options_.shutting_down;
      break;
    case InstanceState::kTerminated:
      ends = at + options_.terminated_visible;
      break;
    case InstanceState::kRunning:
    case InstanceState::kStopped:
      break;
  }
  instances_.edit(id, at, [&](Instance& instance) {
    instance.state = state;
    instance.state_ends = ends;
  });
  if (ends) {
    state_ends_.emplace(*ends, id);
  }
}

/// Its addresses become free, its interfaces go or stay alone.
void Ec2World::dismantle(const Instance& instance, MonoTime at) {
  for (const InterfaceId& id : instance.interfaces) {
    const Interface interface = *interfaces_.find(id);
    if (!interface.attachment->delete_on_termination) {
      drop_public_ip(id, at);
      interfaces_.edit(id, at, [](Interface& changed) { changed.attachment.reset(); });
      continue;
    }
    for (const PrivateAddress& address : interface.private_addresses) {
      if (!address.allocation_id.empty()) {
        detach(address.allocation_id, at);
      }
      by_private_ip_.erase(address.ip);
    }
    interfaces_.erase(id, at);
  }
  instances_.edit(instance.id, at, [](Instance& changed) { changed.interfaces.clear(); });
}

Outcome<> Ec2World::check_exist(const std::vector<InstanceId>& ids) const {
  std::vector<std::string> missing;
  for (const InstanceId& id : ids) {
    if (instances_.find(id) == nullptr) {
      missing.push_back(id.str());
    }
  }
  if (missing.empty()) {
    return {};
  }
  return refuse("InvalidInstanceID.NotFound", no_such_instances(missing));
}

Outcome<std::vector<StateChange>> Ec2World::start_instances(const std::vector<InstanceId>& ids) {
  settle();
  if (const auto checked = check_exist(ids); !checked) {
    return tl::unexpected(checked.error());
  }
  for (const InstanceId& id : ids) {
    const InstanceState state = instances_.find(id)->state;
    if (state != InstanceState::kStopped && state != InstanceState::kRunning &&
        state != InstanceState::kPending) {
      return refuse(
          "IncorrectInstanceState",
          fmt::format("The instance '{}' is not in a state from which it can be started.", id.str()));
    }
  }
  std::vector<StateChange> changes;
  for (const InstanceId& id : ids) {
    const Instance before = *instances_.find(id);
    if (before.state == InstanceState::kStopped) {
      instances_.edit(id, now_, [&](Instance& instance) {
        instance.reason.clear();
        instance.launched = clock_.wall_now();
      });
      enter_state(id, InstanceState::kPending, now_);
      give_public_ip(before.interfaces.front(), now_);
    }
    changes.push_back({id, before.state, instances_.find(id)->state});
  }
  return changes;
}

Outcome<std::vector<StateChange>> Ec2World::stop_instances(const std::vector<InstanceId>& ids) {
  settle();
  if (const auto checked = check_exist(ids); !checked) {
    return tl::unexpected(checked.error());
  }
  for (const InstanceId& id : ids) {
    const InstanceState state = instances_.find(id)->state;
    if (state == InstanceState::kPending || state == InstanceState::kShuttingDown ||
        state == InstanceState::kTerminated) {
      return refuse(
          "IncorrectInstanceState",
          fmt::format("This instance '{}' is not in a state from which it can be stopped.", id.str()));
    }
  }
  std::vector<StateChange> changes;
  for (const InstanceId& id : ids) {
    const InstanceState before = instances_.find(id)->state;
    if (before == InstanceState::kRunning) {
      const std::string when = format_rfc3339(clock_.wall_now(), 0);
      instances_.edit(id, now_, [&](Instance& instance) {
        instance.reason = fmt::format("User initiated ({} {} GMT)", when.substr(0, 10), when.substr(11, 8));
      });
      enter_state(id, InstanceState::kStopping, now_);
    }
    changes.push_back({id, before, instances_.find(id)->state});
  }
  return changes;
}

Outcome<std::vector<StateChange>> Ec2World::terminate_instances(const std::vector<InstanceId>& ids) {
  settle();
  if (const auto checked = check_exist(ids); !checked) {
    return tl::unexpected(checked.error());
  }
  std::vector<StateChange> changes;
  for (const InstanceId& id : ids) {
    const InstanceState before = instances_.find(id)->state;
    if (before != InstanceState::kShuttingDown && before != InstanceState::kTerminated) {
      const std::string when = format_rfc3339(clock_.wall_now(), 0);
      instances_.edit(id, now_, [&](Instance& instance) {
        instance.reason = fmt::format("User initiated ({} {} GMT)", when.substr(0, 10), when.substr(11, 8));
      });
      enter_state(id, InstanceState::kShuttingDown, now_);
    }
    changes.push_back({id, before, instances_.find(id)->state});
  }
  return changes;
}

}  // namespace berth::sandbox
