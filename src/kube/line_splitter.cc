#include "kube/line_splitter.h"

namespace berth::kube {

void LineSplitter::feed(std::string_view piece) {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  buffer_ += piece;
}

std::optional<std::string> LineSplitter::next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    std::string line = buffer_.substr(begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    if (!line.empty()) {
      return line;
    }
  }
}

}  // namespace berth::kube
