#pragma once
// The parameters of one request in EC2's Query protocol: flat names with dots, where a number counts the
// members of a list ("Filter.1.Value.2"). It decodes; what a parameter means is the action's business.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/http.h"
#include "sandbox/ec2/errors.h"

namespace berth::sandbox {

class Query {
 public:
  /// From the URL's query and a form in the body.
  static Outcome<Query> parse(const ports::HttpRequest& request);

  std::optional<std::string> find(std::string_view name) const;
  std::string get(std::string_view name) const { return find(name).value_or(""); }

  /// Errors: InvalidParameterValue.
  Outcome<bool> get_bool(std::string_view name, bool otherwise) const;
  Outcome<std::optional<int>> get_int(std::string_view name) const;

  /// Name.1, Name.2, … in the order of their numbers.
  std::vector<std::string> list(std::string_view name) const;

  /// Name.1.…, Name.2.…, … each with its own names: "Filter" gives queries that have Name and Value.1.
  std::vector<Query> structures(std::string_view name) const;

  /// The first parameter that none of the patterns (words) allows. In a pattern `#` stands for a number, and
  /// `*` at the end for anything.
  std::optional<std::string> first_unknown(std::string_view patterns) const;

  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What blanks separate.
std::vector<std::string_view> words(std::string_view text);

/// %XX decoded; nothing where an escape is broken. `plus_is_space` as in forms.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

}  // namespace berth::sandbox
