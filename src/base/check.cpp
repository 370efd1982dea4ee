// Reports a broken promise of our own and aborts.
#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace muster::base {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "muster: internal fault at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace muster::base
