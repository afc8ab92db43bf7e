#pragma once
// Drives libcurl's multi interface from the loop: curl says which sockets and which time it waits for, the
// loop tells it when they are there. It knows nothing of requests and replies.
//
// curl must not be called from inside its own callbacks, so nothing here ever runs a caller's code from one:
// transfers only note what came and set an Event, whose waiters resume from the loop.

#include <memory>
#include <optional>
#include <unordered_map>

#include <curl/curl.h>

#include "runtime/loop.h"

namespace berth::runtime {

/// One transfer under way, as the driver knows it.
class CurlTransfer {
 public:
  CurlTransfer() = default;
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;
  virtual ~CurlTransfer() = default;

  /// The transfer ended. Must not call curl.
  virtual void ended(CURLcode code) = 0;
};

class CurlDriver {
 public:
  CurlDriver(Loop& loop, long max_connections_per_host);
  CurlDriver(const CurlDriver&) = delete;
  CurlDriver& operator=(const CurlDriver&) = delete;
  /// No transfer may be under way any more.
  ~CurlDriver();

  Loop& loop() { return loop_; }

  /// `transfer` is told at the end, and until then must be removed before it goes.
  void add(CURL* easy, CurlTransfer& transfer);
  void remove(CURL* easy);

 private:
  struct Watch;

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* watch);
  static int on_timer(CURLM* multi, long wait_ms, void* self);

  void watch_socket(curl_socket_t socket, int what);
  void wait_for(const std::shared_ptr<Watch>& watch);
  void act(curl_socket_t socket, int what);

  Loop& loop_;
  CURLM* multi_;
  std::size_t under_way_ = 0;
  std::optional<Loop::TimerId> timer_;
  std::unordered_map<curl_socket_t, std::shared_ptr<Watch>> watches_;
};

}  // namespace berth::runtime
