#include "kube/event_recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace berth::kube {
namespace {

using ports::CallLimits;
using ports::Task;

// client-go, tools/record/events_cache.go: maxLruCacheEntries, defaultSpamBurst, defaultSpamQPS.
constexpr std::size_t kRemembered = 4096;
constexpr double kBurst = 25;
constexpr double kSecondsPerEvent = 300;

// A Node has no namespace; events about it live here.
constexpr const char* kSpace = "default";

// Names of objects end at 253 characters; the stamp and its dot take 17.
constexpr std::size_t kNodePartOfName = 236;

ports::ResourceType events_type() { return {.group = "", .version = "v1", .plural = "events"}; }

}  // namespace

bool EventBudget::take(MonoTime now) {
  const double passed = std::chrono::duration<double>(now - std::exchange(counted_at_, now)).count();
  left_ = std::min(kBurst, left_ + passed / kSecondsPerEvent);
  if (left_ < 1) {
    return false;
  }
  left_ -= 1;
  return true;
}

EventRecorder::EventRecorder(ports::KubeApi& api, ports::Clock& clock, std::string component)
    : api_(api), clock_(clock), component_(std::move(component)) {}

Task<Result<void>> EventRecorder::record(ports::NodeEvent event, CallLimits limits) {
  if (!within_budget(event.node.str())) {
    co_return Result<void>();
  }
  const Key key(event.node.str(), event.warning, event.reason, event.message);
  if (const auto known = written_.find(key); known != written_.end()) {
    auto repeated = co_await repeat(key, known->second.name, known->second.count + 1, limits);
    if (repeated || repeated.error().kind != ErrorKind::kNotFound) {
      co_return repeated;
    }
    // The server forgets events after an hour: this one begins anew.
  }
  co_return co_await write_new(std::move(event), std::move(limits));
}

Task<Result<void>> EventRecorder::repeat(Key key, std::string name, std::int64_t count, CallLimits limits) {
  boost::json::object patch{{"count", count}, {"lastTimestamp", format_rfc3339(clock_.wall_now(), 0)}};
  ports::ObjectRef ref{.type = events_type(), .name = name, .space = kSpace};
  auto patched = co_await api_.merge_patch(std::move(ref), "", std::move(patch), std::move(limits));
  if (!patched) {
    co_return std::move(patched).error();
  }
  remember(key, std::move(name), count);
  co_return Result<void>();
}

Task<Result<void>> EventRecorder::write_new(ports::NodeEvent event, CallLimits limits) {
  const std::string& node = event.node.str();
  std::string name = next_name(node);
  const std::string now = format_rfc3339(clock_.wall_now(), 0);
  boost::json::object object{
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", name}, {"namespace", kSpace}}},
      // kubectl before 1.21 looks for the node's name in the uid, which is what the kubelet writes there.
      {"involvedObject", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", node}}},
      {"type", event.warning ? "Warning" : "Normal"},
      {"reason", event.reason},
      {"message", event.message},
      {"source", {{"component", component_}}},
      {"reportingComponent", component_},
      {"firstTimestamp", now},
      {"lastTimestamp", now},
      {"count", 1}};
  auto created = co_await api_.create(events_type(), kSpace, std::move(object), std::move(limits));
  if (!created) {
    co_return std::move(created).error();
  }
  remember(Key(node, event.warning, event.reason, event.message), std::move(name), 1);
  co_return Result<void>();
}

bool EventRecorder::within_budget(const std::string& node) {
  auto budget = budgets_.find(node);
  if (budget == budgets_.end()) {
    if (budgets_.size() >= kRemembered) {
      budgets_.erase(budget_ages_.front());
      budget_ages_.pop_front();
    }
    budget = budgets_.try_emplace(node).first;
    budget->second.age = budget_ages_.insert(budget_ages_.end(), node);
  }
  budget_ages_.splice(budget_ages_.end(), budget_ages_, budget->second.age);
  const bool allowed = budget->second.left.take(clock_.mono_now());
  if (!allowed && !budget->second.held_back) {
    log_.warning("There are too many events about one node; most of them are held back for now",
                 {{"node", node}});
  }
  budget->second.held_back = !allowed;
  return allowed;
}

void EventRecorder::remember(const Key& key, std::string name, std::int64_t count) {
  auto known = written_.find(key);
  if (known == written_.end()) {
    if (written_.size() >= kRemembered) {
      written_.erase(written_ages_.front());
      written_ages_.pop_front();
    }
    known = written_.try_emplace(key).first;
    known->second.age = written_ages_.insert(written_ages_.end(), key);
  }
  written_ages_.splice(written_ages_.end(), written_ages_, known->second.age);
  known->second.name = std::move(name);
  known->second.count = count;
}

/// As client-go: the object's name and the time in hexadecimal nanoseconds, here never twice the same.
std::string EventRecorder::next_name(const std::string& node) {
  last_stamp_ = std::max<std::int64_t>(last_stamp_ + 1, clock_.wall_now().time_since_epoch().count());
  std::string part = node.substr(0, kNodePartOfName);
  while (part.ends_with('.') || part.ends_with('-')) {
    part.pop_back();
  }
  return fmt::format("{}.{:x}", part, last_stamp_);
}

}  // namespace berth::kube
