#pragma once
// Objects as rows for people: the server-side printing that `kubectl get` asks for.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sandbox/kube/store.h"

namespace berth::sandbox::kube {

/// Which part of each object a row carries.
enum class RowObject : std::uint8_t { kNone, kMetadata, kObject };
RowObject row_object(std::string_view include_object);

/// A whole Table. `with_columns` is false for a watch's later events.
std::string render_table(const ResourceType& type, const std::vector<ObjectPtr>& objects,
                         const json::object& metadata, RowObject row, WallTime now, bool with_columns = true);

/// "5m", "3d4h": how long ago, as kubectl says it.
std::string human_age(Duration age);

}  // namespace berth::sandbox::kube
