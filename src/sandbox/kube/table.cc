#include "sandbox/kube/table.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace berth::sandbox::kube {
namespace {

json::value age_since(std::string_view time, WallTime now) {
  if (time.empty()) {
    return "<unknown>";
  }
  const auto parsed = parse_rfc3339(time);
  return parsed ? json::value(human_age(now - *parsed)) : json::value("<invalid>");
}

std::string or_none(std::string_view text) { return text.empty() ? "<none>" : std::string(text); }

json::value cell(const Column& column, const json::value& object, WallTime now) {
  const auto found = column.path.select(object);
  if (found.empty() || found.front()->is_null()) {
    return nullptr;
  }
  if (column.type == "string") {
    std::string text;
    for (const json::value* value : found) {
      text += text.empty() ? "" : " ";
      text += value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
    }
    return json::value(text);
  }
  const json::value& first = *found.front();
  if (column.type == "date") {
    return first.is_string() ? age_since(first.get_string(), now) : json::value("<invalid>");
  }
  return first;
}

constexpr std::int64_t kDayHours = 24;
constexpr std::int64_t kYearHours = 365 * kDayHours;

constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";

struct Heading {
  std::string_view name;
  int priority;
};

// What kubectl shows of these two types is computed, not found at a path.
// https://github.com/kubernetes/kubernetes/blob/master/pkg/printers/internalversion/printers.go
constexpr std::initializer_list<Heading> kNodeHeadings = {
    {"Name", 0},           {"Status", 0},           {"Roles", 0},       {"Age", 0},
    {"Version", 0},        {"Internal-IP", 1},      {"External-IP", 1}, {"OS-Image", 1},
    {"Kernel-Version", 1}, {"Container-Runtime", 1}};
constexpr std::initializer_list<Heading> kEventHeadings = {
    {"Last Seen", 0}, {"Type", 0},    {"Reason", 0},     {"Object", 0}, {"Subobject", 1},
    {"Source", 1},    {"Message", 0}, {"First Seen", 1}, {"Count", 1},  {"Name", 1}};

std::string node_address(const json::object& node, std::string_view type) {
  const json::value* addresses = find(node, {"status", "addresses"});
  if (addresses != nullptr && addresses->is_array()) {
    for (const json::value& address : addresses->get_array()) {
      if (address.is_object() && find_text(address.get_object(), {"type"}) == type) {
        return or_none(find_text(address.get_object(), {"address"}));
      }
    }
  }
  return "<none>";
}

std::string node_status(const json::object& node) {
  std::string status = "Unknown";
  const json::value* conditions = find(node, {"status", "conditions"});
  if (conditions != nullptr && conditions->is_array()) {
    for (const json::value& condition : conditions->get_array()) {
      if (condition.is_object() && find_text(condition.get_object(), {"type"}) == "Ready") {
        status = find_text(condition.get_object(), {"status"}) == "True" ? "Ready" : "NotReady";
      }
    }
  }
  return find_flag(node, {"spec", "unschedulable"}) ? status + ",SchedulingDisabled" : status;
}

std::string node_roles(const json::object& node) {
  std::vector<std::string> roles;
  if (const json::object* labels = find_object(node, {"metadata", "labels"})) {
    for (const auto& [key, value] : *labels) {
      const std::string_view name = key;
      if (name.starts_with(kRolePrefix)) {
        roles.emplace_back(name.substr(kRolePrefix.size()));
      }
    }
  }
  std::ranges::sort(roles);
  return roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ","));
}

json::array node_cells(const json::object& node, WallTime now) {
  json::array cells;
  cells.emplace_back(find_text(node, {"metadata", "name"}));
  cells.emplace_back(node_status(node));
  cells.emplace_back(node_roles(node));
  cells.push_back(age_since(find_text(node, {"metadata", "creationTimestamp"}), now));
  cells.emplace_back(find_text(node, {"status", "nodeInfo", "kubeletVersion"}));
  cells.emplace_back(node_address(node, "InternalIP"));
  cells.emplace_back(node_address(node, "ExternalIP"));
  for (const std::string_view key : {"osImage", "kernelVersion", "containerRuntimeVersion"}) {
    const std::string_view text = find_text(node, {"status", "nodeInfo", key});
    cells.emplace_back(text.empty() ? "<unknown>" : text);
  }
  return cells;
}

json::array event_cells(const json::object& event, WallTime now) {
  const std::string_view event_time = find_text(event, {"eventTime"});
  std::string_view first = find_text(event, {"firstTimestamp"});
  std::string_view last = find_text(event, {"lastTimestamp"});
  const json::value* count = find(event, {"count"});
  first = first.empty() ? event_time : first;
  last = last.empty() ? first : last;
  if (const std::string_view observed = find_text(event, {"series", "lastObservedTime"}); !observed.empty()) {
    last = observed;
    count = find(event, {"series", "count"});
  }
  std::string kind(find_text(event, {"involvedObject", "kind"}));
  std::ranges::transform(kind, kind.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view component = find_text(event, {"source", "component"});
  const std::string_view host = find_text(event, {"source", "host"});
  json::array cells;
  cells.push_back(age_since(last, now));
  cells.emplace_back(find_text(event, {"type"}));
  cells.emplace_back(find_text(event, {"reason"}));
  cells.emplace_back(fmt::format("{}/{}", kind, find_text(event, {"involvedObject", "name"})));
  cells.emplace_back(find_text(event, {"involvedObject", "fieldPath"}));
  cells.emplace_back(host.empty() ? std::string(component) : fmt::format("{}, {}", component, host));
  cells.emplace_back(find_text(event, {"message"}));
  cells.push_back(age_since(first, now));
  cells.push_back(count == nullptr ? json::value(1) : *count);
  cells.emplace_back(find_text(event, {"metadata", "name"}));
  return cells;
}

json::object definition(std::string_view name, std::string_view type, std::string_view format,
                        std::string_view description, int priority) {
  return {{"name", name},
          {"type", type},
          {"format", format},
          {"description", description},
          {"priority", priority}};
}

json::array headings(std::initializer_list<Heading> source) {
  json::array out;
  for (const Heading& heading : source) {
    const bool is_name = heading.name == "Name";
    out.push_back(definition(heading.name, heading.name == "Count" ? "integer" : "string",
                             is_name ? "name" : "", heading.name, heading.priority));
  }
  return out;
}

json::array column_definitions(const ResourceType& type) {
  if (type.resource() == "nodes") {
    return headings(kNodeHeadings);
  }
  if (type.resource() == "events") {
    return headings(kEventHeadings);
  }
  json::array out;
  out.push_back(definition("Name", "string", "name", "Name must be unique within a namespace.", 0));
  for (const Column& column : type.columns) {
    out.push_back(definition(column.name, column.type, column.format, column.description, column.priority));
  }
  return out;
}

json::array cells_of(const ResourceType& type, const json::value& object, WallTime now) {
  const json::object& fields = object.get_object();
  if (type.resource() == "nodes") {
    return node_cells(fields, now);
  }
  if (type.resource() == "events") {
    return event_cells(fields, now);
  }
  json::array cells;
  cells.emplace_back(find_text(fields, {"metadata", "name"}));
  for (const Column& column : type.columns) {
    cells.push_back(cell(column, object, now));
  }
  return cells;
}

}  // namespace

RowObject row_object(std::string_view include_object) {
  return include_object == "Object" ? RowObject::kObject
         : include_object == "None" ? RowObject::kNone
                                    : RowObject::kMetadata;
}

std::string render_table(const ResourceType& type, const std::vector<ObjectPtr>& objects,
                         const json::object& metadata, RowObject row, WallTime now, bool with_columns) {
  std::string out = fmt::format(
      R"({{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":{},"rows":[)",
      json::serialize(metadata), with_columns ? json::serialize(column_definitions(type)) : "null");
  const char* separator = "";
  for (const ObjectPtr& stored : objects) {
    const json::value object = stored->parsed();
    out += fmt::format(R"({}{{"cells":{})", separator, json::serialize(cells_of(type, object, now)));
    if (row == RowObject::kObject) {
      out += R"(,"object":)" + stored->text;
    } else if (row == RowObject::kMetadata) {
      out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" +
             json::serialize(object.get_object().at("metadata")) + "}";
    }
    out += '}';
    separator = ",";
  }
  return out + "]}\n";
}

// https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go
std::string human_age(Duration age) {
  using std::chrono::duration_cast;
  const auto seconds = duration_cast<std::chrono::seconds>(age).count();
  const auto minutes = seconds / 60;
  const auto hours = minutes / 60;
  const auto two = [](auto whole, char unit, auto rest, char rest_unit) {
    return rest == 0 ? fmt::format("{}{}", whole, unit)
                     : fmt::format("{}{}{}{}", whole, unit, rest, rest_unit);
  };
  if (seconds < -1) {
    return "<invalid>";
  }
  if (seconds < 120) {
    return fmt::format("{}s", std::max<std::int64_t>(seconds, 0));
  }
  if (minutes < 10) {
    return two(minutes, 'm', seconds % 60, 's');
  }
  if (minutes < 180) {
    return fmt::format("{}m", minutes);
  }
  if (hours < 8) {
    return two(hours, 'h', minutes % 60, 'm');
  }
  if (hours < 48) {
    return fmt::format("{}h", hours);
  }
  if (hours < 8 * kDayHours) {
    return two(hours / kDayHours, 'd', hours % kDayHours, 'h');
  }
  if (hours < 2 * kYearHours) {
    return fmt::format("{}d", hours / kDayHours);
  }
  if (hours < 8 * kYearHours) {
    return two(hours / kYearHours, 'y', hours / kDayHours % 365, 'd');
  }
  return fmt::format("{}y", hours / kYearHours);
}

}  // namespace berth::sandbox::kube
