#pragma once
// The part of kubectl's JSONPath that printer columns use: .key ['key'] [n] [*] [?(@.key=="text")].
// https://kubernetes.io/docs/reference/kubectl/jsonpath/

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "sandbox/kube/json.h"

namespace berth::sandbox::kube {

class JsonPath {
 public:
  /// kInvalid says where the text stops being a path of this part.
  static Result<JsonPath> parse(std::string_view text);

  /// All that it selects, in order; points into `root`.
  std::vector<const json::value*> select(const json::value& root) const;

 private:
  struct Key {
    std::string name;
  };
  struct Index {
    std::size_t at;
  };
  struct All {};
  struct Filter {
    std::vector<std::string> keys;
    std::string wanted;
  };
  using Step = std::variant<Key, Index, All, Filter>;

  static Result<Step> parse_bracket(std::string_view inside);
  static void apply(const Step& step, const json::value& value, std::vector<const json::value*>& out);

  std::vector<Step> steps_;
};

}  // namespace berth::sandbox::kube
