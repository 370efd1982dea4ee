// Complaints: all errors of one file, reported together.
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
  explicit Complaints(std::string source) : source_(std::move(source)) {}

  // Beyond kMost, complaints are dropped: a file can have as many as it has bytes.
  void add(Mark mark, std::string what, std::string hint);
  void add(std::vector<base::Error> more);
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] bool full() const { return all_.size() >= kMost; }
  // In the order of their places; the same complaint about an alias is made once.
  [[nodiscard]] std::vector<base::Error> take() &&;

 private:
  static constexpr std::size_t kMost = 1000;

  std::string source_;
  std::vector<base::Error> all_;
};

}  // namespace muster::job
