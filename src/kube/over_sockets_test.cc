// The whole way over real sockets: list, watch, write, a cut connection, stop.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/cilium_node_source.h"
#include "kube/json.h"
#include "ports/event.h"
#include "runtime/files.h"
#include "runtime/http_client.h"
#include "runtime/http_server.h"
#include "runtime/loop.h"

namespace berth::kube {
namespace {

using namespace std::chrono_literals;
using ports::Task;

/// One CiliumNode and one Node; a patch of the status is stored and goes to whoever watches.
class TinyApi final : public ports::HttpHandler {
 public:
  explicit TinyApi(ports::Clock& clock) : news_(clock) {}

  Task<void> handle(ports::HttpRequest request, ports::HttpResponder& responder) override {
    const bool is_node = request.target.starts_with("/api/v1/nodes");
    if (request.method == "PATCH") {
      node_["status"] = parse_object(request.body)->at("status");
      ++version_;
      news_.set();
      static_cast<void>(co_await responder.reply({200, {}, boost::json::serialize(cilium_node())}));
    } else if (request.target.find("watch=true") != std::string::npos) {
      co_await watch(is_node, responder);
    } else {
      const boost::json::object list{{"metadata", {{"resourceVersion", std::to_string(version_)}}},
                                     {"items", boost::json::array{is_node ? node() : cilium_node()}}};
      static_cast<void>(co_await responder.reply({200, {}, boost::json::serialize(list)}));
    }
  }

  /// Cuts every watch in the middle of its body.
  void cut() {
    cut_ = true;
    news_.set();
  }
  int watches = 0;

 private:
  static boost::json::object node() {
    return {{"metadata", {{"name", "n"}}}, {"spec", {{"providerID", "aws:///z/i-1"}}}};
  }
  boost::json::object cilium_node() const {
    boost::json::object whole = node_;
    whole["metadata"] = {{"name", "n"}, {"resourceVersion", std::to_string(version_)}};
    return whole;
  }

  Task<void> watch(bool is_node, ports::HttpResponder& responder) {
    ++watches;
    int seen = version_;
    auto begun = co_await responder.begin(200, {{"Content-Type", "application/json"}});
    while (begun && !responder.stop().stop_requested()) {
      static_cast<void>(co_await news_.wait(std::nullopt, responder.stop()));
      news_.reset();
      if (cut_ && !is_node) {
        cut_ = false;
        responder.drop();
        co_return;
      }
      if (!is_node && seen != version_) {
        seen = version_;
        begun = co_await responder.write(
            boost::json::serialize(boost::json::object{{"type", "MODIFIED"}, {"object", cilium_node()}}) +
            "\n");
      }
    }
  }

  ports::Event news_;
  boost::json::object node_;
  int version_ = 1;
  bool cut_ = false;
};

class Notes final : public ports::NodeObserver {
 public:
  explicit Notes(ports::Clock& clock) : news(clock) {}

  void replace_all(std::vector<model::NodeView> nodes) override {
    ++lists;
    upsert(nodes.at(0));
  }
  void upsert(model::NodeView node) override {
    last = std::move(node);
    news.set();
  }
  void erase(const model::NodeName& /*name*/) override { ADD_FAILURE() << "nothing is deleted here"; }

  ports::Event news;
  model::NodeView last;
  int lists = 0;
};

Task<bool> next(Notes& notes, ports::Clock& clock) {
  const ports::Wake wake = co_await notes.news.wait(clock.mono_now() + 20s, {});
  notes.news.reset();
  co_return wake == ports::Wake::kSet;
}

Task<Result<void>> assign(CiliumNodeSource& source, const char* ip, ports::Clock& clock) {
  const ports::StatusChange change{.assigned_static_ip = IpAddress::parse(ip), .operator_error = ""};
  co_return co_await source.write_status(model::NodeName("n"), change, {.deadline = clock.mono_now() + 20s});
}

Task<int> story(runtime::Loop& loop) {
  TinyApi api(loop);
  auto server = runtime::HttpServer::listen(loop, {}, std::nullopt, api);
  CHECK(server.ok());
  const auto http = runtime::make_http_client(loop, {});
  const runtime::DiskFiles files;
  Client client({.server = "http://127.0.0.1:" + std::to_string((*server)->port())}, "berth-test", *http,
                files, loop);
  Prng prng(1);
  CiliumNodeSource source(client, loop, prng, "berth-test");
  Notes notes(loop);
  const std::stop_source stop;
  ports::TaskScope scope;
  scope.spawn(source.run(notes, stop.get_token()));

  EXPECT_TRUE(co_await next(notes, loop));
  EXPECT_EQ(notes.last.provider_id, "aws:///z/i-1");
  while (api.watches < 2) {
    co_await ports::sleep_for(loop, 1ms, {});
  }
  auto written = co_await assign(source, "18.213.0.7", loop);
  EXPECT_TRUE(written.ok());
  EXPECT_TRUE(co_await next(notes, loop));
  EXPECT_EQ(notes.last.assigned_static_ip, IpAddress::parse("18.213.0.7"));

  api.cut();
  while (api.watches < 3) {
    co_await ports::sleep_for(loop, 1ms, {});
  }
  written = co_await assign(source, "18.213.0.8", loop);
  EXPECT_TRUE(written.ok());
  EXPECT_TRUE(co_await next(notes, loop));
  EXPECT_EQ(notes.last.assigned_static_ip, IpAddress::parse("18.213.0.8"));
  EXPECT_EQ(notes.lists, 1);

  stop.request_stop();
  co_await scope.join();
  co_await (*server)->close();
  co_return 0;
}

TEST(OverSockets, a_write_comes_back_through_the_watch_also_after_the_connection_was_cut) {
  const LogCapture log;
  runtime::Loop loop;
  EXPECT_EQ(loop.run(story(loop)), 0);
  EXPECT_EQ(log.count("The CiliumNodes cannot be followed"), 1U);
  EXPECT_EQ(log.count("The CiliumNodes are followed again"), 1U);
}

}  // namespace
}  // namespace berth::kube
