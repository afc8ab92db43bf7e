#pragma once
// From a request's body to an object of a type: what a real server's decoder accepts, drops, defaults and
// refuses, before anything is compared with what is stored.

#include <string>
#include <vector>

#include "sandbox/kube/json.h"
#include "sandbox/kube/status.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {

struct Incoming {
  json::object object;               // apiVersion, kind, metadata (never absent) and the rest
  std::vector<std::string> unknown;  // paths of the fields that were dropped: "spec.foo"
};

/// BadRequest where the body is no object of this type, or a field that its Go type fixes is of another type.
Outcome<Incoming> decode(const ResourceType& type, json::value body);

/// All that is wrong with an object that is about to be stored; name and namespace are set.
std::vector<FieldError> validate_object(const ResourceType& type, const json::object& object);

}  // namespace berth::sandbox::kube
