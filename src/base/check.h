#pragma once
// CHECK guards what our own code promises. A broken invariant ends the process, in release builds too: a
// restart from the truth in the cloud is safer than going on from a wrong picture. Never used on input from
// outside.

namespace berth {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace berth

// A macro, for the text of the condition and its place.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::berth::check_failed(#condition, __FILE__, __LINE__))
