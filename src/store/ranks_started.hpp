// RanksStarted: whether all ranks of a run have had a process, as its events tell.
#pragma once

#include <string>

#include "store/growing_file.hpp"

namespace muster::store {

class RanksStarted {
 public:
  // `folder`: of the run's record, which need not be there yet.
  explicit RanksStarted(std::string folder) : folder_(std::move(folder)) {}

  // As far as the allowance goes: events of a million ranks, or of somebody who writes there
  // without end, are read in several turns.
  [[nodiscard]] bool look(Allowance& left);

 private:
  std::string folder_;
  GrowingFileLines lines_;
  bool have_ = false;
};

}  // namespace muster::store
