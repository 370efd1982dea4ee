// RankLines: what the ranks of a run have newly printed, each for itself, from the record's
// streams.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/metric_files.hpp"

namespace muster::store {

struct RankLine {
  std::uint64_t rank = 0;  // those of spawned worlds after all of the first
  std::string line;
  bool operator==(const RankLine&) const = default;
};

class RankLines {
 public:
  // The folder with rank.N/stdout and stderr, which need not be there yet.
  explicit RankLines(std::string folder) : folder_(std::move(folder)) {}

  // Without it, the console's output is all that there is.
  [[nodiscard]] bool is_there() const;
  // The lines that are whole since the last call, in the order of ranks; at the end also those that
  // have none.
  [[nodiscard]] std::vector<RankLine> read_new(bool is_end);

 private:
  struct Stream {
    std::uint64_t rank = 0;
    std::int64_t size = 0;  // when it was last read
    GrowingFile file = {};
  };
  void find(const std::string& below, std::uint64_t world);
  static void read(const std::string& path, Stream& stream, bool is_end,
                   std::vector<RankLine>& out);

  std::string folder_;
  std::map<std::string, Stream> streams_;  // by their paths
};

}  // namespace muster::store
