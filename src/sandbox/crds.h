#pragma once
// The CustomResourceDefinitions of this sandbox's cluster: the very documents of deploy/crds, so that what
// validates here validates there.

#include <string_view>

namespace berth::sandbox {

/// deploy/crds/ciliumnodes.yaml.
std::string_view cilium_node_crd_yaml();

}  // namespace berth::sandbox
