// LogFiles: each rank's bytes, unchanged, in DIR/rank.N/stdout and DIR/rank.N/stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "process/unique_fd.hpp"
#include "wire/messages.hpp"

namespace muster::app {

class LogFiles {
 public:
  // Makes the folders and empty files; N is padded with zeros to the width of the largest rank.
  [[nodiscard]] static base::Result<LogFiles> create(const std::string& folder,
                                                     std::uint32_t world_size);
  void write(base::Rank rank, wire::Stream stream, std::string_view bytes);
  // The first failure of a write (a full disk), told once; the run goes on.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  std::string folder_;
  std::vector<process::UniqueFd> files_;  // index: rank * 2 + (stream is err)
  std::string trouble_;
};

}  // namespace muster::app
