#pragma once
// What a write must fulfil against what is stored: versions, uids, preconditions, and the metadata that only
// the server may set. Pure questions; nothing is written here.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kube/json.h"
#include "sandbox/kube/status.h"
#include "sandbox/kube/store.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {

/// Which object a request names.
struct ObjectName {
  TypePtr type;
  std::string space;
  std::string name;
  std::string subresource = {};  // "" or "status"
};

struct Preconditions {
  std::string uid;      // empty: any
  std::string version;  // empty: any
};

/// `version` is what the write carries; `required` says whether it must carry one.
std::optional<Failure> check_version(const ResourceType& type, const StoredObject& current,
                                     std::string_view version, bool required);

/// Of a PUT: the uid that it carries, if any, must be the stored one.
std::optional<Failure> check_uid(const ResourceType& type, const StoredObject& current, std::string_view uid);

/// Of a DELETE.
std::optional<Failure> check_preconditions(const ResourceType& type, const StoredObject& current,
                                           std::string_view have_uid, const Preconditions& wanted);

/// An object may name only the namespace of its path, and gets it; one of a cluster-scoped type loses what it
/// names.
Outcome<> check_space(const ObjectName& where, json::object& metadata);

/// Of metadata that only the server may set, and of finalizers once the object is being deleted.
std::vector<FieldError> validate_metadata_update(const json::object& before, const json::object& after);

}  // namespace berth::sandbox::kube
