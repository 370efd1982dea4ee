// From a wish to lines of #SBATCH.
#include "batch/slurm_script.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "batch/script.hpp"

namespace muster::batch {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string with_dashes(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

bool is_true(std::string_view value) { return value.starts_with('t') || value.starts_with('T'); }

// sbatch reads a line nearly as a shell would, and takes what follows a # for a comment; but a
// backslash takes the meaning of the next character in single quotes, too (slurm src/sbatch/opt.c,
// _get_argument).
std::string directive_word(const std::string& value) {
  std::string text;
  for (const char c : value) text += c == '\\' ? std::string("\\\\") : std::string(1, c);
  return base::shell_word(text);
}

// In a file's name Slurm puts numbers of the job for %j and the like (sbatch(1), filename pattern).
std::string file_name(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

class Directives {
 public:
  explicit Directives(const Wish& wish) : wish_(wish) {}

  std::vector<Wish::Named> of_script() {
    given();
    asked();
    of_batch_job();
    return std::move(options_);
  }

  std::vector<Wish::Named> of_allocation() {
    given();
    asked();
    size();
    add("no-kill");
    add("kill-command", "TERM");
    return std::move(options_);
  }

 private:
  void add(const std::string& name, const std::string& value = {}) {
    options_.emplace_back(name, value);
  }

  void given() {
    for (const auto& [key, value] : wish_.options) {
      if (key == "exclusive") {
        if (is_true(value)) add(key);
      } else if (key == "requeue") {
        add(is_true(value) ? "requeue" : "no-requeue");
      } else if (key == "signal") {
        add(key, value.find(':') == std::string::npos ? "B:" + value : value);
      } else {
        add(with_dashes(key), value);
      }
    }
    for (const auto& [name, value] : wish_.raw) add(name, value == "true" ? "" : value);
  }

  [[nodiscard]] bool has(std::initializer_list<std::string_view> keys) const {
    const auto in = [&](const Wish::Named& one) {
      return std::ranges::find(keys, with_dashes(one.first)) != keys.end();
    };
    return std::ranges::any_of(wish_.options, in) || std::ranges::any_of(wish_.raw, in);
  }

  // Of the job, unless the target says it.
  void asked() {
    if (wish_.cpus_per_task && !has({"cpus-per-task"})) {
      add("cpus-per-task", std::to_string(*wish_.cpus_per_task));
    }
    if (!has({"gres", "gpus-per-node", "gpus", "gpus-per-task"})) {
      if (wish_.gpus_per_node) add("gpus-per-node", std::to_string(*wish_.gpus_per_node));
      if (wish_.gpus_per_task) add("gpus-per-task", std::to_string(*wish_.gpus_per_task));
    }
    if (wish_.memory && !has({"mem", "mem-per-cpu", "mem-per-gpu"})) {
      add("mem", fmt::format("{}M", (*wish_.memory + kMiB - 1) / kMiB));
    }
    if (wish_.limit && !has({"time"})) add("time", std::to_string(minutes(*wish_.limit)));
  }

  // The run ends first, in order, and says so.
  static std::int64_t minutes(base::Duration limit) {
    constexpr std::int64_t kMore = 2;
    return std::chrono::ceil<std::chrono::minutes>(limit).count() + kMore;
  }

  void size() {
    const auto count = [this](const char* name, std::uint32_t value) {
      if (value > 0 && !has({name})) add(name, std::to_string(value));
    };
    count("nodes", wish_.nodes);
    count("ntasks-per-node", wish_.per_node);
    count("ntasks", wish_.tasks);
    if (!wish_.name.empty() && !has({"job-name"})) add("job-name", wish_.name);
  }

  void of_batch_job() {
    // A run that has failed is not begun again unless its user says so; JobRequeue is on by
    // default.
    if (!has({"requeue", "no-requeue"})) add("no-requeue");
    size();
    if (!wish_.folder.empty()) add("chdir", wish_.folder);
    if (!wish_.out.empty()) add("output", file_name(wish_.out));
    if (!wish_.err.empty()) add("error", file_name(wish_.err));
    add("export", "ALL");
    add("no-kill");              // a node that is lost ends the run, which says which one it was
    add("open-mode", "append");  // a job that is queued again keeps what it has said
  }

  const Wish& wish_;
  std::vector<Wish::Named> options_;
};

std::string long_option(const std::string& name, const std::string& value) {
  return value.empty() ? "--" + name : fmt::format("--{}={}", name, value);
}

}  // namespace

std::string slurm_script(const Wish& wish) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : Directives(wish).of_script()) {
    lines.push_back(long_option(name, value.empty() ? value : directive_word(value)));
  }
  return script_text(wish, "#SBATCH", std::move(lines));
}

Words slurm_allocation(const Wish& wish, const Words& command) {
  Words words = {"salloc"};
  for (const auto& [name, value] : Directives(wish).of_allocation()) {
    words.push_back(long_option(name, value));
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace muster::batch
