#include "control/operator.h"

namespace berth::control {

Operator::Operator(ports::Clock& clock, ports::Cloud& cloud, ports::NodeSource& source, Prng& prng,
                   OperatorOptions options)
    : clock_(clock),
      source_(source),
      options_(options),
      changed_(clock),
      store_(changed_),
      book_(clock, cloud, prng, changed_, options),
      executor_(clock, cloud, book_, prng, changed_, options, abandon_.get_token()),
      writer_(clock, source, prng, options),
      reconciler_(clock, store_, book_, executor_, writer_, changed_, options) {}

ports::Task<void> Operator::run(std::stop_token stop) {
  const std::stop_source all_done;
  ports::TaskScope watchdog;
  watchdog.spawn(abandon_after(stop, all_done.get_token()));
  ports::TaskScope scope;
  scope.spawn(source_.run(store_, stop));
  scope.spawn(book_.run(stop));
  scope.spawn(reconciler_.run(stop));
  scope.spawn(writer_.run(stop, abandon_.get_token()));
  co_await scope.join();
  co_await executor_.join();
  all_done.request_stop();
  co_await watchdog.join();
}

/// A mutating call that is cut off leaves its outcome unknown, so it gets a little time to end by itself.
ports::Task<void> Operator::abandon_after(std::stop_token stop, std::stop_token all_done) {
  ports::Event never(clock_);
  co_await never.wait(std::nullopt, stop);
  if (co_await ports::sleep_for(clock_, options_.stop_grace, all_done)) {
    abandon_.request_stop();
  }
}

std::string Operator::not_ready_why() const {
  if (!store_.synced()) {
    return "the CiliumNodes have not been listed yet";
  }
  if (book_.snapshot() == nullptr) {
    return book_.problem() ? book_.problem()->text() : "the addresses have not been read yet";
  }
  return "";
}

}  // namespace berth::control
