#pragma once
// The process's environment, read in one place and passed on as values.

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace berth::app {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// As the process was started with.
Environment process_environment();

/// `base` with some variables set anew.
Environment with(Environment base, std::map<std::string, std::string> changed);

/// Empty where it is not set.
std::string variable(const Environment& environment, const std::string& name);

}  // namespace berth::app
