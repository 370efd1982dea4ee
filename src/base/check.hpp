// CHECK: a broken promise of our own prints itself and aborts, in release builds too.
#pragma once

namespace muster::base {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}

#define CHECK(condition) \
  ((condition) ? void(0) : ::muster::base::check_failed(#condition, __FILE__, __LINE__))
