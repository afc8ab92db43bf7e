#pragma once
// One line of a watch stream. https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-events

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/result.h"

namespace berth::kube {

enum class WatchEventKind : std::uint8_t { kUpsert, kErase, kBookmark, kError };

struct WatchEvent {
  WatchEventKind kind;
  boost::json::object object;    // of kError: a Status
  std::string resource_version;  // of the object; empty where it has none
};

/// kInternal where the line is no event.
Result<WatchEvent> parse_watch_event(std::string_view line);

}  // namespace berth::kube
