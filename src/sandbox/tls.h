#pragma once
// Keys and certificates for a server on this machine's loopback, made when they are needed. Not for any other
// use: nothing is revoked, nothing is renewed.

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace berth::sandbox {

/// All in PEM.
struct TlsIdentity {
  std::string ca_certificate;      // what clients are told to trust
  std::string server_certificate;  // for localhost, 127.0.0.1 and ::1
  std::string server_key;          // a secret
};

/// EC P-256, valid from an hour before `now` for ten years. kInternal where OpenSSL refuses.
Result<TlsIdentity> make_tls_identity(WallTime now);

}  // namespace berth::sandbox
