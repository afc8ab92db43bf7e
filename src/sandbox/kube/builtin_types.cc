#include "sandbox/kube/type.h"

namespace berth::sandbox::kube {

// In the form of a CustomResourceDefinition, plus "habits". Where a schema names a field, its Go type is held
// to; what a type has beyond that is kept as it comes.
// https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.32/
std::string_view builtin_types_yaml() {
  return R"(
- spec:
    group: ""
    scope: Cluster
    names: {plural: nodes, kind: Node, shortNames: [no]}
    versions:
      - name: v1
        storage: true
        subresources: {status: {}}
        schema:
          openAPIV3Schema:
            type: object
            properties:
              spec:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties:
                  podCIDR: {type: string}
                  podCIDRs: {type: array, items: {type: string}}
                  providerID: {type: string}
                  unschedulable: {type: boolean}
                  taints:
                    type: array
                    items:
                      type: object
                      required: [key, effect]
                      properties:
                        key: {type: string}
                        value: {type: string}
                        effect: {type: string, enum: [NoExecute, NoSchedule, PreferNoSchedule]}
                        timeAdded: {type: string, format: date-time, nullable: true}
              status:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                properties:
                  addresses:
                    type: array
                    items:
                      type: object
                      properties: {type: {type: string}, address: {type: string}}
                  conditions:
                    type: array
                    items:
                      type: object
                      properties:
                        type: {type: string}
                        status: {type: string}
                        reason: {type: string}
                        message: {type: string}
                        lastHeartbeatTime: {type: string, format: date-time, nullable: true}
                        lastTransitionTime: {type: string, format: date-time, nullable: true}
  habits:
    unconditionalUpdate: true
    keepsStatusOnCreate: true
    fieldLabels: {spec.unschedulable: spec.unschedulable}

- spec:
    group: ""
    scope: Cluster
    names: {plural: namespaces, kind: Namespace, shortNames: [ns]}
    versions:
      - name: v1
        storage: true
        subresources: {status: {}}
        additionalPrinterColumns:
          - {name: Status, type: string, description: The phase of the namespace, jsonPath: .status.phase}
          - {name: Age, type: date, description: Time since creation, jsonPath: .metadata.creationTimestamp}
        schema:
          openAPIV3Schema:
            type: object
            properties:
              spec: {type: object, properties: {finalizers: {type: array, items: {type: string}}}}
              status: {type: object, x-kubernetes-preserve-unknown-fields: true}
  habits:
    unconditionalUpdate: true
    returnsDeleted: true
    keepsStatusOnCreate: true
    fieldLabels: {status.phase: status.phase}

- spec:
    group: ""
    scope: Namespaced
    names: {plural: events, kind: Event, shortNames: [ev]}
    versions:
      - name: v1
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties:
              involvedObject: &reference
                type: object
                properties:
                  kind: {type: string}
                  namespace: {type: string}
                  name: {type: string}
                  uid: {type: string}
                  apiVersion: {type: string}
                  resourceVersion: {type: string}
                  fieldPath: {type: string}
              related: *reference
              reason: {type: string}
              message: {type: string}
              source: {type: object, properties: {component: {type: string}, host: {type: string}}}
              firstTimestamp: {type: string, format: date-time, nullable: true}
              lastTimestamp: {type: string, format: date-time, nullable: true}
              count: {type: integer, format: int32}
              type: {type: string}
              eventTime: {type: string, format: micro-time, nullable: true}
              series:
                type: object
                properties:
                  count: {type: integer, format: int32}
                  lastObservedTime: {type: string, format: micro-time, nullable: true}
              action: {type: string}
              reportingComponent: {type: string}
              reportingInstance: {type: string}
  habits:
    unconditionalUpdate: true
    createOnUpdate: true
    fieldLabels:
      involvedObject.kind: involvedObject.kind
      involvedObject.namespace: involvedObject.namespace
      involvedObject.name: involvedObject.name
      involvedObject.uid: involvedObject.uid
      involvedObject.apiVersion: involvedObject.apiVersion
      involvedObject.resourceVersion: involvedObject.resourceVersion
      involvedObject.fieldPath: involvedObject.fieldPath
      reason: reason
      reportingComponent: reportingComponent
      source: source.component
      type: type

- spec:
    group: coordination.k8s.io
    scope: Namespaced
    names: {plural: leases, kind: Lease}
    versions:
      - name: v1
        storage: true
        additionalPrinterColumns:
          - {name: Holder, type: string, description: Who holds the lease, jsonPath: .spec.holderIdentity}
          - {name: Age, type: date, description: Time since creation, jsonPath: .metadata.creationTimestamp}
        schema:
          openAPIV3Schema:
            type: object
            properties:
              spec:
                type: object
                properties:
                  holderIdentity: {type: string, nullable: true}
                  leaseDurationSeconds: {type: integer, format: int32, minimum: 1}
                  acquireTime: {type: string, format: micro-time, nullable: true}
                  renewTime: {type: string, format: micro-time, nullable: true}
                  leaseTransitions: {type: integer, format: int32, minimum: 0}
                  strategy: {type: string, nullable: true}
                  preferredHolder: {type: string, nullable: true}
  habits:
    createOnUpdate: true

- spec:
    group: apiextensions.k8s.io
    scope: Cluster
    names:
      plural: customresourcedefinitions
      kind: CustomResourceDefinition
      shortNames: [crd, crds]
      categories: [api-extensions]
    versions:
      - name: v1
        storage: true
        subresources: {status: {}}
        additionalPrinterColumns:
          - {name: Created At, type: string, description: When it was created, jsonPath: .metadata.creationTimestamp}
        schema:
          openAPIV3Schema:
            type: object
            required: [spec]
            properties:
              spec:
                type: object
                x-kubernetes-preserve-unknown-fields: true
                required: [group, names, scope, versions]
                properties:
                  group: {type: string}
                  scope: {type: string, enum: [Cluster, Namespaced]}
                  names: {type: object, x-kubernetes-preserve-unknown-fields: true}
                  versions: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
              status: {type: object, x-kubernetes-preserve-unknown-fields: true}
  habits:
    countsGenerations: true

- spec:
    group: authorization.k8s.io
    scope: Cluster
    names: {plural: selfsubjectaccessreviews, kind: SelfSubjectAccessReview}
    versions:
      - name: v1
        storage: true
        schema:
          openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
  habits:
    createOnly: true

- spec:
    group: ""
    scope: Namespaced
    names: {plural: pods, kind: Pod, shortNames: [po], categories: [all]}
    versions:
      - name: v1
        storage: true
        subresources: {status: {}}
        additionalPrinterColumns:
          - {name: Status, type: string, description: The phase of the pod, jsonPath: .status.phase}
          - {name: Age, type: date, description: Time since creation, jsonPath: .metadata.creationTimestamp}
          - {name: IP, type: string, priority: 1, description: The pod's address, jsonPath: .status.podIP}
          - {name: Node, type: string, priority: 1, description: Where it runs, jsonPath: .spec.nodeName}
        schema:
          openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
  habits:
    unconditionalUpdate: true
    returnsDeleted: true
    fieldLabels:
      spec.nodeName: spec.nodeName
      spec.restartPolicy: spec.restartPolicy
      spec.schedulerName: spec.schedulerName
      spec.serviceAccountName: spec.serviceAccountName
      status.phase: status.phase
      status.podIP: status.podIP
      status.nominatedNodeName: status.nominatedNodeName

- spec:
    group: ""
    scope: Namespaced
    names: {plural: services, kind: Service, shortNames: [svc], categories: [all]}
    versions:
      - name: v1
        storage: true
        subresources: {status: {}}
        schema:
          openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
  habits:
    unconditionalUpdate: true
    returnsDeleted: true

- spec:
    group: ""
    scope: Namespaced
    names: {plural: configmaps, kind: ConfigMap, shortNames: [cm]}
    versions:
      - name: v1
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties:
              data: {type: object, additionalProperties: {type: string}}
              binaryData: {type: object, additionalProperties: {type: string}}
              immutable: {type: boolean, nullable: true}
  habits:
    unconditionalUpdate: true
)";
}

}  // namespace berth::sandbox::kube
