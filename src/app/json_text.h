#pragma once
// JSON for people: indented by two blanks, keys in their order, as jq prints it.

#include <string>

#include <boost/json.hpp>

namespace berth::app {

std::string json_text(const boost::json::value& value);

}  // namespace berth::app
