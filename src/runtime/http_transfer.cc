#include "runtime/http_transfer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace berth::runtime {
namespace {

constexpr std::size_t kMaxWholeBody = std::size_t{512} << 20U;
constexpr std::size_t kMaxBuffered = std::size_t{1} << 20U;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

Result<std::unique_ptr<HttpTransfer>> HttpTransfer::start(CurlDriver& driver,
                                                          const HttpClientOptions& options,
                                                          ports::HttpRequest request, Body body,
                                                          const ports::CallLimits& limits) {
  std::unique_ptr<HttpTransfer> transfer(new HttpTransfer(driver, std::move(request), body));
  if (Result<void> prepared = transfer->prepare(options); !prepared) {
    return std::move(prepared).error();
  }
  if (limits.stop.stop_requested()) {
    return transfer->error_of(ports::Wake::kStopped);
  }
  if (limits.deadline <= driver.loop().mono_now()) {
    return transfer->error_of(ports::Wake::kDeadline);
  }
  transfer->added_ = true;
  driver.add(transfer->easy_, *transfer);
  return transfer;
}

HttpTransfer::HttpTransfer(CurlDriver& driver, ports::HttpRequest request, Body body)
    : driver_(driver),
      changed_(driver.loop()),
      request_(std::move(request)),
      body_(body),
      easy_(curl_easy_init()) {
  CHECK(easy_ != nullptr);
}

HttpTransfer::~HttpTransfer() {
  if (added_) {
    driver_.remove(easy_);
  }
  curl_easy_cleanup(easy_);
}

ports::Task<Result<void>> HttpTransfer::headers_or_end(ports::CallLimits limits) {
  while (!ended_ && (body_ == Body::kWhole || !headers_complete_)) {
    changed_.reset();
    const ports::Wake wake = co_await changed_.wait(limits.deadline, limits.stop);
    if (wake != ports::Wake::kSet) {
      co_return error_of(wake);
    }
  }
  // A stream whose headers are there gives what has come; its last read tells of a break.
  if (!headers_complete_ || (body_ == Body::kWhole && code_ != CURLE_OK)) {
    co_return failure();
  }
  co_return Result<void>();
}

ports::Task<Result<std::string>> HttpTransfer::next_piece(ports::CallLimits limits) {
  if (limits.stop.stop_requested()) {
    co_return error_of(ports::Wake::kStopped);  // also where more has come: a busy stream has no end
  }
  while (reply_.body.empty() && !ended_) {
    changed_.reset();
    const ports::Wake wake = co_await changed_.wait(limits.deadline, limits.stop);
    if (wake == ports::Wake::kStopped) {
      co_return error_of(wake);
    }
    if (wake == ports::Wake::kDeadline) {
      co_return error(ErrorKind::kTimeout, "nothing more of the reply came before the deadline");
    }
  }
  if (reply_.body.empty() && code_ != CURLE_OK) {
    Error broken = failure();
    if (broken.kind == ErrorKind::kTimeout) {
      broken.kind = ErrorKind::kUnavailable;  // it had been answered: nobody wonders whether it was delivered
    }
    co_return broken;
  }
  std::string piece = std::exchange(reply_.body, {});
  if (paused_) {
    paused_ = false;
    curl_easy_pause(easy_, CURLPAUSE_CONT);  // calls on_body with what it held back
  }
  co_return piece;
}

std::size_t HttpTransfer::on_header(char* data, std::size_t /*one*/, std::size_t size, void* self) {
  static_cast<HttpTransfer*>(self)->take_header_line(std::string_view(data, size));
  return size;
}

void HttpTransfer::take_header_line(std::string_view line) {
  if (headers_complete_) {
    return;  // a trailer
  }
  const std::string_view text = trimmed(line);
  if (text.starts_with("HTTP/") && text.find(' ') != std::string_view::npos) {
    // Each interim reply (100 Continue) has a status line of its own.
    const std::string_view status = text.substr(text.find(' ') + 1);
    reply_.status = 0;
    std::from_chars(status.data(), status.data() + status.size(), reply_.status);
    reply_.headers = {};
    return;
  }
  if (text.empty()) {
    if (reply_.status >= 200) {
      headers_complete_ = true;
      if (body_ == Body::kStreamed) {
        changed_.set();
      }
    }
    return;
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  reply_.headers.add(std::string(text.substr(0, colon)),
                     std::string(trimmed(text.substr(std::min(colon + 1, text.size())))));
}

std::size_t HttpTransfer::on_body(char* data, std::size_t /*one*/, std::size_t size, void* self) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  std::string& body = transfer.reply_.body;
  if (transfer.body_ == Body::kStreamed) {
    if (body.size() >= kMaxBuffered) {
      transfer.paused_ = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    transfer.changed_.set();
  } else if (body.size() + size > kMaxWholeBody) {
    transfer.too_large_ = true;
    return 0;
  }
  body.append(data, size);
  return size;
}

/// libcurl calls it each time a connection stands and the request is about to go out: a second time when it
/// is about to repeat the request because a kept connection died before the first byte of a reply (its
/// Curl_retry_request). The first try may have been delivered as soon as bytes of it were sent.
int HttpTransfer::on_before_request(void* self, char* /*peer*/, char* /*local*/, int /*peer_port*/,
                                    int /*local_port*/) {
  auto& transfer = *static_cast<HttpTransfer*>(self);
  if (transfer.may_be_delivered() && transfer.changes_something()) {
    transfer.refused_to_repeat_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.connected_ = true;
  transfer.bytes_before_request_ = transfer.bytes_sent();
  return CURL_PREREQFUNC_OK;
}

void HttpTransfer::ended(CURLcode code) {
  ended_ = true;
  code_ = code;
  changed_.set();
}

long HttpTransfer::bytes_sent() const {
  long bytes = 0;
  curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &bytes);
  return bytes;
}

Error HttpTransfer::failure() const {
  if (too_large_) {
    return error(ErrorKind::kInternal, "the reply is larger than 512 MiB");
  }
  if (refused_to_repeat_) {
    return error(ErrorKind::kTimeout,
                 "the connection was lost before a reply came; the request may have had its effect and is "
                 "not sent twice");
  }
  if (code_ == CURLE_OK) {  // libcurl (7.88) takes the end of the connection for the end of the headers
    return error(ErrorKind::kTimeout, "the connection was lost in the middle of the reply's headers");
  }
  const char* words = curl_says_[0] != '\0' ? curl_says_ : curl_easy_strerror(code_);
  const std::string detail = fmt::format("{} (curl error {})", words, static_cast<int>(code_));
  switch (code_) {
    case CURLE_URL_MALFORMAT:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
      return error(ErrorKind::kInvalid, detail);
    case CURLE_UNSUPPORTED_PROTOCOL:  // a scheme, or a reply without a status line ("HTTP/0.9")
      return error(may_be_delivered() ? ErrorKind::kInternal : ErrorKind::kInvalid, detail);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return error(ErrorKind::kInternal, detail);
    default:
      return error(may_be_delivered() ? ErrorKind::kTimeout : ErrorKind::kUnavailable, detail);
  }
}

Error HttpTransfer::error_of(ports::Wake wake) const {
  if (wake == ports::Wake::kStopped) {
    return error(ErrorKind::kCancelled, "asked to stop before the reply came");
  }
  if (may_be_delivered()) {
    return error(ErrorKind::kTimeout,
                 "no reply before the deadline; the request was sent and may have had its effect");
  }
  return error(ErrorKind::kUnavailable, connected_ ? "the deadline came before the request was sent"
                                                   : "no connection before the deadline");
}

Error HttpTransfer::error(ErrorKind kind, std::string detail) const {
  return Error{kind, operation_, std::move(detail)};
}

}  // namespace berth::runtime
