// SharedStep: one srun that starts agents on several hosts, what it says, and the door at which the
// agents show the secret that is made for this step alone.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "head/door.hpp"
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
    base::Duration patience;        // of an agent that calls
    std::function<void()> changed;  // it has said something, or ended
    // An agent of this step has come; take() or refuse() it. The step must outlive the call.
    std::function<void(SharedStep&, const VisitorPtr&, const wire::Join&)> joined;
  };
  // Agents can connect at all of this host's addresses: Slurm knows best by which of them others
  // reach it.
  [[nodiscard]] static base::Result<std::shared_ptr<SharedStep>> start(asio::io_context& loop,
                                                                       Options options);
  ~SharedStep();  // ends srun, and with it agents that have not come
  SharedStep(const SharedStep&) = delete;
  SharedStep& operator=(const SharedStep&) = delete;

  [[nodiscard]] process::UniqueFd take(const VisitorPtr& visitor);
  void refuse(const VisitorPtr& visitor, const base::Error& why) { door_->refuse(visitor, why); }
  // Nobody is waited for any more.
  void close_door() { door_.reset(); }
  [[nodiscard]] bool has_taken() const { return has_taken_; }

  [[nodiscard]] link::StepErrors& errors() { return errors_; }
  [[nodiscard]] const std::optional<process::ChildEnd>& end() const { return end_; }

 private:
  explicit SharedStep(Options options);
  [[nodiscard]] base::Result<void> open_door(asio::io_context& loop);
  void read(asio::io_context& loop, process::ChildPipes& pipes);

  Options options_;
  link::StepErrors errors_;
  std::string secret_;
  std::optional<Door> door_;
  bool has_taken_ = false;
  std::optional<process::ChildEnd> end_;
  std::shared_ptr<link::ByteReader> err_;
  std::shared_ptr<link::ByteReader> out_;
  std::unique_ptr<process::Child> child_;
};

}  // namespace muster::head
