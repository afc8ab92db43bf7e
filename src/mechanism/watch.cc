#include "mechanism/watch.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::mechanism {

Watch::Watch(WatchPolicy policy, Prng& prng) : policy_(policy), prng_(prng), backoff_(policy.backoff) {}

WatchStep Watch::start() {
  CHECK(state_ == State::kEmpty);
  return list_from(resource_version_, Duration::zero());
}

WatchStep Watch::step(const WatchInput& input, MonoTime now) {
  return std::visit([this, now](const auto& one) { return on(one, now); }, input);
}

WatchStep Watch::on(const PageArrived& page, MonoTime now) {
  CHECK(state_ == State::kListing);
  note_success(now);
  if (!page.continue_token.empty()) {
    // The token carries the resource version; naming one beside it is an error.
    page_ = {.resource_version = "", .continue_token = page.continue_token, .limit = page_.limit};
    return {.request = page_};
  }
  resource_version_ = page.resource_version;
  state_ = State::kListed;
  listed_at_ = now;
  WatchStep step = watch_on(Duration::zero());
  step.replace_store = true;
  return step;
}

WatchStep Watch::on(const WatchOpened& /*opened*/, MonoTime now) {
  CHECK(state_ == State::kListed);
  note_success(now);
  state_ = State::kWatching;
  opened_at_ = now;
  any_event_ = false;
  return {.request = KeepReading{}};
}

WatchStep Watch::on(const EventArrived& event, MonoTime /*now*/) {
  CHECK(state_ == State::kWatching);
  any_event_ = true;
  if (!event.resource_version.empty()) {
    resource_version_ = event.resource_version;
  }
  return {.request = KeepReading{}};
}

WatchStep Watch::on(const BookmarkArrived& bookmark, MonoTime /*now*/) {
  CHECK(state_ == State::kWatching);
  if (!bookmark.resource_version.empty()) {
    resource_version_ = bookmark.resource_version;
  }
  return {.request = KeepReading{}};
}

WatchStep Watch::on(const WatchClosed& /*closed*/, MonoTime now) {
  CHECK(state_ == State::kWatching);
  state_ = State::kListed;
  const bool too_short = !any_event_ && now - opened_at_ < policy_.short_watch;
  return watch_on(too_short ? back_off(std::nullopt, now) : Duration::zero());
}

WatchStep Watch::on(const RequestFailed& failed, MonoTime now) {
  CHECK(state_ != State::kEmpty);
  return state_ == State::kListing ? list_failed(failed, now) : watch_failed(failed, now);
}

WatchStep Watch::list_failed(const RequestFailed& failed, MonoTime now) {
  switch (failed.kind) {
    case ErrorKind::kExpired: {
      const bool paging = !page_.continue_token.empty();
      // A server that expires what cannot expire is asked again, but later and later.
      const bool absurd = paging ? page_.limit == 0 : page_.resource_version.empty();
      WatchStep step = list_from("", absurd ? back_off(failed.retry_after, now) : Duration::zero());
      if (paging) {
        page_.limit = 0;
        step.request = page_;
      }
      return step;
    }
    case ErrorKind::kNotFound:  // when the type comes back, it is another one
    case ErrorKind::kInvalid:   // the server cannot read its own version or token any more
      return list_from("", back_off(failed.retry_after, now));
    default:
      return {.request = page_, .wait = back_off(failed.retry_after, now)};
  }
}

WatchStep Watch::watch_failed(const RequestFailed& failed, MonoTime now) {
  state_ = State::kListed;
  switch (failed.kind) {
    case ErrorKind::kExpired: {
      // The list that was just read is too old already: without a pause this would be a tight loop.
      const bool at_once = now - listed_at_ >= policy_.short_watch;
      return list_from(resource_version_, at_once ? Duration::zero() : back_off(failed.retry_after, now));
    }
    case ErrorKind::kNotFound:  // the type was removed: when it comes back, it is another one
    case ErrorKind::kInvalid:   // the server cannot read its own resource version any more
      return list_from("", back_off(failed.retry_after, now));
    case ErrorKind::kInternal:  // garbage: something may have been lost
      return list_from(resource_version_, back_off(failed.retry_after, now));
    default:
      return watch_on(back_off(failed.retry_after, now));
  }
}

WatchStep Watch::list_from(std::string resource_version, Duration wait) {
  state_ = State::kListing;
  page_ = {
      .resource_version = std::move(resource_version), .continue_token = "", .limit = policy_.page_limit};
  return {.request = page_, .wait = wait, .discard_pages = true};
}

WatchStep Watch::watch_on(Duration wait) {
  const Duration spread(
      static_cast<Duration::rep>(prng_.unit() * static_cast<double>(policy_.server_timeout_min.count())));
  const Duration server_timeout = policy_.server_timeout_min + spread;
  return {.request = OpenWatch{.resource_version = resource_version_,
                               .server_timeout = server_timeout,
                               .idle_timeout = server_timeout + policy_.idle_margin},
          .wait = wait};
}

Duration Watch::back_off(std::optional<Duration> retry_after, MonoTime now) {
  if (healthy_since_ && now - *healthy_since_ >= policy_.healthy_after) {
    backoff_.reset();
  }
  healthy_since_.reset();
  return std::max(backoff_.next(prng_), retry_after.value_or(Duration::zero()));
}

void Watch::note_success(MonoTime now) {
  if (!healthy_since_) {
    healthy_since_ = now;
  }
}

}  // namespace berth::mechanism
