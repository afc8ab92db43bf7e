#pragma once
// Waiting for SIGTERM and its like.

#include <stop_token>
#include <vector>

#include "ports/task.h"
#include "runtime/loop.h"

namespace berth::runtime {

/// The number of the first of `signals` that arrives; 0 when `stop` asks to stop before that. While it waits,
/// these signals have no other effect on the process.
ports::Task<int> wait_for_signal(Loop& loop, std::vector<int> signals, std::stop_token stop);

}  // namespace berth::runtime
