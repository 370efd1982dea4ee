// ToolCall: a program that takes long is called, and what it says is heard line by line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::cli {

// What a tool says where a disk is full.
[[nodiscard]] bool tells_of_no_room(std::string_view line);

using Doing = std::function<void(std::string_view)>;

class ToolCall {
 public:
  // `doing` hears every line of both its streams, and outlives this. `input`: a file that it reads;
  // empty: nothing.
  ToolCall(std::vector<std::string> words, const std::vector<std::string>& environment,
           const Doing& doing, const std::string& input = {});

  // Runs it to its end; an error: there is no such program, or a signal that was held back has
  // ended it.
  [[nodiscard]] base::Result<bool> ends_well();

  // The line that says what is wrong, as far as one can be told from the others.
  [[nodiscard]] std::string why() const;
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }  // the last ones

 private:
  void hear(std::string_view bytes);

  std::vector<std::string> words_;
  const std::vector<std::string>& environment_;
  const Doing& doing_;
  std::string line_;
  std::vector<std::string> lines_;
  int code_ = 0;
};

}  // namespace muster::cli
