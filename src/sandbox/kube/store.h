#pragma once
// All objects as they are, and a bounded history of how they came to be: what etcd and the watch cache are to
// a real server. An object is kept as the very text that clients get, so a list of thousands is a
// concatenation. It decides nothing: what may be written is the registry's business.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "ports/clock.h"
#include "ports/event.h"
#include "sandbox/kube/json.h"
#include "sandbox/kube/selector.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {

struct StoredObject {
  std::string space;  // namespace; empty for cluster-scoped types
  std::string name;
  std::uint64_t version = 0;  // metadata.resourceVersion
  std::string text;           // JSON; begins with apiVersion and kind
  std::size_t head = 0;       // length of that beginning, with its brace and commas
  TextMap labels;
  TextMap fields;  // what field selectors of its type may ask

  json::object parsed() const;
  /// In a list of a built-in type the items come without apiVersion and kind.
  void append_as_item(std::string& out, const ResourceType& type) const;
};

using ObjectPtr = std::shared_ptr<const StoredObject>;

/// The object's text and index, from its JSON. Its metadata must be complete. `version` 0: it has none, for
/// it was never stored.
ObjectPtr make_stored(const ResourceType& type, json::object object, std::uint64_t version);

/// Nothing changes without one of these.
struct Change {
  std::uint64_t version = 0;
  MonoTime at{};
  ObjectPtr before;  // null: it is created here
  ObjectPtr after;   // null: it is deleted here
};

/// In list order: by namespace, then by name.
using ObjectMap = std::map<std::string, ObjectPtr, std::less<>>;
std::string object_key(std::string_view space, std::string_view name);

/// The objects of one type.
class Collection {
 public:
  Collection(ports::Clock& clock, std::size_t history_length)
      : history_length_(history_length), changed_(clock) {}

  const ObjectMap& objects() const { return objects_; }
  ObjectPtr find(std::string_view space, std::string_view name) const;

  /// Oldest first. Changes up to forgotten() are no longer in it.
  const std::deque<Change>& history() const { return history_; }
  std::uint64_t forgotten() const { return forgotten_; }
  /// The first change after `version`.
  std::deque<Change>::const_iterator after(std::uint64_t version) const;

  /// The objects as they were at `version`; nothing where that is forgotten.
  std::optional<ObjectMap> at_version(std::uint64_t version) const;
  /// The newest version not later than `time`, as far as the history reaches.
  std::uint64_t version_at(MonoTime time, std::uint64_t newest) const;

  /// Wakes at every change. Look at history() first: a wake-up may have been for another waiter.
  ports::Event& changed() { return changed_; }

 private:
  friend class Store;
  void apply(Change change);

  std::size_t history_length_;
  ObjectMap objects_;
  std::deque<Change> history_;
  std::uint64_t forgotten_ = 0;
  ports::Event changed_;
};

class Store {
 public:
  Store(ports::Clock& clock, std::size_t history_length) : clock_(clock), history_length_(history_length) {}

  /// One counter for all types.
  std::uint64_t version() const { return version_; }

  Collection& collection(const ResourceType& type);
  ObjectPtr find(const ResourceType& type, std::string_view space, std::string_view name) const;

  /// Writes `object` under a new version, which it gets as its resourceVersion.
  ObjectPtr put(const ResourceType& type, json::object object);
  void erase(const ResourceType& type, const StoredObject& object);

 private:
  ports::Clock& clock_;
  std::size_t history_length_;
  std::uint64_t version_ = 0;
  std::map<std::string, std::unique_ptr<Collection>> collections_;
};

}  // namespace berth::sandbox::kube
