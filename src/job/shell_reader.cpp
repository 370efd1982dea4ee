// Reads words as POSIX shells do (XCU 2.2, 2.6.2, 2.6.5), but for all that would run something.
#include "job/shell_reader.hpp"

#include <algorithm>
#include <iterator>

namespace muster::job {
namespace {

constexpr std::string_view kBlank = " \t";

bool is_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::vector<std::string> ShellReader::command() {
  words_.clear();
  left_at_words_.clear();
  is_redirected_ = false;
  while (!left_.empty() && !ends_command()) {
    if (left_.starts_with('>') || left_.starts_with('<')) {
      redirect();
    } else {
      read();
    }
  }
  end_word();
  is_of_file_ = false;
  ended_by_ = take(std::min<std::size_t>(1, left_.size()));
  return std::move(words_);
}

bool ShellReader::ends_command() const {
  return std::string_view(";&|()\n").find(left_.front()) != std::string_view::npos;
}

std::string_view ShellReader::take(std::size_t count) {
  const std::string_view taken = left_.substr(0, count);
  left_.remove_prefix(taken.size());
  return taken;
}

void ShellReader::add(std::string_view text) {
  word_ += text;
  begun_ = true;
}

void ShellReader::end_word() {
  if (begun_ && !is_of_file_) {
    words_.push_back(std::move(word_));
    left_at_words_.push_back(left_at_word_);
  }
  if (begun_) is_of_file_ = false;
  word_.clear();
  begun_ = false;
}

// "2>": the number is of the file, and so is the next word.
void ShellReader::redirect() {
  is_redirected_ = true;
  const bool is_number = word_.find_first_not_of("0123456789") == std::string::npos;
  if (!word_.empty() && is_number) begun_ = false;
  end_word();
  while (left_.starts_with('>') || left_.starts_with('<')) take(1);
  if (left_.starts_with('&') || left_.starts_with('|')) take(1);
  is_of_file_ = true;
}

void ShellReader::read() {
  const char c = left_.front();
  if (!begun_) left_at_word_ = left_.size();
  if (left_.starts_with("\\\n")) {
    take(2);
  } else if (c == '#' && !begun_) {
    take(std::min(left_.find('\n'), left_.size()));
  } else if (kBlank.find(c) != std::string_view::npos) {
    take(1);
    end_word();
  } else if (c == '\'') {
    take(1);
    add(take(std::min(left_.find('\''), left_.size())));
    take(1);
  } else if (c == '"') {
    take(1);
    read_quoted();
  } else if (c == '\\') {
    take(1);
    add(take(1));
  } else if (c == '$') {
    split(variable());
  } else {
    add(take(1));
  }
}

void ShellReader::read_quoted() {
  add("");
  while (!left_.empty() && left_.front() != '"') {
    if (left_.front() == '$') {
      add(variable());
    } else {
      const bool escapes = left_.front() == '\\' && left_.size() > 1 &&
                           std::string_view("\"\\$`").find(left_[1]) != std::string_view::npos;
      if (escapes) take(1);
      add(take(1));
    }
  }
  take(1);
}

// The value behind '$', or the '$' itself.
std::string ShellReader::variable() {
  const bool braced = left_.starts_with("${");
  const std::string_view rest = left_.substr(braced ? 2 : 1);
  const auto end = std::ranges::find_if_not(rest, is_of_name);
  const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  const bool whole = !name.empty() && (!braced || rest.substr(name.size()).starts_with('}'));
  const auto value = whole ? value_of_(name) : std::nullopt;
  if (!value) return std::string(take(1));
  take(name.size() + (braced ? 3 : 1));
  return *value;
}

// A value outside of quotes may be several words.
void ShellReader::split(std::string_view value) {
  for (const char c : value) {
    if (kBlank.find(c) == std::string_view::npos) {
      add(std::string_view(&c, 1));
    } else {
      end_word();
    }
  }
}

}  // namespace muster::job
