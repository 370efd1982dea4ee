// Placed: which files at the path of an output runs have put there, and which are the user's.
#pragma once

#include <map>
#include <string>

namespace muster::store {

// By their paths below a place, "" for the place itself: what differs once a file is another one,
// or was written to.
using PlacedFiles = std::map<std::string, std::string>;

// What is known of one place, in notes beside the records. There is one for each place, of what
// runs had put there when the last of them ended; and for each run that may still write there, one
// of what was the user's when it began. PlaceClaims keeps other runs away.
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
