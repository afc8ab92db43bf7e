#include "kube/client.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "kube/json.h"
#include "kube/resource_url.h"
#include "kube/status_error.h"

namespace berth::kube {
namespace {

using ports::CallLimits;
using ports::HttpReply;
using ports::HttpRequest;
using ports::HttpStream;
using ports::Task;

// What is kept of the body of a refused watch: a Status is a few hundred bytes.
constexpr std::size_t kRefusalBytes = 64 << 10;

bool is_success(int status) { return status >= 200 && status < 300; }

std::string name_of(const ports::ObjectRef& ref, const std::string& subresource) {
  const std::string name = type_name(ref.type) + '/' + ref.name;
  return subresource.empty() ? name : name + '/' + subresource;
}

Error garbage(int status, const Error& found, std::string operation) {
  return {.kind = ErrorKind::kInternal,
          .operation = std::move(operation),
          .detail = fmt::format("the server answered HTTP {} with {}; expected a Kubernetes object. Is this "
                                "the address of a Kubernetes API?",
                                status, found.detail)};
}

std::string list_query(const Collection& collection, const mechanism::ListPage& page) {
  Query query;
  if (!collection.field_selector.empty()) {
    query.add("fieldSelector", collection.field_selector);
  }
  if (page.limit > 0) {
    query.add("limit", std::to_string(page.limit));
  }
  if (!page.continue_token.empty()) {
    query.add("continue", page.continue_token);
  } else if (!page.resource_version.empty()) {
    query.add("resourceVersion", page.resource_version);
    if (page.resource_version != "0") {
      // Without this a list with a limit means "exactly this version", which is soon compacted away.
      query.add("resourceVersionMatch", "NotOlderThan");
    }
  }
  return query.text();
}

std::string watch_query(const Collection& collection, const mechanism::OpenWatch& watch) {
  Query query;
  query.add("watch", "true");
  if (!collection.field_selector.empty()) {
    query.add("fieldSelector", collection.field_selector);
  }
  query.add("resourceVersion", watch.resource_version);
  query.add("allowWatchBookmarks", "true");
  query.add("timeoutSeconds",
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(watch.server_timeout).count()));
  return query.text();
}

Result<ListReply> read_list(boost::json::object list, std::string operation) {
  ListReply reply;
  reply.resource_version = string_at(list, {"metadata", "resourceVersion"});
  reply.continue_token = string_at(list, {"metadata", "continue"});
  if (reply.resource_version.empty() && reply.continue_token.empty()) {
    return Error{.kind = ErrorKind::kInternal,
                 .operation = std::move(operation),
                 .detail = "the list has no metadata.resourceVersion, so nothing can be watched from it"};
  }
  boost::json::value* items = list.if_contains("items");
  if (items == nullptr || items->is_null()) {
    return reply;  // how an empty list may look
  }
  if (!items->is_array()) {
    return Error{.kind = ErrorKind::kInternal,
                 .operation = std::move(operation),
                 .detail = fmt::format("the items of the list are {}, expected a list", type_of(*items))};
  }
  reply.items.reserve(items->get_array().size());
  for (boost::json::value& item : items->get_array()) {
    if (item.is_object()) {
      reply.items.push_back(std::move(item.get_object()));
    } else {
      ++reply.unreadable;
    }
  }
  return reply;
}

/// The reason for a watch that was refused, from what its body says.
Task<Error> refusal(HttpStream& stream, std::string operation, CallLimits limits) {
  std::string body;
  while (body.size() < kRefusalBytes) {
    auto piece = co_await stream.read(limits);
    if (!piece || piece->empty()) {
      break;
    }
    body += *piece;
  }
  co_return status_error(stream.status(), stream.headers(), body, std::move(operation));
}

}  // namespace

Client::Client(ClusterAccess access, std::string field_manager, ports::HttpClient& http,
               const ports::Files& files, ports::Clock& clock)
    : server_(std::move(access.server)),
      field_manager_(std::move(field_manager)),
      http_(http),
      token_(std::move(access.token), std::move(access.token_file), files, clock) {}

Task<Result<boost::json::object>> Client::get(ports::ObjectRef ref, CallLimits limits) {
  HttpRequest request{.method = "GET", .target = server_ + object_path(ref, "")};
  co_return co_await fetch_object(std::move(request), "get " + name_of(ref, ""), std::move(limits));
}

Task<Result<boost::json::object>> Client::create(ports::ResourceType type, std::string space,
                                                 boost::json::object object, CallLimits limits) {
  Query query;
  query.add("fieldManager", field_manager_);
  HttpRequest request{.method = "POST",
                      .target = server_ + collection_path(type, space) + query.text(),
                      .headers = {{"Content-Type", "application/json"}},
                      .body = boost::json::serialize(object)};
  std::string operation =
      fmt::format("create {}/{}", type_name(type), string_at(object, {"metadata", "name"}));
  co_return co_await fetch_object(std::move(request), std::move(operation), std::move(limits));
}

Task<Result<boost::json::object>> Client::merge_patch(ports::ObjectRef ref, std::string subresource,
                                                      boost::json::object patch, CallLimits limits) {
  Query query;
  query.add("fieldManager", field_manager_);
  HttpRequest request{.method = "PATCH",
                      .target = server_ + object_path(ref, subresource) + query.text(),
                      .headers = {{"Content-Type", "application/merge-patch+json"}},
                      .body = boost::json::serialize(patch)};
  co_return co_await fetch_object(std::move(request), "patch " + name_of(ref, subresource),
                                  std::move(limits));
}

Task<Result<ListReply>> Client::list_page(Collection collection, mechanism::ListPage page,
                                          CallLimits limits) {
  const std::string operation = "list " + type_name(collection.type);
  HttpRequest request{
      .method = "GET",
      .target = server_ + collection_path(collection.type, collection.space) + list_query(collection, page)};
  auto list = co_await fetch_object(std::move(request), operation, std::move(limits));
  if (!list) {
    co_return std::move(list).error();
  }
  co_return read_list(*std::move(list), operation);
}

Task<Result<std::unique_ptr<HttpStream>>> Client::open_watch(Collection collection,
                                                             mechanism::OpenWatch watch, CallLimits limits) {
  const std::string operation = "watch " + type_name(collection.type);
  for (bool again = true;;) {
    HttpRequest request{.method = "GET",
                        .target = server_ + collection_path(collection.type, collection.space) +
                                  watch_query(collection, watch)};
    if (auto ready = sign(request); !ready) {
      co_return std::move(ready).error();
    }
    auto stream = co_await http_.open(std::move(request), limits);
    if (!stream) {
      co_return unreachable(std::move(stream).error(), operation);
    }
    if (is_success((*stream)->status())) {
      co_return *std::move(stream);
    }
    if ((*stream)->status() == 401 && std::exchange(again, false) && token_.changed_after_refusal()) {
      continue;
    }
    co_return co_await refusal(**stream, operation, limits);
  }
}

/// The same error, in terms of what was tried and where.
Error Client::unreachable(Error error, std::string operation) const {
  error.operation = std::move(operation);
  error.detail = fmt::format("{}: {}", server_, error.detail);
  return error;
}

Result<void> Client::sign(HttpRequest& request) {
  auto token = token_.current();
  if (!token) {
    return std::move(token).error();
  }
  request.headers.add("Accept", "application/json");
  request.headers.add("User-Agent", field_manager_);
  if (!token->empty()) {
    request.headers.add("Authorization", "Bearer " + *token);
  }
  return {};
}

Task<Result<HttpReply>> Client::fetch(HttpRequest request, std::string operation, CallLimits limits) {
  for (bool again = true;;) {
    HttpRequest attempt = request;
    if (auto ready = sign(attempt); !ready) {
      co_return std::move(ready).error();
    }
    auto reply = co_await http_.fetch(std::move(attempt), limits);
    if (!reply) {
      co_return unreachable(std::move(reply).error(), operation);
    }
    if (is_success(reply->status)) {
      co_return *std::move(reply);
    }
    // A refused request had no effect, so sending it again is safe also where it changes something.
    if (reply->status == 401 && std::exchange(again, false) && token_.changed_after_refusal()) {
      continue;
    }
    co_return status_error(reply->status, reply->headers, reply->body, operation);
  }
}

Task<Result<boost::json::object>> Client::fetch_object(HttpRequest request, std::string operation,
                                                       CallLimits limits) {
  auto reply = co_await fetch(std::move(request), operation, std::move(limits));
  if (!reply) {
    co_return std::move(reply).error();
  }
  auto object = parse_object(reply->body);
  if (!object) {
    co_return garbage(reply->status, object.error(), std::move(operation));
  }
  co_return *std::move(object);
}

}  // namespace berth::kube
