// The options of mpirun, mpiexec, torchrun, horovodrun, deepspeed and srun that people bring along.
#include "front/elsewhere.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/words.hpp"

namespace muster::front {
namespace {

constexpr std::size_t kLauncherCount = 7;

// Of Launcher, in its order.
constexpr std::array<std::string_view, kLauncherCount> kLauncherNames = {
    "muster run", "mpirun", "mpiexec.hydra", "torchrun", "horovodrun", "deepspeed", "srun"};

// One thing that is said to launchers.
struct Concept {
  // How each spells it, with blanks between; what is to be written comes first, an argument and
  // all, with '~' for its blanks. Empty: it has no such option.
  std::array<std::string_view, kLauncherCount> words;
  // What stands in front of a launcher that has none, and passes its own environment on; or empty.
  std::string_view in_front = {};
  // Which variable a launcher that has none takes; or empty.
  std::string_view variable = {};
};

constexpr Concept kConcepts[] = {
    {{"-n -c", "-np -n -c", "-n -np -c", "--nproc-per-node", "-np --num-proc", "--num_gpus",
      "-n --ntasks"}},
    {{"--per-node", "-N --npernode --pernode", "-ppn -perhost -grr",
      "--nproc-per-node --nproc_per_node", "", "--num_gpus --num_accelerators",
      "--ntasks-per-node"}},
    {{"-H", "-H --host", "-hosts -host -hostlist", "-H", "-H --hosts", "--include",
      "-w --nodelist"}},
    {{"--hostfile", "--hostfile --machinefile", "-f --hostfile --machinefile", "--hostfile",
      "--hostfile", "--hostfile", "-F --nodefile"}},
    {{"-x~NAME=VALUE", "-x~NAME=VALUE", "-genv~NAME~VALUE -env -genvlist -envlist", "", "", "",
      "--export"},
     "env NAME=VALUE"},
    {{"--workdir", "--wdir --wd", "-wdir", "--workdir", "--workdir", "--workdir", "-D --chdir"}},
    {{"--tag", "--tag-output", "-l -prepend-rank", "", "", "", "-l --label"}},
    {{"--timestamp", "--timestamp-output", "", "", "", "", ""}},
    {{"--logs", "--output-filename", "-outfile-pattern", "--log-dir --log_dir", "--output-filename",
      "--enable_each_rank_log", "-o --output"}},
    {{"--map-by~node", "--map-by~node --bynode", "", "", "", "", ""}},
    {{"--map-by~slot", "--map-by~slot --byslot", "", "", "", "", ""}},
    {{"--map-by~core", "--map-by~core --bycore", "-map-by~core", "", "", "", ""}},
    {{"--bind-to~core", "--bind-to~core --bind-to-core", "-bind-to~core", "", "", "", ""}},
    {{"--bind-to~package", "--bind-to~socket --bind-to-socket", "-bind-to~socket", "", "", "", ""}},
    {{"--mem-bind", "--mem-bind", "-membind --mem-bind", "--mem-bind", "--mem-bind", "--mem-bind",
      "--mem-bind"}},
    {{"--map-by~:PE=N", "--map-by~:PE=N --cpus-per-proc --cpus-per-rank", "", "", "", "",
      "--cpus-per-task"}},
    {{"--show", "", "", "--local-ranks-filter --local_ranks_filter", "", "", ""}},
    {{"--dry-run", "--dry-run --display-map --do-not-launch", "--dry-run", "--dry-run", "--dry-run",
      "--dry-run", "--test-only"}},
    {{"--ssh-command", "--ssh-command", "-launcher-exec -bootstrap-exec", "--ssh-command",
      "--ssh-command", "--ssh-command", ""}},
    {{"--agent-path", "--agent-path --launch-agent", "--agent-path", "--agent-path", "--agent-path",
      "--agent-path", ""}},
    {.words = {"--color --colour", "", "", "", "", "", ""}, .variable = "MUSTER_COLOR"},
    {{"", "", "", "--nnodes", "", "--num_nodes", "-N --nodes"}},
    {{"", "", "", "--master-addr --master_addr", "", "--master_addr", ""}},
    {{"", "", "", "--master-port --master_port", "", "--master_port", ""}},
    {{"", "--allow-run-as-root", "", "", "", "", ""}},
    {{"", "--nooversubscribe", "", "", "", "", ""}},
    {{"", "--mca --gmca --omca --prtemca", "", "", "", "", ""}},
};

std::string_view without_dashes(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  return name;
}

// "--map-by~node" is what to write, and says nothing of --map-by; "-x~NAME=VALUE" is -x.
std::string_view name_of(std::string_view word) {
  const std::size_t end = std::min(word.find('~'), word.size());
  const bool is_choice = end + 1 < word.size() && (word[end + 1] < 'A' || word[end + 1] > 'Z');
  return is_choice ? std::string_view() : without_dashes(word.substr(0, end));
}

bool has(std::string_view words, std::string_view name) {
  return std::ranges::any_of(base::split(words, " "), [&](const std::string& word) {
    return !name.empty() && name_of(word) == name;
  });
}

std::string instead_of(std::string_view name, std::size_t whose, const Concept& said,
                       std::size_t here) {
  const std::string whose_it_is = fmt::format("{} is an option of {}", name, kLauncherNames[whose]);
  const std::string_view words = said.words[here];
  if (words.empty() && !said.in_front.empty()) {
    return fmt::format("{}: write {} before {}, which passes its environment on", whose_it_is,
                       said.in_front, kLauncherNames[here]);
  }
  if (words.empty() && !said.variable.empty()) {
    return fmt::format("{}: {} takes the variable {} instead", whose_it_is, kLauncherNames[here],
                       said.variable);
  }
  if (words.empty()) {
    return fmt::format("{}: leave it out, and its value if it has one; {} needs no such option",
                       whose_it_is, kLauncherNames[here]);
  }
  std::string word(words.substr(0, words.find(' ')));
  std::ranges::replace(word, '~', ' ');
  return fmt::format("{}: {} calls it {}", whose_it_is, kLauncherNames[here], word);
}

}  // namespace

std::string elsewhere(std::string_view name, Launcher launcher) {
  const auto here = static_cast<std::size_t>(launcher);
  const auto is_own = [&](const Concept& one) {
    return has(one.words[here], without_dashes(name));  // with other dashes
  };
  if (std::ranges::any_of(kConcepts, is_own)) return {};
  for (const Concept& one : kConcepts) {
    // People bring along what others have; muster run, the first, took some of it from them.
    for (std::size_t i = 1; i <= kLauncherCount; ++i) {
      const std::size_t other = i % kLauncherCount;
      if (other != here && has(one.words[other], without_dashes(name))) {
        return instead_of(name, other, one, here);
      }
    }
  }
  return {};
}

}  // namespace muster::front
