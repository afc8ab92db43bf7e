#pragma once
// An id that cannot stand in for another kind of id. `using InstanceId = StrongId<struct InstanceIdTag>;`

#include <compare>
#include <string>
#include <utility>

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

/// For messages: fmt and GoogleTest print the id as it is.
template <class Tag>
const std::string& format_as(const StrongId<Tag>& id) {
  return id.str();
}
template <class Tag>
void PrintTo(const StrongId<Tag>& id, std::ostream* out) {
  *out << id.str();
}

}  // namespace berth
