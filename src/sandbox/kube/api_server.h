#pragma once
// A Kubernetes API server on one machine, written from the API's conventions and from what a real server
// does, so that the real kubectl is at home and our own client has an independent judge. It has no
// controllers, no admission, no authorization beyond its one token, no server-side apply, no protobuf.
//
// Served: core/v1 nodes, namespaces, events, pods, services, configmaps; coordination.k8s.io/v1 leases;
// apiextensions.k8s.io/v1 customresourcedefinitions, and every custom type that such an object defines
// (CiliumNode's is there from the start); authorization.k8s.io/v1 selfsubjectaccessreviews (always allowed).
//
// Faults are asked once per request, as VERB:RESOURCE or VERB:RESOURCE/SUBRESOURCE; verbs are get, list,
// watch, create, update, patch, delete, deletecollection. The error is a Status reason or an HTTP status. Of
// a watch, "Expired" answers HTTP 410 and "ExpiredEvent" a stream with an ERROR event. Running watches are
// reached by event:RESOURCE, asked for each event that is about to be sent: an error cuts the connection
// before it
// ("Expired" sends an ERROR event first), lost_reply cuts it after it, delay holds it back.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "base/prng.h"
#include "base/result.h"
#include "ports/clock.h"
#include "ports/http.h"
#include "sandbox/faults.h"
#include "sandbox/kube/registry.h"
#include "sandbox/kube/request.h"
#include "sandbox/kube/store.h"
#include "sandbox/kube/type.h"

namespace berth::sandbox {

struct KubeApiOptions {
  std::string bearer_token;             // who does not send it gets 401
  std::uint64_t seed = 1;               // of uids and generated names
  std::size_t history_length = 10'000;  // changes of one type that watches and pages may still ask for
  Duration bookmark_interval = std::chrono::minutes(1);
  /// A watch from a version that is forgotten: false sends an ERROR event in a 200, as servers since 1.20 do;
  /// true answers HTTP 410.
  bool expired_watch_as_status = false;
};

class KubeApiServer final : public ports::HttpHandler {
 public:
  KubeApiServer(ports::Clock& clock, Faults& faults, KubeApiOptions options);

  /// Creates an object as the server itself would: with its status, without a request. kInvalid says why not.
  Result<boost::json::object> seed(boost::json::object object);

  /// By the apiVersion and kind of its type; nothing where there is none.
  std::optional<boost::json::object> find(std::string_view api_version, std::string_view kind,
                                          std::string_view space, std::string_view name) const;

  ports::Task<void> handle(ports::HttpRequest request, ports::HttpResponder& responder) override;

 private:
  enum class Verb : std::uint8_t { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteAll };
  struct Call {
    Verb verb = Verb::kGet;
    kube::ObjectName where;
    kube::Representation representation = kube::Representation::kObject;
    std::string action;  // as faults name it
    std::optional<std::uint64_t> stale_version = std::nullopt;
  };
  using Reply = ports::HttpReply;

  bool is_authorized(const ports::HttpRequest& request) const;
  std::optional<Reply> answer_about_server(const kube::Url& url) const;
  kube::Outcome<Call> read_call(const ports::HttpRequest& request, const kube::Url& url) const;
  ports::Task<void> serve(ports::HttpRequest request, kube::Url url, Call call,
                          ports::HttpResponder& responder);
  ports::Task<void> serve_watch(kube::Url url, Call call, Suffered suffered, ports::HttpResponder& responder);

  kube::Outcome<Reply> carry_out(const ports::HttpRequest& request, const kube::Url& url, const Call& call);
  kube::Outcome<Reply> get(const kube::Url& url, const Call& call);
  kube::Outcome<Reply> list(const kube::Url& url, const Call& call);
  kube::Outcome<Reply> write(const ports::HttpRequest& request, const kube::Url& url, const Call& call);
  kube::Outcome<kube::PatchFunction> read_patch(const ports::HttpRequest& request, const Call& call) const;
  kube::Outcome<Reply> review(const ports::HttpRequest& request, const Call& call) const;
  kube::Outcome<Reply> remove(const ports::HttpRequest& request, const kube::Url& url, const Call& call);
  kube::Outcome<Reply> remove_all(const kube::Url& url, const Call& call);
  std::string render(const kube::ObjectPtr& object, const kube::Url& url, const Call& call) const;

  ports::Clock& clock_;
  Faults& faults_;
  KubeApiOptions options_;
  Prng prng_;
  kube::TypeTable types_;
  kube::Store store_;
  kube::Registry registry_;
};

}  // namespace berth::sandbox
