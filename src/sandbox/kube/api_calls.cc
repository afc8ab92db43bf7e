// The verbs of the API: from a call that is understood to the reply.

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kube/api_server.h"
#include "sandbox/kube/list.h"
#include "sandbox/kube/patch.h"
#include "sandbox/kube/table.h"

namespace berth::sandbox {
namespace {

namespace json = boost::json;
using kube::Failure;
using kube::ObjectPtr;
using kube::Outcome;
using kube::refuse;
using kube::Representation;
using kube::Url;
using ports::HttpReply;
using ports::HttpRequest;

constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

HttpReply json_reply(int status, std::string body) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}},
          std::move(body)};
}

kube::WriteOptions write_options(const Url& url) {
  kube::WriteOptions options;
  options.dry_run = url.parameter("dryRun") == "All";
  const std::string_view fields = url.parameter("fieldValidation");
  options.fields = fields == "Strict"   ? kube::FieldValidation::kStrict
                   : fields == "Ignore" ? kube::FieldValidation::kIgnore
                                        : kube::FieldValidation::kWarn;
  return options;
}

}  // namespace

Outcome<KubeApiServer::Call> KubeApiServer::read_call(const HttpRequest& request, const Url& url) const {
  const auto path = kube::parse_resource_path(url.segments);
  const kube::TypePtr type = path ? types_.find(path->group, path->version, path->plural) : nullptr;
  if (type == nullptr) {
    return refuse({404, "", "404 page not found"});
  }
  if ((!path->space.empty() && !type->namespaced) ||
      (!path->subresource.empty() && (path->subresource != "status" || !type->has_status))) {
    return refuse(type->custom && !path->name.empty() ? kube::not_found(*type, path->name)
                                                      : kube::no_such_resource());
  }
  const auto representation = kube::negotiate(request.headers.find("accept").value_or(""));
  if (!representation) {
    return refuse(kube::not_acceptable());
  }
  const bool collection = path->name.empty();
  const std::string& method = request.method;
  std::optional<std::pair<Verb, std::string_view>> verb;
  if (method == "GET" && collection) {
    verb = url.flag("watch") ? std::pair(Verb::kWatch, "watch") : std::pair(Verb::kList, "list");
  } else if (method == "GET") {
    verb = {Verb::kGet, "get"};
  } else if (method == "POST" && collection && (!type->namespaced || !path->space.empty())) {
    verb = {Verb::kCreate, "create"};
  } else if (method == "PUT" && !collection) {
    verb = {Verb::kUpdate, "update"};
  } else if (method == "PATCH" && !collection) {
    verb = {Verb::kPatch, "patch"};
  } else if (method == "DELETE" && path->subresource.empty()) {
    verb = collection ? std::pair(Verb::kDeleteAll, "deletecollection") : std::pair(Verb::kDelete, "delete");
  }
  if (!verb || (type->create_only && verb->first != Verb::kCreate) ||
      (!collection && type->namespaced && path->space.empty())) {
    return refuse(kube::method_not_allowed());
  }
  Call call{verb->first, {type, path->space, path->name, path->subresource}, *representation, ""};
  call.action = fmt::format("{}:{}{}{}", verb->second, path->plural, path->subresource.empty() ? "" : "/",
                            path->subresource);
  return call;
}

Outcome<HttpReply> KubeApiServer::carry_out(const HttpRequest& request, const Url& url, const Call& call) {
  switch (call.verb) {
    case Verb::kGet:
      return get(url, call);
    case Verb::kList:
      return list(url, call);
    case Verb::kCreate:
    case Verb::kUpdate:
    case Verb::kPatch:
      return call.where.type->create_only ? review(request, call) : write(request, url, call);
    case Verb::kDelete:
      return remove(request, url, call);
    case Verb::kDeleteAll:
      return remove_all(url, call);
    case Verb::kWatch:
      break;  // has its own way
  }
  return refuse(kube::method_not_allowed());
}

std::string KubeApiServer::render(const ObjectPtr& object, const Url& url, const Call& call) const {
  if (call.representation == Representation::kTable) {
    return kube::render_table(*call.where.type, {object},
                              {{"resourceVersion", std::to_string(object->version)}},
                              kube::row_object(url.parameter("includeObject")), clock_.wall_now());
  }
  return object->text + "\n";
}

Outcome<HttpReply> KubeApiServer::get(const Url& url, const Call& call) {
  const kube::ResourceType& type = *call.where.type;
  auto version = kube::read_version(url.parameter("resourceVersion"));
  if (!version) {
    return refuse(std::move(version).error());
  }
  if (version->value_or(0) > store_.version()) {
    return refuse(kube::too_large_version(**version, store_.version()));
  }
  const kube::Collection& collection = store_.collection(type);
  ObjectPtr found = collection.find(call.where.space, call.where.name);
  if (call.stale_version) {
    const auto then = collection.at_version(*call.stale_version);
    const auto entry = then ? then->find(kube::object_key(call.where.space, call.where.name))
                            : kube::ObjectMap::const_iterator();
    found = then && entry != then->end() ? entry->second : nullptr;
  }
  if (found == nullptr) {
    return refuse(kube::not_found(type, call.where.name));
  }
  return json_reply(200, render(found, url, call));
}

Outcome<HttpReply> KubeApiServer::list(const Url& url, const Call& call) {
  const kube::ResourceType& type = *call.where.type;
  auto options = kube::ListOptions::read(url, type, call.where.space);
  if (!options) {
    return refuse(std::move(options).error());
  }
  auto page = kube::list(store_, type, *options, call.stale_version);
  if (!page) {
    return refuse(std::move(page).error());
  }
  if (call.representation == Representation::kTable) {
    return json_reply(
        200, kube::render_table(type, page->items, kube::list_metadata(*page),
                                kube::row_object(url.parameter("includeObject")), clock_.wall_now()));
  }
  return json_reply(200, kube::render_list(type, *page));
}

Outcome<HttpReply> KubeApiServer::review(const HttpRequest& request, const Call& call) const {
  auto body = kube::read_body(request, call.where.type->kind);
  if (!body) {
    return refuse(std::move(body).error());
  }
  auto incoming = kube::decode(*call.where.type, *std::move(body));
  if (!incoming) {
    return refuse(std::move(incoming).error());
  }
  incoming->object["status"] =
      json::object{{"allowed", true}, {"reason", "everything is allowed in this sandbox"}};
  return json_reply(201, json::serialize(incoming->object) + "\n");
}

Outcome<kube::PatchFunction> KubeApiServer::read_patch(const HttpRequest& request, const Call& call) const {
  const bool custom = call.where.type->custom;
  const std::string media = kube::media_type(request);
  if (media != kMergePatch && media != kJsonPatch && (media != kStrategicPatch || custom)) {
    return refuse(kube::unsupported_media_type(
        custom ? fmt::format("{}, {}", kJsonPatch, kMergePatch)
               : fmt::format("{}, {}, {}", kJsonPatch, kMergePatch, kStrategicPatch)));
  }
  auto patch = kube::parse_json(request.body);
  if (!patch) {
    return refuse(kube::bad_request(fmt::format("error decoding patch: {}", patch.error().detail)));
  }
  if (media == kJsonPatch) {
    return kube::PatchFunction([patch = *std::move(patch)](json::value current) {
      return kube::json_patch(std::move(current), patch);
    });
  }
  if (!patch->is_object()) {
    return refuse(kube::bad_request(fmt::format(
        "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
        kube::type_name(*patch))));
  }
  const auto apply = media == kMergePatch ? kube::merge_patch : kube::strategic_merge_patch;
  return kube::PatchFunction([patch = *std::move(patch), apply](json::value current) -> Outcome<json::value> {
    apply(current, patch);
    return current;
  });
}

Outcome<HttpReply> KubeApiServer::write(const HttpRequest& request, const Url& url, const Call& call) {
  const kube::WriteOptions options = write_options(url);
  Outcome<kube::Written> written;
  if (call.verb == Verb::kPatch) {
    auto patch = read_patch(request, call);
    if (!patch) {
      return refuse(std::move(patch).error());
    }
    written = registry_.patch(call.where, *patch, options);
  } else {
    auto body = kube::read_body(request, call.where.type->kind);
    if (!body) {
      return refuse(std::move(body).error());
    }
    written = call.verb == Verb::kCreate ? registry_.create(call.where, *std::move(body), options)
                                         : registry_.update(call.where, *std::move(body), options);
  }
  if (!written) {
    return refuse(std::move(written).error());
  }
  HttpReply reply = json_reply(written->created ? 201 : 200, render(written->object, url, call));
  for (const std::string& warning : written->warnings) {
    reply.headers.add("Warning", fmt::format("299 - {}", json::serialize(json::string(warning))));
  }
  return reply;
}

Outcome<HttpReply> KubeApiServer::remove(const HttpRequest& request, const Url& url, const Call& call) {
  const kube::ResourceType& type = *call.where.type;
  json::value body = json::object();
  if (!request.body.empty()) {
    auto read = kube::read_body(request, "DeleteOptions");
    if (!read) {
      return refuse(std::move(read).error());
    }
    body = *std::move(read);
  }
  const json::object empty;
  const json::object& options = body.is_object() ? body.get_object() : empty;
  const json::value* dry_run = options.if_contains("dryRun");
  const bool dry = url.parameter("dryRun") == "All" ||
                   (dry_run != nullptr && dry_run->is_array() && !dry_run->get_array().empty());
  auto removed =
      registry_.remove(call.where,
                       {std::string(kube::find_text(options, {"preconditions", "uid"})),
                        std::string(kube::find_text(options, {"preconditions", "resourceVersion"}))},
                       dry);
  if (!removed) {
    return refuse(std::move(removed).error());
  }
  if (removed->waits || type.returns_deleted) {
    return json_reply(200, render(removed->object, url, call));
  }
  const json::object object = removed->object->parsed();
  json::object details = {{"name", call.where.name}};
  if (!type.group.empty()) {
    details["group"] = type.group;
  }
  details["kind"] = type.plural;
  details["uid"] = kube::find_text(object, {"metadata", "uid"});
  const json::object status = {{"kind", "Status"},
                               {"apiVersion", "v1"},
                               {"metadata", json::object()},
                               {"status", "Success"},
                               {"details", std::move(details)}};
  return json_reply(200, json::serialize(status) + "\n");
}

Outcome<HttpReply> KubeApiServer::remove_all(const Url& url, const Call& call) {
  const kube::ResourceType& type = *call.where.type;
  auto options = kube::ListOptions::read(url, type, call.where.space);
  if (!options) {
    return refuse(std::move(options).error());
  }
  auto page = kube::list(store_, type, *options, std::nullopt);
  if (!page) {
    return refuse(std::move(page).error());
  }
  for (const ObjectPtr& item : page->items) {
    const auto removed =
        registry_.remove({call.where.type, item->space, item->name}, {}, url.parameter("dryRun") == "All");
    if (!removed && removed.error().code != 404) {
      return refuse(removed.error());
    }
  }
  return json_reply(200, kube::render_list(type, *page));
}

}  // namespace berth::sandbox
