#include "sandbox/tls.h"

#include <chrono>
#include <memory>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace berth::sandbox {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr auto kLifetime = std::chrono::hours(24 * 3650);

/// OpenSSL's interface takes C strings that it does not change, but not as const.
struct Extension {
  int id;
  const char* value;
};

Error openssl_error(const char* what) {
  const unsigned long code = ERR_get_error();
  const char* reason = ERR_reason_error_string(code);
  return {ErrorKind::kInternal, "make TLS certificate",
          std::string(what) + " failed: " + (reason == nullptr ? "no reason given" : reason)};
}

bool set_time(ASN1_TIME* field, WallTime time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch());
  return ASN1_TIME_set(field, seconds.count()) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, const Extension& extension) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> made(
      X509V3_EXT_conf_nid(nullptr, &context, extension.id, extension.value), &X509_EXTENSION_free);
  return made != nullptr && X509_add_ext(certificate, made.get(), -1) == 1;
}

bool set_random_serial(X509* certificate) {
  std::uint64_t serial = 0;
  return RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1 &&
         ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1U) == 1;
}

/// Signed by `issuer_key`; `issuer` null: by itself.
Certificate make_certificate(const char* common_name, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key,
                             WallTime now, std::initializer_list<Extension> extensions) {
  Certificate made(X509_new(), &X509_free);
  X509* const certificate = made.get();
  if (certificate == nullptr) {
    return made;
  }
  X509* const signer = issuer == nullptr ? certificate : issuer;
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(common_name);
  bool good = X509_set_version(certificate, X509_VERSION_3) == 1 && set_random_serial(certificate) &&
              set_time(X509_getm_notBefore(certificate), now - std::chrono::hours(1)) &&
              set_time(X509_getm_notAfter(certificate), now + kLifetime) &&
              X509_set_pubkey(certificate, key) == 1 &&
              X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
              X509_set_issuer_name(certificate, X509_get_subject_name(signer)) == 1;
  for (const Extension& extension : extensions) {
    good = good && add_extension(certificate, signer, extension);
  }
  if (!good || X509_sign(certificate, issuer_key, EVP_sha256()) == 0) {
    made.reset();
  }
  return made;
}

std::string contents(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string to_pem(X509* certificate) {
  const Bio memory(BIO_new(BIO_s_mem()), &BIO_free);
  return memory != nullptr && PEM_write_bio_X509(memory.get(), certificate) == 1 ? contents(memory.get())
                                                                                 : std::string();
}

std::string to_pem(EVP_PKEY* key) {
  const Bio memory(BIO_new(BIO_s_mem()), &BIO_free);
  const bool written = memory != nullptr && PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0,
                                                                     nullptr, nullptr) == 1;
  return written ? contents(memory.get()) : std::string();
}

}  // namespace

Result<TlsIdentity> make_tls_identity(WallTime now) {
  const Key ca_key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  if (ca_key == nullptr || key == nullptr) {
    return openssl_error("making a key");
  }
  const Certificate ca = make_certificate("berth-sandbox-ca", ca_key.get(), nullptr, ca_key.get(), now,
                                          {{NID_basic_constraints, "critical,CA:TRUE"},
                                           {NID_key_usage, "critical,keyCertSign,cRLSign"},
                                           {NID_subject_key_identifier, "hash"}});
  if (ca == nullptr) {
    return openssl_error("making the CA certificate");
  }
  const Certificate server = make_certificate("berth-sandbox", key.get(), ca.get(), ca_key.get(), now,
                                              {{NID_basic_constraints, "critical,CA:FALSE"},
                                               {NID_key_usage, "critical,digitalSignature"},
                                               {NID_ext_key_usage, "serverAuth"},
                                               {NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1"},
                                               {NID_subject_key_identifier, "hash"},
                                               {NID_authority_key_identifier, "keyid"}});
  if (server == nullptr) {
    return openssl_error("making the server certificate");
  }
  TlsIdentity identity{to_pem(ca.get()), to_pem(server.get()), to_pem(key.get())};
  if (identity.ca_certificate.empty() || identity.server_certificate.empty() || identity.server_key.empty()) {
    return openssl_error("writing PEM");
  }
  return identity;
}

}  // namespace berth::sandbox
