#include "ports/http.h"

#include <algorithm>
#include <cctype>

namespace berth::ports {

std::optional<std::string_view> HttpHeaders::find(std::string_view name) const {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  for (const auto& [key, value] : list_) {
    if (std::ranges::equal(key, name, same)) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace berth::ports
