// Control sequences that every terminal knows.
#include "cli/byte_progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "base/byte_size.hpp"
#include "cli/speak.hpp"

namespace muster::cli {
namespace {

constexpr std::uint64_t kWorthALine = 20'000'000;
constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

ByteProgress::ByteProgress(std::string what)
    : what_(std::move(what)), is_terminal_(draws_progress()) {}

ByteProgress::~ByteProgress() {
  if (is_shown_) say(kClearLine);
}

// The cursor goes back to where the line begins: messages that come meanwhile replace it.
void ByteProgress::show(std::uint64_t done, std::uint64_t all) {
  if (!is_terminal_ || all < kWorthALine) return;
  is_shown_ = true;
  say(fmt::format("{}muster: {} of {} {}\r", kClearLine, base::byte_words(std::min(done, all)),
                  base::byte_words(all), what_));
}

}  // namespace muster::cli
