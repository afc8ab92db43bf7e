#include "app/environment.h"

#include <cstdlib>
#include <utility>

namespace berth::app {

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
}

Environment with(Environment base, std::map<std::string, std::string> changed) {
  return [base = std::move(base), changed = std::move(changed)](const std::string& name) {
    const auto found = changed.find(name);
    return found != changed.end() ? std::optional<std::string>(found->second) : base(name);
  };
}

std::string variable(const Environment& environment, const std::string& name) {
  return environment(name).value_or("");
}

}  // namespace berth::app
