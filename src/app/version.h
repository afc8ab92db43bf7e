#pragma once
// Which Berth this is; the number is the project's in CMakeLists.txt.

namespace berth::app {

inline constexpr const char* kUserAgent = "berth/" BERTH_VERSION;

}  // namespace berth::app
