#pragma once
// The real HTTP client: HTTP/1.1 over libcurl, driven by the loop. Connections are kept and reused; redirects
// are not followed; a reply in gzip arrives unpacked.
//
// What libcurl would do and this client does not: send a request that changes something a second time when
// a kept connection dies before the reply. The caller is told kTimeout and finds out what happened. GET and
// HEAD are sent again on a new connection.

#include <memory>
#include <string>

#include "ports/http.h"
#include "runtime/loop.h"

namespace berth::runtime {

struct HttpClientOptions {
  /// The certificates to trust, as PEM; empty: the system's.
  std::string ca_pem = {};

  /// For servers that ask who calls; both or neither. The chain starts with the client's own certificate.
  std::string client_certificate_pem = {};
  std::string client_key_pem = {};

  /// Accepts any certificate. Whoever listens on the way can then read and change everything.
  bool insecure_skip_verify = false;

  /// The name to ask for and to expect in the server's certificate, where it is not the URL's host.
  std::string tls_server_name = {};

  /// Empty: as the environment says (https_proxy, http_proxy, NO_PROXY, …), except to loopback, where a proxy
  /// is never meant. Not empty: this proxy for every host.
  std::string proxy_url = {};
  /// No proxy, whatever the environment says: for link-local services such as instance metadata.
  bool no_proxy_at_all = false;

  /// Calls beyond it wait for a connection; an open stream keeps one.
  int max_connections_per_host = 64;

  std::string user_agent = "berth";
};

/// It outlives its calls and its streams. `fetch` gives kInternal for a reply of more than 512 MiB; a stream
/// buffers about 1 MiB and then lets the sender wait.
std::unique_ptr<ports::HttpClient> make_http_client(Loop& loop, HttpClientOptions options);

}  // namespace berth::runtime
