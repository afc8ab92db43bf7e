#pragma once
// An id that cannot stand in for another kind of id. `using InstanceId = StrongId<struct InstanceIdTag>;`

#include <compare>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace berth {

template <class Tag>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(std::string text) : text_(std::move(text)) {}

  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }

  friend auto operator<=>(const StrongId&, const StrongId&) = default;

 private:
  std::string text_;
};

/// For GoogleTest.
template <class Tag>
void PrintTo(const StrongId<Tag>& id, std::ostream* out) {
  *out << id.str();
}

}  // namespace berth

template <class Tag>
struct fmt::formatter<berth::StrongId<Tag>> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const berth::StrongId<Tag>& id, Context& context) const {
    return fmt::formatter<std::string_view>::format(id.str(), context);
  }
};
