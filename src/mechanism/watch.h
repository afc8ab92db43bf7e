#pragma once
// Following a collection of a Kubernetes API for ever: which request comes next, after what pause, and when
// what was listed takes the place of what was known. It sends nothing, reads nothing and keeps no object.
//
//   Empty ──► Listing(page) ──► Listed(rv) ──► Watching(rv)
//
//   Empty     ── start ──────────────────────► Listing
//   Listing   ── page with a token ──────────► Listing   the next page
//             ── failed ─────────────────────► Listing   the same page, after a pause
//             ── token or rv expired ────────► Listing   the newest state, from the beginning
//             ── last page ──────────────────► Listed    the store is replaced
//   Listed    ── opened ─────────────────────► Watching
//             ── refused, no answer ─────────► Listed    the same rv, after a pause
//             ── 410, 404, 400, garbage ─────► Listing
//   Watching  ── event, bookmark ────────────► Watching  rv moves on
//             ── closed, broken, silent ─────► Listed    the same rv
//             ── 410 as an ERROR event,
//                garbage ────────────────────► Listing
//
// - A resource version (rv) is opaque: it is handed back and never compared by size.
// - The first list asks for rv "0": whatever the server has in its cache. A later one asks for the last rv
//   seen, so that time never runs backwards; where the server calls that expired or too large, for "", which
//   is a quorum read.
// - A continue token that expired restarts the list in one piece, so that a list that is slower than the
//   server's compaction still ends.
// - "Too old" comes in two ways, HTTP status 410 when the watch starts and an ERROR event inside a stream of
//   status 200; both are the same input here.
// - A watch that ends within a second without an event is a failure: otherwise a server or proxy that cuts
//   at once would be asked without pause.
//
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/prng.h"
#include "base/time.h"
#include "mechanism/backoff.h"

namespace berth::mechanism {

struct WatchPolicy {
  int page_limit = 500;  // what client-go asks for
  BackoffPolicy backoff = {.base = std::chrono::milliseconds(800), .cap = std::chrono::seconds(30)};
  Duration healthy_after = std::chrono::minutes(2);       // without failure; then the backoff starts over
  Duration short_watch = std::chrono::seconds(1);         // shorter and without event: a failure
  Duration server_timeout_min = std::chrono::minutes(5);  // random from here up to twice as much, so that
                                                          // clients do not come back all at once
  Duration idle_margin = std::chrono::seconds(30);        // silence this long after the server's own timeout
};

// Inputs.
struct PageArrived {
  std::string resource_version;
  std::string continue_token;  // empty: the last page
};
struct WatchOpened {};
struct EventArrived {
  std::string resource_version;  // empty where the object has none; then ours stays
};
struct BookmarkArrived {
  std::string resource_version;
};
struct WatchClosed {};  // the stream ended or broke
struct RequestFailed {  // a list or watch that was refused, an ERROR event, or a line that is no event
  ErrorKind kind;
  std::optional<Duration> retry_after = std::nullopt;
};
using WatchInput =
    std::variant<PageArrived, WatchOpened, EventArrived, BookmarkArrived, WatchClosed, RequestFailed>;

// Requests.
struct ListPage {
  std::string resource_version;
  std::string continue_token;
  int limit = 0;  // 0: no limit

  friend bool operator==(const ListPage&, const ListPage&) = default;
};
struct OpenWatch {
  std::string resource_version;
  Duration server_timeout{};
  Duration idle_timeout{};  // between two pieces of the stream

  friend bool operator==(const OpenWatch&, const OpenWatch&) = default;
};
struct KeepReading {
  friend bool operator==(const KeepReading&, const KeepReading&) = default;
};

struct WatchStep {
  std::variant<ListPage, OpenWatch, KeepReading> request;
  Duration wait{};             // before the request
  bool discard_pages = false;  // the pages gathered so far belong to a list that starts over
  bool replace_store = false;  // the pages gathered are the whole list
};

class Watch {
 public:
  enum class State : std::uint8_t { kEmpty, kListing, kListed, kWatching };

  /// `prng` outlives the watch.
  Watch(WatchPolicy policy, Prng& prng);

  /// The first request. Called once.
  WatchStep start();

  /// An input that the last request can lead to: a page only while listing, an event only while watching.
  WatchStep step(const WatchInput& input, MonoTime now);

  State state() const { return state_; }
  const std::string& resource_version() const { return resource_version_; }

 private:
  WatchStep on(const PageArrived& page, MonoTime now);
  WatchStep on(const WatchOpened& opened, MonoTime now);
  WatchStep on(const EventArrived& event, MonoTime now);
  WatchStep on(const BookmarkArrived& bookmark, MonoTime now);
  WatchStep on(const WatchClosed& closed, MonoTime now);
  WatchStep on(const RequestFailed& failed, MonoTime now);

  WatchStep list_failed(const RequestFailed& failed, MonoTime now);
  WatchStep watch_failed(const RequestFailed& failed, MonoTime now);
  WatchStep list_from(std::string resource_version, Duration wait);
  WatchStep watch_on(Duration wait);
  Duration back_off(std::optional<Duration> retry_after, MonoTime now);
  void note_success(MonoTime now);

  WatchPolicy policy_;
  Prng& prng_;
  Backoff backoff_;
  State state_ = State::kEmpty;
  std::string resource_version_ = "0";     // the last one seen
  ListPage page_;                          // the request under way while listing
  MonoTime listed_at_{};                   // when the last list ended
  MonoTime opened_at_{};                   // when the watch under way opened
  bool any_event_ = false;                 // on the watch under way
  std::optional<MonoTime> healthy_since_;  // the first success after the last failure
};

}  // namespace berth::mechanism
