#pragma once
// The log: one line an event, a sentence for people and the same values as fields for machines, on standard
// error.
//
//   logger.info("Associated EIP 18.213.0.7 with Instance i-0abc (association ID: eipassoc-1)",
//               {{"node", name.str()}, {"address", ip.to_string()}});
//
// text: 2026-11-30T03:38:13.042Z INFO  operator: Associated EIP … node=ip-10-0-0-1 address=18.213.0.7
// json: {"time":"…","level":"info","component":"operator","msg":"…","node":"…","address":"…"}
//
// A secret is never a field and never part of a sentence.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : std::uint8_t { kText, kJson };

using LogFields = std::vector<std::pair<std::string_view, std::string>>;

/// For the process; the default is text from kInfo on.
void configure_log(LogFormat format, LogLevel least);

/// One event, as whoever captures the log sees it.
struct LogRecord {
  LogLevel level;
  std::string component;
  std::string message;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// While it lives, events go to it and not to standard error; the innermost wins.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  const std::vector<LogRecord>& records() const { return records_; }
  /// How many events have `text` in their message.
  std::size_t count(std::string_view text) const;

 private:
  friend class Logger;
  std::vector<LogRecord> records_;
  LogCapture* outer_;
};

class Logger {
 public:
  explicit Logger(std::string component) : component_(std::move(component)) {}

  void debug(std::string_view message, const LogFields& fields = {}) const {
    write(LogLevel::kDebug, message, fields);
  }
  void info(std::string_view message, const LogFields& fields = {}) const {
    write(LogLevel::kInfo, message, fields);
  }
  void warning(std::string_view message, const LogFields& fields = {}) const {
    write(LogLevel::kWarning, message, fields);
  }
  void error(std::string_view message, const LogFields& fields = {}) const {
    write(LogLevel::kError, message, fields);
  }

 private:
  void write(LogLevel level, std::string_view message, const LogFields& fields) const;

  std::string component_;
};

/// The text line without its time, and the JSON line: how an event is written.
std::string format_log_text(const LogRecord& record);
std::string format_log_json(const LogRecord& record, std::string_view time);

}  // namespace berth
