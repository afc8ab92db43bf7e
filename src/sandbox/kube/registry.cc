#include "sandbox/kube/registry.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "sandbox/kube/builtin_rules.h"

namespace berth::sandbox::kube {
namespace {

/// No vowels and no look-alikes, as in the real server, so that no word appears by chance.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

constexpr std::array<std::string_view, 4> kPermanentNamespaces = {"default", "kube-node-lease", "kube-public",
                                                                  "kube-system"};

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += fmt::format("{}unknown field \"{}\"", text.empty() ? "" : ", ", path);
  }
  return text;
}

/// The patch as such is fine, but what comes of it is no object of the type.
Failure invalid_patch(const json::value& patched, std::string_view why) {
  return invalid_kind("", "", "", {invalid_value("patch", json::value(json::serialize(patched)), why)});
}

/// Copies `key` from one object to another, or removes it where it is absent.
void carry(const json::object& from, json::object& to, std::string_view key) {
  if (const json::value* value = from.if_contains(key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

/// The parts whose change makes a new generation.
json::object desired_part(const ResourceType& type, const json::object& object) {
  json::object part = object;
  part.erase("metadata");
  if (type.has_status) {
    part.erase("status");
  }
  return part;
}

std::int64_t generation_of(const json::object& object) {
  const json::value* generation = find(object, {"metadata", "generation"});
  return generation == nullptr ? 0 : static_cast<std::int64_t>(to_double(*generation));
}

}  // namespace

std::string Registry::now() const { return format_rfc3339(clock_.wall_now(), 0); }

std::string Registry::new_uid() {
  const std::uint64_t high = prng_.next();
  const std::uint64_t low = prng_.next();
  // RFC 4122, version 4.
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU,
                     high & 0xfffU, 0x8000U | ((low >> 48U) & 0x3fffU), low & 0xffffffffffffU);
}

std::string Registry::random_suffix() {
  std::string suffix;
  for (int i = 0; i < 5; ++i) {
    suffix += kLetters[prng_.below(kLetters.size())];
  }
  return suffix;
}

Outcome<> Registry::check_unknown(const ResourceType& type, const Incoming& incoming,
                                  const WriteOptions& options, std::vector<std::string>& warnings) const {
  if (incoming.unknown.empty() || options.fields == FieldValidation::kIgnore) {
    return {};
  }
  if (options.fields == FieldValidation::kStrict) {
    return refuse(bad_request(
        fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: strict decoding error: {2}",
                    type.kind, type.version, joined(incoming.unknown))));
  }
  for (const std::string& path : incoming.unknown) {
    warnings.push_back(fmt::format("unknown field \"{}\"", path));
  }
  return {};
}

Outcome<> Registry::check_namespace(const ResourceType& type, const std::string& space) {
  const TypePtr spaces = types_.find("", "v1", "namespaces");
  if (type.namespaced && store_.collection(*spaces).find("", space) == nullptr) {
    return refuse(not_found(*spaces, space));
  }
  return {};
}

Outcome<json::object> Registry::begin_create(const ObjectName& where, json::object object,
                                             const WriteOptions& options) {
  const ResourceType& type = *where.type;
  json::object& metadata = child(object, "metadata");
  if (auto checked = check_space(where, metadata); !checked) {
    return refuse(std::move(checked).error());
  }
  if (!find_text(metadata, {"resourceVersion"}).empty()) {
    return refuse({500, "", "resourceVersion should not be set on objects to be created"});
  }
  for (const std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "generation"}) {
    metadata.erase(key);
  }
  if (find_text(metadata, {"name"}).empty() && !find_text(metadata, {"generateName"}).empty()) {
    metadata["name"] = std::string(find_text(metadata, {"generateName"})) + random_suffix();
  }
  metadata["uid"] = new_uid();
  metadata["creationTimestamp"] = now();
  if (type.counts_generations) {
    metadata["generation"] = 1;
  }
  if (type.has_status && !type.keeps_status_on_create && !options.keep_status) {
    object.erase("status");
  }
  complete_builtin(type, object);
  fill_zero_values(type, object);
  return object;
}

Outcome<Written> Registry::create(const ObjectName& where, json::value body, const WriteOptions& options) {
  const ResourceType& type = *where.type;
  auto incoming = decode(type, std::move(body));
  if (!incoming) {
    return refuse(std::move(incoming).error());
  }
  Written written;
  if (auto checked = check_unknown(type, *incoming, options, written.warnings); !checked) {
    return refuse(std::move(checked).error());
  }
  auto begun = begin_create(where, std::move(incoming->object), options);
  if (!begun) {
    return refuse(std::move(begun).error());
  }
  if (auto exists = check_namespace(type, where.space); !exists) {
    return refuse(std::move(exists).error());
  }
  const std::string name(find_text(*begun, {"metadata", "name"}));
  if (const auto errors = validate_object(type, *begun); !errors.empty()) {
    return refuse(invalid(type, name, errors));
  }
  if (store_.collection(type).find(where.space, name) != nullptr) {
    return refuse(already_exists(type, name));
  }
  written.created = true;
  if (options.dry_run) {
    written.object = make_stored(type, *std::move(begun), 0);
  } else {
    written.object = put(type, *std::move(begun));
  }
  return written;
}

Outcome<ObjectPtr> Registry::replace(const ObjectName& where, const StoredObject& current, json::object next,
                                     bool version_required, const WriteOptions& options) {
  const ResourceType& type = *where.type;
  const json::object stored = current.parsed();
  json::object& metadata = child(next, "metadata");
  if (auto failure =
          check_version(type, current, find_text(metadata, {"resourceVersion"}), version_required)) {
    return refuse(*std::move(failure));
  }
  const json::object& old_metadata = stored.at("metadata").as_object();
  if (const auto errors = validate_metadata_update(old_metadata, metadata); !errors.empty()) {
    return refuse(invalid(type, current.name, errors));
  }
  for (const std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp",
                                     "generation", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    carry(old_metadata, metadata, key);
  }
  if (where.subresource == "status") {
    // A custom resource's status call changes nothing but the status; a built-in one's may change labels too.
    json::object with_status = stored;
    carry(next, with_status, "status");
    if (!type.custom) {
      carry(next, with_status, "metadata");
    }
    next = std::move(with_status);
  } else if (type.has_status) {
    carry(stored, next, "status");
  }
  fill_zero_values(type, next);
  auto errors = validate_object(type, next);
  std::ranges::move(validate_builtin_update(type, stored, next), std::back_inserter(errors));
  if (!errors.empty()) {
    return refuse(invalid(type, current.name, errors));
  }
  if (next == stored) {
    return store_.collection(type).find(current.space, current.name);
  }
  if (type.counts_generations && desired_part(type, next) != desired_part(type, stored)) {
    child(next, "metadata")["generation"] = generation_of(stored) + 1;
  }
  if (options.dry_run) {
    return make_stored(type, std::move(next), current.version);
  }
  const bool finished = find(next, {"metadata", "deletionTimestamp"}) != nullptr &&
                        find(next, {"metadata", "finalizers"}) == nullptr;
  if (finished) {
    ObjectPtr last = make_stored(type, std::move(next), current.version);
    erase(type, current);
    return last;
  }
  return put(type, std::move(next));
}

Outcome<Written> Registry::update(const ObjectName& where, json::value body, const WriteOptions& options) {
  const ResourceType& type = *where.type;
  auto incoming = decode(type, body);
  if (!incoming) {
    return refuse(std::move(incoming).error());
  }
  Written written;
  if (auto checked = check_unknown(type, *incoming, options, written.warnings); !checked) {
    return refuse(std::move(checked).error());
  }
  const std::string_view name = find_text(incoming->object, {"metadata", "name"});
  if (name != where.name) {
    return refuse(bad_request(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", name, where.name)));
  }
  if (auto checked = check_space(where, child(incoming->object, "metadata")); !checked) {
    return refuse(std::move(checked).error());
  }
  const ObjectPtr current = store_.collection(type).find(where.space, where.name);
  if (current == nullptr) {
    if (type.create_on_update && where.subresource.empty()) {
      return create({where.type, where.space, ""}, std::move(body), options);
    }
    return refuse(not_found(type, where.name));
  }
  const std::string_view uid = find_text(incoming->object, {"metadata", "uid"});
  if (auto failure = check_uid(type, *current, uid)) {
    return refuse(*std::move(failure));
  }
  auto replaced = replace(where, *current, std::move(incoming->object), !type.unconditional_update, options);
  if (!replaced) {
    return refuse(std::move(replaced).error());
  }
  written.object = *std::move(replaced);
  return written;
}

Outcome<Written> Registry::patch(const ObjectName& where, const PatchFunction& apply,
                                 const WriteOptions& options) {
  const ResourceType& type = *where.type;
  const ObjectPtr current = store_.collection(type).find(where.space, where.name);
  if (current == nullptr) {
    return refuse(not_found(type, where.name));
  }
  auto patched = apply(current->parsed());
  if (!patched) {
    return refuse(std::move(patched).error());
  }
  auto incoming = decode(type, *patched);
  if (!incoming && incoming.error().code != 400) {
    return refuse(std::move(incoming).error());
  }
  if (!incoming) {
    return refuse(invalid_patch(*patched, incoming.error().message));
  }
  if (!incoming->unknown.empty() && options.fields == FieldValidation::kStrict) {
    return refuse(invalid_patch(*patched, "strict decoding error: " + joined(incoming->unknown)));
  }
  Written written;
  if (auto checked = check_unknown(type, *incoming, options, written.warnings); !checked) {
    return refuse(std::move(checked).error());
  }
  const std::string_view name = find_text(incoming->object, {"metadata", "name"});
  if (name != where.name) {
    return refuse(bad_request(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", name, where.name)));
  }
  auto replaced = replace(where, *current, std::move(incoming->object), false, options);
  if (!replaced) {
    return refuse(std::move(replaced).error());
  }
  written.object = *std::move(replaced);
  return written;
}

Outcome<Deleted> Registry::remove(const ObjectName& where, const Preconditions& preconditions, bool dry_run) {
  const ResourceType& type = *where.type;
  const ObjectPtr current = store_.collection(type).find(where.space, where.name);
  if (current == nullptr) {
    return refuse(not_found(type, where.name));
  }
  if (is_namespace(type) &&
      std::ranges::find(kPermanentNamespaces, where.name) != kPermanentNamespaces.end()) {
    return refuse(forbidden(type, where.name, "this namespace may not be deleted"));
  }
  json::object object = current->parsed();
  const std::string_view uid = find_text(object, {"metadata", "uid"});
  if (auto failure = check_preconditions(type, *current, uid, preconditions)) {
    return refuse(*std::move(failure));
  }
  json::object& metadata = child(object, "metadata");
  if (!metadata.contains("finalizers")) {
    if (!dry_run) {
      erase(type, *current);
    }
    return Deleted{current};
  }
  if (metadata.contains("deletionTimestamp") || dry_run) {
    return Deleted{current, true};
  }
  metadata["deletionTimestamp"] = now();
  metadata["deletionGracePeriodSeconds"] = 0;
  if (type.counts_generations) {
    metadata["generation"] = generation_of(object) + 1;
  }
  return Deleted{put(type, std::move(object)), true};
}

ObjectPtr Registry::put(const ResourceType& type, json::object object) {
  if (is_definition(type)) {
    auto defined = ResourceType::from_definition(object);
    CHECK(defined.ok());  // validate_object has tried it
    types_.put(std::make_shared<const ResourceType>(*std::move(defined)));
  }
  return store_.put(type, std::move(object));
}

void Registry::erase(const ResourceType& type, const StoredObject& object) {
  if (is_definition(type)) {
    auto defined = ResourceType::from_definition(object.parsed());
    CHECK(defined.ok());
    for (const auto& [key, one] : ObjectMap(store_.collection(*defined).objects())) {
      store_.erase(*defined, *one);
    }
    types_.erase(*defined);
  } else if (is_namespace(type)) {
    empty_namespace(object.name);
  }
  store_.erase(type, object);
}

void Registry::empty_namespace(const std::string& space) {
  for (const auto& [key, type] : types_.all()) {
    for (const auto& [name, one] : ObjectMap(store_.collection(*type).objects())) {
      if (one->space == space && type->namespaced) {
        store_.erase(*type, *one);
      }
    }
  }
}

}  // namespace berth::sandbox::kube
