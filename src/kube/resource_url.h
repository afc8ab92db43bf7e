#pragma once
// Paths and queries of the Kubernetes API. Names come from outside, so every part is percent-encoded.

#include <string>
#include <string_view>

#include "ports/kube_api.h"

namespace berth::kube {

/// Everything but letters, digits and -._~ as %XX.
std::string percent_encode(std::string_view text);

/// "/apis/cilium.io/v2/ciliumnodes", "/api/v1/namespaces/default/events".
std::string collection_path(const ports::ResourceType& type, const std::string& space);

/// "/apis/cilium.io/v2/ciliumnodes/node-1/status"; `subresource` may be empty.
std::string object_path(const ports::ObjectRef& ref, const std::string& subresource);

/// "ciliumnodes.cilium.io", "events": how people and kubectl name a type.
std::string type_name(const ports::ResourceType& type);

/// Builds "?a=1&b=2".
class Query {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? '?' : '&';
    text_ += key;
    text_ += '=';
    text_ += percent_encode(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace berth::kube
