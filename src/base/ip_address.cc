#include "base/ip_address.h"

#include <ostream>

#include <arpa/inet.h>

#include "base/check.h"

namespace berth {

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  IpAddress ip;
  if (terminated.size() != std::char_traits<char>::length(terminated.c_str())) {
    return std::nullopt;
  }
  if (inet_pton(AF_INET, terminated.c_str(), ip.bytes_.data()) == 1) {
    return ip;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), ip.bytes_.data()) == 1) {
    ip.family_ = Family::kV6;
    return ip;
  }
  return std::nullopt;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = is_v4() ? AF_INET : AF_INET6;
  CHECK(inet_ntop(family, bytes_.data(), text.data(), text.size()) != nullptr);
  return text.data();
}

void PrintTo(const IpAddress& ip, std::ostream* out) { *out << ip.to_string(); }

}  // namespace berth
