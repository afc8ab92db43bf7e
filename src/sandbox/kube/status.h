#pragma once
// What the API says when it refuses: the Status object, with the reasons, codes and sentences of the real
// server, because clients decide by the reason and people read the sentence.
// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "sandbox/kube/json.h"

namespace berth::sandbox::kube {

/// A refusal, as it goes to the client.
struct Failure {
  int code = 500;
  std::string reason;  // "NotFound"
  std::string message;
  json::object details = {};
  json::object metadata = {};  // of an expired page: the token to go on with
};

template <class T = void>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> refuse(Failure failure) { return tl::unexpected<Failure>(std::move(failure)); }

/// One thing that is wrong with one field.
struct FieldError {
  std::string_view reason;  // "FieldValueInvalid"
  std::string field;        // "spec.ipam.min-allocate"
  std::string message;      // "Invalid value: …"
};

FieldError invalid_value(std::string field, const json::value& value, std::string_view why);
FieldError required_value(std::string field, std::string_view why = {});
FieldError forbidden_value(std::string field, std::string_view why);

struct ResourceType;

Failure not_found(const ResourceType& type, std::string_view name);
Failure already_exists(const ResourceType& type, std::string_view name);
/// Somebody changed it meanwhile; `why` empty is the usual sentence.
Failure conflict(const ResourceType& type, std::string_view name, std::string_view why = {});
Failure invalid(const ResourceType& type, std::string_view name, const std::vector<FieldError>& errors);
/// Where the server has no typed object yet, it names the resource instead of the kind.
Failure invalid_resource(const ResourceType& type, std::string_view name,
                         const std::vector<FieldError>& errors);
/// The parameters of a list, or a patch (`kind` empty), are wrong.
Failure invalid_kind(std::string_view group, std::string_view kind, std::string_view name,
                     const std::vector<FieldError>& errors);
/// A deletion's preconditions do not hold; the real server names the kind here.
Failure precondition_failed(const ResourceType& type, std::string_view name, std::string_view why);
Failure bad_request(std::string message);
Failure forbidden(const ResourceType& type, std::string_view name, std::string_view why);
Failure no_such_resource();
Failure method_not_allowed();
Failure unauthorized();
Failure not_acceptable();
Failure unsupported_media_type(std::string_view accepted);
Failure expired(std::string message);
/// A resourceVersion that this server has not reached yet.
Failure too_large_version(std::uint64_t asked, std::uint64_t current);
Failure too_many_requests();

/// What a fault's error asks for: a Status reason ("Conflict") or an HTTP status ("503").
Failure failure_of_fault(std::string_view error);

json::object status_object(const Failure& failure);

}  // namespace berth::sandbox::kube
