#include "runtime/http_client.h"

#include <utility>

#include "runtime/curl_driver.h"
#include "runtime/http_transfer.h"

namespace berth::runtime {
namespace {

class CurlStream final : public ports::HttpStream {
 public:
  explicit CurlStream(std::unique_ptr<HttpTransfer> transfer) : transfer_(std::move(transfer)) {}

  int status() const override { return transfer_->status(); }
  const ports::HttpHeaders& headers() const override { return transfer_->headers(); }
  ports::Task<Result<std::string>> read(ports::CallLimits limits) override {
    return transfer_->next_piece(std::move(limits));
  }

 private:
  std::unique_ptr<HttpTransfer> transfer_;
};

class CurlClient final : public ports::HttpClient {
 public:
  CurlClient(Loop& loop, HttpClientOptions options)
      : options_(std::move(options)), driver_(loop, options_.max_connections_per_host) {}

  ports::Task<Result<ports::HttpReply>> fetch(ports::HttpRequest request, ports::CallLimits limits) override {
    auto transfer =
        HttpTransfer::start(driver_, options_, std::move(request), HttpTransfer::Body::kWhole, limits);
    if (!transfer) {
      co_return std::move(transfer).error();
    }
    const Result<void> end = co_await (*transfer)->headers_or_end(std::move(limits));
    if (!end) {
      co_return end.error();
    }
    co_return (*transfer)->take_reply();
  }

  ports::Task<Result<std::unique_ptr<ports::HttpStream>>> open(ports::HttpRequest request,
                                                               ports::CallLimits limits) override {
    auto transfer =
        HttpTransfer::start(driver_, options_, std::move(request), HttpTransfer::Body::kStreamed, limits);
    if (!transfer) {
      co_return std::move(transfer).error();
    }
    const Result<void> headers = co_await (*transfer)->headers_or_end(std::move(limits));
    if (!headers) {
      co_return headers.error();
    }
    co_return std::unique_ptr<ports::HttpStream>(std::make_unique<CurlStream>(std::move(*transfer)));
  }

 private:
  const HttpClientOptions options_;
  CurlDriver driver_;
};

}  // namespace

std::unique_ptr<ports::HttpClient> make_http_client(Loop& loop, HttpClientOptions options) {
  return std::make_unique<CurlClient>(loop, std::move(options));
}

}  // namespace berth::runtime
