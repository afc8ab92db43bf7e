#include "aws/names.h"

#include <gtest/gtest.h>

namespace berth::aws {
namespace {

TEST(InstanceId, has_a_prefix_and_plain_letters_and_digits) {
  EXPECT_TRUE(is_instance_id("i-0123456789abcdef0"));
  EXPECT_TRUE(is_instance_id("i-1a2b3c4d"));
  for (const auto* text : {"", "i-", "mi-0123", "I-0123", "i-0*", "i-01 ", "i-01\n", "<html>", "i-0/1"}) {
    EXPECT_FALSE(is_instance_id(text)) << text;
  }
  EXPECT_FALSE(is_instance_id("i-" + std::string(300, 'a')));
}

TEST(RegionName, can_be_a_part_of_a_host_name) {
  EXPECT_TRUE(is_region_name("us-gov-west-1"));
  for (const auto* text : {"", "us east 1", "us.east.1", "us-east-1/", "-", "US-EAST-1", "x@y"}) {
    EXPECT_FALSE(is_region_name(text)) << text;
  }
}

TEST(BorderGroup, of_an_availability_zone_is_the_regions_own) {
  EXPECT_EQ(border_group_of_zone("us-east-1a", "us-east-1"), "");
  EXPECT_EQ(border_group_of_zone("ap-northeast-1d", "ap-northeast-1"), "");
}

TEST(BorderGroup, of_a_local_zone_is_its_name_without_the_letter) {
  EXPECT_EQ(border_group_of_zone("us-west-2-lax-1a", "us-west-2"), "us-west-2-lax-1");
  EXPECT_EQ(border_group_of_zone("us-west-2-lax-1b", "us-west-2"), "us-west-2-lax-1");
}

TEST(BorderGroup, of_a_wavelength_zone_is_the_zone) {
  EXPECT_EQ(border_group_of_zone("us-east-1-wl1-bos-wlz-1", "us-east-1"), "us-east-1-wl1-bos-wlz-1");
}

TEST(BorderGroup, of_no_zone_is_the_regions_own) { EXPECT_EQ(border_group_of_zone("", "us-east-1"), ""); }

}  // namespace
}  // namespace berth::aws
