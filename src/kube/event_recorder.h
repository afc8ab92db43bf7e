#pragma once
// Kubernetes Events about Nodes, as the kubelet writes them, so that `kubectl describe node` shows them. An
// event that repeats is counted up in place; a node that is the subject of too many is held back. Remembers a
// bounded number of both. It does not retry: an Event is worth one try.

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>

#include "base/log.h"
#include "base/result.h"
#include "ports/clock.h"
#include "ports/http.h"
#include "ports/kube_api.h"
#include "ports/node_source.h"
#include "ports/task.h"

namespace berth::kube {

/// client-go's spam filter: 25 events about one object at once, after that one in five minutes.
class EventBudget {
 public:
  /// Takes one event out of the budget; false where there is none.
  bool take(MonoTime now);

 private:
  double left_ = 25;
  MonoTime counted_at_{};
};

class EventRecorder {
 public:
  /// `component` is who says it: "berth-operator".
  EventRecorder(ports::KubeApi& api, ports::Clock& clock, std::string component);

  ports::Task<Result<void>> record(ports::NodeEvent event, ports::CallLimits limits);

 private:
  using Key = std::tuple<std::string, bool, std::string, std::string>;  // node, warning, reason, message

  struct Written {
    std::string name;  // of the Event object
    std::int64_t count = 0;
    std::list<Key>::iterator age;
  };
  struct Budget {
    EventBudget left;
    bool held_back = false;  // said so in the log
    std::list<std::string>::iterator age;
  };

  bool within_budget(const std::string& node);
  void remember(const Key& key, std::string name, std::int64_t count);
  std::string next_name(const std::string& node);
  ports::Task<Result<void>> repeat(Key key, std::string name, std::int64_t count, ports::CallLimits limits);
  ports::Task<Result<void>> write_new(ports::NodeEvent event, ports::CallLimits limits);

  ports::KubeApi& api_;
  ports::Clock& clock_;
  std::string component_;
  std::map<Key, Written> written_;
  std::list<Key> written_ages_;  // oldest use first
  std::map<std::string, Budget> budgets_;
  std::list<std::string> budget_ages_;
  std::int64_t last_stamp_ = 0;
  Logger log_{"kube"};
};

}  // namespace berth::kube
