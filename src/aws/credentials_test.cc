#include "aws/credentials.h"

#include <map>

#include <gmock/gmock.h>

#include "aws/scripted_http_for_test.h"

namespace berth::aws {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<Credentials> found_in(std::map<std::string, std::string> variables) {
  const auto provider = default_credentials(
      [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      });
  return value_of(provider->fetch({}));
}

TEST(Credentials, come_from_the_environment_with_and_without_a_session_token) {
  const auto lasting = found_in({{"AWS_ACCESS_KEY_ID", "AKIA1"}, {"AWS_SECRET_ACCESS_KEY", "s"}});
  ASSERT_TRUE(lasting);
  EXPECT_EQ(lasting->access_key_id, "AKIA1");
  EXPECT_EQ(lasting->secret_access_key, "s");
  EXPECT_EQ(lasting->session_token, "");
  const auto temporary =
      found_in({{"AWS_ACCESS_KEY_ID", "ASIA1"}, {"AWS_SECRET_ACCESS_KEY", "s"}, {"AWS_SESSION_TOKEN", "t"}});
  EXPECT_EQ(temporary->session_token, "t");
}

TEST(Credentials, none_anywhere_is_one_error_that_says_where_was_looked_and_what_to_set) {
  const auto none = found_in({{"AWS_ACCESS_KEY_ID", ""}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUnauthorized);
  EXPECT_THAT(none.error().message(),
              HasSubstr("the environment (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"));
}

TEST(Credentials, half_a_pair_names_the_other_half) {
  EXPECT_THAT(found_in({{"AWS_ACCESS_KEY_ID", "AKIA1"}}).error().detail,
              HasSubstr("AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not"));
  EXPECT_THAT(found_in({{"AWS_SECRET_ACCESS_KEY", "s"}}).error().detail,
              HasSubstr("AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not"));
}

TEST(Credentials, a_line_break_in_a_key_is_named_without_the_key) {
  const auto broken = found_in({{"AWS_ACCESS_KEY_ID", "AKIA1"}, {"AWS_SECRET_ACCESS_KEY", "hunter2\n"}});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message(), HasSubstr("AWS_SECRET_ACCESS_KEY holds a blank or a line break"));
  EXPECT_THAT(broken.error().message(), Not(HasSubstr("hunter2")));
}

class FixedSource final : public CredentialsSource {
 public:
  FixedSource(std::string_view place, Result<std::optional<Credentials>> found, int& asked)
      : place_(place), found_(std::move(found)), asked_(asked) {}
  std::string_view place() const override { return place_; }
  ports::Task<Result<std::optional<Credentials>>> fetch(ports::CallLimits) override {
    ++asked_;
    co_return found_;
  }

 private:
  std::string_view place_;
  Result<std::optional<Credentials>> found_;
  int& asked_;
};

Result<Credentials> from_chain(std::vector<Result<std::optional<Credentials>>> answers, int& asked) {
  std::vector<std::unique_ptr<CredentialsSource>> sources;
  sources.reserve(answers.size());
  for (auto& answer : answers) {
    sources.push_back(
        std::make_unique<FixedSource>(sources.empty() ? "one" : "two", std::move(answer), asked));
  }
  CredentialsChain chain(std::move(sources));
  return value_of(chain.fetch({}));
}

TEST(CredentialsChain, the_first_source_that_has_some_wins) {
  int asked = 0;
  const std::optional<Credentials> none;
  EXPECT_EQ(from_chain({none, std::optional(Credentials{"b", "s", ""})}, asked)->access_key_id, "b");
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(from_chain({std::optional(Credentials{"a", "s", ""}), none}, asked)->access_key_id, "a");
  EXPECT_EQ(asked, 3);
}

TEST(CredentialsChain, a_source_that_is_broken_ends_the_search) {
  int asked = 0;
  const auto found = from_chain({Error{.kind = ErrorKind::kUnavailable, .operation = "x", .detail = "y"},
                                 std::optional(Credentials{"b", "s", ""})},
                                asked);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(asked, 1);
}

TEST(CredentialsChain, every_place_that_was_looked_at_is_named) {
  int asked = 0;
  const std::optional<Credentials> none;
  EXPECT_THAT(from_chain({none, none}, asked).error().detail, HasSubstr("looked at: one, two"));
}

}  // namespace
}  // namespace berth::aws
