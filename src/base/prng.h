#pragma once
// The only source of chance in the product, always passed in, so that a seed replays a run. Not for secrets.

#include <cstdint>
#include <random>

namespace berth {

class Prng {
 public:
  explicit Prng(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  /// Uniform in [0, bound); bound must not be 0.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(unit() * static_cast<double>(bound));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace berth
