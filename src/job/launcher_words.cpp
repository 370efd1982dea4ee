// Reads words as POSIX shells do (XCU 2.2, 2.6.2, 2.6.5), but for all that would run something.
#include "job/launcher_words.hpp"

#include <algorithm>
#include <iterator>

namespace muster::job {
namespace {

constexpr std::string_view kBlank = " \t";

// Words after which a command may still begin.
constexpr std::string_view kBefore[] = {"!",  "command", "do",   "elif", "else",  "env", "exec",
                                        "if", "nohup",   "then", "time", "while", "{"};

// Commands after which a launcher is called as it is written, or the job has failed. Not among them
// are those that ask something (test, grep), and those with which a shell may find other programs
// (module, conda, source).
constexpr std::string_view kPlain[] = {
    "apt",    "apt-get", "cat",    "cd",     "chmod",  "cp",       "curl",     "date",
    "df",     "du",      "echo",   "free",   "export", "hostname", "ln",       "ls",
    "lscpu",  "mkdir",   "mv",     "nproc",  "pip",    "pip3",     "printenv", "nvidia-smi",
    "printf", "pwd",     "rm",     "python", "set",    "sleep",    "python3",  "sudo",
    "tar",    "touch",   "ulimit", "umask",  "uname",  "unzip",    "wget"};

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         word.substr(0, equals).find_first_of("/.-") == std::string_view::npos;
}

bool is_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class ShellReader {
 public:
  ShellReader(std::string_view text, const ValueOf& value_of) : left_(text), value_of_(value_of) {}

  [[nodiscard]] bool done() const { return left_.empty(); }

  // What was behind the last command: one of ";&|()\n", or nothing.
  [[nodiscard]] std::string_view ended_by() const { return ended_by_; }

  // One command's words; those behind a redirection are left out.
  std::vector<std::string> command() {
    words_.clear();
    bool redirected = false;
    while (!left_.empty() && !ends_command()) {
      if (left_.starts_with('>') || left_.starts_with('<')) redirected = true;
      if (redirected) {
        take(left_.starts_with(">&") ? 2 : 1);
      } else {
        read();
      }
    }
    end_word();
    ended_by_ = take(std::min<std::size_t>(1, left_.size()));
    return std::move(words_);
  }

 private:
  [[nodiscard]] bool ends_command() const {
    return std::string_view(";&|()\n").find(left_.front()) != std::string_view::npos;
  }

  std::string_view take(std::size_t count) {
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(taken.size());
    return taken;
  }

  void add(std::string_view text) {
    word_ += text;
    begun_ = true;
  }

  void end_word() {
    if (begun_) words_.push_back(std::move(word_));
    word_.clear();
    begun_ = false;
  }

  void read() {
    const char c = left_.front();
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

  void read_quoted() {
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
  std::string variable() {
    const bool braced = left_.starts_with("${");
    const std::string_view rest = left_.substr(braced ? 2 : 1);
    const auto end = std::ranges::find_if_not(rest, is_name);
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    const bool whole = !name.empty() && (!braced || rest.substr(name.size()).starts_with('}'));
    const auto value = whole ? value_of_(name) : std::nullopt;
    if (!value) return std::string(take(1));
    take(name.size() + (braced ? 3 : 1));
    return *value;
  }

  // A value outside of quotes may be several words.
  void split(std::string_view value) {
    for (const char c : value) {
      if (kBlank.find(c) == std::string_view::npos) {
        add(std::string_view(&c, 1));
      } else {
        end_word();
      }
    }
  }

  std::string_view left_;
  std::string_view ended_by_;
  const ValueOf& value_of_;
  std::vector<std::string> words_;
  std::string word_;
  bool begun_ = false;  // quotes make a word even of nothing
};

// What stands in front of a launcher's command.
class BeforeLauncher {
 public:
  // Lines that are some command's input may look like commands.
  explicit BeforeLauncher(std::string_view text)
      : text_(text), is_plain_(text.find("<<") == std::string_view::npos) {}

  void add(const std::vector<std::string>& words, std::string_view ended_by) {
    if (!words.empty()) {
      is_plain_ = is_plain_ && goes_on() && is_plain(words);
      between_.clear();
    }
    if (ended_by != "\n") between_ += ended_by;
  }
  // `prefix`: of the launcher's own command.
  [[nodiscard]] bool leads_to(std::span<const std::string> prefix) const {
    return is_plain_ && goes_on() && is_harmless(prefix);
  }

 private:
  [[nodiscard]] bool goes_on() const {
    return between_.empty() || between_ == ";" || between_ == "&&";
  }
  [[nodiscard]] bool is_plain(const std::vector<std::string>& words) const {
    const auto begin = std::ranges::find_if_not(words, precedes_command);
    if (!is_harmless({words.begin(), begin})) return false;
    if (begin == words.end()) return true;
    if (std::ranges::find(kPlain, *begin) == std::end(kPlain)) return false;
    return *begin != "export" || is_harmless({std::next(begin), words.end()});
  }
  // Assignments of what the text does not use, and not of what shells look programs up in.
  [[nodiscard]] bool is_harmless(std::span<const std::string> words) const {
    return std::ranges::all_of(words, [&](const std::string& word) {
      if (word == "time" || word == "nohup") return true;
      const std::string name = word.substr(0, word.find('='));
      const bool is_used = text_.find("$" + name) != std::string_view::npos ||
                           text_.find("${" + name) != std::string_view::npos;
      return is_assignment(word) && name != "PATH" && !is_used;
    });
  }

  std::string_view text_;
  bool is_plain_;
  std::string between_;  // the last command and the next, but for line ends
};

}  // namespace

bool precedes_command(std::string_view word) {
  return is_assignment(word) || std::ranges::find(kBefore, word) != std::end(kBefore);
}

LauncherWords launcher_words(std::string_view text, std::span<const std::string> launchers,
                             const ValueOf& value_of) {
  ShellReader reader(text, value_of);
  BeforeLauncher before(text);
  while (!reader.done()) {
    std::vector<std::string> words = reader.command();
    const auto begin = std::ranges::find_if_not(words, precedes_command);
    const std::string word = begin == words.end() ? std::string() : *begin;
    if (std::ranges::count(launchers, word.substr(word.rfind('/') + 1)) > 0) {
      const bool is_function = reader.ended_by() == "(";
      return {{begin, words.end()}, !is_function && before.leads_to({words.begin(), begin})};
    }
    before.add(words, reader.ended_by());
  }
  return {};
}

}  // namespace muster::job
