#include "kube/event_recorder.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/json.h"
#include "ports/fake_clock.h"

namespace berth::kube {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Keeps Events as a server does, and can be told to forget them or to fail.
class FakeApi final : public ports::KubeApi {
 public:
  std::map<std::string, boost::json::object> events;
  std::optional<Error> failure;
  int creates = 0;
  int patches = 0;

  ports::Task<Result<boost::json::object>> get(ports::ObjectRef /*ref*/,
                                               ports::CallLimits /*limits*/) override {
    co_return Error{.kind = ErrorKind::kInternal, .operation = "get", .detail = "not expected"};
  }
  ports::Task<Result<boost::json::object>> create(ports::ResourceType type, std::string space,
                                                  boost::json::object object,
                                                  ports::CallLimits /*limits*/) override {
    EXPECT_EQ(type.group + "/" + type.version + "/" + type.plural, "/v1/events");
    EXPECT_EQ(space, "default");
    ++creates;
    if (failure) {
      co_return *failure;
    }
    const std::string name = string_at(object, {"metadata", "name"});
    EXPECT_FALSE(events.contains(name)) << "names are never used twice";
    events[name] = object;
    co_return object;
  }
  ports::Task<Result<boost::json::object>> merge_patch(ports::ObjectRef ref, std::string subresource,
                                                       boost::json::object patch,
                                                       ports::CallLimits /*limits*/) override {
    EXPECT_EQ(ref.space, "default");
    EXPECT_EQ(subresource, "");
    ++patches;
    const auto event = events.find(ref.name);
    if (event == events.end()) {
      co_return Error{.kind = ErrorKind::kNotFound, .operation = "patch", .detail = "gone"};
    }
    for (const auto& change : patch) {
      event->second[change.key()] = change.value();
    }
    co_return event->second;
  }
};

ports::Task<void> keep(ports::Task<Result<void>> task, std::vector<Result<void>>& results) {
  results.push_back(co_await std::move(task));
}

class EventRecorderTest : public testing::Test {
 protected:
  Result<void> record(const std::string& node, const std::string& message, bool warning = false) {
    std::vector<Result<void>> results;
    ports::TaskScope scope;
    scope.spawn(keep(recorder_.record({model::NodeName(node), warning, "Waiting", message},
                                      {.deadline = clock_.mono_now() + 10s}),
                     results));
    clock_.settle();
    CHECK(results.size() == 1);
    return results.front();
  }

  LogCapture log_;
  ports::FakeClock clock_;
  FakeApi api_;
  EventRecorder recorder_{api_, clock_, "berth-operator"};
};

TEST_F(EventRecorderTest, an_event_is_about_the_node_as_the_kubelet_words_it) {
  EXPECT_TRUE(record("ip-10-0-0-1", "One address is free.", true).ok());
  ASSERT_EQ(api_.events.size(), 1U);
  const boost::json::object& event = api_.events.begin()->second;
  EXPECT_EQ(boost::json::serialize(event.at("involvedObject")),
            R"({"apiVersion":"v1","kind":"Node","name":"ip-10-0-0-1","uid":"ip-10-0-0-1"})");
  EXPECT_EQ(string_at(event, {"kind"}), "Event");
  EXPECT_EQ(string_at(event, {"metadata", "namespace"}), "default");
  EXPECT_THAT(string_at(event, {"metadata", "name"}), testing::StartsWith("ip-10-0-0-1."));
  EXPECT_EQ(string_at(event, {"type"}), "Warning");
  EXPECT_EQ(string_at(event, {"reason"}), "Waiting");
  EXPECT_EQ(string_at(event, {"message"}), "One address is free.");
  EXPECT_EQ(string_at(event, {"source", "component"}), "berth-operator");
  EXPECT_EQ(string_at(event, {"firstTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(event.at("count"), 1);
}

TEST_F(EventRecorderTest, an_equal_event_is_counted_and_another_is_written_anew) {
  EXPECT_TRUE(record("a", "same").ok());
  clock_.advance(5min);
  EXPECT_TRUE(record("a", "same").ok());
  EXPECT_TRUE(record("a", "same").ok());
  ASSERT_EQ(api_.events.size(), 1U);
  EXPECT_EQ(api_.events.begin()->second.at("count"), 3);
  EXPECT_EQ(string_at(api_.events.begin()->second, {"firstTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(string_at(api_.events.begin()->second, {"lastTimestamp"}), "2026-01-01T00:05:00Z");
  EXPECT_TRUE(record("a", "other").ok());
  EXPECT_TRUE(record("a", "same", true).ok());
  EXPECT_TRUE(record("b", "same").ok());
  EXPECT_EQ(api_.events.size(), 4U);
}

TEST_F(EventRecorderTest, an_event_that_the_server_forgot_begins_anew) {
  EXPECT_TRUE(record("a", "same").ok());
  api_.events.clear();
  EXPECT_TRUE(record("a", "same").ok());
  ASSERT_EQ(api_.events.size(), 1U);
  EXPECT_EQ(api_.events.begin()->second.at("count"), 1);
  EXPECT_TRUE(record("a", "same").ok());
  EXPECT_EQ(api_.events.begin()->second.at("count"), 2);
}

TEST_F(EventRecorderTest, a_failure_is_told_and_not_remembered) {
  api_.failure = Error{.kind = ErrorKind::kTimeout, .operation = "create", .detail = "no reply"};
  EXPECT_EQ(record("a", "same").error().kind, ErrorKind::kTimeout);
  api_.failure.reset();
  EXPECT_TRUE(record("a", "same").ok());
  EXPECT_EQ(api_.creates, 2);
}

TEST_F(EventRecorderTest, too_many_events_about_one_node_are_held_back_and_others_are_not) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(record("a", std::to_string(i)).ok());
  }
  EXPECT_EQ(api_.creates, 25);
  EXPECT_EQ(log_.count("held back"), 1U);
  EXPECT_TRUE(record("b", "fine").ok());
  EXPECT_EQ(api_.creates, 26);
  clock_.advance(299s);
  EXPECT_TRUE(record("a", "still").ok());
  EXPECT_EQ(api_.creates, 26);
  clock_.advance(2s);
  EXPECT_TRUE(record("a", "one").ok());
  EXPECT_TRUE(record("a", "two").ok());
  EXPECT_EQ(api_.creates, 27);
}

TEST_F(EventRecorderTest, remembers_the_events_used_last_and_forgets_the_oldest) {
  for (int i = 0; i < 5000; ++i) {
    EXPECT_TRUE(record("node-" + std::to_string(i), "same").ok());
  }
  EXPECT_TRUE(record("node-4999", "same").ok());
  EXPECT_EQ(api_.patches, 1);
  EXPECT_TRUE(record("node-0", "same").ok());
  EXPECT_EQ(api_.creates, 5001);
}

TEST_F(EventRecorderTest, a_long_node_name_still_makes_a_valid_event_name) {
  EXPECT_TRUE(record(std::string(235, 'a') + "." + std::string(17, 'b'), "m").ok());
  const std::string name = api_.events.begin()->first;
  EXPECT_LE(name.size(), 253U);
  EXPECT_THAT(name, testing::Not(HasSubstr("..")));
}

}  // namespace
}  // namespace berth::kube
