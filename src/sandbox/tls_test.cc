#include "sandbox/tls.h"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace berth::sandbox {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr auto kNow = "2026-01-01T00:00:00Z";

Certificate certificate(const std::string& pem) {
  const Bio memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return {PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr), &X509_free};
}

/// Whether a client that trusts the CA accepts the certificate at `time`.
bool is_trusted(X509* ca, X509* server, const char* time) {
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(), &X509_STORE_free);
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(X509_STORE_CTX_new(),
                                                                                &X509_STORE_CTX_free);
  X509_STORE_add_cert(store.get(), ca);
  X509_STORE_CTX_init(context.get(), store.get(), server, nullptr);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  const auto at = parse_rfc3339(time)->time_since_epoch();
  X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(context.get()),
                             std::chrono::duration_cast<std::chrono::seconds>(at).count());
  return X509_verify_cert(context.get()) == 1;
}

class Tls : public testing::Test {
 protected:
  Result<TlsIdentity> identity = make_tls_identity(*parse_rfc3339(kNow));
  Certificate ca = certificate(identity->ca_certificate);
  Certificate server = certificate(identity->server_certificate);
};

TEST_F(Tls, is_trusted_from_an_hour_before_for_ten_years) {
  EXPECT_TRUE(is_trusted(ca.get(), server.get(), "2025-12-31T23:00:01Z"));
  EXPECT_FALSE(is_trusted(ca.get(), server.get(), "2025-12-31T22:59:00Z"));
  EXPECT_TRUE(is_trusted(ca.get(), server.get(), "2035-12-01T00:00:00Z"));
  EXPECT_FALSE(is_trusted(ca.get(), server.get(), "2036-01-01T00:00:00Z"));
}

TEST_F(Tls, names_localhost_and_both_loopback_addresses) {
  EXPECT_EQ(X509_check_host(server.get(), "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(server.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(server.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(server.get(), "example.com", 0, 0, nullptr), 0);
}

TEST_F(Tls, the_key_belongs_to_the_servers_certificate_and_the_ca_differs_every_time) {
  const Bio memory(
      BIO_new_mem_buf(identity->server_key.data(), static_cast<int>(identity->server_key.size())), &BIO_free);
  const Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  EXPECT_EQ(X509_check_private_key(server.get(), key.get()), 1);
  const auto other = make_tls_identity(*parse_rfc3339(kNow));
  EXPECT_FALSE(is_trusted(certificate(other->ca_certificate).get(), server.get(), kNow));
}

}  // namespace
}  // namespace berth::sandbox
