#pragma once
// Environment variables as a lookup that is passed in. Nothing here reads the process's own environment.

#include <functional>
#include <optional>
#include <string>

namespace berth::aws {

/// The value of the variable of that name; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// As AWS's own tools do it, a variable that is set to nothing counts as not set.
inline std::optional<std::string> setting(const Environment& environment, const std::string& name) {
  std::optional<std::string> value = environment(name);
  return value && value->empty() ? std::nullopt : value;
}

}  // namespace berth::aws
