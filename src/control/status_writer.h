#pragma once
// Writes what the planner wants said about nodes: status, Events, and the log at each change of reason (R12).
// It writes exactly what differs (R17), never two writes of one node at a time, and goes on trying until the
// API takes it.

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/prng.h"
#include "control/options.h"
#include "mechanism/backoff.h"
#include "mechanism/work_queue.h"
#include "model/node_view.h"
#include "plan/static_ip.h"
#include "ports/event.h"
#include "ports/node_source.h"

namespace berth::control {

class StatusWriter {
 public:
  StatusWriter(ports::Clock& clock, ports::NodeSource& source, Prng& prng, OperatorOptions options);

  /// The latest word about a node; replaces what was to be said before.
  void want(const model::NodeView& view, const plan::NodePlan& plan);
  /// The node has gone.
  void forget(const model::NodeName& node);

  /// Writes until stopped; writes under way end by themselves or by `abandon`.
  ports::Task<void> run(std::stop_token stop, std::stop_token abandon);

  /// When something was written that the view should show by now and does not: then want() is to be called
  /// again.
  std::optional<MonoTime> next_due() const;

 private:
  /// What was written and not yet seen in a view. Until it is, or until it is too old, it stands for the
  /// view.
  struct Written {
    ports::StatusChange change;
    MonoTime forget_at{};
  };
  struct Node {
    model::NodeView view;
    ports::StatusChange wanted;
    std::optional<Written> written;
    std::string reason;  // the code that was reported last; empty: served, or nothing to say
    std::optional<IpAddress> reported_ip;
    std::deque<ports::NodeEvent> events;
    mechanism::Backoff backoff;
  };

  void report(Node& node, const plan::NodePlan& plan);
  ports::StatusChange difference(const Node& node) const;
  void remember(Node& node, const ports::StatusChange& change);
  ports::Task<void> work(model::NodeName name, std::stop_token abandon);
  ports::Task<bool> write(model::NodeName name, std::stop_token abandon);
  ports::CallLimits limits(std::stop_token abandon) const;

  ports::Clock& clock_;
  ports::NodeSource& source_;
  Prng& prng_;
  OperatorOptions options_;
  Logger logger_{"operator"};
  std::map<model::NodeName, Node> nodes_;
  mechanism::WorkQueue<model::NodeName> queue_;
  ports::Event wake_;
  ports::TaskScope writes_;
};

}  // namespace berth::control
