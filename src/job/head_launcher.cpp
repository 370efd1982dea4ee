// Looks at the first word of each command in a shell's text; words in quotes are none.
#include "job/head_launcher.hpp"

#include <algorithm>
#include <string_view>

#include "job/launcher_words.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kLaunchers[] = {"deepspeed",     "horovodrun",    "mpiexec",
                                           "mpiexec.hydra", "mpiexec.mpich", "mpiexec.openmpi",
                                           "mpirun",        "mpirun.mpich",  "mpirun.openmpi",
                                           "orterun",       "prterun"};

template <std::size_t N>
bool is_one_of(const std::string_view (&known)[N], std::string_view word) {
  return std::ranges::find(known, word) != std::end(known);
}

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

// Where the quoted part that begins at `at` ends.
std::size_t after_quotes(std::string_view text, std::size_t at) {
  const std::size_t end = text.find(text[at], at + 1);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// The end of the word that begins at `at`; quotes hold it together.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         std::string_view(" \t\n;&|()").find(text[at]) == std::string_view::npos) {
    const bool quoted = text[at] == '\'' || text[at] == '"';
    at = quoted ? after_quotes(text, at) : at + 1;
  }
  return at;
}

std::string_view launcher_in(std::string_view text) {
  bool begins = true;  // a command
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_word(text, at);
    if (end == at) {
      begins |= text[at] != ' ' && text[at] != '\t';
      ++at;
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    if (begins && is_one_of(kLaunchers, base_name(word))) return base_name(word);
    begins = begins && precedes_command(word);
    at = end;
  }
  return {};
}

}  // namespace

std::string head_launcher(const JobFile& job) {
  if (job.command) return std::string(launcher_in(job.command->text));
  if (job.words.empty()) return {};
  const std::string_view name = base_name(job.words.front().text);
  return is_one_of(kLaunchers, name) ? std::string(name) : std::string();
}

}  // namespace muster::job
