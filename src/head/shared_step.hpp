// SharedStep: one srun that starts agents on several hosts, and what it says.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "link/byte_reader.hpp"
#include "link/shared_step.hpp"
#include "process/child.hpp"

namespace muster::head {

class SharedStep {
 public:
  struct Options {
    std::vector<std::string> words;
    std::vector<std::string> environment;
    std::vector<std::string> hosts;
    std::string call;               // the agents' stdin
    std::function<void()> changed;  // it has said something, or ended
  };
  [[nodiscard]] static base::Result<std::shared_ptr<SharedStep>> start(asio::io_context& loop,
                                                                       Options options);
  ~SharedStep();  // ends srun, and with it agents that have not come
  SharedStep(const SharedStep&) = delete;
  SharedStep& operator=(const SharedStep&) = delete;

  [[nodiscard]] link::StepErrors& errors() { return errors_; }
  [[nodiscard]] const std::optional<process::ChildEnd>& end() const { return end_; }

 private:
  explicit SharedStep(Options options);
  void read(asio::io_context& loop, process::ChildPipes& pipes);

  Options options_;
  link::StepErrors errors_;
  std::optional<process::ChildEnd> end_;
  std::shared_ptr<link::ByteReader> err_;
  std::shared_ptr<link::ByteReader> out_;
  std::unique_ptr<process::Child> child_;
};

}  // namespace muster::head
