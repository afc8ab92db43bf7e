#pragma once
// What may be a name, a label, a label's value. Each question answers with what is wrong, in the real
// server's words; empty is "nothing".
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/

#include <string>
#include <string_view>

namespace berth::sandbox::kube {

std::string wrong_subdomain(std::string_view name);
/// A subdomain of one part of at most 63 characters; of namespaces.
std::string wrong_dns_label(std::string_view name);
std::string wrong_label_key(std::string_view key);
std::string wrong_label_value(std::string_view value);

}  // namespace berth::sandbox::kube
