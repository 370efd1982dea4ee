// Refusals: limits how many rejected connections are printed, since the peers decide how many there
// are. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace muster::machine {

class Refusals {
 public:
  static constexpr std::size_t kToldMax = 8;  // different ones

  // The line to print about another one, if any.
  [[nodiscard]] std::optional<std::string> add(const std::string& line);
  // How many there were in all, if some of them have not been printed.
  [[nodiscard]] std::optional<std::string> sum() const;

 private:
  std::set<std::string> told_;
  std::size_t all_ = 0;
  bool full_ = false;
};

}  // namespace muster::machine
