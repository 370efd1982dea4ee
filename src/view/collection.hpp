// What muster gc removed, or would remove, and why other things stay. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::view {

struct Tally {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  void add(std::uint64_t more) {
    ++count;
    bytes += more;
  }
};

struct KeptRun {
  std::string run;
  std::string by;  // the run that reuses its outputs, or goes on from it
};

// What an errand removed on a host.
struct TidiedHost {
  std::string host;
  Tally folders = {};   // of runs
  Tally contents = {};  // of the cache
};

struct Collection {
  bool dry_run = false;
  std::vector<std::string> runs = {};  // whose records went
  Tally records = {};
  Tally contents = {};
  Tally leftovers = {};
  Tally offers = {};
  std::vector<TidiedHost> hosts = {};
  std::vector<KeptRun> needed = {};
  std::vector<std::string> strange = {};    // below the folder
  std::vector<std::string> unread = {};     // manifests
  std::vector<std::string> failed = {};     // each with its reason
  bool is_held = false;                     // runs are about to start
  std::optional<std::uint64_t> stays = {};  // bytes; known with a bound
  std::optional<std::uint64_t> bound = {};

  [[nodiscard]] std::uint64_t bytes() const {
    return records.bytes + contents.bytes + leftovers.bytes + offers.bytes;
  }
};

// A line for each kind of thing, and a total.
[[nodiscard]] std::string collection_words(const Collection& collection);

// What people should know beside it, each one line.
[[nodiscard]] std::vector<std::string> collection_notices(const Collection& collection,
                                                          const std::string& folder);

[[nodiscard]] std::string collection_json(const Collection& collection);

}  // namespace muster::view
