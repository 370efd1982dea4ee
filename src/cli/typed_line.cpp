// Asks the front end itself whether it would understand a line.
#include "cli/typed_line.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "base/words.hpp"
#include "front/front.hpp"

namespace muster::cli {
namespace {

base::Result<std::string> unread(const std::string& path, std::size_t) {
  return base::fail(base::Fault::bad_file, "", "{} is not read", path);
}

// What is wrong with a file is not wrong with the words.
bool is_understood(const std::vector<std::string>& words) {
  const front::Front* front = words.size() < 2 ? nullptr : front::front_of(words[1]);
  if (front == nullptr) return false;
  // A target that is named is taken to be in a muster.yml, which is not read either.
  const bool names_target = std::ranges::any_of(
      words, [](const std::string& word) { return word.starts_with("--target"); });
  const auto has_file = [&](const std::string& path) {
    return names_target && path.ends_with("/muster.yml");
  };
  const auto one = [] { return 1U; };  // what this machine has is not asked for, either
  const auto read = front->read({.called = words[1],
                                 .words = {words.begin() + 2, words.end()},
                                 .current_folder = "/",
                                 .read_file = unread,
                                 .counts = {one, one, one, [] { return std::string(); }},
                                 .has_file = has_file});
  return read || read.error().fault != base::Fault::usage;
}

}  // namespace

std::string typed_instead(const Invocation& invocation, const std::string& word,
                          const std::string& meant) {
  std::vector<std::string> words = invocation.words;
  words.front() = "muster";
  std::replace(words.begin() + 1, words.end(), word, meant);
  return base::shell_words(words);
}

std::string typed_stop(const front::RecordRequest& request, const std::string& run) {
  return fmt::format("muster stop {}{}", request.foreign ? "--foreign " : "", run);
}

std::string understood_line(std::string_view front_words, const std::vector<std::string>& own) {
  std::vector<std::string> words = base::split(front_words, " ");
  words.insert(words.end(), own.begin(), own.end());
  return is_understood(words) ? base::shell_words(words) : "";
}

}  // namespace muster::cli
