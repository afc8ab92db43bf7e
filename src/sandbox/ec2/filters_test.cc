#include "sandbox/ec2/filters.h"

#include <gtest/gtest.h>

namespace berth::sandbox {
namespace {

Query query_of(std::string form) {
  return *Query::parse({.method = "POST", .target = "/", .body = std::move(form)});
}

std::string code_of(std::string form) {
  const auto filters = parse_filters(query_of(std::move(form)));
  return filters ? "ok" : filters.error().code;
}

TEST(Wildcard, matches_as_the_user_guide_says) {
  struct Row {
    const char* pattern;
    const char* text;
    bool matches;
  };
  for (const Row& row : std::vector<Row>{{"test", "test", true},
                                         {"test", "Test", false},
                                         {"test", "test ", false},
                                         {"", "", true},
                                         {"", "a", false},
                                         {"*", "", true},
                                         {"*", "anything at all", true},
                                         {"te*", "test", true},
                                         {"te*", "te", true},
                                         {"*st", "test", true},
                                         {"*e*t*", "test", true},
                                         {"a*b*c", "aXbYbZc", true},
                                         {"a*b*c", "aXcYb", false},
                                         {"te?t", "test", true},
                                         {"te?t", "tet", true},
                                         {"te?t", "tesst", false},
                                         {"??", "", true},
                                         {"??", "ab", true},
                                         {"??", "abc", false},
                                         {R"(\*)", "*", true},
                                         {R"(\*)", "x", false},
                                         {R"(\*amazon\?\\)", R"(*amazon?\)", true},
                                         {R"(a\bc)", "abc", true},
                                         {R"(a\)", R"(a\)", true},
                                         {"[ab]", "a", false},
                                         {"[ab]", "[ab]", true},
                                         {"1.2.3.4", "1x2x3x4", false}}) {
    EXPECT_EQ(matches_wildcard(row.pattern, row.text), row.matches) << row.pattern << " on " << row.text;
  }
}

TEST(Filters, come_with_their_values_in_the_order_of_their_numbers) {
  const auto filters =
      parse_filters(query_of("Filter.2.Name=b&Filter.10.Name=c&Filter.1.Name=tag%3Aa+b&"
                             "Filter.1.Value.2=y&Filter.1.Value.10=z&Filter.1.Value.1=x&"
                             "Filter.2.Value.1=&Filter.10.Value.1=v"));
  ASSERT_TRUE(filters.has_value());
  ASSERT_EQ(filters->size(), 3U);
  EXPECT_EQ((*filters)[0].name, "tag:a b");
  EXPECT_EQ((*filters)[0].values, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ((*filters)[1].values, std::vector<std::string>{""});
  EXPECT_EQ((*filters)[2].name, "c");
}

TEST(Filters, have_limits_of_number_and_length) {
  const auto filters = [](int count, int values, int length) {
    std::string form;
    for (int f = 1; f <= count; ++f) {
      form += fmt::format("&Filter.{}.Name=public-ip", f);
      for (int v = 1; v <= values; ++v) {
        form +=
            fmt::format("&Filter.{}.Value.{}={}", f, v, std::string(static_cast<std::size_t>(length), 'x'));
      }
    }
    return code_of(form);
  };
  EXPECT_EQ(filters(50, 1, 1), "ok");
  EXPECT_EQ(filters(51, 1, 1), "FilterLimitExceeded");
  EXPECT_EQ(filters(1, 200, 1), "ok");
  EXPECT_EQ(filters(1, 201, 1), "FilterLimitExceeded");
  EXPECT_EQ(filters(1, 1, 255), "ok");
  EXPECT_EQ(filters(1, 1, 256), "InvalidParameterValue");
  EXPECT_EQ(filters(1, 0, 1), "InvalidParameterValue");
  EXPECT_EQ(code_of("Filter.1.Value.1=x"), "MissingParameter");
}

}  // namespace
}  // namespace berth::sandbox
