// LogFiles: each rank's bytes, unchanged, in DIR/rank.N/stdout and DIR/rank.N/stderr; those of a
// spawned world K in DIR/K/rank.N, as Open MPI numbers its jobs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "model/world.hpp"
#include "process/unique_fd.hpp"
#include "wire/messages.hpp"

namespace muster::app {

class LogFiles {
 public:
  // Makes the folders and empty files; N is padded with zeros to the width of the largest rank.
  [[nodiscard]] static base::Result<LogFiles> create(const std::string& folder,
                                                     std::uint32_t world_size);
  // Makes those of ranks that were spawned; a failure is told by trouble().
  void add(const model::World& world);
  void write(base::Rank rank, wire::Stream stream, std::string_view bytes);
  // The first failure of a write (a full disk), told once; the run goes on.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  [[nodiscard]] base::Result<void> make(const std::string& folder, std::uint32_t ranks);

  std::string folder_;
  std::vector<process::UniqueFd> files_;  // index: rank * 2 + (stream is err)
  std::string trouble_;
};

}  // namespace muster::app
