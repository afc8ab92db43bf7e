#include "bench/node_watch.h"

#include <utility>

#include "kube/json.h"

namespace berth::bench {

NodeWatch::NodeWatch(ports::Clock& clock, kube::Client& client)
    : clock_(clock),
      informer_({.collection = {.type = {"cilium.io", "v2", "ciliumnodes"}},
                 .noun = "CiliumNodes",
                 .forbidden = "A sandbox forbids nothing to its own token.",
                 .not_found = "A sandbox always has them."},
                client, clock, prng_),
      changed_(clock) {}

ports::Task<void> NodeWatch::run(std::stop_token stop) { co_await informer_.run(*this, std::move(stop)); }

const NodeWatch::Seen& NodeWatch::seen(const std::string& node) const {
  static const Seen nothing;
  const auto found = seen_.find(node);
  return found != seen_.end() ? found->second : nothing;
}

void NodeWatch::replace_all(std::vector<boost::json::object> objects) {
  for (boost::json::object& object : objects) {
    upsert(std::move(object));
  }
}

void NodeWatch::upsert(boost::json::object object) {
  const MonoTime now = clock_.mono_now();
  Seen& node = seen_[kube::string_at(object, {"metadata", "name"})];
  if (!node.echo && kube::value_at(object, {"metadata", "labels", kEchoLabel}) != nullptr) {
    node.echo = now;
  }
  std::string address = kube::string_at(object, {"status", "ipam", "assigned-static-ip"});
  if (!node.served && !address.empty()) {
    node.served = now;
  }
  node.address = std::move(address);
  changed_.set();
}

ports::Task<bool> NodeWatch::wait_until(std::function<bool()> holds, MonoTime deadline,
                                        std::stop_token stop) {
  while (!holds()) {
    if (co_await changed_.wait(deadline, stop) != ports::Wake::kSet) {
      co_return false;
    }
    changed_.reset();
  }
  co_return true;
}

}  // namespace berth::bench
