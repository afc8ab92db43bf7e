// The sending half of HttpTransfer: a request and the client's options as libcurl wants them told.

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "runtime/http_transfer.h"

namespace berth::runtime {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

/// Empty where the URL has no such part.
std::string part(const Url& url, CURLUPart which, unsigned int flags = 0) {
  char* text = nullptr;
  std::string out;
  if (curl_url_get(url.get(), which, &text, flags) == CURLUE_OK) {
    out = text;
  }
  curl_free(text);
  return out;
}

bool is_loopback(const std::string& host) {
  const bool is_v4 = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || (is_v4 && host.starts_with("127.")) || host == "[::1]";
}

bool has_line_break(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

}  // namespace

template <class T>
void HttpTransfer::set(CURLoption option, T value) {
  if (const CURLcode code = curl_easy_setopt(easy_, option, value);
      code != CURLE_OK && refused_option_ == CURLE_OK) {
    refused_option_ = code;
  }
}

void HttpTransfer::set_pem(CURLoption option, const std::string& pem) {
  curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_NOCOPY};
  set(option, &blob);
}

void HttpTransfer::append(List& list, const std::string& item) {
  curl_slist* const longer = curl_slist_append(list.get(), item.c_str());
  CHECK(longer != nullptr);
  if (!list) {
    list.reset(longer);
  }
}

Result<void> HttpTransfer::prepare(const HttpClientOptions& options) {
  if (Result<void> target = set_target(options); !target) {
    return target;
  }
  if (Result<void> headers = set_headers(); !headers) {
    return headers;
  }
  set_method();
  set_tls(options);
  set_connection(options);
  set_signing();
  set_callbacks();
  if (refused_option_ != CURLE_OK) {
    return error(ErrorKind::kInvalid,
                 fmt::format("libcurl refuses an option of the request: {} (curl error {})",
                             curl_easy_strerror(refused_option_), static_cast<int>(refused_option_)));
  }
  return {};
}

Result<void> HttpTransfer::set_target(const HttpClientOptions& options) {
  const Url url(curl_url());
  CHECK(url != nullptr);
  operation_ = request_.method + " request";
  const CURLUcode parsed = curl_url_set(url.get(), CURLUPART_URL, request_.target.c_str(), CURLU_PATH_AS_IS);
  const std::string scheme = part(url, CURLUPART_SCHEME);
  if (parsed != CURLUE_OK || (scheme != "http" && scheme != "https") || has_line_break(request_.target)) {
    return error(ErrorKind::kInvalid,
                 parsed != CURLUE_OK
                     ? fmt::format("the URL cannot be used: {}; http://HOST… or https://HOST… is expected",
                                   curl_url_strerror(parsed))
                     : "the URL's scheme is not supported; http://HOST… or https://HOST… is expected");
  }
  const std::string host = part(url, CURLUPART_HOST);
  const std::string port = part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const std::string given_port = part(url, CURLUPART_PORT);
  const std::string authority = given_port.empty() ? host : host + ":" + given_port;
  operation_ = fmt::format("{} {}://{}{}", request_.method, scheme, authority, part(url, CURLUPART_PATH));

  const bool other_name =
      scheme == "https" && !options.tls_server_name.empty() && options.tls_server_name != host;
  if (other_name) {
    // libcurl takes the name for TLS from the URL alone. So the URL gets the name, and the connection is
    // told where to go.
    if (curl_url_set(url.get(), CURLUPART_HOST, options.tls_server_name.c_str(), 0) != CURLUE_OK) {
      return error(ErrorKind::kInvalid, "the TLS server name is not a host name");
    }
    append(connect_to_list_, fmt::format("{}:{}:{}:{}", options.tls_server_name, port, host, port));
    append(header_list_, "Host: " + authority);
    set(CURLOPT_CONNECT_TO, connect_to_list_.get());
  }
  set(CURLOPT_URL, part(url, CURLUPART_URL).c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");

  if (options.no_proxy_at_all || (options.proxy_url.empty() && is_loopback(host))) {
    set(CURLOPT_PROXY, "");  // the empty text switches the environment's off
  } else if (!options.proxy_url.empty()) {
    set(CURLOPT_PROXY, options.proxy_url.c_str());
    set(CURLOPT_NOPROXY, "");  // and here NO_PROXY
  }
  return {};
}

Result<void> HttpTransfer::set_headers() {
  bool has_content_type = false;
  for (const auto& [name, value] : request_.headers) {
    if (name.empty() || has_line_break(name) || has_line_break(value) ||
        name.find(':') != std::string::npos) {
      return error(ErrorKind::kInvalid,
                   "a header's name is empty, or a header has a line break or a colon in "
                   "its name");
    }
    append(header_list_,
           value.empty() ? name + ";" : fmt::format("{}: {}", name, value));  // "name:" would remove it
    constexpr std::string_view content_type = "content-type";
    has_content_type |= std::ranges::equal(
        name, content_type, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  }
  if (!request_.sign) {
    if (!has_content_type) {
      append(header_list_, "Content-Type:");  // libcurl would call any body a form
    }
  } else if (!request_.sign->session_token.empty()) {
    // libcurl signs all of this list, with Host and X-Amz-Date, so nothing may be in it that is not sent. A
    // body without a type is a form here, which is what AWS expects.
    append(header_list_, "X-Amz-Security-Token: " + request_.sign->session_token);
  }
  set(CURLOPT_HTTPHEADER, header_list_.get());
  return {};
}

void HttpTransfer::set_method() {
  constexpr std::array<std::string_view, 3> with_body = {"POST", "PUT", "PATCH"};
  if (!request_.body.empty() || std::ranges::find(with_body, request_.method) != with_body.end()) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request_.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  } else if (request_.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  }
  set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  // libcurl asks for 100 Continue before a body of more than 1 MiB, and would wait a second for it.
  set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
}

void HttpTransfer::set_tls(const HttpClientOptions& options) {
  if (options.insecure_skip_verify) {
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!options.ca_pem.empty()) {
    set_pem(CURLOPT_CAINFO_BLOB, options.ca_pem);
  } else {
    // The system's bundle is parsed once and kept (7.87 and later), but only where no folder of certificates
    // is set as well, which Debian's build does. Parsing takes the loop some 10 ms for each connection.
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  if (!options.client_certificate_pem.empty()) {
    set_pem(CURLOPT_SSLCERT_BLOB, options.client_certificate_pem);
    set_pem(CURLOPT_SSLKEY_BLOB, options.client_key_pem);
  }
}

void HttpTransfer::set_connection(const HttpClientOptions& options) {
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_NODELAY, 1L);
  // A watch may be silent for minutes: a peer that vanished is noticed after about a minute.
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, 30L);
  set(CURLOPT_TCP_KEEPINTVL, 10L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_USERAGENT, options.user_agent.c_str());
  // Names are looked up on a thread; without this, giving up a call would wait for that thread to end.
  set(CURLOPT_QUICK_EXIT, 1L);
}

void HttpTransfer::set_signing() {
  if (!request_.sign) {
    return;
  }
  const ports::AwsSigning& sign = *request_.sign;
  set(CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:{}", sign.region, sign.service).c_str());
  set(CURLOPT_USERNAME, sign.access_key_id.c_str());
  set(CURLOPT_PASSWORD, sign.secret_access_key.c_str());
}

void HttpTransfer::set_callbacks() {
  set(CURLOPT_ERRORBUFFER, static_cast<char*>(curl_says_));
  set(CURLOPT_HEADERFUNCTION, &HttpTransfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &HttpTransfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &HttpTransfer::on_before_request);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
}

}  // namespace berth::runtime
