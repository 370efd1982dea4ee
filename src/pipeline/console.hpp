// Console: the pipeline's stdout and stderr. Never blocks; who writes waits while it is full.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "process/unique_fd.hpp"

namespace muster::pipeline {

// One place that bytes are written to, at its reader's pace.
class Sink {
 public:
  explicit Sink(int file);

  void add(std::string_view bytes);
  // Which becomes writable; others need not be asked.
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::size_t waiting() const { return held_.size() - at_; }
  void write();
  // Its reader has gone, and will not come back.
  [[nodiscard]] bool is_closed() const { return closed_; }
  // What could not be written, in words; empty if all was.
  [[nodiscard]] std::string trouble(std::string_view name) const;

 private:
  void lose(int error);

  process::UniqueFd own_;  // does not block; none for files, which never do
  int file_;
  std::string held_;
  std::size_t at_ = 0;  // what is before it has been written
  bool closed_ = false;
  std::uint64_t lost_ = 0;  // bytes
  int error_ = 0;           // errno of the first loss
};

class Console {
 public:
  enum Stream : int { out = 0, err = 1 };

  Console();
  void add(Stream stream, std::string_view lines) { sink(stream).add(lines); }
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] bool is_empty() const;
  // Both streams may lead to the same place: then they are one sink, so that lines stay whole.
  [[nodiscard]] Sink& sink(Stream stream) { return *sinks_[stream]; }
  [[nodiscard]] bool is_one() const { return sinks_[0] == sinks_[1]; }

 private:
  std::array<std::shared_ptr<Sink>, 2> sinks_;
};

}  // namespace muster::pipeline
