#pragma once
// The patch formats of the API, as pure functions on JSON.

#include <string>
#include <string_view>

#include "sandbox/kube/json.h"
#include "sandbox/kube/status.h"

namespace berth::sandbox::kube {

/// RFC 7386.
void merge_patch(json::value& target, const json::value& patch);

/// RFC 6902, all or nothing. Errors: BadRequest where it is no patch, Invalid where an operation cannot be
/// carried out or a test fails; which one is not told, as the real server does not.
Outcome<json::value> json_patch(json::value target, const json::value& patch);

/// The subset of strategic merge patch that matters for our built-in types: maps merge; lists merge by the
/// merge key of their field (conditions and addresses by type, ownerReferences by uid, …), finalizers and
/// podCIDRs as sets, all other lists are replaced; the directives $patch (delete, replace, merge),
/// $deleteFromPrimitiveList and $retainKeys are followed, $setElementOrder is ignored.
/// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
void strategic_merge_patch(json::value& target, const json::value& patch);

}  // namespace berth::sandbox::kube
