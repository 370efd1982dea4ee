// Cuts files into lines of words.
#include "spec/word_lines.hpp"

#include <algorithm>
#include <optional>

#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

using base::fail_at;
using base::Fault;
using base::Result;

constexpr Fault kLinesFault = Fault::bad_file;

struct Word {
  std::string text;
  base::Place place;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

bool starts_comment(std::string_view rest, LinesOf whose) {
  return rest.starts_with('#') || (whose == LinesOf::open_mpi && rest.starts_with("//"));
}

// Cuts one line; `line` counts from 1.
class LineCutter {
 public:
  LineCutter(std::string_view text, const std::string& name, std::uint32_t line, LinesOf whose)
      : text_(text), name_(name), line_(line), whose_(whose) {}

  Result<std::vector<Word>> words() {
    std::vector<Word> words;
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        at_ += 1;
      } else if (starts_comment(text_.substr(at_), whose_)) {
        break;
      } else {
        auto word = take();
        if (!word) return tl::unexpected(word.error());
        words.push_back(std::move(*word));
      }
    }
    return words;
  }

 private:
  [[nodiscard]] base::Place place(std::size_t at) const {
    return {name_, line_, static_cast<std::uint32_t>(at + 1)};
  }

  // Whether a quote at this place of a word may hold blanks together, as in 'x y' and A="x y".
  [[nodiscard]] bool may_open(const Word& word) const {
    const char c = text_[at_];
    return (c == '"' || c == '\'') && (word.text.empty() || word.text.back() == '=');
  }

  // What is held together from here to the closing quote; nothing where that is one word anyway,
  // of which the quotes are a part.
  Result<std::optional<std::string_view>> held() {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) {
      return fail_at(place(at_), kLinesFault, "", "this quote never ends");
    }
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (std::ranges::none_of(inside, is_space)) return std::nullopt;
    return inside;
  }

  Result<void> add(Word& word, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i, ++at_) {
      const char c = text[i];
      if ((c >= 0 && c < ' ' && c != '\t') || c == '\x7f') {
        return fail_at(place(at_), kLinesFault, "is this the right file? it is plain text",
                       "byte 0x{:02x} is not text", static_cast<unsigned char>(c));
      }
      word.text += c;
    }
    return {};
  }

  Result<Word> take() {
    Word word{{}, place(at_)};
    while (at_ < text_.size() && !is_space(text_[at_])) {
      std::optional<std::string_view> inside;
      if (may_open(word)) {
        auto found = held();
        if (!found) return tl::unexpected(found.error());
        inside = *found;
      }
      if (inside) at_ += 1;
      if (auto added = add(word, inside.value_or(text_.substr(at_, 1))); !added) {
        return tl::unexpected(added.error());
      }
      if (inside) at_ += 1;
    }
    return word;
  }

  std::string_view text_;
  const std::string& name_;
  std::uint32_t line_;
  LinesOf whose_;
  std::size_t at_ = 0;
};

using Lines = std::vector<std::vector<Word>>;

Result<Lines> cut(std::string_view text, const std::string& name, LinesOf whose) {
  if (text.size() > kHostTextMax) {
    return fail_at({name, 0, 0}, kLinesFault, "is this the right file?",
                   "the file is larger than {} MiB", kHostTextMax >> 20);
  }
  Lines lines;
  std::uint32_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    auto words = LineCutter(text.substr(at, end - at), name, number, whose).words();
    if (!words) return tl::unexpected(words.error());
    if (!words->empty()) lines.push_back(std::move(*words));
    at = end + 1;
  }
  return lines;
}

// "-x V=v -mca k v ...", from `at` on.
Result<TuneSetting> take_option(const std::vector<Word>& words, std::size_t& at) {
  const Word& option = words[at];
  const bool variable = option.text == "-x" || option.text == "--x";
  if (!variable && option.text != "-mca" && option.text != "--mca") {
    return fail_at(option.place, kLinesFault, "such a file holds -x, -mca and NAME = VALUE",
                   "{} is not allowed here", in_quotes(option.text));
  }
  const std::size_t values = variable ? 1 : 2;
  if (words.size() - at <= values) {
    return fail_at(option.place, kLinesFault, "", "{} needs {}", option.text,
                   variable ? "NAME=VALUE" : "NAME VALUE");
  }
  TuneSetting setting{!variable, words[at + 1].text, {}, option.place};
  if (!variable) setting.value = words[at + 2].text;
  at += values + 1;
  return setting;
}

// "k = v v": all after '=' is the value.
Result<TuneSetting> read_pair(const std::vector<Word>& words) {
  std::string whole;
  for (const Word& word : words) whole += (whole.empty() ? "" : " ") + word.text;
  const std::size_t equals = whole.find('=');
  if (equals == std::string::npos) {
    return fail_at(words.front().place, kLinesFault, "write NAME = VALUE", "{} has no value",
                   in_quotes(whole));
  }
  const auto trimmed = [](std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text.erase(0, text.find_first_not_of(' '));
    return text;
  };
  TuneSetting setting{true, trimmed(whole.substr(0, equals)), trimmed(whole.substr(equals + 1)),
                      words.front().place};
  if (setting.name.empty() || setting.name.find(' ') != std::string::npos) {
    return fail_at(words.front().place, kLinesFault, "write NAME = VALUE", "{} is not a parameter",
                   in_quotes(setting.name));
  }
  return setting;
}

// Whether the line ends with one.
bool drop_backslash(std::vector<Word>& words) {
  std::string& last = words.back().text;
  if (!last.ends_with('\\')) return false;
  last.pop_back();
  if (last.empty()) words.pop_back();
  return true;
}

}  // namespace

Result<std::vector<WordLine>> read_appfile(std::string_view text, const std::string& name,
                                           LinesOf whose) {
  auto lines = cut(text, name, whose);
  if (!lines) return tl::unexpected(lines.error());
  std::vector<WordLine> programs;
  bool goes_on = false;
  for (std::vector<Word>& words : *lines) {
    if (!goes_on) programs.push_back({{}, words.front().place});
    goes_on = whose == LinesOf::hydra && drop_backslash(words);
    for (Word& word : words) programs.back().words.push_back(std::move(word.text));
  }
  std::erase_if(programs, [](const WordLine& line) { return line.words.empty(); });
  if (programs.empty()) {
    return fail_at({name, 0, 0}, kLinesFault, "write one program a line: -n 2 ./prog",
                   "the file names no program");
  }
  return programs;
}

Result<std::vector<TuneSetting>> read_tune_file(std::string_view text, const std::string& name) {
  const auto lines = cut(text, name, LinesOf::open_mpi);
  if (!lines) return tl::unexpected(lines.error());
  std::vector<TuneSetting> settings;
  for (const std::vector<Word>& words : *lines) {
    if (!words.front().text.starts_with('-')) {
      auto pair = read_pair(words);
      if (!pair) return tl::unexpected(pair.error());
      settings.push_back(std::move(*pair));
      continue;
    }
    for (std::size_t at = 0; at < words.size();) {
      auto setting = take_option(words, at);
      if (!setting) return tl::unexpected(setting.error());
      settings.push_back(std::move(*setting));
    }
  }
  return settings;
}

}  // namespace muster::spec
