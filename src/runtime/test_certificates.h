#pragma once
// For the tests of this folder: certificates made on the spot.

#include <cstdint>
#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "runtime/http_server.h"

namespace berth::runtime::testing {

/// An authority of its own, valid for an hour.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name)
      : key_(new_key()), certificate_(sign(name, "", key_.get(), nullptr, nullptr)) {}

  std::string ca_pem() const { return pem(certificate_.get()); }

  /// `names` as OpenSSL writes subject alternative names: "DNS:localhost,IP:127.0.0.1".
  TlsIdentity issue(const std::string& names) const {
    const Key key = new_key();
    const Certificate certificate = sign("leaf", names, key.get(), certificate_.get(), key_.get());
    return {pem(certificate.get()), pem(key.get())};
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;

  static Key new_key() {
    Key key(EVP_EC_gen("P-256"));
    CHECK(key);
    return key;
  }

  static void extend(X509* certificate, int kind, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, Free> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
    CHECK(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
  }

  /// Signed by itself where there is no issuer.
  static Certificate sign(const std::string& name, const std::string& names, EVP_PKEY* key,
                          const X509* issuer, EVP_PKEY* issuer_key) {
    static long serial = 1;
    Certificate certificate(X509_new());
    X509* const cert = certificate.get();
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), serial++);
    X509_gmtime_adj(X509_getm_notBefore(cert), -60);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    const std::string& text = name;
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(text.data()),
                               static_cast<int>(text.size()), -1, 0);
    X509_set_issuer_name(cert, X509_get_subject_name(issuer != nullptr ? issuer : cert));
    extend(cert, NID_basic_constraints, issuer != nullptr ? "CA:FALSE" : "critical,CA:TRUE");
    if (!names.empty()) {
      extend(cert, NID_subject_alt_name, names);
    }
    CHECK(X509_sign(cert, issuer_key != nullptr ? issuer_key : key, EVP_sha256()) > 0);
    return certificate;
  }

  static std::string content(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
  }
  static std::string pem(X509* certificate) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    CHECK(PEM_write_bio_X509(bio.get(), certificate) == 1);
    return content(bio.get());
  }
  static std::string pem(EVP_PKEY* key) {
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    CHECK(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return content(bio.get());
  }

  Key key_;
  Certificate certificate_;
};

}  // namespace berth::runtime::testing
