#pragma once
// The one table from what a Kubernetes API says when it refuses (HTTP code, Status reason) to ErrorKind.
// Nothing else in the product looks at a code or reason to decide.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/error.h"
#include "ports/http.h"

namespace berth::kube {

/// Of a reply whose status is not 2xx. The server's own message is kept; a body that is no Status is shown
/// in part. `operation` is what was tried: "GET ciliumnodes/node-1".
Error status_error(int http_status, const ports::HttpHeaders& headers, std::string_view body,
                   std::string operation);

/// Of the Status object inside a watch's ERROR event.
Error status_error(const boost::json::object& status, std::string operation);

/// Of kUnauthorized: whether the server knows who asks and does not allow it (a matter of RBAC), as opposed
/// to not knowing who asks (a matter of credentials). For advice only.
bool is_forbidden(const Error& error);

}  // namespace berth::kube
