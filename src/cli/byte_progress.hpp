// ByteProgress: one line on a terminal, written again and again, of how much has been moved.
#pragma once

#include <cstdint>
#include <string>

namespace muster::cli {

class ByteProgress {
 public:
  // `what` follows the numbers: "sent to the hosts". Nothing is shown where stderr is no terminal.
  explicit ByteProgress(std::string what);
  ~ByteProgress();  // the line goes
  ByteProgress(const ByteProgress&) = delete;
  ByteProgress& operator=(const ByteProgress&) = delete;

  // What is soon done is not worth a line.
  void show(std::uint64_t done, std::uint64_t all);

 private:
  std::string what_;
  bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace muster::cli
