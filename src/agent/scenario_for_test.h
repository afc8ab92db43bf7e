#pragma once
// For tests: the CNI configuration of the main case, to the byte.

namespace berth::agent {

inline constexpr const char* kScenario = R"({
  "cniVersion": "0.3.1",
  "name": "cilium",
  "plugins": [
    {
      "name": "cilium",
      "type": "cilium-cni",
      "eni": {
        "delete-on-termination": true,
        "first-interface-index": 1,
        "use-primary-address": false,
        "pre-allocate": 1,
        "min-allocate": 3
      },
      "ipam": {
        "pre-allocate": 1,
        "min-allocate": 3,
        "static-ip-tags": {
          "anton": "test",
          "kubernetes_cluster": "cluster-1"
        }
      }
    }
  ]
}
)";

}  // namespace berth::agent
