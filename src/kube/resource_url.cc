#include "kube/resource_url.h"

namespace berth::kube {
namespace {

constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
constexpr std::string_view kHex = "0123456789ABCDEF";

}  // namespace

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kHex[byte >> 4U];
      encoded += kHex[byte & 15U];
    }
  }
  return encoded;
}

std::string collection_path(const ports::ResourceType& type, const std::string& space) {
  std::string path = type.group.empty() ? "/api/" : "/apis/" + percent_encode(type.group) + '/';
  path += percent_encode(type.version);
  if (!space.empty()) {
    path += "/namespaces/" + percent_encode(space);
  }
  return path + '/' + percent_encode(type.plural);
}

std::string object_path(const ports::ObjectRef& ref, const std::string& subresource) {
  const std::string path = collection_path(ref.type, ref.space) + '/' + percent_encode(ref.name);
  return subresource.empty() ? path : path + '/' + percent_encode(subresource);
}

std::string type_name(const ports::ResourceType& type) {
  return type.group.empty() ? type.plural : type.plural + '.' + type.group;
}

}  // namespace berth::kube
