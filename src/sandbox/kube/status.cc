#include "sandbox/kube/status.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 18> kCodes = {{
    {"BadRequest", 400},
    {"Unauthorized", 401},
    {"Forbidden", 403},
    {"NotFound", 404},
    {"MethodNotAllowed", 405},
    {"NotAcceptable", 406},
    {"AlreadyExists", 409},
    {"Conflict", 409},
    {"Gone", 410},
    {"Expired", 410},
    {"RequestEntityTooLarge", 413},
    {"UnsupportedMediaType", 415},
    {"Invalid", 422},
    {"TooManyRequests", 429},
    {"InternalError", 500},
    {"ServerTimeout", 500},
    {"ServiceUnavailable", 503},
    {"Timeout", 504},
}};

json::object details_of(std::string_view group, std::string_view name, std::string_view kind) {
  json::object details;
  for (const auto& [key, text] :
       {std::pair("name", name), std::pair("group", group), std::pair("kind", kind)}) {
    if (!text.empty()) {
      details[key] = text;
    }
  }
  return details;
}

std::string printed(const json::value& value) { return value.is_null() ? "null" : json::serialize(value); }

}  // namespace

FieldError invalid_value(std::string field, const json::value& value, std::string_view why) {
  return {"FieldValueInvalid", std::move(field), fmt::format("Invalid value: {}: {}", printed(value), why)};
}

FieldError required_value(std::string field, std::string_view why) {
  return {"FieldValueRequired", std::move(field),
          why.empty() ? std::string("Required value") : fmt::format("Required value: {}", why)};
}

FieldError forbidden_value(std::string field, std::string_view why) {
  return {"FieldValueForbidden", std::move(field), fmt::format("Forbidden: {}", why)};
}

Failure not_found(const ResourceType& type, std::string_view name) {
  return {404, "NotFound", fmt::format("{} \"{}\" not found", type.resource(), name),
          details_of(type.group, name, type.plural)};
}

Failure already_exists(const ResourceType& type, std::string_view name) {
  return {409, "AlreadyExists", fmt::format("{} \"{}\" already exists", type.resource(), name),
          details_of(type.group, name, type.plural)};
}

Failure conflict(const ResourceType& type, std::string_view name, std::string_view why) {
  if (why.empty()) {
    why = "the object has been modified; please apply your changes to the latest version and try again";
  }
  return {409, "Conflict",
          fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", type.resource(), name, why),
          details_of(type.group, name, type.plural)};
}

Failure invalid_kind(std::string_view group, std::string_view kind, std::string_view name,
                     const std::vector<FieldError>& errors) {
  std::string text;
  json::array causes;
  for (const FieldError& error : errors) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", error.field, error.message);
    causes.push_back(
        json::object{{"reason", error.reason}, {"message", error.message}, {"field", error.field}});
  }
  if (errors.size() > 1) {
    text = "[" + text + "]";
  }
  json::object details = details_of(group, name, kind);
  details["causes"] = std::move(causes);
  return {422, "Invalid",
          fmt::format("{}{}{} \"{}\" is invalid: {}", kind, group.empty() ? "" : ".", group, name, text),
          std::move(details)};
}

Failure invalid(const ResourceType& type, std::string_view name, const std::vector<FieldError>& errors) {
  return invalid_kind(type.group, type.kind, name, errors);
}

Failure invalid_resource(const ResourceType& type, std::string_view name,
                         const std::vector<FieldError>& errors) {
  return invalid_kind(type.group, type.plural, name, errors);
}

Failure precondition_failed(const ResourceType& type, std::string_view name, std::string_view why) {
  const std::string kind = type.group.empty() ? type.kind : type.kind + "." + type.group;
  return {409, "Conflict", fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", kind, name, why),
          details_of(type.group, name, type.kind)};
}

Failure bad_request(std::string message) { return {400, "BadRequest", std::move(message)}; }

Failure forbidden(const ResourceType& type, std::string_view name, std::string_view why) {
  return {403, "Forbidden", fmt::format("{} \"{}\" is forbidden: {}", type.resource(), name, why),
          details_of(type.group, name, type.plural)};
}

Failure no_such_resource() { return {404, "NotFound", "the server could not find the requested resource"}; }

Failure method_not_allowed() {
  return {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"};
}

Failure unauthorized() { return {401, "Unauthorized", "Unauthorized"}; }

Failure not_acceptable() {
  return {406, "NotAcceptable",
          "only the following media types are accepted: application/json, "
          "application/json;as=Table;v=v1;g=meta.k8s.io"};
}

Failure unsupported_media_type(std::string_view accepted) {
  return {415, "UnsupportedMediaType",
          fmt::format("the body of the request was in an unknown format - accepted media types include: {}",
                      accepted)};
}

Failure expired(std::string message) { return {410, "Expired", std::move(message)}; }

Failure too_large_version(std::uint64_t asked, std::uint64_t current) {
  json::array causes;
  causes.push_back(
      json::object{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}});
  json::object details = {{"causes", std::move(causes)}, {"retryAfterSeconds", 1}};
  return {504, "Timeout", fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current),
          std::move(details)};
}

Failure too_many_requests() {
  return {429, "TooManyRequests", "too many requests, please try again later", {{"retryAfterSeconds", 1}}};
}

Failure failure_of_fault(std::string_view error) {
  const std::string message = fmt::format("a fault of this sandbox: {}", error);
  for (const auto& [reason, code] : kCodes) {
    if (reason == error) {
      return code == 429 ? too_many_requests() : Failure{code, std::string(reason), message};
    }
  }
  int status = 0;
  const auto [end, failed] = std::from_chars(error.data(), error.data() + error.size(), status);
  if (failed != std::errc{} || end != error.data() + error.size() || status < 400 || status > 599) {
    return {500, "InternalError",
            fmt::format(
                "{} is neither a reason that this sandbox knows (Conflict, Expired, InternalError, …) nor "
                "an HTTP status from 400 to 599",
                message)};
  }
  for (const auto& [reason, code] : kCodes) {
    if (code == status) {
      return code == 429 ? too_many_requests() : Failure{status, std::string(reason), message};
    }
  }
  return {status, "", message};
}

json::object status_object(const Failure& failure) {
  json::object status = {{"kind", "Status"},
                         {"apiVersion", "v1"},
                         {"metadata", failure.metadata},
                         {"status", "Failure"},
                         {"message", failure.message}};
  if (!failure.reason.empty()) {
    status["reason"] = failure.reason;
  }
  // These come from the generic server code, which always writes the details, empty or not.
  const bool generic = failure.code == 404 || failure.code == 405 || failure.code == 422;
  if (!failure.details.empty() || generic) {
    status["details"] = failure.details;
  }
  status["code"] = failure.code;
  return status;
}

}  // namespace berth::sandbox::kube
