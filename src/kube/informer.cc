#include "kube/informer.h"

#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "kube/status_error.h"
#include "kube/watch_event.h"

namespace berth::kube {
namespace {

using mechanism::WatchStep;
using ports::Task;

// A first list can be 60 MB in one piece; a watch has to answer with headers only.
constexpr Duration kListTimeout = std::chrono::seconds(60);
constexpr Duration kOpenTimeout = std::chrono::seconds(30);

}  // namespace

Informer::Informer(InformerOptions options, Client& client, ports::Clock& clock, Prng& prng)
    : options_(std::move(options)), client_(client), clock_(clock), watch_({}, prng) {}

Task<void> Informer::run(ObjectObserver& observer, std::stop_token stop) {
  WatchStep next = watch_.start();
  while (!stop.stop_requested()) {
    if (next.discard_pages) {
      pages_.clear();
    }
    if (next.wait > Duration::zero()) {
      const bool awake = co_await ports::sleep_for(clock_, next.wait, stop);
      if (!awake) {
        break;
      }
    }
    if (const auto* page = std::get_if<mechanism::ListPage>(&next.request)) {
      next = co_await list(*page, observer, stop);
    } else {
      next = co_await follow(std::get<mechanism::OpenWatch>(next.request), observer, stop);
    }
  }
}

Task<WatchStep> Informer::list(mechanism::ListPage page, ObjectObserver& observer, std::stop_token stop) {
  auto reply = co_await client_.list_page(options_.collection, std::move(page),
                                          {.deadline = clock_.mono_now() + kListTimeout, .stop = stop});
  if (!reply) {
    co_return fail(reply.error());
  }
  if (reply->unreadable > 0) {
    log_.warning(fmt::format("The list of {} holds {} entries that are no objects; they are left out",
                             options_.noun, reply->unreadable));
  }
  for (boost::json::object& item : reply->items) {
    if (options_.trim != nullptr) {
      options_.trim(item);
    }
    pages_.push_back(std::move(item));
  }
  WatchStep next = step(mechanism::PageArrived{reply->resource_version, reply->continue_token});
  if (next.replace_store) {
    if (!until_data_) {
      note_contact();
    }
    observer.replace_all(std::exchange(pages_, {}));
  }
  co_return next;
}

Task<WatchStep> Informer::follow(mechanism::OpenWatch watch, ObjectObserver& observer, std::stop_token stop) {
  const Duration idle = watch.idle_timeout;
  auto stream = co_await client_.open_watch(options_.collection, std::move(watch),
                                            {.deadline = clock_.mono_now() + kOpenTimeout, .stop = stop});
  if (!stream) {
    co_return fail(stream.error());
  }
  static_cast<void>(step(mechanism::WatchOpened{}));
  if (!until_data_) {
    note_contact();
  }
  LineSplitter lines(options_.max_line_bytes);
  while (true) {
    auto piece = co_await (*stream)->read({.deadline = clock_.mono_now() + idle, .stop = stop});
    if (!piece) {
      co_return broken(piece.error(), idle);
    }
    if (piece->empty()) {
      co_return closed();
    }
    lines.feed(*piece);
    if (auto next = take_lines(lines, observer)) {
      co_return *std::move(next);
    }
  }
}

std::optional<WatchStep> Informer::take_lines(LineSplitter& lines, ObjectObserver& observer) {
  while (const auto line = lines.next()) {
    if (auto next = take_line(*line, observer)) {
      return next;
    }
  }
  if (lines.too_long()) {
    return fail({.kind = ErrorKind::kInternal,
                 .operation = fmt::format("watch {}", options_.noun),
                 .detail = fmt::format("a line of the stream is longer than {} MiB",
                                       options_.max_line_bytes >> 20U)});
  }
  return std::nullopt;
}

/// A step where the stream is of no more use.
std::optional<WatchStep> Informer::take_line(const std::string& line, ObjectObserver& observer) {
  auto event = parse_watch_event(line);
  if (!event) {
    return fail(event.error());
  }
  if (event->kind == WatchEventKind::kError) {
    return fail(status_error(event->object, fmt::format("watch {}", options_.noun)));
  }
  note_contact();
  if (event->kind == WatchEventKind::kBookmark) {
    static_cast<void>(step(mechanism::BookmarkArrived{event->resource_version}));
    return std::nullopt;
  }
  static_cast<void>(step(mechanism::EventArrived{event->resource_version}));
  if (options_.trim != nullptr) {
    options_.trim(event->object);
  }
  if (event->kind == WatchEventKind::kErase) {
    observer.erase(std::move(event->object));
  } else {
    observer.upsert(std::move(event->object));
  }
  return std::nullopt;
}

WatchStep Informer::step(const mechanism::WatchInput& input) { return watch_.step(input, clock_.mono_now()); }

/// A request that was refused, or a stream that says something else than events.
WatchStep Informer::fail(const Error& error) {
  const bool streaming = watch_.state() == mechanism::Watch::State::kWatching;
  WatchStep next = step(mechanism::RequestFailed{error.kind, error.retry_after});
  if (error.kind == ErrorKind::kExpired && next.wait == Duration::zero()) {
    log_.debug(fmt::format("The {} are listed again: {}", options_.noun, error.message()));
  } else if (error.kind != ErrorKind::kCancelled) {
    note_loss(error, streaming || error.kind == ErrorKind::kExpired);
  }
  return next;
}

/// A stream that ended without its end.
WatchStep Informer::broken(const Error& error, Duration idle) {
  if (error.kind == ErrorKind::kTimeout) {
    return fail({.kind = ErrorKind::kTimeout,
                 .operation = fmt::format("watch {}", options_.noun),
                 .detail = fmt::format("nothing came for {}, and the server should have ended the watch "
                                       "before that",
                                       format_duration(idle))});
  }
  WatchStep next = step(mechanism::WatchClosed{});
  if (error.kind != ErrorKind::kCancelled) {
    note_loss(error, next.wait > Duration::zero());
  }
  return next;
}

WatchStep Informer::closed() {
  WatchStep next = step(mechanism::WatchClosed{});
  if (next.wait > Duration::zero()) {
    note_loss({.kind = ErrorKind::kUnavailable,
               .operation = fmt::format("watch {}", options_.noun),
               .detail = "the stream ends as soon as it begins; is there a proxy that cuts long replies?"},
              true);
  } else {
    note_contact();
  }
  return next;
}

void Informer::note_loss(const Error& error, bool until_data) {
  until_data_ = until_data;
  std::string cause = fmt::format("{}/{}", to_string(error.kind), error.code);
  if (cause == lost_) {
    return;
  }
  lost_ = std::move(cause);
  std::string remedy;
  if (error.kind == ErrorKind::kUnauthorized) {
    remedy = is_forbidden(error) ? ' ' + options_.forbidden
                                 : " The token or client certificate is missing, wrong or has expired.";
  } else if (error.kind == ErrorKind::kNotFound) {
    remedy = ' ' + options_.not_found;
  }
  log_.warning(fmt::format("The {} cannot be followed: {}. Trying again until it works.{}", options_.noun,
                           error.message(), remedy),
               {{"kind", std::string(to_string(error.kind))}, {"code", error.code}});
}

void Informer::note_contact() {
  until_data_ = false;
  if (!lost_.empty()) {
    lost_.clear();
    log_.info(fmt::format("The {} are followed again", options_.noun));
  }
}

}  // namespace berth::kube
