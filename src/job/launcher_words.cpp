// Looks for launchers among the commands of a shell's text.
#include "job/launcher_words.hpp"

#include <algorithm>
#include <iterator>

#include "job/shell_reader.hpp"

namespace muster::job {
namespace {

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

// What stands in front of a launcher's command.
class BeforeLauncher {
 public:
  // Lines that are some command's input may look like commands.
  explicit BeforeLauncher(std::string_view text)
      : text_(text), is_plain_(text.find("<<") == std::string_view::npos) {}

  void add(const std::vector<std::string>& words, bool is_launcher, std::string_view ended_by) {
    if (!words.empty()) {
      is_plain_ = is_plain_ && goes_on() && is_plain(words, is_launcher);
      keeps_variables_ = keeps_variables_ && !sets_variables(words);
      between_.clear();
    }
    if (ended_by != "\n") between_ += ended_by;
  }
  // `prefix`: of the launcher's own command.
  [[nodiscard]] bool leads_to(std::span<const std::string> prefix) const {
    return is_plain_ && goes_on() && is_harmless(prefix);
  }
  [[nodiscard]] bool keeps_variables(std::span<const std::string> prefix) const {
    return keeps_variables_ && std::ranges::none_of(prefix, is_assignment);
  }

 private:
  [[nodiscard]] static bool sets_variables(const std::vector<std::string>& words) {
    const auto begin = std::ranges::find_if_not(words, precedes_command);
    return std::any_of(words.begin(), begin, is_assignment) ||
           (begin != words.end() && *begin == "export");
  }
  [[nodiscard]] bool goes_on() const {
    return between_.empty() || between_ == ";" || between_ == "&&";
  }
  [[nodiscard]] bool is_plain(const std::vector<std::string>& words, bool is_launcher) const {
    const auto begin = std::ranges::find_if_not(words, precedes_command);
    if (!is_harmless({words.begin(), begin})) return false;
    if (begin == words.end() || is_launcher) return true;
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
  bool keeps_variables_ = true;
  std::string between_;  // the last command and the next, but for line ends
};

// Behind the last command of the reader.
bool goes_on_after_failure(const ShellReader& reader) {
  if (reader.ended_by() != "|" || !reader.next_is('|')) return false;
  const std::string_view left = reader.left();
  return left.substr(0, left.find('\n')).find("exit") == std::string_view::npos;
}

}  // namespace

bool precedes_command(std::string_view word) {
  return is_assignment(word) || std::ranges::find(kBefore, word) != std::end(kBefore);
}

std::size_t times_before(std::string_view text, const LauncherWords& launcher) {
  const std::string& word = launcher.words.front();
  const std::string_view before = text.substr(0, launcher.at);
  std::size_t count = 0;
  for (std::size_t at = before.find(word); at != std::string_view::npos; ++count) {
    at = before.find(word, at + word.size());
  }
  return count;
}

std::vector<LauncherWords> all_launcher_words(std::string_view text,
                                              std::span<const std::string> launchers,
                                              const ValueOf& value_of) {
  std::vector<LauncherWords> all;
  ShellReader reader(text, value_of);
  BeforeLauncher before(text);
  while (!reader.done()) {
    const std::vector<std::string> words = reader.command();
    const auto begin = std::ranges::find_if_not(words, precedes_command);
    const std::string word = begin == words.end() ? std::string() : *begin;
    const bool is_launcher = std::ranges::count(launchers, word.substr(word.rfind('/') + 1)) > 0;
    if (is_launcher) {
      const bool is_function = reader.ended_by() == "(";
      const std::size_t at =
          text.size() - reader.left_at(static_cast<std::size_t>(begin - words.begin()));
      const std::span<const std::string> prefix(words.begin(), begin);
      const bool is_sure = !is_function && before.leads_to(prefix);
      all.push_back({{begin, words.end()},
                     is_sure,
                     at,
                     before.keeps_variables(prefix),
                     goes_on_after_failure(reader)});
    }
    before.add(words, is_launcher, reader.ended_by());
  }
  return all;
}

LauncherWords launcher_words(std::string_view text, std::span<const std::string> launchers,
                             const ValueOf& value_of) {
  auto all = all_launcher_words(text, launchers, value_of);
  return all.empty() ? LauncherWords() : std::move(all.front());
}

}  // namespace muster::job
