#pragma once
// Ledger: values by id that remember what they were. A read names the time that it wants to see, which is how
// a stale describe is answered. A change costs a copy of the one value that changed; versions that no read
// can ask for any more are dropped.

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/time.h"

namespace berth::sandbox {

/// How far back a read may look. EC2 promises no bound; AWS advises to wait up to minutes.
/// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
inline constexpr Duration kLedgerMemory = std::chrono::minutes(5);

template <class Id, class T>
class Ledger {
 public:
  /// The value at `as_of`, nullptr where there was none. Valid until the next change.
  const T* find(const Id& id, MonoTime as_of = MonoTime::max()) const {
    const auto entry = entries_.find(id);
    return entry == entries_.end() ? nullptr : at(entry->second, as_of);
  }

  /// All values at `as_of`, by id. Valid until the next change.
  std::vector<const T*> all(MonoTime as_of = MonoTime::max()) const {
    std::vector<const T*> values;
    values.reserve(entries_.size());
    for (const auto& [id, versions] : entries_) {
      if (const T* value = at(versions, as_of)) {
        values.push_back(value);
      }
    }
    return values;
  }

  void put(const Id& id, T value, MonoTime now) { add(id, std::move(value), now); }

  void erase(const Id& id, MonoTime now) {
    add(id, std::nullopt, now);
    gone_.emplace_back(now, id);
  }

  /// Changes the newest value, which must be there.
  template <class Change>
  void edit(const Id& id, MonoTime now, Change change) {
    const T* newest = find(id);
    CHECK(newest != nullptr);
    T changed = *newest;
    change(changed);
    put(id, std::move(changed), now);
  }

 private:
  struct Version {
    MonoTime since;
    std::optional<T> value;  // none: it is gone since then
  };
  using Versions = std::vector<Version>;

  static const T* at(const Versions& versions, MonoTime as_of) {
    const auto later = std::ranges::upper_bound(versions, as_of, {}, &Version::since);
    if (later == versions.begin()) {
      return nullptr;
    }
    const Version& version = *std::prev(later);
    return version.value ? &*version.value : nullptr;
  }

  void add(const Id& id, std::optional<T> value, MonoTime now) {
    Versions& versions = entries_[id];
    CHECK(versions.empty() || versions.back().since <= now);
    if (!versions.empty() && versions.back().since == now) {
      versions.back().value = std::move(value);
    } else {
      versions.push_back({now, std::move(value)});
    }
    forget(versions, now);
    forget_gone(now);
  }

  /// Keeps the version that was in force at the horizon, and what came after it.
  static void forget(Versions& versions, MonoTime now) {
    const auto later = std::ranges::upper_bound(versions, now - kLedgerMemory, {}, &Version::since);
    if (later - versions.begin() > 1) {
      versions.erase(versions.begin(), std::prev(later));
    }
  }

  void forget_gone(MonoTime now) {
    while (!gone_.empty() && gone_.front().first < now - kLedgerMemory) {
      const auto entry = entries_.find(gone_.front().second);
      if (entry != entries_.end() && !entry->second.back().value) {
        entries_.erase(entry);
      }
      gone_.pop_front();
    }
  }

  std::map<Id, Versions> entries_;
  std::deque<std::pair<MonoTime, Id>> gone_;
};

}  // namespace berth::sandbox
