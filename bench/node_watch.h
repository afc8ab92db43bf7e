#pragma once
// One watch of all CiliumNodes, and when it first showed what the benchmark waits for. It changes nothing.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "base/prng.h"
#include "kube/informer.h"
#include "ports/event.h"

namespace berth::bench {

/// A label that nobody acts on: how long its change takes to be seen is what the API itself costs.
inline constexpr const char* kEchoLabel = "bench-echo";

class NodeWatch final : public kube::ObjectObserver {
 public:
  struct Seen {
    std::optional<MonoTime> echo;    // the label
    std::optional<MonoTime> served;  // status.ipam.assigned-static-ip
    std::string address;
  };

  NodeWatch(ports::Clock& clock, kube::Client& client);

  ports::Task<void> run(std::stop_token stop);

  /// Of a node that it has not seen: nothing.
  const Seen& seen(const std::string& node) const;
  std::size_t known() const { return seen_.size(); }

  /// Looks after each change. False at the deadline, and on stop.
  ports::Task<bool> wait_until(std::function<bool()> holds, MonoTime deadline, std::stop_token stop);

  void replace_all(std::vector<boost::json::object> objects) override;
  void upsert(boost::json::object object) override;
  void erase(boost::json::object) override {}

 private:
  ports::Clock& clock_;
  Prng prng_{1};
  kube::Informer informer_;
  ports::Event changed_;
  std::map<std::string, Seen> seen_;
};

}  // namespace berth::bench
