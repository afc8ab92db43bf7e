#include "aws/query.h"

#include <gtest/gtest.h>

namespace berth::aws {
namespace {

TEST(PercentEncode, leaves_only_the_unreserved_characters) {
  EXPECT_EQ(percent_encode("AZaz09-_.~"), "AZaz09-_.~");
  EXPECT_EQ(percent_encode(" +/=&*?:@"), "%20%2B%2F%3D%26%2A%3F%3A%40");
}

TEST(PercentEncode, spells_bytes_beyond_ascii_with_capital_letters) {
  EXPECT_EQ(percent_encode("ü\n"), "%C3%BC%0A");
  EXPECT_EQ(percent_encode(std::string_view("\0\xff", 2)), "%00%FF");
}

TEST(EscapeFilterValue, R1_wildcards_and_backslashes_become_plain) {
  EXPECT_EQ(escape_filter_value("plain-value"), "plain-value");
  EXPECT_EQ(escape_filter_value("*"), "\\*");
  EXPECT_EQ(escape_filter_value("a?b"), "a\\?b");
  EXPECT_EQ(escape_filter_value("\\*"), "\\\\\\*");
}

TEST(Query, begins_with_action_and_version) {
  EXPECT_EQ(Query("DescribeAddresses").body(), "Action=DescribeAddresses&Version=2016-11-15");
}

TEST(Query, numbers_lists_filters_and_their_values_from_one) {
  Query query("DescribeInstances");
  query.set_list("InstanceId", {"i-1", "i-2"}).filter("tag:a b", {"x", "y*"}).filter("instance-id", {"i-3"});
  EXPECT_EQ(query.body(),
            "Action=DescribeInstances&Version=2016-11-15&InstanceId.1=i-1&InstanceId.2=i-2"
            "&Filter.1.Name=tag%3Aa%20b&Filter.1.Value.1=x&Filter.1.Value.2=y%5C%2A"
            "&Filter.2.Name=instance-id&Filter.2.Value.1=i-3");
}

}  // namespace
}  // namespace berth::aws
