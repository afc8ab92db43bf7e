#include "mechanism/watch.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::mechanism {
namespace {

using namespace std::chrono_literals;
using State = Watch::State;

constexpr WatchPolicy kPolicy{.backoff = {.base = 800ms, .factor = 2, .cap = 30s, .jitter = 0}};

/// A watch with a clock that the test moves.
class WatchTest : public testing::Test {
 protected:
  WatchStep start() { return watch_.start(); }
  WatchStep step(const WatchInput& input) { return watch_.step(input, now_); }

  WatchStep listed(std::string rv) {
    static_cast<void>(start());
    return step(PageArrived{std::move(rv), ""});
  }
  void watching(std::string rv) {
    static_cast<void>(listed(std::move(rv)));
    static_cast<void>(step(WatchOpened{}));
  }

  static ListPage list(const WatchStep& step) {
    const auto* page = std::get_if<ListPage>(&step.request);
    EXPECT_TRUE(page) << "expected a list";
    return page != nullptr ? *page : ListPage{};
  }
  static OpenWatch watch(const WatchStep& step) {
    const auto* open = std::get_if<OpenWatch>(&step.request);
    EXPECT_TRUE(open) << "expected a watch";
    return open != nullptr ? *open : OpenWatch{};
  }
  static bool keeps_reading(const WatchStep& step) {
    return std::holds_alternative<KeepReading>(step.request);
  }

  Prng prng_{1};
  Watch watch_{kPolicy, prng_};
  MonoTime now_ = MonoTime{} + 1h;
};

TEST_F(WatchTest, begins_with_a_list_of_whatever_the_server_has_in_its_cache) {
  EXPECT_EQ(watch_.state(), State::kEmpty);
  const WatchStep first = start();
  EXPECT_EQ(list(first), (ListPage{"0", "", 500}));
  EXPECT_EQ(first.wait, 0s);
  EXPECT_EQ(watch_.state(), State::kListing);
}

TEST_F(WatchTest, follows_continue_tokens_and_replaces_the_store_only_at_the_last_page) {
  static_cast<void>(start());
  WatchStep next = step(PageArrived{"7", "token-1"});
  EXPECT_EQ(list(next), (ListPage{"", "token-1", 500}));
  EXPECT_FALSE(next.replace_store);
  EXPECT_FALSE(next.discard_pages);
  next = step(PageArrived{"7", "token-2"});
  EXPECT_EQ(list(next), (ListPage{"", "token-2", 500}));
  next = step(PageArrived{"7", ""});
  EXPECT_TRUE(next.replace_store);
  EXPECT_EQ(watch(next).resource_version, "7");
  EXPECT_EQ(next.wait, 0s);
  EXPECT_EQ(watch_.state(), State::kListed);
}

TEST_F(WatchTest, events_and_bookmarks_move_the_resource_version_and_nothing_else) {
  watching("7");
  EXPECT_EQ(watch_.state(), State::kWatching);
  EXPECT_TRUE(keeps_reading(step(EventArrived{"9"})));
  EXPECT_EQ(watch_.resource_version(), "9");
  EXPECT_TRUE(keeps_reading(step(BookmarkArrived{"3"}))) << "a version is opaque, 3 is not less than 9";
  EXPECT_EQ(watch_.resource_version(), "3");
  EXPECT_TRUE(keeps_reading(step(EventArrived{""})));
  EXPECT_TRUE(keeps_reading(step(BookmarkArrived{""})));
  EXPECT_EQ(watch_.resource_version(), "3");
}

TEST_F(WatchTest, a_watch_that_the_server_ends_is_opened_again_at_once_where_it_was) {
  watching("7");
  static_cast<void>(step(BookmarkArrived{"12"}));
  now_ += 6min;
  const WatchStep next = step(WatchClosed{});
  EXPECT_EQ(watch(next).resource_version, "12");
  EXPECT_EQ(next.wait, 0s);
  EXPECT_FALSE(next.replace_store);
}

TEST_F(WatchTest, a_watch_that_closes_within_a_second_without_events_is_a_failure) {
  watching("7");
  now_ += 999ms;
  WatchStep next = step(WatchClosed{});
  EXPECT_EQ(watch(next).resource_version, "7");
  EXPECT_EQ(next.wait, 800ms);

  static_cast<void>(step(WatchOpened{}));
  static_cast<void>(step(BookmarkArrived{"8"}));
  next = step(WatchClosed{});
  EXPECT_EQ(next.wait, 1600ms) << "a bookmark is no event";

  static_cast<void>(step(WatchOpened{}));
  static_cast<void>(step(EventArrived{"9"}));
  next = step(WatchClosed{});
  EXPECT_EQ(next.wait, 0s) << "an event is progress";

  static_cast<void>(step(WatchOpened{}));
  now_ += 1s;
  EXPECT_EQ(step(WatchClosed{}).wait, 0s);
}

TEST_F(WatchTest, too_old_is_one_transition_whether_it_comes_as_a_status_or_as_an_event) {
  for (const bool as_event : {false, true}) {
    Watch watch(kPolicy, prng_);
    static_cast<void>(watch.start());
    static_cast<void>(watch.step(PageArrived{"7", ""}, now_));
    if (as_event) {
      static_cast<void>(watch.step(WatchOpened{}, now_));
    }
    now_ += 10s;
    const WatchStep next = watch.step(RequestFailed{ErrorKind::kExpired}, now_);
    EXPECT_EQ(list(next), (ListPage{"7", "", 500}));
    EXPECT_EQ(next.wait, 0s);
    EXPECT_TRUE(next.discard_pages);
    EXPECT_EQ(watch.state(), State::kListing);
  }
}

TEST_F(WatchTest, too_old_right_after_the_list_is_asked_again_with_pauses) {
  static_cast<void>(listed("7"));
  EXPECT_EQ(step(RequestFailed{ErrorKind::kExpired}).wait, 800ms);
  static_cast<void>(step(PageArrived{"8", ""}));
  EXPECT_EQ(step(RequestFailed{ErrorKind::kExpired}).wait, 1600ms);
}

TEST_F(WatchTest, a_relist_that_is_expired_or_too_large_becomes_a_quorum_read) {
  watching("7");
  now_ += 10s;
  EXPECT_EQ(list(step(RequestFailed{ErrorKind::kExpired})), (ListPage{"7", "", 500}));
  WatchStep next = step(RequestFailed{ErrorKind::kExpired});
  EXPECT_EQ(list(next), (ListPage{"", "", 500}));
  EXPECT_EQ(next.wait, 0s);
  next = step(RequestFailed{ErrorKind::kExpired});
  EXPECT_EQ(list(next), (ListPage{"", "", 500}));
  EXPECT_EQ(next.wait, 800ms) << "nothing is newer than the newest";
}

TEST_F(WatchTest, an_expired_continue_token_restarts_the_list_in_one_piece) {
  static_cast<void>(start());
  static_cast<void>(step(PageArrived{"7", "token"}));
  const WatchStep next = step(RequestFailed{ErrorKind::kExpired});
  EXPECT_EQ(list(next), (ListPage{"", "", 0}));
  EXPECT_EQ(next.wait, 0s);
  EXPECT_TRUE(next.discard_pages);
  EXPECT_TRUE(step(PageArrived{"9", ""}).replace_store);

  now_ += 10s;
  EXPECT_EQ(list(step(RequestFailed{ErrorKind::kExpired})).limit, 500) << "the next list has pages again";
}

TEST_F(WatchTest, a_server_that_pages_an_unpaged_list_and_expires_it_is_asked_with_pauses) {
  static_cast<void>(start());
  static_cast<void>(step(PageArrived{"7", "token"}));
  static_cast<void>(step(RequestFailed{ErrorKind::kExpired}));
  static_cast<void>(step(PageArrived{"8", "token"}));
  EXPECT_EQ(step(RequestFailed{ErrorKind::kExpired}).wait, 800ms);
}

struct Failure {
  const char* name;
  ErrorKind kind;
  std::optional<ListPage> list_after_watch;  // nothing: watches on at the same version
  ListPage list_after_page;                  // where the second page of a list fails
};

TEST_F(WatchTest, every_other_failure_backs_off) {
  const ListPage same_page{"", "token", 500};
  const ListPage newest{"", "", 500};
  const std::vector<Failure> table{
      {"throttled", ErrorKind::kThrottled, std::nullopt, same_page},
      {"refused", ErrorKind::kUnavailable, std::nullopt, same_page},
      {"no reply", ErrorKind::kTimeout, std::nullopt, same_page},
      {"forbidden", ErrorKind::kUnauthorized, std::nullopt, same_page},
      {"garbage", ErrorKind::kInternal, ListPage{"7", "", 500}, same_page},
      {"type gone", ErrorKind::kNotFound, newest, newest},
      {"bad request", ErrorKind::kInvalid, newest, newest},
  };
  for (const Failure& failure : table) {
    SCOPED_TRACE(failure.name);
    for (const bool opened : {false, true}) {
      Watch watch(kPolicy, prng_);
      static_cast<void>(watch.start());
      static_cast<void>(watch.step(PageArrived{"7", ""}, now_));
      if (opened) {
        static_cast<void>(watch.step(WatchOpened{}, now_));
      }
      const WatchStep next = watch.step(RequestFailed{failure.kind}, now_ + 30s);
      EXPECT_EQ(next.wait, 800ms);
      if (failure.list_after_watch) {
        EXPECT_EQ(list(next), *failure.list_after_watch);
        EXPECT_TRUE(next.discard_pages);
      } else {
        EXPECT_EQ(WatchTest::watch(next).resource_version, "7");
      }
    }
    Watch watch(kPolicy, prng_);
    static_cast<void>(watch.start());
    static_cast<void>(watch.step(PageArrived{"7", "token"}, now_));
    const WatchStep next = watch.step(RequestFailed{failure.kind}, now_);
    EXPECT_EQ(next.wait, 800ms);
    EXPECT_EQ(list(next), failure.list_after_page);
    EXPECT_EQ(next.discard_pages, failure.list_after_page == newest);
  }
}

TEST_F(WatchTest, what_the_server_asks_for_is_waited_for) {
  static_cast<void>(start());
  EXPECT_EQ(step(RequestFailed{ErrorKind::kThrottled, 17s}).wait, 17s);
  EXPECT_EQ(step(RequestFailed{ErrorKind::kThrottled, 1s}).wait, 1600ms) << "the longer of the two";
}

TEST_F(WatchTest, the_backoff_grows_to_thirty_seconds_and_starts_over_after_two_healthy_minutes) {
  static_cast<void>(listed("7"));
  for (int i = 0; i < 10; ++i) {
    static_cast<void>(step(RequestFailed{ErrorKind::kUnavailable}));
  }
  EXPECT_EQ(step(RequestFailed{ErrorKind::kUnavailable}).wait, 30s);

  static_cast<void>(step(WatchOpened{}));
  now_ += 119s;
  EXPECT_EQ(step(RequestFailed{ErrorKind::kUnavailable}).wait, 30s);

  static_cast<void>(step(WatchOpened{}));
  now_ += 60s;
  static_cast<void>(step(WatchClosed{}));
  static_cast<void>(step(WatchOpened{}));
  now_ += 60s;
  EXPECT_EQ(step(RequestFailed{ErrorKind::kUnavailable}).wait, 800ms) << "a normal end is no failure";
}

TEST_F(WatchTest, watches_end_at_random_times_and_silence_is_noticed_after_that) {
  Duration least = 1h;
  Duration most = 0s;
  static_cast<void>(listed("7"));
  for (int i = 0; i < 500; ++i) {
    static_cast<void>(step(WatchOpened{}));
    now_ += 5min;
    const OpenWatch open = watch(step(WatchClosed{}));
    EXPECT_GT(open.idle_timeout, open.server_timeout);
    least = std::min(least, open.server_timeout);
    most = std::max(most, open.server_timeout);
  }
  EXPECT_GE(least, 5min);
  EXPECT_LT(least, 5min + 10s);
  EXPECT_LE(most, 10min);
  EXPECT_GT(most, 10min - 10s);
}

}  // namespace
}  // namespace berth::mechanism
