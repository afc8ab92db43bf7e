#include "mechanism/claims.h"

#include <chrono>

#include <gtest/gtest.h>

namespace berth::mechanism {
namespace {

using namespace std::chrono_literals;
using model::Address;
using model::AllocationId;
using model::Association;
using model::AssociationId;
using model::InstanceId;
using model::InterfaceId;
using model::Target;

const AllocationId kA("eipalloc-a");
const AllocationId kB("eipalloc-b");
const Target kTarget{InterfaceId("eni-1"), *IpAddress::parse("10.0.0.1")};
const Association kOurs{AssociationId("eipassoc-ours"), kTarget, InstanceId("i-1")};
const Association kElsewhere{
    AssociationId("eipassoc-x"), {InterfaceId("eni-2"), *IpAddress::parse("10.0.0.2")}, {}};

MonoTime at(Duration time) { return MonoTime(time); }

model::Snapshot snapshot(Duration started, std::optional<Association> a,
                         std::optional<Association> b = std::nullopt) {
  return {at(started),
          {Address{.id = kA, .ip = *IpAddress::parse("1.0.0.1"), .association = std::move(a)},
           Address{.id = kB, .ip = *IpAddress::parse("1.0.0.2"), .association = std::move(b)}}};
}

std::optional<Association> shown(const Claims& claims, const model::Snapshot& snapshot) {
  return claims.apply(snapshot.addresses)[0].association;
}

class ClaimsTest : public testing::Test {
 protected:
  Claims claims{30s};
};

TEST_F(ClaimsTest, R6_a_snapshot_that_started_before_the_reply_says_nothing_about_it) {
  claims.here(kA, kOurs, at(10s));
  const auto before = snapshot(9s, kElsewhere);
  claims.observe(before);
  EXPECT_EQ(shown(claims, before), kOurs);
}

TEST_F(ClaimsTest, R6_absence_counts_when_two_snapshots_a_grace_apart_agree) {
  claims.here(kA, kOurs, at(10s));
  for (const Duration started : {15s, 30s, 44s}) {
    claims.observe(snapshot(started, std::nullopt));
    EXPECT_EQ(shown(claims, snapshot(started, std::nullopt)), kOurs);
  }
  claims.observe(snapshot(45s, std::nullopt));
  EXPECT_FALSE(shown(claims, snapshot(45s, std::nullopt)));
}

TEST_F(ClaimsTest, R6_once_a_snapshot_has_shown_it_absence_counts_at_once) {
  claims.here(kA, kOurs, at(10s));
  claims.observe(snapshot(15s, kOurs));
  EXPECT_EQ(claims.size(), 0U);
  EXPECT_FALSE(shown(claims, snapshot(16s, std::nullopt)));
}

TEST_F(ClaimsTest, R6_presence_elsewhere_counts_at_once) {
  claims.here(kA, kOurs, at(10s));
  claims.observe(snapshot(11s, kElsewhere));
  EXPECT_EQ(shown(claims, snapshot(11s, kElsewhere)), kElsewhere);
}

TEST_F(ClaimsTest, R6_another_address_on_the_same_target_is_presence_too) {
  claims.here(kA, kOurs, at(10s));
  const Association by_hand{AssociationId("eipassoc-hand"), kTarget, InstanceId("i-1")};
  claims.observe(snapshot(11s, std::nullopt, by_hand));
  EXPECT_EQ(claims.size(), 0U);
}

TEST_F(ClaimsTest, R9_the_old_picture_of_a_replaced_address_does_not_end_the_claim_of_the_new_one) {
  const Association old{AssociationId("eipassoc-old"), kTarget, InstanceId("i-1")};
  claims.free(kB, old.id, at(10s));
  claims.here(kA, kOurs, at(10s));
  const auto lagging = snapshot(11s, std::nullopt, old);
  claims.observe(lagging);
  const auto picture = claims.apply(lagging.addresses);
  EXPECT_EQ(picture[0].association, kOurs);
  EXPECT_FALSE(picture[1].association);
}

TEST_F(ClaimsTest, R8_a_released_address_is_free_at_once_although_snapshots_lag) {
  claims.free(kA, kOurs.id, at(10s));
  for (const Duration started : {9s, 11s, 39s}) {
    claims.observe(snapshot(started, kOurs));
    EXPECT_FALSE(shown(claims, snapshot(started, kOurs)));
  }
  claims.observe(snapshot(40s, kOurs));
  EXPECT_EQ(shown(claims, snapshot(40s, kOurs)), kOurs) << "after a grace the cloud is right";
}

TEST_F(ClaimsTest, R8_a_released_address_with_a_new_association_is_not_free) {
  claims.free(kA, kOurs.id, at(10s));
  claims.observe(snapshot(11s, kElsewhere));
  EXPECT_EQ(shown(claims, snapshot(11s, kElsewhere)), kElsewhere);
}

TEST_F(ClaimsTest, R5_a_refused_address_is_not_free_until_a_snapshot_a_grace_later_shows_it_free) {
  claims.taken(kA, at(10s));
  claims.observe(snapshot(15s, std::nullopt));
  EXPECT_TRUE(shown(claims, snapshot(15s, std::nullopt)));
  claims.observe(snapshot(40s, std::nullopt));
  EXPECT_FALSE(shown(claims, snapshot(40s, std::nullopt)));
}

}  // namespace
}  // namespace berth::mechanism
