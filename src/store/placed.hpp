// Placed: which files at the path of an output runs have put there, and which are the user's.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "process/unique_fd.hpp"

namespace muster::store {

// By their paths below a place, "" for the place itself: what differs once a file is another one,
// or was written to.
using PlacedFiles = std::map<std::string, std::string>;

// What is known of one place, in notes beside the records. There is one for each place, of what
// runs had put there when the last of them ended; and for each run that may still write there, one
// of what was the user's when it began. The run that writes there holds a lock.
class Placed {
 public:
  // `place`: absolute, and without links.
  Placed(const std::string& records, std::string place);

  struct Users {
    PlacedFiles files;
    bool are_all = true;  // there may be more, in a folder of very many files
    bool operator==(const Users&) const = default;
  };
  // What lies there that no run has put there; or changed since, but for what runs do now.
  [[nodiscard]] Users users() const;

  struct Claim {
    process::UniqueFd held;             // until it is closed, or this process ends
    std::optional<std::string> writer;  // the run that has the place; empty: it is not known which
  };
  // Keeps the runs of other processes away from the place: of several at the same instant one gets
  // it, and the others are told who has it. Nobody is kept away where there can be no locks. This
  // process may claim a place only once, as closing one of two files would release both.
  [[nodiscard]] Claim claim(const std::string& run) const;

  // From now on, what is new there is that of a run. Nothing is noted where not all can be told.
  void begin(const std::string& run) const;
  void end(const std::string& run) const;
  // All that lies there is muster's.
  void note_all() const;

  [[nodiscard]] const std::string& path() const { return place_; }
  bool operator==(const Placed&) const = default;

 private:
  [[nodiscard]] Users users_since(const std::string& note) const;
  [[nodiscard]] std::string note_of(const std::string& run) const;
  void write(const std::string& note, const PlacedFiles& files) const;
  void drop_dead_notes(const std::string& run) const;

  std::string records_;
  std::string place_;
  std::string note_;  // of the place; those of runs have its name, and theirs
};

}  // namespace muster::store
