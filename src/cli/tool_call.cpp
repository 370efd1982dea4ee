// Through a shell, so that both streams are one, in the order in which they were written.
#include "cli/tool_call.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/words.hpp"
#include "blobs/goes_on.hpp"
#include "process/converse.hpp"
#include "process/signal_mask.hpp"
#include "view/utf8.hpp"

namespace muster::cli {

bool tells_of_no_room(std::string_view line) {
  const std::string low = base::lower(line);
  return low.find("no space left on device") != std::string::npos ||
         low.find("disk quota exceeded") != std::string::npos;
}

ToolCall::ToolCall(std::vector<std::string> words, const std::vector<std::string>& environment,
                   const Doing& doing, const std::string& input)
    : environment_(environment), doing_(doing) {
  words_ = {"sh", "-c", "exec \"$@\" 2>&1", "sh"};
  if (!input.empty()) words_ = {"sh", "-c", "i=$1; shift; exec \"$@\" 2>&1 < \"$i\"", "sh", input};
  words_.insert(words_.end(), words.begin(), words.end());
}

base::Result<bool> ToolCall::ends_well() {
  process::Conversation talk{words_, environment_};
  talk.heard = [this](std::string_view bytes) { hear(bytes); };
  talk.goes_on = process::no_signal_waits;
  const auto answer = process::converse(talk);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->is_given_up) return blobs::given_up();
  hear("\n");
  constexpr int kSignalled = 128;
  code_ = answer->signal != 0 ? kSignalled + answer->signal : answer->code;
  return answer->ended_well();
}

std::string ToolCall::why() const {
  const auto is_error = [](const std::string& line) {
    return base::lower(line).find("error") != std::string::npos;
  };
  // A tool may fail at more than one thing then, and what it says last may be another.
  const auto full = std::ranges::find_if(lines_, tells_of_no_room);
  if (full != lines_.end()) return view::one_line(*full);
  const auto last = std::find_if(lines_.rbegin(), lines_.rend(), is_error);
  if (last != lines_.rend()) return view::one_line(*last);
  return lines_.empty() ? fmt::format("it ended with code {}", code_)
                        : view::one_line(lines_.back());
}

void ToolCall::hear(std::string_view bytes) {
  constexpr std::size_t kLines = 200;
  constexpr std::size_t kLine = 400;
  for (const char c : bytes) {
    if (c != '\n' && c != '\r') {
      if (line_.size() < kLine) line_ += c;
      continue;
    }
    if (line_.find_first_not_of(" \t") != std::string::npos) {
      doing_(line_);
      lines_.push_back(line_);
      if (lines_.size() > kLines) lines_.erase(lines_.begin());
    }
    line_.clear();
  }
}

}  // namespace muster::cli
