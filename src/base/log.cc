#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/time.h"

namespace berth {
namespace {

LogCapture* innermost_capture = nullptr;
LogFormat process_format = LogFormat::kText;

spdlog::logger& sink() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("berth", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string_view level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

/// Quoted where a blank, a quote or an equals sign would make the line ambiguous.
std::string text_value(const std::string& value) {
  const bool plain = !value.empty() && std::ranges::none_of(value, [](unsigned char c) {
    return c <= ' ' || c == '"' || c == '\\' || c == 0x7f;
  });
  return plain ? value : json_string(value);
}

}  // namespace

void configure_log(LogFormat format, LogLevel least) {
  process_format = format;
  sink().set_level(spdlog_level(least));
}

LogCapture::LogCapture() : outer_(innermost_capture) { innermost_capture = this; }
LogCapture::~LogCapture() { innermost_capture = outer_; }

std::size_t LogCapture::count(std::string_view text) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      records_, [text](const LogRecord& record) { return record.message.find(text) != std::string::npos; }));
}

std::string format_log_text(const LogRecord& record) {
  std::string line =
      fmt::format("{:<7} {}: {}", upper(level_name(record.level)), record.component, record.message);
  // One event is one line, whatever a peer put into its message.
  std::ranges::replace_if(line, [](unsigned char c) { return c < ' '; }, ' ');
  for (const auto& [key, value] : record.fields) {
    line += fmt::format(" {}={}", key, text_value(value));
  }
  return line;
}

std::string format_log_json(const LogRecord& record, std::string_view time) {
  std::string line = fmt::format(R"({{"time":{},"level":{},"component":{},"msg":{})", json_string(time),
                                 json_string(level_name(record.level)), json_string(record.component),
                                 json_string(record.message));
  for (const auto& [key, value] : record.fields) {
    line += fmt::format(",{}:{}", json_string(key), json_string(value));
  }
  return line + "}";
}

void Logger::write(LogLevel level, std::string_view message, const LogFields& fields) const {
  LogRecord record{level, component_, std::string(message), {}};
  for (const auto& [key, value] : fields) {
    record.fields.emplace_back(key, value);
  }
  if (innermost_capture != nullptr) {
    innermost_capture->records_.push_back(std::move(record));
    return;
  }
  if (!sink().should_log(spdlog_level(level))) {
    return;
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string time = format_rfc3339(WallTime(std::chrono::duration_cast<Duration>(now)), 3);
  const std::string line = process_format == LogFormat::kText ? time + " " + format_log_text(record)
                                                              : format_log_json(record, time);
  sink().log(spdlog_level(level), "{}", line);
}

}  // namespace berth
