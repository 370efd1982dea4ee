// ChunkedText: a long text on its way to who takes it, so that it never stands in memory as a
// whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace muster::view {

// False: no more is wanted.
using Take = std::function<bool(std::string_view)>;

class ChunkedText {
 public:
  explicit ChunkedText(const Take& take) : take_(take) {}

  // What comes next is appended here.
  [[nodiscard]] std::string& text() { return text_; }

  // To be asked between lines, or whatever is short: hands on when enough has come together. False:
  // no more is wanted.
  [[nodiscard]] bool go_on() {
    if (text_.size() >= kEnough) hand_on();
    return is_wanted_;
  }

  void hand_on() {
    if (is_wanted_ && !text_.empty()) is_wanted_ = take_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kEnough = std::size_t{256} * 1024;

  const Take& take_;
  std::string text_;
  bool is_wanted_ = true;
};

}  // namespace muster::view
