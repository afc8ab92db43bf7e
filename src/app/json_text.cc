#include "app/json_text.h"

namespace berth::app {
namespace {

void append(std::string& out, const boost::json::value& value, const std::string& margin) {
  const std::string inner = margin + "  ";
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    const char* before = "{\n";
    for (const auto& [key, element] : *object) {
      out += before + inner + boost::json::serialize(boost::json::string(key)) + ": ";
      append(out, element, inner);
      before = ",\n";
    }
    out += "\n" + margin + "}";
  } else if (const auto* array = value.if_array(); array != nullptr && !array->empty()) {
    const char* before = "[\n";
    for (const auto& element : *array) {
      out += before + inner;
      append(out, element, inner);
      before = ",\n";
    }
    out += "\n" + margin + "]";
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string json_text(const boost::json::value& value) {
  std::string out;
  append(out, value, "");
  return out;
}

}  // namespace berth::app
