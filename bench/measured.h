#pragma once
// What the benchmark found out, and the table that shows it. Nothing is measured here.

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.h"
#include "bench/world_client.h"

namespace berth::bench {

struct Measured {
  std::string berth;      // the program
  std::size_t nodes = 0;  // CiliumNodes in all

  // One after the other; never empty.
  std::vector<Duration> served;
  std::vector<Duration> echoes;
  std::vector<Duration> describe_calls;
  std::vector<Duration> associate_calls;

  // All at once, each since the common start; never empty.
  std::vector<Duration> served_at_once;
  std::vector<Duration> echoes_at_once;
  Calls calls;  // of everybody, from the start on
};

/// Of all results.
std::uint64_t count_calls(const Calls& calls, const std::string& action);

std::string table(Measured measured);

}  // namespace berth::bench
