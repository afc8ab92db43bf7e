#pragma once
// What the server says about itself: versions, groups, types (discovery), and their schemas (OpenAPI v3). All
// of it is written from the type table.

#include <optional>
#include <string>
#include <vector>

#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {

/// /version.
json::object version_document();

/// /api, /apis, /api/v1, /apis/GROUP, /apis/GROUP/VERSION; nothing for any other path and for what is not
/// served.
std::optional<json::object> discovery_document(const TypeTable& types,
                                               const std::vector<std::string>& segments);

/// /openapi/v3 and /openapi/v3/…: schemas for `kubectl explain`, and the query parameters that tell kubectl
/// that it may leave validation to the server.
std::optional<json::object> openapi_document(const TypeTable& types,
                                             const std::vector<std::string>& segments);

}  // namespace berth::sandbox::kube
