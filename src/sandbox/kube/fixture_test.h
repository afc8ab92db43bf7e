#pragma once
// For tests: the API server with requests that need no socket. Time is a FakeClock's.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ports/fake_clock.h"
#include "ports/http.h"
#include "ports/task.h"
#include "sandbox/kube/api_server.h"
#include "sandbox/kube/json.h"

namespace berth::sandbox::kube {

inline constexpr std::string_view kNodes = "/apis/cilium.io/v2/ciliumnodes";
inline constexpr std::string_view kMerge = "application/merge-patch+json";
inline constexpr std::string_view kJsonPatchType = "application/json-patch+json";
inline constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
inline constexpr std::string_view kTableType = "application/json;as=Table;v=v1;g=meta.k8s.io";

inline constexpr Duration kSlowWrite = std::chrono::seconds(1);

/// One request under way, and what has come of it.
class FakeExchange final : public ports::HttpResponder {
 public:
  ports::Task<Result<void>> reply(ports::HttpReply reply) override {
    status = reply.status;
    headers = std::move(reply.headers);
    body = std::move(reply.body);
    co_return Result<void>();
  }
  ports::Task<Result<void>> begin(int status_code, ports::HttpHeaders stream_headers) override {
    status = status_code;
    headers = std::move(stream_headers);
    co_return Result<void>();
  }
  ports::Task<Result<void>> write(std::string piece) override {
    if (slow_clock != nullptr) {
      co_await ports::sleep_for(*slow_clock, kSlowWrite, {});
    }
    body += piece;
    co_return Result<void>();
  }
  void drop() override { dropped = true; }
  std::stop_token stop() const override { return source.get_token(); }

  json::object object() const {
    auto value = parse_json(body);
    return value.ok() && value->is_object() ? value->get_object() : json::object();
  }
  std::string text(Path path) const { return std::string(find_text(object(), path)); }
  std::string reason() const { return text({"reason"}); }
  std::string message() const { return text({"message"}); }

  /// Of a watch: "ADDED a", "BOOKMARK", "ERROR 410", one a line.
  std::vector<std::string> events() const {
    std::vector<std::string> out;
    for (const json::object& event : event_objects()) {
      std::string line(find_text(event, {"type"}));
      if (line == "ERROR") {
        line += " " + json::serialize(*find(event, {"object", "code"}));
      } else if (line != "BOOKMARK") {
        line += " " + std::string(find_text(event, {"object", "metadata", "name"}));
      }
      out.push_back(line);
    }
    return out;
  }
  std::vector<json::object> event_objects() const {
    std::vector<json::object> out;
    std::string_view rest = body;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      out.push_back(parse_json(rest.substr(0, end)).value().as_object());
      rest.remove_prefix(end + 1);
    }
    return out;
  }

  int status = 0;
  ports::HttpHeaders headers;
  std::string body;
  bool dropped = false;
  bool ended = false;
  std::stop_source source;
  ports::Clock* slow_clock = nullptr;  // set: each write takes kSlowWrite
};

using Exchange = std::shared_ptr<FakeExchange>;

class KubeApi : public testing::Test {
 protected:
  void TearDown() override {
    for (const Exchange& exchange : exchanges_) {
      exchange->source.request_stop();
    }
    clock.settle();
  }

  /// As far as it goes without time passing.
  Exchange send(std::string method, std::string target, std::string body = "",
                std::string_view content_type = "application/json", std::string_view accept = "") {
    ports::HttpRequest request{std::move(method), std::move(target), {}, std::move(body)};
    request.headers.add("Authorization", "Bearer " + token);
    request.headers.add("Content-Type", std::string(content_type));
    if (!accept.empty()) {
      request.headers.add("Accept", std::string(accept));
    }
    auto exchange = std::make_shared<FakeExchange>();
    exchanges_.push_back(exchange);
    scope_.spawn(run(server, std::move(request), exchange));
    clock.settle();
    return exchange;
  }
  Exchange get(std::string target, std::string_view accept = "") {
    return send("GET", std::move(target), "", "application/json", accept);
  }
  Exchange patch(std::string target, std::string body, std::string_view type = kMerge) {
    return send("PATCH", std::move(target), std::move(body), type);
  }
  Exchange create(const std::string& name, const std::string& spec = "{}", const std::string& labels = "{}") {
    return send("POST", std::string(kNodes),
                R"({"apiVersion":"cilium.io/v2","kind":"CiliumNode","metadata":{"name":")" + name +
                    R"(","labels":)" + labels + R"(},"spec":)" + spec + "}");
  }
  Exchange remove(const std::string& name) { return send("DELETE", path(name)); }
  static std::string path(const std::string& name) { return std::string(kNodes) + "/" + name; }
  std::string version_of(const std::string& name) {
    return get(path(name))->text({"metadata", "resourceVersion"});
  }
  static std::vector<std::string> names(const Exchange& list) {
    std::vector<std::string> out;
    const json::object object = list->object();
    for (const json::value& item : object.at("items").as_array()) {
      out.emplace_back(find_text(item.as_object(), {"metadata", "name"}));
    }
    return out;
  }
  void fault(const std::string& action, std::string_view json_text) {
    faults.set(action, Faults::parse(json_text).value(), clock.mono_now());
  }

  ports::FakeClock clock;
  Faults faults;
  std::string token = "sesame";
  KubeApiServer server{clock, faults, {.bearer_token = "sesame", .history_length = 20}};

 private:
  static ports::Task<void> run(KubeApiServer& server, ports::HttpRequest request, Exchange exchange) {
    co_await server.handle(std::move(request), *exchange);
    exchange->ended = true;
  }

  std::vector<Exchange> exchanges_;
  ports::TaskScope scope_;
};

}  // namespace berth::sandbox::kube
