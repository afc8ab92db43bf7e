#pragma once
// A request of the EC2 Query protocol: an action and its parameters as the body of a form. Lists are flat:
// "InstanceId.1", "Filter.1.Name", "Filter.1.Value.2".
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace berth::aws {

/// Bytes other than A-Z a-z 0-9 - _ . ~ as %XX with capital letters: the one spelling that Signature Version
/// 4 knows, so that the signed and the sent form are the same.
std::string percent_encode(std::string_view text);

/// The text as an EC2 filter that matches it alone: * and ? are wildcards there, a backslash makes them
/// plain. https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Filtering.html
std::string escape_filter_value(std::string_view text);

class Query {
 public:
  explicit Query(std::string action);

  Query& set(std::string_view name, std::string_view value);
  Query& set_list(std::string_view name, const std::vector<std::string>& values);

  /// One more filter: the property has one of these values, each taken as it stands. EC2 allows 200 values a
  /// call and 255 characters a value.
  Query& filter(std::string_view name, const std::vector<std::string>& values);

  const std::string& action() const { return action_; }
  const std::string& body() const { return body_; }

 private:
  std::string action_;
  std::string body_;
  std::size_t filters_ = 0;
};

}  // namespace berth::aws
