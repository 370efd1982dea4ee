// Cuts a hostfile into words. '\n', "\r\n" and a lone '\r' end a line.
#include "spec/hostfile_words.hpp"

#include <algorithm>

namespace muster::spec {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

}  // namespace

bool HostfileWords::at_comment() const {
  const std::string_view rest = text_.substr(at_, 2);
  return rest.starts_with('#') || rest == "//" || rest == "/*";
}

bool HostfileWords::at_word() const {
  return !done() && !is_blank(text_[at_]) && !is_line_end(text_[at_]) && text_[at_] != '=' &&
         !at_comment();
}

base::Place HostfileWords::here() const {
  return {name_, line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
}

void HostfileWords::end_line() {
  at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
  line_ += 1;
  line_start_ = at_;
}

base::Result<void> HostfileWords::skip_comment() {
  const bool block = text_.substr(at_, 2) == "/*";
  const base::Place start = here();
  if (block) at_ += 2;
  while (!done()) {
    if (block && text_.substr(at_, 2) == "*/") {
      at_ += 2;
      return {};
    }
    if (!is_line_end(text_[at_])) {
      at_ += 1;
    } else if (block) {
      end_line();
    } else {
      return {};
    }
  }
  if (!block) return {};
  return base::fail_at(start, base::Fault::bad_file, "end the comment with */",
                       "this comment never ends");
}

HostfileWord HostfileWords::take_word() {
  const std::size_t start = at_;
  const base::Place place = here();
  do at_ += 1;
  while (text_[start] != '=' && at_word());
  return {text_.substr(start, at_ - start), place};
}

base::Result<std::vector<HostfileWord>> HostfileWords::next_line() {
  std::vector<HostfileWord> words;
  while (!done() && !is_line_end(text_[at_])) {
    if (is_blank(text_[at_])) {
      at_ += 1;
    } else if (at_comment()) {
      if (auto skipped = skip_comment(); !skipped) return tl::unexpected(skipped.error());
    } else {
      words.push_back(take_word());
    }
  }
  if (!done()) end_line();
  return words;
}

}  // namespace muster::spec
