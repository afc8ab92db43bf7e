#include "sandbox/kube/watch.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sandbox/kube/list.h"

namespace berth::sandbox::kube {
namespace {

using namespace std::chrono_literals;
using ports::HttpResponder;
using ports::Task;

/// Lines are gathered up to about this many bytes, so that a first list is not ten thousand writes.
constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

/// A last bookmark comes so long before the end, as in the real server.
constexpr Duration kLastBookmark = 2s;

ports::HttpHeaders json_stream() {
  return {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}};
}

std::string error_line(const Failure& failure) {
  return fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", json::serialize(status_object(failure)));
}

}  // namespace

Outcome<WatchOptions> WatchOptions::read(const Url& url, const ResourceType& type, std::string space,
                                         Representation representation, Duration default_timeout,
                                         Duration bookmark_interval) {
  WatchOptions options;
  auto selector = Selector::parse(url.parameter("labelSelector"), url.parameter("fieldSelector"), type);
  if (!selector) {
    return refuse(std::move(selector).error());
  }
  auto version = read_version(url.parameter("resourceVersion"));
  if (!version) {
    return refuse(std::move(version).error());
  }
  auto timeout = read_version(url.parameter("timeoutSeconds"));
  if (!timeout) {
    return refuse(
        bad_request(fmt::format("timeoutSeconds: Invalid value: \"{}\"", url.parameter("timeoutSeconds"))));
  }
  options.selector = *std::move(selector);
  options.space = std::move(space);
  options.representation = representation;
  options.row = row_object(url.parameter("includeObject"));
  options.version = *version;
  options.bookmarks = url.flag("allowWatchBookmarks");
  options.initial_list = url.flag("sendInitialEvents");
  options.timeout = timeout->value_or(0) == 0 ? default_timeout : std::chrono::seconds(**timeout);
  options.bookmark_interval = bookmark_interval;
  if (options.initial_list && url.parameter("resourceVersionMatch") != "NotOlderThan") {
    return refuse(bad_request("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  return options;
}

std::optional<Failure> Watch::expired() const {
  if (begins_with_all() || *options_.version >= collection_.forgotten()) {
    return std::nullopt;
  }
  return kube::expired(
      fmt::format("too old resource version: {} ({})", *options_.version, collection_.forgotten()));
}

Task<void> Watch::send_error(HttpResponder& responder, Failure failure) {
  if (const auto begun = co_await responder.begin(200, json_stream()); begun) {
    // The client may have gone: then there is nobody to tell.
    const auto written = co_await responder.write(error_line(failure));
    static_cast<void>(written.ok());
  }
}

bool Watch::selects(const ObjectPtr& object) const {
  return object != nullptr && (options_.space.empty() || object->space == options_.space) &&
         options_.selector.matches(object->labels, object->fields);
}

std::string Watch::event(std::string_view kind, const ObjectPtr& object) {
  if (options_.representation == Representation::kObject) {
    return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", kind, object->text);
  }
  std::string table = render_table(*type_, {object}, {{"resourceVersion", std::to_string(object->version)}},
                                   options_.row, clock_.wall_now(), !std::exchange(columns_sent_, true));
  table.pop_back();  // its line end
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", kind, table);
}

void Watch::add_bookmark(bool initial_end) {
  json::object metadata = {{"creationTimestamp", nullptr}, {"resourceVersion", std::to_string(seen_)}};
  if (initial_end) {
    metadata["annotations"] = json::object{{"k8s.io/initial-events-end", "true"}};
  }
  if (options_.representation == Representation::kTable) {
    metadata.erase("creationTimestamp");
    std::string table = render_table(*type_, {}, metadata, options_.row, clock_.wall_now(), !columns_sent_);
    table.pop_back();
    pending_ += fmt::format("{{\"type\":\"BOOKMARK\",\"object\":{}}}\n", table);
    return;
  }
  const json::object object = {
      {"kind", type_->kind}, {"apiVersion", type_->api_version()}, {"metadata", std::move(metadata)}};
  pending_ += fmt::format("{{\"type\":\"BOOKMARK\",\"object\":{}}}\n", json::serialize(object));
}

Task<Watch::Next> Watch::flush(HttpResponder& responder) {
  if (pending_.empty()) {
    co_return Next::kGoOn;
  }
  const auto written = co_await responder.write(std::exchange(pending_, {}));
  co_return written ? Next::kGoOn : Next::kEnd;
}

Task<Watch::Next> Watch::send_event(HttpResponder& responder, std::string_view kind, ObjectPtr object) {
  const Suffered suffered = faults_.on_call("event:" + type_->plural, clock_.mono_now());
  if (suffered.delay > Duration::zero()) {
    if (co_await flush(responder) == Next::kEnd ||
        !co_await ports::sleep_for(clock_, suffered.delay, responder.stop())) {
      co_return Next::kEnd;
    }
  }
  if (!suffered.error.empty() || suffered.throttled) {
    const bool tells = suffered.error.starts_with("Expired");
    if (tells) {
      pending_ += error_line(
          kube::expired(fmt::format("too old resource version: {} ({})", seen_, store_.version())));
    }
    co_await flush(responder);
    if (!tells) {
      responder.drop();
    }
    co_return Next::kEnd;
  }
  pending_ += event(kind, object);
  if (suffered.lost_reply) {
    co_await flush(responder);
    responder.drop();
    co_return Next::kEnd;
  }
  co_return pending_.size() < kPieceBytes ? Next::kGoOn : co_await flush(responder);
}

Task<Watch::Next> Watch::send_initial(HttpResponder& responder) {
  // A copy: while a piece is being written, the collection changes.
  std::vector<ObjectPtr> objects;
  for (const auto& [key, object] : collection_.objects()) {
    if (selects(object)) {
      objects.push_back(object);
    }
  }
  seen_ = store_.version();
  for (const ObjectPtr& object : objects) {
    if (co_await send_event(responder, "ADDED", object) == Next::kEnd) {
      co_return Next::kEnd;
    }
  }
  if (options_.initial_list && options_.bookmarks) {
    add_bookmark(true);
  }
  co_return co_await flush(responder);
}

Task<Watch::Next> Watch::send_changes(HttpResponder& responder) {
  while (true) {
    if (seen_ < collection_.forgotten()) {
      co_return Next::kEnd;  // too slow for the history
    }
    const auto next = collection_.after(seen_);
    if (next == collection_.history().end()) {
      seen_ = std::max(seen_, store_.version());
      if (pending_.empty()) {
        co_return Next::kGoOn;
      }
      if (co_await flush(responder) == Next::kEnd) {
        co_return Next::kEnd;
      }
      continue;  // what changed while it was written woke nobody
    }
    const Change& change = *next;  // not used any more once we wait
    seen_ = change.version;
    const bool before = selects(change.before);
    const bool after = selects(change.after);
    if (!before && !after) {
      continue;
    }
    // What is deleted, or leaves the selection, is shown as it was, with the version at which it went.
    const ObjectPtr object =
        after ? change.after : make_stored(*type_, change.before->parsed(), change.version);
    if (co_await send_event(responder,
                            !after   ? "DELETED"
                            : before ? "MODIFIED"
                                     : "ADDED",
                            object) == Next::kEnd) {
      co_return Next::kEnd;
    }
  }
}

Task<void> Watch::run(HttpResponder& responder) {
  const MonoTime end = clock_.mono_now() + options_.timeout;
  MonoTime bookmark_at = clock_.mono_now() + options_.bookmark_interval;
  bool last_bookmark_sent = false;
  seen_ = options_.version.value_or(0);
  if (const auto begun = co_await responder.begin(200, json_stream()); !begun) {
    co_return;
  }
  if (begins_with_all() && co_await send_initial(responder) == Next::kEnd) {
    co_return;
  }
  while (co_await send_changes(responder) == Next::kGoOn) {
    const MonoTime now = clock_.mono_now();
    if (now >= end) {
      co_return;
    }
    const bool is_last = !last_bookmark_sent && now >= end - kLastBookmark;
    if (options_.bookmarks && (is_last || now >= bookmark_at)) {
      last_bookmark_sent = is_last;
      bookmark_at = now + options_.bookmark_interval;
      add_bookmark(false);
      continue;  // writes it
    }
    MonoTime wake = end;
    if (options_.bookmarks) {
      wake = std::min({end, bookmark_at, last_bookmark_sent ? end : std::max(now, end - kLastBookmark)});
    }
    if (co_await collection_.changed().wait(wake, responder.stop()) == ports::Wake::kStopped) {
      co_return;
    }
  }
}

}  // namespace berth::sandbox::kube
