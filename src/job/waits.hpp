// Waits: which steps of a pipeline wait for which, and the order that follows.
#pragma once

#include <cstddef>
#include <vector>

namespace muster::job {

class Waits {
 public:
  explicit Waits(std::size_t steps) : needs_(steps) {}

  // The same may be added twice.
  void add(std::size_t step, std::size_t needed) { needs_[step].push_back(needed); }

  // The steps, each after all that it waits for; of those that may come next, always the one with
  // the lowest number. Fewer when some wait for one another.
  [[nodiscard]] std::vector<std::size_t> order() const;

  // Steps that are not in that order, of which each waits for the next, and the last for the first.
  [[nodiscard]] std::vector<std::size_t> circle(const std::vector<std::size_t>& order) const;

 private:
  std::vector<std::vector<std::size_t>> needs_;
};

}  // namespace muster::job
