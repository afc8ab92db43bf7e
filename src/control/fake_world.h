#pragma once
// For tests: a cloud and a source of nodes with state and programmable failures, on a virtual clock.

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ports/cloud.h"
#include "ports/event.h"
#include "ports/fake_clock.h"
#include "ports/node_source.h"

namespace berth::control {

class FakeCloud final : public ports::Cloud {
 public:
  explicit FakeCloud(ports::FakeClock& clock) : clock_(clock) {}

  // The world, to be changed by the test as an outsider would.
  std::map<model::AllocationId, model::Address> addresses;
  std::map<model::InstanceId, model::Instance> instances;

  // What goes wrong.
  Duration latency{};  // of every call
  Duration stale{};    // addresses are read as they were so long ago
  std::optional<Error> read_error;
  std::deque<ports::Refused> refusals;  // of the next associations, before any effect
  int lost_replies = 0;                 // of the next associations, after their effect
  int lost_requests = 0;                // of the next associations, before it

  // What was called.
  int address_reads = 0;
  std::vector<std::size_t> instance_reads;  // ids per call
  std::vector<std::string> changes;         // "associate eipalloc-1 eni-1", "disassociate eipassoc-1"

  void address(const std::string& ip, const model::TagMap& tags) {
    const model::AllocationId id("eipalloc-" + ip);
    addresses[id] = {.id = id, .ip = *IpAddress::parse(ip), .tags = tags};
    remember();
  }

  void detach(const std::string& ip) {
    addresses.at(model::AllocationId("eipalloc-" + ip)).association.reset();
    remember();
  }

  /// By hand, from outside.
  void attach(const std::string& ip, const model::Target& target, const model::InstanceId& instance) {
    drop(target);
    addresses.at(model::AllocationId("eipalloc-" + ip)).association =
        model::Association{model::AssociationId("eipassoc-" + std::to_string(++last_)), target, instance};
    remember();
  }

  ports::Task<Result<std::vector<model::Address>>> list_addresses(ports::CallLimits limits) override {
    ++address_reads;
    const MonoTime as_of = clock_.mono_now() - stale;
    if (!co_await pass(limits)) {
      co_return timeout("DescribeAddresses");
    }
    if (read_error) {
      co_return *read_error;
    }
    std::vector<model::Address> list;
    for (const auto& [id, address] : stale > Duration::zero() ? as_it_was(as_of) : addresses) {
      list.push_back(address);
    }
    co_return list;
  }

  ports::Task<Result<std::vector<model::Instance>>> list_instances(std::vector<model::InstanceId> ids,
                                                                   ports::CallLimits limits) override {
    instance_reads.push_back(ids.size());
    if (!co_await pass(limits)) {
      co_return timeout("DescribeInstances");
    }
    if (read_error) {
      co_return *read_error;
    }
    std::vector<model::Instance> list;
    for (const model::InstanceId& id : ids) {
      if (const auto found = instances.find(id); found != instances.end()) {
        list.push_back(found->second);
      }
    }
    co_return list;
  }

  std::size_t max_instances_per_list() const override { return 200; }

  ports::Task<ports::AssociateOutcome> associate(model::AllocationId id, model::Target target,
                                                 ports::CallLimits limits) override {
    changes.push_back("associate " + id.str() + " " + target.interface.str());
    if (!co_await pass(limits)) {
      co_return ports::OutcomeUnknown{timeout("AssociateAddress")};
    }
    if (!refusals.empty()) {
      const ports::Refused refused = refusals.front();
      refusals.pop_front();
      co_return refused;
    }
    if (lost_requests > 0) {
      --lost_requests;
      co_return ports::OutcomeUnknown{timeout("AssociateAddress")};
    }
    model::Address& address = addresses.at(id);
    if (address.association && address.association->target != target) {
      co_return ports::Refused{
          ports::RefusalCause::kAddressTaken,
          {ErrorKind::kAlreadyTaken, "AssociateAddress", "it is taken", "Resource.AlreadyAssociated"}};
    }
    if (!address.association) {
      drop(target);
      address.association = model::Association{model::AssociationId("eipassoc-" + std::to_string(++last_)),
                                               target, instance_of(target)};
      remember();
    }
    if (lost_replies > 0) {
      --lost_replies;
      co_return ports::OutcomeUnknown{timeout("AssociateAddress")};
    }
    co_return ports::Associated{address.association->id};
  }

  ports::Task<ports::DisassociateOutcome> disassociate(model::AssociationId association,
                                                       ports::CallLimits limits) override {
    changes.push_back("disassociate " + association.str());
    if (!co_await pass(limits)) {
      co_return ports::OutcomeUnknown{timeout("DisassociateAddress")};
    }
    for (auto& [id, address] : addresses) {
      if (address.association && address.association->id == association) {
        address.association.reset();
        remember();
        co_return ports::Disassociated{};
      }
    }
    co_return ports::Refused{ports::RefusalCause::kAssociationGone,
                             {ErrorKind::kNotFound, "DisassociateAddress", "gone"}};
  }

 private:
  using Addresses = std::map<model::AllocationId, model::Address>;

  /// False where the deadline comes before the reply.
  ports::Task<bool> pass(ports::CallLimits limits) {
    if (latency == Duration::zero()) {
      co_return true;
    }
    const MonoTime reply = clock_.mono_now() + latency;
    const bool in_time = reply <= limits.deadline;
    co_return co_await ports::sleep_until(clock_, in_time ? reply : limits.deadline, limits.stop) && in_time;
  }

  static Error timeout(const std::string& operation) { return {ErrorKind::kTimeout, operation, "no reply"}; }

  model::InstanceId instance_of(const model::Target& target) const {
    for (const auto& [id, instance] : instances) {
      if (instance.target == target) {
        return id;
      }
    }
    return {};
  }

  /// EC2 drops the address that a target has when it gets another.
  void drop(const model::Target& target) {
    for (auto& [id, address] : addresses) {
      if (address.association && address.association->target == target) {
        address.association.reset();
      }
    }
  }

  void remember() { history_.insert_or_assign(clock_.mono_now(), addresses); }

  const Addresses& as_it_was(MonoTime time) const {
    const auto after = history_.upper_bound(time);
    return after == history_.begin() ? addresses : std::prev(after)->second;
  }

  ports::FakeClock& clock_;
  std::map<MonoTime, Addresses> history_;
  int last_ = 0;
};

class FakeSource final : public ports::NodeSource {
 public:
  explicit FakeSource(ports::FakeClock& clock) : clock_(clock) {}

  std::map<model::NodeName, model::NodeView> nodes;
  std::vector<std::string> writes;  // "a: ip=1.0.0.1", "a: error=Waiting"
  std::vector<std::string> events;  // "a StaticIPAssigned"
  int failing_writes = 0;

  /// Adds or changes a node, as the API would show it.
  void put(const model::NodeView& view) {
    nodes[view.name] = view;
    if (observer_ != nullptr) {
      observer_->upsert(view);
    }
  }

  void remove(const model::NodeName& name) {
    nodes.erase(name);
    observer_->erase(name);
  }

  ports::Task<void> run(ports::NodeObserver& observer, std::stop_token stop) override {
    observer_ = &observer;
    std::vector<model::NodeView> all;
    all.reserve(nodes.size());
    for (const auto& [name, view] : nodes) {
      all.push_back(view);
    }
    observer.replace_all(std::move(all));
    ports::Event never(clock_);
    co_await never.wait(std::nullopt, std::move(stop));
    observer_ = nullptr;
  }

  ports::Task<Result<void>> write_status(model::NodeName node, ports::StatusChange change,
                                         ports::CallLimits) override {
    if (failing_writes > 0) {
      --failing_writes;
      co_return Error{ErrorKind::kUnavailable, "patch", "the API is down"};
    }
    const auto found = nodes.find(node);
    if (found == nodes.end()) {
      co_return Error{ErrorKind::kNotFound, "patch", "no such node"};
    }
    model::NodeView view = found->second;
    if (change.assigned_static_ip) {
      view.assigned_static_ip = *change.assigned_static_ip;
      writes.push_back(node.str() +
                       ": ip=" + (view.assigned_static_ip ? view.assigned_static_ip->to_string() : ""));
    }
    if (change.operator_error) {
      view.operator_error = *change.operator_error;
      writes.push_back(node.str() +
                       ": error=" + view.operator_error.substr(0, view.operator_error.find(':')));
    }
    put(view);
    co_return Result<void>();
  }

  ports::Task<Result<void>> record_event(ports::NodeEvent event, ports::CallLimits) override {
    events.push_back(event.node.str() + " " + event.reason);
    co_return Result<void>();
  }

 private:
  ports::FakeClock& clock_;
  ports::NodeObserver* observer_ = nullptr;
};

}  // namespace berth::control
