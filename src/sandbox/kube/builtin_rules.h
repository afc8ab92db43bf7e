#pragma once
// What the server does with objects of some built-in types beyond storing them.

#include <vector>

#include "sandbox/kube/json.h"
#include "sandbox/kube/status.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {

bool is_definition(const ResourceType& type);
bool is_namespace(const ResourceType& type);

/// Completes a new object: a Namespace's phase, a definition's status.
void complete_builtin(const ResourceType& type, json::object& object);

/// Puts the zero values that the server always writes, so that clients meet them: an Event's null times.
void fill_zero_values(const ResourceType& type, json::object& object);

/// What may not change: a Node's providerID once it is set.
std::vector<FieldError> validate_builtin_update(const ResourceType& type, const json::object& before,
                                                const json::object& after);

/// Beyond the schema: an Event's namespace and reporting fields, a definition's names.
std::vector<FieldError> validate_builtin(const ResourceType& type, const json::object& object);

}  // namespace berth::sandbox::kube
