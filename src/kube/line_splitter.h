#pragma once
// A stream of bytes in pieces of any size, out as lines. Knows nothing of what a line means.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

class LineSplitter {
 public:
  /// A line of more than `max_line_bytes` is an error: a peer that never ends its line must not fill memory.
  explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  void feed(std::string_view piece);

  /// The next whole line without its end; nothing until more is fed. Empty lines are skipped.
  std::optional<std::string> next();

  /// Whether the line that is coming is longer than allowed.
  bool too_long() const { return buffer_.size() - begin_ > max_line_bytes_; }

 private:
  std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the first byte that was not given out
  std::size_t scanned_ = 0;  // no line ends before here: each byte is looked at once, however many pieces
};

}  // namespace berth::kube
