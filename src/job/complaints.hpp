// Complaints: all errors of one file, or of several that were read together, reported together.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "job/node.hpp"

namespace muster::job {

class Complaints {
 public:
  explicit Complaints(std::string source) : sources_{std::move(source)} {}
  // Mark::file counts them; there is at least one.
  explicit Complaints(std::vector<std::string> sources) : sources_(std::move(sources)) {}

  // Returns the number of one more file.
  std::uint32_t add_source(std::string source);
  // Beyond kMost, complaints are dropped: a file can have as many as it has bytes.
  void add(Mark mark, std::string what, std::string hint);
  void add(std::vector<base::Error> more);
  [[nodiscard]] const std::string& source(std::uint32_t file = 0) const { return sources_[file]; }
  [[nodiscard]] const std::vector<std::string>& sources() const { return sources_; }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] bool full() const { return all_.size() >= kMost; }
  // In the order of files and places; the same complaint about an alias is made once.
  [[nodiscard]] std::vector<base::Error> take() &&;

 private:
  static constexpr std::size_t kMost = 1000;

  std::vector<std::string> sources_;
  std::vector<base::Error> all_;
};

}  // namespace muster::job
