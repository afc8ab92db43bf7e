#pragma once
// EC2's error codes in the words that every layer shares. The one place that knows a code: whoever meets a
// new one adds a row here, and nothing else.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ports/cloud.h"

namespace berth::aws {

struct ErrorRow {
  std::string_view code;  // a * at its end stands for any further text
  ErrorKind kind;
  /// Why a mutating call was refused; nothing where EC2 may have done it all the same.
  std::optional<ports::RefusalCause> refusal;
  std::string_view meaning;  // a clause for people: what is the case here, and what to do where that is known
};

/// Every row, in no particular order.
std::span<const ErrorRow> error_rows();

/// The row of the code; of the longest prefix that a row has where no row has the code; else of the HTTP
/// status. `code` is empty where the reply has none.
const ErrorRow& error_row(std::string_view code, int http_status);

/// EC2's message without what only machines read: an UnauthorizedOperation carries a kilobyte of "Encoded
/// authorization failure message". Of bounded length, without a full stop at its end, and the same for the
/// same failure, so that whoever shows it need not show it again.
std::string readable_message(std::string_view message);

}  // namespace berth::aws
