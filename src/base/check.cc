#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "berth: internal invariant broken: %s (%s:%d); the process ends here\n", condition,
               file, line);
  std::abort();
}

}  // namespace berth
