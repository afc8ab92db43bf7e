#include "control/status_writer.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::control {
namespace {

using model::NodeView;
using ports::NodeEvent;
using ports::StatusChange;
using namespace std::chrono_literals;

constexpr Duration kWriteSeenWithin =
    30s;  // a watch that is that late is broken, and the view is asked again
constexpr std::size_t kMaxEventsWaiting = 4;

bool is_empty(const StatusChange& change) { return !change.assigned_static_ip && !change.operator_error; }

bool shows(const NodeView& view, const StatusChange& change) {
  return (!change.assigned_static_ip ||
          (view.assigned_static_ip == *change.assigned_static_ip && !view.assigned_is_garbage)) &&
         (!change.operator_error || view.operator_error == *change.operator_error);
}

/// "Waiting" of "Waiting: Place 1 of …": what a former operator reported last.
std::string code_of(const std::string& operator_error) {
  return operator_error.substr(0, operator_error.find(':'));
}

}  // namespace

StatusWriter::StatusWriter(ports::Clock& clock, ports::NodeSource& source, Prng& prng,
                           OperatorOptions options)
    : clock_(clock), source_(source), prng_(prng), options_(options), wake_(clock) {}

void StatusWriter::want(const NodeView& view, const plan::NodePlan& plan) {
  auto found = nodes_.find(view.name);
  if (found == nodes_.end() || found->second.view.uid != view.uid) {
    Node fresh{.view = view,
               .reason = code_of(view.operator_error),
               .reported_ip = view.assigned_static_ip,
               .backoff = mechanism::Backoff({.base = 1s, .cap = 1min})};
    found = nodes_.insert_or_assign(view.name, std::move(fresh)).first;
  }
  Node& node = found->second;
  node.view = view;
  if (node.written && (shows(view, node.written->change) || node.written->forget_at <= clock_.mono_now())) {
    node.written.reset();
  }
  node.wanted = {};
  node.wanted.assigned_static_ip = plan.assigned;
  const bool undecided =
      plan.standing == plan::Standing::kUnderWay || plan.standing == plan::Standing::kUnknown;
  if (!undecided) {
    node.wanted.operator_error = plan.reason ? plan.reason->text() : "";
    report(node, plan);
  }
  if (!is_empty(difference(node)) || !node.events.empty()) {
    queue_.add(view.name);
    wake_.set();
  }
}

/// Log and Event, once per change of the reason's code.
void StatusWriter::report(Node& node, const plan::NodePlan& plan) {
  const std::string& name = node.view.name.str();
  std::string reason = plan.reason ? std::string(to_string(plan.reason->code)) : "";
  const std::optional<IpAddress> ip = plan.assigned.value_or(std::nullopt);
  if (reason != node.reason && plan.reason) {
    logger_.warning(fmt::format("Node {} has no static IP of its pool: {}", name, plan.reason->text()),
                    {{"node", name}, {"reason", reason}});
    node.events.push_back({node.view.name, true, reason, plan.reason->sentence + " " + plan.reason->remedy});
  } else if (plan.standing == plan::Standing::kServed && (ip != node.reported_ip || !node.reason.empty())) {
    const std::string text =
        fmt::format("Static IP {} is associated with instance {}", *ip, node.view.instance);
    logger_.info(fmt::format("Node {} is served: {}", name, text),
                 {{"node", name}, {"address", ip->to_string()}});
    node.events.push_back({node.view.name, false, "StaticIPAssigned", text + "."});
  }
  if (node.events.size() > kMaxEventsWaiting) {
    node.events.pop_front();
  }
  node.reason = std::move(reason);
  node.reported_ip = ip;
}

StatusChange StatusWriter::difference(const Node& node) const {
  StatusChange change = node.wanted;
  const StatusChange* written = node.written ? &node.written->change : nullptr;
  if (change.assigned_static_ip) {
    const bool from_write = written != nullptr && written->assigned_static_ip;
    const auto& now = from_write ? *written->assigned_static_ip : node.view.assigned_static_ip;
    if (now == *change.assigned_static_ip && (from_write || !node.view.assigned_is_garbage)) {
      change.assigned_static_ip.reset();
    }
  }
  if (change.operator_error) {
    const bool from_write = written != nullptr && written->operator_error;
    if ((from_write ? *written->operator_error : node.view.operator_error) == *change.operator_error) {
      change.operator_error.reset();
    }
  }
  return change;
}

void StatusWriter::forget(const model::NodeName& node) { nodes_.erase(node); }

std::optional<MonoTime> StatusWriter::next_due() const {
  std::optional<MonoTime> next;
  for (const auto& [name, node] : nodes_) {
    if (node.written && (!next || node.written->forget_at < *next)) {
      next = node.written->forget_at;
    }
  }
  return next;
}

ports::Task<void> StatusWriter::run(std::stop_token stop, std::stop_token abandon) {
  while (!stop.stop_requested()) {
    const bool room = queue_.in_flight() < options_.max_status_writes;
    if (const auto name = room ? queue_.take(clock_.mono_now()) : std::nullopt) {
      writes_.spawn(work(*name, abandon));
      continue;
    }
    co_await wake_.wait(room ? queue_.next_due() : std::nullopt, stop);
    wake_.reset();
  }
  co_await writes_.join();
}

ports::CallLimits StatusWriter::limits(std::stop_token abandon) const {
  return {clock_.mono_now() + options_.call_deadline, std::move(abandon)};
}

ports::Task<void> StatusWriter::work(model::NodeName name, std::stop_token abandon) {
  const bool written = co_await write(name, abandon);
  queue_.done(name);
  if (const auto found = nodes_.find(name); found != nodes_.end()) {
    Node& node = found->second;
    if (!written) {
      queue_.add_at(name, clock_.mono_now() + node.backoff.next(prng_));
    } else {
      node.backoff.reset();
      if (!is_empty(difference(node)) || !node.events.empty()) {
        queue_.add(name);
      }
    }
  }
  wake_.set();
}

/// Until the watch shows it, what was written stands for the view.
void StatusWriter::remember(Node& node, const StatusChange& change) {
  if (!node.written) {
    node.written = Written{{}, {}};
  }
  Written& written = *node.written;
  written.forget_at = clock_.mono_now() + kWriteSeenWithin;
  if (change.assigned_static_ip) {
    written.change.assigned_static_ip = change.assigned_static_ip;
  }
  if (change.operator_error) {
    written.change.operator_error = change.operator_error;
  }
}

/// One step for one node: the status if it differs, else its oldest event. False: to be tried again.
ports::Task<bool> StatusWriter::write(model::NodeName name, std::stop_token abandon) {
  auto found = nodes_.find(name);
  if (found == nodes_.end()) {
    co_return true;
  }
  const StatusChange change = difference(found->second);
  if (!is_empty(change)) {
    const Result<void> reply = co_await source_.write_status(name, change, limits(abandon));
    found = nodes_.find(name);
    if (!reply) {
      if (reply.error().kind != ErrorKind::kNotFound) {  // gone: the watch will say so
        logger_.warning(fmt::format("Cannot write the status of node {}: {}", name, reply.error().message()),
                        {{"node", name.str()}});
      }
      co_return false;
    }
    if (found != nodes_.end() && !shows(found->second.view, change)) {
      remember(found->second, change);
    }
    co_return true;
  }
  if (found->second.events.empty()) {
    co_return true;
  }
  const NodeEvent event = found->second.events.front();
  found->second.events.pop_front();
  if (const Result<void> reply = co_await source_.record_event(event, limits(abandon)); !reply) {
    // An Event is a courtesy: the status says the same, and is never lost.
    logger_.warning(
        fmt::format("Cannot record the event {} of node {}: {}", event.reason, name, reply.error().message()),
        {{"node", name.str()}});
  }
  co_return true;
}

}  // namespace berth::control
