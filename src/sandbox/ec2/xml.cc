#include "sandbox/ec2/xml.h"

namespace berth::sandbox {

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\t':
        escaped += "&#x9;";
        break;
      case '\n':
        escaped += "&#xA;";
        break;
      case '\r':
        escaped += "&#xD;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? std::string("\xEF\xBF\xBD") : std::string(1, c);
    }
  }
  return escaped;
}

void Xml::text(std::string_view name, std::string_view text) {
  open(name);
  out_ += xml_escaped(text);
  close(name);
}

void Xml::open(std::string_view name) { out_.append("<").append(name).append(">"); }

void Xml::close(std::string_view name) { out_.append("</").append(name).append(">"); }

}  // namespace berth::sandbox
