#pragma once
// One request on its way through libcurl: what is sent, what has come back so far, and what its end means in
// the words of ports/http.h. Destroying it ends the transfer.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <curl/curl.h>

#include "ports/event.h"
#include "ports/http.h"
#include "runtime/curl_driver.h"
#include "runtime/http_client.h"

namespace berth::runtime {

class HttpTransfer final : public CurlTransfer {
 public:
  enum class Body : std::uint8_t { kWhole, kStreamed };

  /// kInvalid where the request cannot be sent at all. `options` outlives the transfer.
  static Result<std::unique_ptr<HttpTransfer>> start(CurlDriver& driver, const HttpClientOptions& options,
                                                     ports::HttpRequest request, Body body,
                                                     const ports::CallLimits& limits);
  ~HttpTransfer() override;

  /// kWhole: returns at the end; kStreamed: when the headers are there. The error is the transfer's own, or
  /// that of `limits`.
  ports::Task<Result<void>> headers_or_end(ports::CallLimits limits);
  /// As ports::HttpStream::read.
  ports::Task<Result<std::string>> next_piece(ports::CallLimits limits);

  ports::HttpReply take_reply() { return std::move(reply_); }
  int status() const { return reply_.status; }
  const ports::HttpHeaders& headers() const { return reply_.headers; }

 private:
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;

  HttpTransfer(CurlDriver& driver, ports::HttpRequest request, Body body);

  // What is sent. The first error is the request's.
  Result<void> prepare(const HttpClientOptions& options);
  Result<void> set_target(const HttpClientOptions& options);
  Result<void> set_headers();
  void set_method();
  void set_tls(const HttpClientOptions& options);
  void set_connection(const HttpClientOptions& options);
  void set_signing();
  void set_callbacks();
  template <class T>
  void set(CURLoption option, T value);
  void set_pem(CURLoption option, const std::string& pem);
  static void append(List& list, const std::string& item);

  // What comes back: libcurl's callbacks.
  static std::size_t on_header(char* data, std::size_t one, std::size_t size, void* self);
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self);
  static int on_before_request(void* self, char*, char*, int, int);
  void take_header_line(std::string_view line);
  void ended(CURLcode code) override;

  bool changes_something() const { return request_.method != "GET" && request_.method != "HEAD"; }
  /// Bytes given to sockets so far, those of a CONNECT to a proxy included.
  long bytes_sent() const;
  bool may_be_delivered() const { return connected_ && bytes_sent() > bytes_before_request_; }
  Error failure() const;
  Error error_of(ports::Wake wake) const;
  Error error(ErrorKind kind, std::string detail) const;

  CurlDriver& driver_;
  ports::Event changed_;
  ports::HttpRequest request_;
  const Body body_;
  std::string operation_;  // method and URL without query, user and password
  CURL* easy_;
  List header_list_;
  List connect_to_list_;
  char curl_says_[CURL_ERROR_SIZE] = {};
  CURLcode refused_option_ = CURLE_OK;

  ports::HttpReply reply_;
  bool added_ = false;
  bool connected_ = false;  // and TLS stands, so that the request goes out next
  long bytes_before_request_ = 0;
  bool refused_to_repeat_ = false;
  bool headers_complete_ = false;
  bool too_large_ = false;
  bool paused_ = false;
  bool ended_ = false;
  CURLcode code_ = CURLE_OK;
};

}  // namespace berth::runtime
