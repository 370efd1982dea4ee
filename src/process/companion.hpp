// Companion: a program that runs beside this process for as long as that wants, without a loop that
// watches it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "process/child.hpp"

namespace muster::process {

class Companion {
 public:
  // As Child::start().
  [[nodiscard]] static base::Result<std::unique_ptr<Companion>> start(
      const std::vector<std::string>& words, const std::vector<std::string>& environment,
      int when_caller_ends);
  // Kills it, unless it has ended.
  ~Companion();
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  [[nodiscard]] ChildPipes& pipes() { return child_->pipes(); }
  void signal(int number);
  [[nodiscard]] bool has_ended();
  // Once it has.
  [[nodiscard]] ChildEnd end() const { return end_; }
  // Blocks until then, or for `limit`. Whether it has.
  bool await_end(std::chrono::milliseconds limit);

 private:
  Companion();

  std::unique_ptr<asio::io_context> loop_;
  std::unique_ptr<Child> child_;
  bool has_ended_ = false;
  ChildEnd end_;
};

}  // namespace muster::process
