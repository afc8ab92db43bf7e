#pragma once
// Where a Kubernetes API is and who we are there, as plain values, whichever way they were found. Whoever
// builds the HttpClient takes the TLS part from here; Client takes the rest.

#include <string>

namespace berth::kube {

struct ClusterAccess {
  std::string server;           // "https://10.0.0.1:6443", maybe with a path; no slash at its end
  std::string ca_pem;           // empty: the system's authorities
  std::string client_cert_pem;  // empty: no client certificate
  std::string client_key_pem;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;  // expected in the certificate instead of the server's host name; empty: that
  std::string proxy_url;        // empty: as the environment says
  std::string token;            // the first one where there is a token_file too
  std::string token_file;       // read again as it changes; empty: none
  std::string default_namespace;
  std::string origin;  // for messages: "context \"prod\" of /root/.kube/config"
};

}  // namespace berth::kube
