#pragma once
// What writing means: which parts of a body count, when a version must match, when a generation grows, when
// nothing changes at all. The store below knows none of this, the HTTP side above decides none of it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "ports/clock.h"
#include "sandbox/kube/incoming.h"
#include "sandbox/kube/store.h"
#include "sandbox/kube/write_rules.h"

namespace berth::sandbox::kube {

enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

struct WriteOptions {
  bool dry_run = false;
  FieldValidation fields = FieldValidation::kWarn;
  bool keep_status = false;  // of create: the status counts as well
};

struct Written {
  ObjectPtr object;
  std::vector<std::string> warnings = {};
  bool created = false;
};

struct Deleted {
  ObjectPtr object;    // as it was, or with its deletionTimestamp
  bool waits = false;  // finalizers keep it for now
};

/// From the current object to the patched one.
using PatchFunction = std::function<Outcome<json::value>(json::value)>;

class Registry {
 public:
  Registry(ports::Clock& clock, Store& store, TypeTable& types, std::uint64_t seed)
      : clock_(clock), store_(store), types_(types), prng_(seed) {}

  /// `where.name` is empty.
  Outcome<Written> create(const ObjectName& where, json::value body, const WriteOptions& options);
  Outcome<Written> update(const ObjectName& where, json::value body, const WriteOptions& options);
  Outcome<Written> patch(const ObjectName& where, const PatchFunction& apply, const WriteOptions& options);
  Outcome<Deleted> remove(const ObjectName& where, const Preconditions& preconditions, bool dry_run);

 private:
  Outcome<> check_unknown(const ResourceType& type, const Incoming& incoming, const WriteOptions& options,
                          std::vector<std::string>& warnings) const;
  Outcome<> check_namespace(const ResourceType& type, const std::string& space);
  Outcome<json::object> begin_create(const ObjectName& where, json::object object,
                                     const WriteOptions& options);
  Outcome<ObjectPtr> replace(const ObjectName& where, const StoredObject& current, json::object next,
                             bool version_required, const WriteOptions& options);
  ObjectPtr put(const ResourceType& type, json::object object);
  void erase(const ResourceType& type, const StoredObject& object);
  void empty_namespace(const std::string& space);
  std::string new_uid();
  std::string random_suffix();
  std::string now() const;

  ports::Clock& clock_;
  Store& store_;
  TypeTable& types_;
  Prng prng_;
};

}  // namespace berth::sandbox::kube
