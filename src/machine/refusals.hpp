// Refusals: which of the connections that were turned away people are told of. Whoever makes them
// decides how many there are, not how many lines we print. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace muster::machine {

class Refusals {
 public:
  static constexpr std::size_t kToldMax = 8;  // different ones

  // The line to print about one more, if there is any.
  [[nodiscard]] std::optional<std::string> add(const std::string& line);
  // How many there were in all, once not each of them has been told.
  [[nodiscard]] std::optional<std::string> sum() const;

 private:
  std::set<std::string> told_;
  std::size_t all_ = 0;
  bool full_ = false;
};

}  // namespace muster::machine
