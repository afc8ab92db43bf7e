#pragma once
// What an HTTP request asks of the API: path, query and media types, taken apart. Nothing here looks at data.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/http.h"
#include "sandbox/kube/status.h"

namespace berth::sandbox::kube {

/// Percent-decoded path segments and query parameters.
struct Url {
  std::string path;  // as it came, without the query
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> query;

  /// The first of that name; empty where there is none.
  std::string_view parameter(std::string_view name) const;
  /// As Go reads a flag in a query: present and neither "false" nor "0".
  bool flag(std::string_view name) const;
};

Url parse_url(std::string_view target);

/// /api/v1/namespaces/NS/events/NAME, /apis/GROUP/VERSION/PLURAL/NAME/SUBRESOURCE, …
struct ResourcePath {
  std::string group;
  std::string version;
  std::string space;  // namespace in the path; empty: none
  std::string plural;
  std::string name;  // empty: the collection
  std::string subresource;
};

std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments);

/// In which form objects are wanted.
enum class Representation : std::uint8_t { kObject, kTable };

/// The first acceptable form of an Accept header; nothing where there is none (protobuf only, for example).
std::optional<Representation> negotiate(std::string_view accept);

/// The media type of the body, lower case, without parameters; "application/json" where it is not said.
std::string media_type(const ports::HttpRequest& request);

/// A JSON or YAML body.
Outcome<json::value> read_body(const ports::HttpRequest& request, std::string_view kind);

}  // namespace berth::sandbox::kube
