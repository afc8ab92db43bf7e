#include "runtime/curl_driver.h"

#include <algorithm>
#include <chrono>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/check.h"

namespace berth::runtime {
namespace asio = boost::asio;

/// curl's wish to hear of one socket. The descriptor is curl's: it is released, never closed, and curl says
/// CURL_POLL_REMOVE before it closes it. Callbacks hold the watch, so a late one finds it, closed.
struct CurlDriver::Watch {
  explicit Watch(asio::io_context& context, curl_socket_t socket) : descriptor(context, socket) {}

  asio::posix::stream_descriptor descriptor;
  int wanted = CURL_POLL_NONE;
  bool reading = false;  // a wait for this direction is under way
  bool writing = false;
};

CurlDriver::CurlDriver(Loop& loop, long max_connections_per_host) : loop_(loop) {
  static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(global == CURLE_OK);
  multi_ = curl_multi_init();
  CHECK(multi_ != nullptr);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlDriver::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlDriver::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, max_connections_per_host);
  // Else curl keeps four per transfer under way, and closes good connections as a burst of calls ends.
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, std::max(2 * max_connections_per_host, 64L));
}

CurlDriver::~CurlDriver() {
  CHECK(under_way_ == 0);
  curl_multi_cleanup(multi_);  // may still call on_socket and on_timer
  if (timer_) {
    loop_.cancel(*timer_);
  }
  for (const auto& [socket, watch] : watches_) {
    watch->descriptor.release();
  }
}

void CurlDriver::add(CURL* easy, CurlTransfer& transfer) {
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
  ++under_way_;
  CHECK(curl_multi_add_handle(multi_, easy) == CURLM_OK);
}

void CurlDriver::remove(CURL* easy) {
  --under_way_;
  CHECK(curl_multi_remove_handle(multi_, easy) == CURLM_OK);
}

int CurlDriver::on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* self, void* /*watch*/) {
  static_cast<CurlDriver*>(self)->watch_socket(socket, what);
  return 0;
}

int CurlDriver::on_timer(CURLM* /*multi*/, long wait_ms, void* self) {
  auto& driver = *static_cast<CurlDriver*>(self);
  if (driver.timer_) {
    driver.loop_.cancel(*driver.timer_);
    driver.timer_.reset();
  }
  if (wait_ms >= 0) {
    const MonoTime at = driver.loop_.mono_now() + std::chrono::milliseconds(wait_ms);
    driver.timer_ = driver.loop_.call_at(at, [&driver] {
      driver.timer_.reset();
      driver.act(CURL_SOCKET_TIMEOUT, 0);
    });
  }
  return 0;
}

void CurlDriver::watch_socket(curl_socket_t socket, int what) {
  const auto found = watches_.find(socket);
  if (what == CURL_POLL_REMOVE) {
    if (found != watches_.end()) {
      found->second->wanted = CURL_POLL_NONE;
      found->second->descriptor.release();
      watches_.erase(found);
    }
    return;
  }
  const auto watch =
      found != watches_.end()
          ? found->second
          : watches_.emplace(socket, std::make_shared<Watch>(loop_.io_context(), socket)).first->second;
  watch->wanted = what;
  wait_for(watch);
}

void CurlDriver::wait_for(const std::shared_ptr<Watch>& watch) {
  const auto start = [this, &watch](bool Watch::* waiting, asio::posix::descriptor_base::wait_type type,
                                    int poll, int select) {
    if ((watch->wanted & poll) == 0 || (*watch).*waiting) {
      return;
    }
    (*watch).*waiting = true;
    watch->descriptor.async_wait(
        type, [this, held = watch, waiting, poll, select](boost::system::error_code error) {
          (*held).*waiting = false;
          // Released meanwhile (the driver itself may be gone), or curl no longer cares for this direction.
          if (!held->descriptor.is_open() || error == asio::error::operation_aborted ||
              (held->wanted & poll) == 0) {
            return;
          }
          act(held->descriptor.native_handle(), error ? CURL_CSELECT_ERR : select);
          if (held->descriptor.is_open()) {
            wait_for(held);
          }
        });
  };
  start(&Watch::reading, asio::posix::descriptor_base::wait_read, CURL_POLL_IN, CURL_CSELECT_IN);
  start(&Watch::writing, asio::posix::descriptor_base::wait_write, CURL_POLL_OUT, CURL_CSELECT_OUT);
}

void CurlDriver::act(curl_socket_t socket, int what) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, what, &running);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) {
      continue;
    }
    const CURLcode code = message->data.result;  // the message is gone with the next call to curl
    CurlTransfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    transfer->ended(code);
  }
}

}  // namespace berth::runtime
