// Judges values, and the names of options that are passed on unread.
#include "job/check_batch.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "base/words.hpp"
#include "spec/in_quotes.hpp"
#include "spec/notice.hpp"

namespace muster::job {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 9 && std::ranges::all_of(text, is_digit);
}

// M, M:S, H:M:S, D-H, D-H:M, D-H:M:S, or no limit at all (sbatch(1), --time).
bool is_time(std::string_view text) {
  if (text == "infinite" || text == "UNLIMITED") return true;
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days && !is_number(text.substr(0, dash))) return false;
  std::string_view rest = has_days ? text.substr(dash + 1) : text;
  int parts = 0;
  for (;; ++parts) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (!is_number(rest.substr(0, colon)) || parts == 3) return false;
    if (colon == rest.size()) return true;
    rest = rest.substr(colon + 1);
  }
}

// [R][B]:SIGNAL[@SECONDS] would be taken as well; muster hears what its own process is sent.
bool is_signal(std::string_view text) {
  const std::size_t colon = text.find(':');
  return spec::read_notice(colon < 3 ? text.substr(colon + 1) : text).has_value();
}

// 0-15, 1,3,5, 0-15:4, any of them with %4 (sbatch(1), --array).
bool is_array(std::string_view text) {
  const std::size_t percent = std::min(text.find('%'), text.size());
  const std::string_view tasks = text.substr(0, percent);
  const bool is_bounded = percent < text.size();
  return !tasks.empty() && is_digit(tasks.front()) && is_digit(tasks.back()) &&
         tasks.find_first_not_of("0123456789,-:") == std::string_view::npos &&
         (!is_bounded || is_number(text.substr(percent + 1)));
}

// Those of qsub may be capital letters, or have _: hold_jid.
bool is_option_name(std::string_view name, bool is_of_qsub) {
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' ||
           (is_of_qsub && (c == '_' || (c >= 'A' && c <= 'Z')));
  };
  return !name.empty() && name.front() != '-' && name.front() != '_' &&
         std::ranges::all_of(name, fits);
}

// Options by which muster hands the run over and finds it again, and what to use instead.
struct Ours {
  std::string_view names;  // with blanks between
  std::string_view instead;
};

struct Options {
  std::string_view kind;
  std::span<const Ours> ours;
  bool is_of_qsub;
  std::string_view lost;  // characters that its scripts cannot have in a value
  std::string_view hint;  // where people find the others
};

constexpr std::string_view kOutputIsKept =
    "muster logs shows the output, which is in the run's record";
constexpr std::string_view kFolderIs = "the job starts in the folder in which submit is called";
constexpr std::string_view kProcessesAre = "the job says how many processes it has";
constexpr std::string_view kNameIs = "name: of the job";
constexpr std::string_view kInputIs = "inputs: of the job";

constexpr std::array<Ours, 13> kSlurms = {{
    {"nodes", "it is a key of its own: nodes: 4, beside options:"},
    {"ntasks ntasks-per-node", kProcessesAre},
    {"job-name", kNameIs},
    {"output error open-mode", kOutputIsKept},
    {"input", kInputIs},
    {"chdir", kFolderIs},
    {"export export-file",
     "all variables of the shell go with the job; environment_variables: of "
     "the job adds some"},
    {"no-kill", "muster gives it: a node that is lost ends the run, which names it"},
    {"wrap", "command: of the job"},
    {"wait", "submit waits by itself, unless --detach says otherwise"},
    {"test-only parsable quiet help usage version",
     "muster reads what sbatch answers; --check of muster submit asks whether it would take the "
     "job"},
    {"array", "it is a key of its own: array: 0-15, beside options:"},
    {"clusters cluster", "call muster on a login node of that cluster"},
}};
constexpr std::array<Ours, 14> kGridEngines = {{
    {"pe", "it is a key of its own: pe: mpi, beside options:"},
    {"q masterq", "it is a key of its own: queue: long.q, beside options:"},
    {"P", "it is a key of its own: project: ours, beside options:"},
    {"A", "it is a key of its own: account: ours, beside options:"},
    {"N", kNameIs},
    {"o e j", kOutputIsKept},
    {"i", kInputIs},
    {"wd cwd", kFolderIs},
    {"V", "all variables of the shell go with the job already"},
    {"S b C", "setup: of the target has lines of shell before muster starts"},
    {"notify", "its signals would kill the ranks; muster stop gives them theirs"},
    {"t", "each task would be a run of its own: write a sweep, or several jobs"},
    {"now sync", "submit waits by itself, unless --detach says otherwise"},
    {"clear terse verify help",
     "muster reads what qsub answers; --check of muster submit asks whether it would take the job"},
}};

constexpr std::array<Options, 2> kOptions = {
    {{"slurm", kSlurms, false, "", "the long names of sbatch(1), without the dashes: core-spec: 2"},
     {"grid_engine", kGridEngines, true, "'\"#", "those of qsub(1), without the dash: p: -10"}}};

const Options& options_of(std::string_view kind) {
  const auto* const found = std::ranges::find(kOptions, kind, &Options::kind);
  return found == kOptions.end() ? kOptions.front() : *found;
}

// What to use instead of an option; empty: nothing.
std::string instead_of(std::string_view name, const Options& options) {
  for (const Ours& one : options.ours) {
    const std::vector<std::string> names = base::split(one.names, " ");
    if (std::ranges::find(names, name) != names.end()) return std::string(one.instead);
  }
  return {};
}

class BatchCheck {
 public:
  BatchCheck(const BatchPlace& place, std::string path, Complaints& complaints)
      : place_(place),
        options_(options_of(place.kind)),
        path_(std::move(path)),
        complaints_(complaints) {}

  void run() {
    for (const Named& one : place_.options) value(one, "");
    for (const Named& one : place_.options) grammar(one);
    for (const Named& one : place_.raw) value(one, "options.");
    for (const Named& one : place_.raw) name(one);
    together("mem", "options.mem-per-cpu", "mem-per-cpu");
    for (const Text& line : place_.setup) text(line, "setup");
    if (place_.program) text(*place_.program, "muster");
  }

 private:
  void add(Mark mark, const std::string& key, const std::string& what, std::string hint) {
    complaints_.add(mark, fmt::format("{}.{} {}", path_, key, what), std::move(hint));
  }

  // It becomes a line of the script.
  void text(const Text& value, const std::string& key) {
    const auto breaks = [](char c) { return c == '\n' || c == '\r' || c == '\0'; };
    if (std::ranges::any_of(value.text, breaks)) {
      add(value.begin, key, "has more than one line", "a list has one item for each line");
    }
  }

  void value(const Named& one, const std::string& above) {
    if (one.value.text.empty()) {
      add(one.mark, above + one.name, "is empty", "leave it out, or give it a value");
    }
    if (one.value.text.find_first_of(options_.lost) != std::string::npos) {
      add(one.value.begin, above + one.name, "cannot have a quote or a #",
          "it is a line of the script, from which qsub removes quotes, and what follows a #");
    }
    text(one.value, above + one.name);
  }

  void grammar(const Named& one) {
    const std::string& given = one.value.text;
    if (one.name == "time" && !given.empty() && !is_time(given)) {
      add(one.value.begin, one.name,
          fmt::format("must be a time limit, not {}", spec::in_quotes(given)),
          "minutes, H:MM:SS or D-HH:MM:SS; 2-0 is two days");
    }
    if (one.name == "array" && !given.empty() && !is_array(given)) {
      add(one.value.begin, one.name,
          fmt::format("must be numbers of tasks, not {}", spec::in_quotes(given)),
          "for example 0-15, or 0-15%4: no more than four at a time");
    }
    if (one.name == "signal" && !given.empty() && !is_signal(given)) {
      const bool has_time = given.find('@') != std::string::npos;
      add(one.value.begin, one.name,
          fmt::format("must be {}, not {}", has_time ? "a signal" : "SIGNAL@SECONDS",
                      spec::in_quotes(given)),
          "for example USR1@60: a minute before the time limit");
    }
  }

  void name(const Named& one) {
    const std::string key = "options." + one.name;
    if (!is_option_name(one.name, options_.is_of_qsub)) {
      add(one.mark, key, "cannot be an option", std::string(options_.hint));
    } else if (std::string instead = instead_of(one.name, options_); !instead.empty()) {
      add(one.mark, key, "cannot be given", std::move(instead));
    } else {
      twice(one);
    }
  }

  void twice(const Named& one) {
    for (const Named& known : place_.options) {
      std::string spelled = known.name;
      std::ranges::replace(spelled, '_', '-');
      if (spelled != one.name) continue;
      add(one.mark, "options." + one.name, fmt::format("is {} once more", known.name),
          "keep one of them");
    }
  }

  void together(const std::string& key, const std::string& other_key, const std::string& other) {
    const auto has = std::ranges::find(place_.options, key, &Named::name);
    const auto raw = std::ranges::find(place_.raw, other, &Named::name);
    if (has == place_.options.end() || raw == place_.raw.end()) return;
    add(raw->mark, other_key, fmt::format("and {} cannot be combined", key), "keep one of them");
  }

  const BatchPlace& place_;
  const Options& options_;
  std::string path_;
  Complaints& complaints_;
};

}  // namespace

void check_batch(const BatchPlace& place, const std::string& path, Complaints& complaints) {
  BatchCheck(place, path, complaints).run();
}

}  // namespace muster::job
