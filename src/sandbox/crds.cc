#include "sandbox/crds.h"

#include "embedded_crds.h"

namespace berth::sandbox {

std::string_view cilium_node_crd_yaml() { return kCiliumNodeCrdYaml; }

}  // namespace berth::sandbox
