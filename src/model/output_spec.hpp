// OutputSpec: how the ranks' output looks and where it goes, whichever launcher's options asked for
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/stream.hpp"

namespace muster::model {

// What a piece of a pattern stands for.
enum class Field : std::uint8_t {
  text,        // its own text
  world,       // number of the rank's world: 1 for the job as it was started
  group,       // the same, counted from 0
  spawned,     // that number and the text, but for the first world nothing
  rank,        // number in its world
  local_rank,  // among the ranks of its host
  node,        // index of its host
  other_node,  // the text and that index, but for the first host nothing
  host,        // name of its host
  role,        // what it is in the job
  stream,      // "stdout" or "stderr"
  attempt,     // how often the job has been restarted
  utc,         // "2026-11-21T10:00:00.123Z"
  local_time,  // "Sat Nov 21 10:00:00 2026", as ctime(3) writes it
};

// How wide a rank is written: zeros before it make up for digits that it does not have.
enum class Width : std::uint8_t {
  own,
  largest,  // as the largest rank of its world
  size,     // as the world's size, by one more than needed for 10, 100 ... ranks: Open MPI's way
};

struct Piece {
  Field field = Field::text;
  std::string text = {};  // of text, spawned, other_node
  Width width = Width::own;
  bool operator==(const Piece&) const = default;
};

// Text about a rank: a prefix, or the name of a file.
using Pattern = std::vector<Piece>;

struct Route {
  bool console = true;
  bool prefix = true;  // on the console, lines begin with OutputSpec::prefix
  bool file = true;    // where OutputSpec names one
  bool operator==(const Route&) const = default;
};

struct Routes {
  Route out = {};
  Route err = {};
  bool operator==(const Routes&) const = default;
};

struct OutputSpec {
  Pattern prefix = {};           // before each line
  bool xml = false;              // each line becomes an element of Open MPI's XML instead
  bool prefix_in_files = false;  // or the bytes as they came
  bool answers = false;          // to muster itself, which says what it lacks of the files
  Pattern out_file = {};         // absolute or below the current folder; empty: none
  Pattern err_file = {};         // likewise; the same as out_file: one file for both
  std::string times_file = {};   // says when the bytes of those files came; empty: none
  bool merge = false;            // stderr goes to our stdout
  Routes routes = {};            // of every rank that `chosen` does not name
  bool by_local_rank = false;    // `chosen` names local ranks, or ranks of their world
  std::map<std::uint32_t, Routes> chosen = {};
  bool operator==(const OutputSpec&) const = default;
  [[nodiscard]] bool styled() const { return xml || !prefix.empty(); }
};

}  // namespace muster::model
