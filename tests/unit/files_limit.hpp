// FilesLimit: how many descriptors a test may have open, as a shell's `ulimit -n` has it.
#pragma once

#include <sys/resource.h>

namespace muster::unit {

// While it is there.
class FilesLimit {
 public:
  explicit FilesLimit(rlim_t files) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lowered = before_;
    lowered.rlim_cur = files;
    is_set_ = ::setrlimit(RLIMIT_NOFILE, &lowered) == 0;
  }
  ~FilesLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FilesLimit(const FilesLimit&) = delete;
  FilesLimit& operator=(const FilesLimit&) = delete;
  [[nodiscard]] bool is_set() const { return is_set_; }

 private:
  rlimit before_{};
  bool is_set_ = false;
};

}  // namespace muster::unit
