#include "runtime/signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "base/check.h"
#include "ports/completion.h"

namespace berth::runtime {

ports::Task<int> wait_for_signal(Loop& loop, std::vector<int> signals, std::stop_token stop) {
  boost::asio::signal_set set(loop.io_context());
  for (const int number : signals) {
    boost::system::error_code error;
    CHECK(!set.add(number, error));  // only a number that is no signal, or SIGKILL, is refused
  }
  ports::Completion<int> arrived;
  set.async_wait(
      [&arrived](boost::system::error_code error, int number) { arrived.set(error ? 0 : number); });
  const std::stop_callback on_stop(stop, [&set] {
    boost::system::error_code error;
    error = set.cancel(error);
  });
  co_return co_await arrived;
}

}  // namespace berth::runtime
