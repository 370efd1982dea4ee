// Desk: a folder for what errands are asked and answer; gone at its end.
#pragma once

#include <string>

namespace muster::cli {

class Desk {
 public:
  Desk();
  ~Desk();
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  // Empty: none could be made.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace muster::cli
