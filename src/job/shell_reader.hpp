// ShellReader: the commands of a shell's text, one after the other, as words. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::job {

using ValueOf = std::function<std::optional<std::string>(std::string_view name)>;

// Words are as a shell would make them of quotes and variables. What only a shell can tell ($(...),
// globs, variables that `value_of` does not know) stays as it is written.
class ShellReader {
 public:
  // `value_of` outlives the reader.
  ShellReader(std::string_view text, const ValueOf& value_of) : left_(text), value_of_(value_of) {}

  [[nodiscard]] bool done() const { return left_.empty(); }
  [[nodiscard]] bool next_is(char c) const { return left_.starts_with(c); }

  // What has not been read yet.
  [[nodiscard]] std::string_view left() const { return left_; }

  // One command's words, but for its redirections.
  [[nodiscard]] std::vector<std::string> command();

  // What had not been read before this word of the last command.
  [[nodiscard]] std::size_t left_at(std::size_t word) const { return left_at_words_[word]; }

  // Of the last command: what was behind it, one of ";&|()\n", or nothing; and whether it reads
  // from, or writes to, a file.
  [[nodiscard]] std::string_view ended_by() const { return ended_by_; }
  [[nodiscard]] bool is_redirected() const { return is_redirected_; }

 private:
  [[nodiscard]] bool ends_command() const;
  std::string_view take(std::size_t count);
  void add(std::string_view text);
  void end_word();
  void redirect();
  void read();
  void read_quoted();
  std::string variable();
  void split(std::string_view value);

  std::string_view left_;
  std::string_view ended_by_;
  bool is_redirected_ = false;
  const ValueOf& value_of_;
  std::vector<std::string> words_;
  std::vector<std::size_t> left_at_words_;
  std::string word_;
  std::size_t left_at_word_ = 0;
  bool begun_ = false;       // quotes make a word even of nothing
  bool is_of_file_ = false;  // the word names what a redirection goes to
};

}  // namespace muster::job
