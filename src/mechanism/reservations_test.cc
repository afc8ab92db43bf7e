#include "mechanism/reservations.h"

#include <chrono>

#include <gtest/gtest.h>

namespace berth::mechanism {
namespace {

using namespace std::chrono_literals;
using model::Address;
using model::AllocationId;
using model::Association;
using model::AssociationId;
using model::InterfaceId;
using model::NodeName;
using model::Reservation;
using model::Target;

const Target kTarget{InterfaceId("eni-1"), *IpAddress::parse("10.0.0.1")};
const Target kOther{InterfaceId("eni-2"), *IpAddress::parse("10.0.0.2")};
const Reservation kReservation{NodeName("a"), AllocationId("eipalloc-a"), kTarget};

MonoTime at(Duration time) { return MonoTime(time); }

model::Snapshot snapshot(Duration started, std::optional<Target> target) {
  Address address{.id = kReservation.address, .ip = *IpAddress::parse("1.0.0.1")};
  if (target) {
    address.association = Association{AssociationId("eipassoc-a"), *target, {}};
  }
  return {at(started), {address}};
}

class ReservationsTest : public testing::Test {
 protected:
  ReservationsTest() { reservations.hold(kReservation); }

  std::string resolve(const model::Snapshot& snapshot) {
    const auto resolved = reservations.resolve(snapshot, 30s);
    if (resolved.empty()) {
      return "";
    }
    return resolved[0].resolution == Reservations::Resolution::kAssociated ? "associated" : "not associated";
  }

  Reservations reservations;
};

TEST_F(ReservationsTest, R4_a_held_one_ends_with_its_reply_and_not_with_a_snapshot) {
  EXPECT_EQ(resolve(snapshot(100s, std::nullopt)), "");
  EXPECT_NE(reservations.find(NodeName("a")), nullptr);
  reservations.settle(kReservation.address);
  EXPECT_TRUE(reservations.empty());
}

TEST_F(ReservationsTest, R4_an_unknown_outcome_is_kept_until_a_snapshot_a_grace_later) {
  reservations.lose(kReservation.address, at(10s));
  EXPECT_EQ(resolve(snapshot(11s, std::nullopt)), "");
  EXPECT_EQ(resolve(snapshot(39s, std::nullopt)), "");
  EXPECT_EQ(resolve(snapshot(40s, std::nullopt)), "not associated");
  EXPECT_TRUE(reservations.empty());
}

TEST_F(ReservationsTest, R4_an_unknown_outcome_ends_at_once_where_a_snapshot_shows_the_association) {
  reservations.lose(kReservation.address, at(10s));
  EXPECT_EQ(resolve(snapshot(5s, kTarget)), "associated") << "presence is presence";
}

TEST_F(ReservationsTest, R4_an_unknown_outcome_ends_where_a_later_snapshot_shows_the_address_elsewhere) {
  reservations.lose(kReservation.address, at(10s));
  EXPECT_EQ(resolve(snapshot(9s, kOther)), "") << "it may have been free again when we asked";
  EXPECT_EQ(resolve(snapshot(10s, kOther)), "not associated");
}

TEST_F(ReservationsTest, R4_the_same_pair_may_be_held_again) {
  reservations.lose(kReservation.address, at(10s));
  reservations.hold(kReservation);
  EXPECT_FALSE(reservations.find(NodeName("a"))->outcome_unknown);
}

using ReservationsDeathTest = ReservationsTest;

TEST_F(ReservationsDeathTest, R4_two_nodes_on_one_address_or_two_addresses_for_one_node_end_the_process) {
  EXPECT_DEATH(reservations.hold({NodeName("b"), kReservation.address, kOther}), "invariant");
  EXPECT_DEATH(reservations.hold({NodeName("a"), AllocationId("eipalloc-b"), kTarget}), "invariant");
}

}  // namespace
}  // namespace berth::mechanism
