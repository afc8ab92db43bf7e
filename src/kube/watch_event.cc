#include "kube/watch_event.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kube/json.h"

namespace berth::kube {
namespace {

std::optional<WatchEventKind> kind_of(std::string_view type) {
  if (type == "ADDED" || type == "MODIFIED") {
    return WatchEventKind::kUpsert;
  }
  if (type == "DELETED") {
    return WatchEventKind::kErase;
  }
  if (type == "BOOKMARK") {
    return WatchEventKind::kBookmark;
  }
  if (type == "ERROR") {
    return WatchEventKind::kError;
  }
  return std::nullopt;
}

Error garbage(std::string detail) {
  return {.kind = ErrorKind::kInternal, .operation = "read watch event", .detail = std::move(detail)};
}

}  // namespace

Result<WatchEvent> parse_watch_event(std::string_view line) {
  auto event = parse_object(line);
  if (!event) {
    return garbage(fmt::format("a line of the stream is {}", event.error().detail));
  }
  const std::string type = string_at(*event, {"type"});
  const auto kind = kind_of(type);
  if (!kind) {
    return garbage(
        fmt::format("a line of the stream has the type \"{}\"; expected ADDED, MODIFIED, DELETED, "
                    "BOOKMARK or ERROR",
                    excerpt(type)));
  }
  boost::json::value* object = event->if_contains("object");
  if (object == nullptr || !object->is_object()) {
    return garbage(fmt::format("the object of a {} event is {}, expected an object", type,
                               object == nullptr ? "missing" : type_of(*object)));
  }
  WatchEvent parsed{.kind = *kind, .object = std::move(object->get_object()), .resource_version = ""};
  parsed.resource_version = string_at(parsed.object, {"metadata", "resourceVersion"});
  return parsed;
}

}  // namespace berth::kube
