// PlaceClaims: which run writes at a path, so that no two write over each other's files.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "process/unique_fd.hpp"

namespace muster::store {

// A place is a file, or a folder with all that is in it: so a path, one in it and one around it are
// the same place. Claims last until this object goes, or the process ends.
//
// A process may have only one of these at a time: it keeps its locks in one file, and closing that
// a second time would release them all.
class PlaceClaims {
 public:
  // `run`: "RUN", or "RUN/STEP", whose places are also its pipeline's and those of other steps.
  PlaceClaims(const std::string& records, std::string run);

  struct Answer {
    std::string run = {};  // the other run, which writes at `place`; empty: the place is ours
    std::string place = {};
    bool is_outer = false;  // the other run has started this process, and cannot end before it
    bool is_of_pipeline = false;  // the place is ours, and the pipeline around this step had it
  };
  // Places: absolute, and without links. Of several processes at the same instant one gets them.
  // One answer for each; where one is another run's, none is taken, and those that follow it have
  // not been looked at. Nobody is kept away where there can be no locks.
  [[nodiscard]] std::vector<Answer> take(const std::vector<std::string>& places);

 private:
  struct Entry {
    std::int64_t byte = 0;  // of the file of locks: locked for as long as this counts
    std::string run = {};
    std::string place = {};
    bool is_own = false;
    std::int32_t holder = 0;  // of the lock; 0: it cannot be seen from here, or it is this process
  };
  [[nodiscard]] bool open();
  [[nodiscard]] std::optional<std::vector<Entry>> living() const;
  [[nodiscard]] Answer answer(const std::vector<Entry>& entries, const std::string& place) const;
  void add(std::vector<Entry>& entries, const std::vector<std::string>& places);
  void write(const std::vector<Entry>& entries) const;

  std::string folder_;
  std::string run_;
  process::UniqueFd locks_;
  std::set<std::int64_t> own_;  // bytes
};

}  // namespace muster::store
