#pragma once
// Which keys want work, and when. A key that is added while it is worked on is worked on once more
// afterwards, never twice at a time; of two delayed adds the earlier time counts. (The three sets of
// client-go's work queue.)
//
//   add -> ready --take--> in flight --done--> idle
//    ^                        |
//    +--- delayed (add_at) ---+--- added meanwhile (dirty): ready again at done

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/time.h"

namespace berth::mechanism {

template <class Key>
class WorkQueue {
 public:
  void add(const Key& key) {
    forget_delay(key);
    if (in_flight_.contains(key)) {
      dirty_.insert(key);
    } else if (queued_.insert(key).second) {
      ready_.push_back(key);
    }
  }

  void add_at(const Key& key, MonoTime at) {
    if (const auto found = delayed_.find(key); found != delayed_.end()) {
      if (found->second <= at) {
        return;
      }
      forget_delay(key);
    }
    delayed_.emplace(key, at);
    due_.emplace(at, key);
  }

  /// The next ready key, now in flight; nothing where none is ready at `now`.
  std::optional<Key> take(MonoTime now) {
    while (!due_.empty() && due_.begin()->first <= now) {
      add(Key(due_.begin()->second));
    }
    if (ready_.empty()) {
      return std::nullopt;
    }
    Key key = std::move(ready_.front());
    ready_.pop_front();
    queued_.erase(key);
    in_flight_.insert(key);
    return key;
  }

  void done(const Key& key) {
    CHECK(in_flight_.erase(key) == 1);
    if (dirty_.erase(key) == 1) {
      add(key);
    }
  }

  /// When the next delayed key becomes ready.
  std::optional<MonoTime> next_due() const {
    return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
  }

  std::size_t in_flight() const { return in_flight_.size(); }
  bool idle() const { return ready_.empty() && in_flight_.empty() && due_.empty(); }

 private:
  void forget_delay(const Key& key) {
    if (const auto found = delayed_.find(key); found != delayed_.end()) {
      due_.erase({found->second, key});
      delayed_.erase(found);
    }
  }

  std::deque<Key> ready_;
  std::set<Key> queued_;  // what is in ready_
  std::set<Key> in_flight_;
  std::set<Key> dirty_;
  std::map<Key, MonoTime> delayed_;
  std::set<std::pair<MonoTime, Key>> due_;
};

}  // namespace berth::mechanism
