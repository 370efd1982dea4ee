// DeviceListing: which GPU each part of one belongs to, as NVIDIA's tool tells.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/inventory.hpp"
#include "process/question.hpp"

namespace muster::host {

// The tool is asked once, beside all else, when somebody first needs it: with a driver that is
// broken it may take for ever.
class DeviceListing {
 public:
  // Looks for the GPUs below `root` ("" is this machine).
  DeviceListing(asio::io_context& loop, std::vector<std::string> environment, std::string root = "")
      : environment_(std::move(environment)), root_(std::move(root)), tool_(loop) {}

  // `then` comes at once unless these devices can only be told apart by the tool, and it has not
  // been asked yet: then from the loop, in the order of the calls, as soon as it has answered or
  // its time is up.
  void await(std::span<const model::Devices> devices, std::function<void()> then);
  // For who has nothing else to do meanwhile, and no loop; a signal that is held back ends it.
  struct Told {
    std::string text;
    std::string unanswered;
  };
  [[nodiscard]] static Told now(std::span<const model::Devices> devices,
                                const std::vector<std::string>& environment,
                                const std::string& root = "");
  // Nobody waits any more.
  void forget() { waiting_.clear(); }

  // What it says; empty: it has not been asked, or there is no answer.
  [[nodiscard]] const std::string& text() const { return text_; }
  // "nvidia-smi -L does not answer within 5 s"; empty as a rule.
  [[nodiscard]] const std::string& unanswered() const { return unanswered_; }

 private:
  void ask();
  void take(process::Question::Said said);

  std::vector<std::string> environment_;
  std::string root_;
  process::Question tool_;
  bool is_asked_ = false;
  bool is_known_ = false;
  std::string text_;
  std::string unanswered_;
  std::vector<std::function<void()>> waiting_;
};

}  // namespace muster::host
