// RankLines: what the ranks of a run have newly printed, each for itself, from the record's
// streams.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/folder_search.hpp"
#include "store/growing_file.hpp"

namespace muster::store {

struct RankLine {
  std::uint64_t rank = 0;  // those of spawned worlds after all of the first
  std::string line;
  bool operator==(const RankLine&) const = default;
};

class RankLines {
 public:
  // The folder with rank.N/stdout and stderr, which need not be there yet.
  explicit RankLines(std::string folder);

  // Without it, the console's output is all that there is.
  [[nodiscard]] bool is_there() const;
  // The lines that are whole since the last call, in the order of ranks: as much as the allowance
  // is for.
  [[nodiscard]] std::vector<RankLine> read_new(Allowance& left);
  // There was more than an allowance was for.
  [[nodiscard]] bool has_more() const { return has_more_; }
  // Nothing is added any more that counts, and last lines may have no end; until has_more() is
  // false, there may be some to read.
  void end();
  // Bytes that came faster than they could be read.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  struct Stream {
    std::uint64_t rank = 0;
    std::int64_t size = 0;  // when it was last read to its end
    bool has_ended = false;
    GrowingFileLines file = {};
  };
  void note(const std::string& folder);
  [[nodiscard]] bool read(const std::string& path, Stream& stream, Allowance& left,
                          std::vector<RankLine>& out);

  std::string folder_;
  FolderSearch search_;
  bool searches_ = true;                   // else it reads
  std::map<std::string, Stream> streams_;  // by their paths
  Round<Stream> round_;
  bool is_over_ = false;
  bool has_more_ = true;
  std::uint64_t skipped_ = 0;
};

}  // namespace muster::store
