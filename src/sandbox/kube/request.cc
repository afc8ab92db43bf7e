#include "sandbox/kube/request.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' && plus_is_blank ? ' ' : text[i];
    }
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string lower_trimmed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t') {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

}  // namespace

std::string_view Url::parameter(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
  return found == query.end() ? std::string_view() : std::string_view(found->second);
}

bool Url::flag(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
  return found != query.end() && found->second != "false" && found->second != "0";
}

Url parse_url(std::string_view target) {
  Url url;
  const std::size_t mark = target.find('?');
  url.path = target.substr(0, mark);
  for (const std::string_view segment : split(url.path, '/')) {
    if (!segment.empty()) {
      url.segments.push_back(percent_decoded(segment, false));
    }
  }
  if (mark == std::string_view::npos) {
    return url;
  }
  for (const std::string_view part : split(target.substr(mark + 1), '&')) {
    if (part.empty()) {
      continue;
    }
    const std::size_t equals = part.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    url.query.emplace_back(percent_decoded(part.substr(0, equals), true), percent_decoded(value, true));
  }
  return url;
}

std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments) {
  ResourcePath path;
  std::size_t at = 0;
  if (segments.size() >= 3 && segments[0] == "api") {
    path.version = segments[1];
    at = 2;
  } else if (segments.size() >= 4 && segments[0] == "apis") {
    path.group = segments[1];
    path.version = segments[2];
    at = 3;
  } else {
    return std::nullopt;
  }
  const std::size_t left = segments.size() - at;
  const bool of_namespace_itself =
      left == 3 && (segments[at + 2] == "status" || segments[at + 2] == "finalize");
  if (segments[at] == "namespaces" && left >= 3 && !of_namespace_itself) {
    path.space = segments[at + 1];
    at += 2;
  }
  if (segments.size() - at > 3) {
    return std::nullopt;
  }
  path.plural = segments[at];
  if (at + 1 < segments.size()) {
    path.name = segments[at + 1];
  }
  if (at + 2 < segments.size()) {
    path.subresource = segments[at + 2];
  }
  return path;
}

std::optional<Representation> negotiate(std::string_view accept) {
  if (accept.empty()) {
    return Representation::kObject;
  }
  for (const std::string_view range : split(accept, ',')) {
    const auto parts = split(range, ';');
    const std::string media = lower_trimmed(parts[0]);
    if (media != "application/json" && media != "application/*" && media != "*/*") {
      continue;
    }
    std::string as;
    std::string version;
    for (const std::string_view part : parts) {
      const std::string parameter = lower_trimmed(part);
      if (parameter.starts_with("as=")) {
        as = parameter.substr(3);
      } else if (parameter.starts_with("v=")) {
        version = parameter.substr(2);
      }
    }
    if (as.empty()) {
      return Representation::kObject;
    }
    if (as == "table" && version == "v1") {
      return Representation::kTable;
    }
  }
  return std::nullopt;
}

std::string media_type(const ports::HttpRequest& request) {
  const auto header = request.headers.find("content-type");
  const std::string media = lower_trimmed(header.value_or("").substr(0, header.value_or("").find(';')));
  return media.empty() ? "application/json" : media;
}

Outcome<json::value> read_body(const ports::HttpRequest& request, std::string_view kind) {
  const std::string media = media_type(request);
  const bool yaml = media == "application/yaml";
  if (!yaml && media != "application/json") {
    return refuse(unsupported_media_type("application/json, application/yaml"));
  }
  auto value = yaml ? parse_yaml(request.body) : parse_json(request.body);
  if (!value) {
    return refuse(
        bad_request(fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                                "version/kind; json parse error: {}",
                                kind, value.error().detail)));
  }
  return *std::move(value);
}

}  // namespace berth::sandbox::kube
