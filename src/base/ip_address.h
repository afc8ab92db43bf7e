#pragma once
// A literal IPv4 or IPv6 address. Ordered by family, then numerically: 9.0.0.1 comes before 10.0.0.1.

#include <array>
#include <compare>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace berth {

class IpAddress {
 public:
  /// 0.0.0.0.
  IpAddress() = default;

  /// Nothing where the text is not exactly one address (no port, no prefix length, no blanks).
  static std::optional<IpAddress> parse(std::string_view text);

  bool is_v4() const { return family_ == Family::kV4; }
  std::string to_string() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  enum class Family : std::uint8_t { kV4, kV6 };

  Family family_ = Family::kV4;
  std::array<std::uint8_t, 16> bytes_{};  // network order; an IPv4 address fills the first four
};

void PrintTo(const IpAddress& ip, std::ostream* out);

}  // namespace berth

template <>
struct fmt::formatter<berth::IpAddress> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const berth::IpAddress& ip, Context& context) const {
    return fmt::formatter<std::string_view>::format(ip.to_string(), context);
  }
};
