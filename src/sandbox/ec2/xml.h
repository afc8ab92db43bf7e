#pragma once
// Writes XML as EC2 replies with: elements and text, no attributes but the namespace. An element that has
// nothing to say is left out, as EC2 does, unless its writer asks for it.

#include <string>
#include <string_view>

namespace berth::sandbox {

class Xml {
 public:
  /// <name>text</name>, escaped.
  void text(std::string_view name, std::string_view text);
  void text(std::string_view name, const char* text) { this->text(name, std::string_view(text)); }
  void text(std::string_view name, bool value) { text(name, value ? "true" : "false"); }
  void text(std::string_view name, int value) { text(name, std::to_string(value)); }
  void text_if_any(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      text(name, value);
    }
  }

  /// <name> what `inside` writes </name>
  template <class Inside>
  void element(std::string_view name, Inside inside) {
    open(name);
    inside();
    close(name);
  }

  /// <name><item> what `inside` writes of the first </item> … </name>
  template <class Range, class Inside>
  void list(std::string_view name, const Range& range, Inside inside) {
    open(name);
    for (const auto& one : range) {
      open("item");
      inside(one);
      close("item");
    }
    close(name);
  }

  const std::string& str() const { return out_; }

 private:
  void open(std::string_view name);
  void close(std::string_view name);

  std::string out_;
};

/// For text between tags. Characters that XML 1.0 cannot hold become U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace berth::sandbox
