#include "sandbox/kube/store.h"

#include <algorithm>
#include <utility>

namespace berth::sandbox::kube {
namespace {

TextMap read_labels(const json::object& object) {
  TextMap labels;
  if (const json::object* source = find_object(object, {"metadata", "labels"})) {
    for (const auto& [key, value] : *source) {
      if (value.is_string()) {
        labels.emplace(key, value.get_string());
      }
    }
  }
  return labels;
}

std::string text_at(const json::object& object, const std::vector<std::string>& path) {
  const json::object* at = &object;
  const json::value* found = nullptr;
  for (const std::string& key : path) {
    found = at == nullptr ? nullptr : at->if_contains(key);
    at = found == nullptr ? nullptr : found->if_object();
  }
  if (found == nullptr || found->is_null()) {
    return {};
  }
  return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

}  // namespace

json::object StoredObject::parsed() const {
  auto value = parse_json(text);
  CHECK(value.ok());
  return std::move((*value).as_object());
}

void StoredObject::append_as_item(std::string& out, const ResourceType& type) const {
  if (type.custom) {
    out += text;
  } else {
    out += '{';
    out.append(text, head);
  }
}

ObjectPtr make_stored(const ResourceType& type, json::object object, std::uint64_t version) {
  auto stored = std::make_shared<StoredObject>();
  json::object& metadata = child(object, "metadata");
  if (version != 0) {
    metadata["resourceVersion"] = std::to_string(version);
  }
  stored->space = find_text(metadata, {"namespace"});
  stored->name = find_text(metadata, {"name"});
  stored->version = version;
  stored->labels = read_labels(object);
  stored->fields = {{"metadata.name", stored->name}, {"metadata.namespace", stored->space}};
  for (const auto& [label, path] : type.field_labels) {
    stored->fields.emplace(label, text_at(object, path));
  }
  std::string& text = stored->text;
  text = R"({"apiVersion":")" + type.api_version() + R"(","kind":")" + type.kind + R"(",)";
  stored->head = text.size();
  text += R"("metadata":)" + json::serialize(metadata);
  for (const auto& [key, value] : object) {
    if (key != "apiVersion" && key != "kind" && key != "metadata") {
      text += "," + json::serialize(json::string(key)) + ":" + json::serialize(value);
    }
  }
  text += '}';
  return stored;
}

std::string object_key(std::string_view space, std::string_view name) {
  return std::string(space) + "/" + std::string(name);
}

ObjectPtr Collection::find(std::string_view space, std::string_view name) const {
  const auto found = objects_.find(object_key(space, name));
  return found == objects_.end() ? nullptr : found->second;
}

std::deque<Change>::const_iterator Collection::after(std::uint64_t version) const {
  return std::ranges::upper_bound(history_, version, {}, &Change::version);
}

std::optional<ObjectMap> Collection::at_version(std::uint64_t version) const {
  if (version < forgotten_) {
    return std::nullopt;
  }
  ObjectMap objects = objects_;
  const auto undo_to = after(version);
  for (auto change = history_.end(); change != undo_to;) {
    --change;
    const StoredObject& one = change->before != nullptr ? *change->before : *change->after;
    if (change->before != nullptr) {
      objects[object_key(one.space, one.name)] = change->before;
    } else {
      objects.erase(object_key(one.space, one.name));
    }
  }
  return objects;
}

std::uint64_t Collection::version_at(MonoTime time, std::uint64_t newest) const {
  const auto later = std::ranges::upper_bound(history_, time, {}, &Change::at);
  if (later == history_.end()) {
    return newest;
  }
  return later == history_.begin() ? forgotten_ : std::prev(later)->version;
}

void Collection::apply(Change change) {
  const StoredObject& one = change.after != nullptr ? *change.after : *change.before;
  const std::string key = object_key(one.space, one.name);
  if (change.after != nullptr) {
    objects_[key] = change.after;
  } else {
    objects_.erase(key);
  }
  history_.push_back(std::move(change));
  if (history_.size() > history_length_) {
    forgotten_ = history_.front().version;
    history_.pop_front();
  }
  changed_.set();
  changed_.reset();
}

Collection& Store::collection(const ResourceType& type) {
  auto& found = collections_[type.resource()];
  if (found == nullptr) {
    found = std::make_unique<Collection>(clock_, history_length_);
  }
  return *found;
}

ObjectPtr Store::find(const ResourceType& type, std::string_view space, std::string_view name) const {
  const auto found = collections_.find(type.resource());
  return found == collections_.end() ? nullptr : found->second->find(space, name);
}

ObjectPtr Store::put(const ResourceType& type, json::object object) {
  ObjectPtr stored = make_stored(type, std::move(object), ++version_);
  Collection& objects = collection(type);
  objects.apply({version_, clock_.mono_now(), objects.find(stored->space, stored->name), stored});
  return stored;
}

void Store::erase(const ResourceType& type, const StoredObject& object) {
  Collection& objects = collection(type);
  ObjectPtr before = objects.find(object.space, object.name);
  CHECK(before != nullptr);
  objects.apply({++version_, clock_.mono_now(), std::move(before), nullptr});
}

}  // namespace berth::sandbox::kube
