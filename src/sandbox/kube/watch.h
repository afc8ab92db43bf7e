#pragma once
// One watch: follows one collection's history from a version on, and says what happened in the eyes of its
// selector. It holds a version, not objects, so a slow reader costs nothing until the history forgets that
// version; then it is cut, as a real server cuts it.

#include <cstdint>
#include <optional>
#include <string>

#include "ports/clock.h"
#include "ports/http.h"
#include "sandbox/faults.h"
#include "sandbox/kube/request.h"
#include "sandbox/kube/store.h"
#include "sandbox/kube/table.h"

namespace berth::sandbox::kube {

struct WatchOptions {
  Selector selector;
  std::string space;  // empty: all namespaces
  Representation representation = Representation::kObject;
  RowObject row = RowObject::kMetadata;
  std::optional<std::uint64_t> version;  // nothing or 0: begin with what there is
  bool bookmarks = false;
  bool initial_list = false;  // sendInitialEvents: begin with what there is, then say that this was all
  Duration timeout{};         // after which the watch ends
  Duration bookmark_interval{};

  /// `default_timeout` holds where the client names none.
  static Outcome<WatchOptions> read(const Url& url, const ResourceType& type, std::string space,
                                    Representation representation, Duration default_timeout,
                                    Duration bookmark_interval);
};

class Watch {
 public:
  Watch(ports::Clock& clock, const Store& store, Collection& collection, Faults& faults, TypePtr type,
        WatchOptions options)
      : clock_(clock),
        store_(store),
        collection_(collection),
        faults_(faults),
        type_(std::move(type)),
        options_(std::move(options)) {}

  /// Too old to begin with?
  std::optional<Failure> expired() const;

  /// Until the time is up, the client has gone, or it is cut.
  ports::Task<void> run(ports::HttpResponder& responder);

  /// A stream that is nothing but an ERROR event: how a real server tells that a version is too old.
  static ports::Task<void> send_error(ports::HttpResponder& responder, Failure failure);

 private:
  enum class Next : std::uint8_t { kGoOn, kEnd };

  ports::Task<Next> send_initial(ports::HttpResponder& responder);
  ports::Task<Next> send_changes(ports::HttpResponder& responder);
  ports::Task<Next> send_event(ports::HttpResponder& responder, std::string_view kind, ObjectPtr object);
  ports::Task<Next> flush(ports::HttpResponder& responder);
  std::string event(std::string_view kind, const ObjectPtr& object);
  void add_bookmark(bool initial_end);
  bool selects(const ObjectPtr& object) const;
  bool begins_with_all() const { return options_.initial_list || options_.version.value_or(0) == 0; }

  ports::Clock& clock_;
  const Store& store_;
  Collection& collection_;
  Faults& faults_;
  TypePtr type_;
  WatchOptions options_;
  std::uint64_t seen_ = 0;  // every change up to this version has been told
  std::string pending_;     // lines that are not yet written
  bool columns_sent_ = false;
};

}  // namespace berth::sandbox::kube
