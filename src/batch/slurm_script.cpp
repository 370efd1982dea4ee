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

std::string option(const std::string& name, const std::string& value) {
  return value.empty() ? "--" + name : fmt::format("--{}={}", name, directive_word(value));
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

  std::vector<std::string> all() {
    given();
    asked();
    ours();
    return std::move(lines_);
  }

 private:
  void add(const std::string& name, const std::string& value = {}) {
    lines_.push_back(option(name, value));
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
    if (wish_.gpus_per_node && !has({"gres", "gpus-per-node", "gpus", "gpus-per-task"})) {
      add("gpus-per-node", std::to_string(*wish_.gpus_per_node));
    }
    if (wish_.memory && !has({"mem", "mem-per-cpu", "mem-per-gpu"})) {
      add("mem", fmt::format("{}M", (*wish_.memory + kMiB - 1) / kMiB));
    }
    if (wish_.limit && !has({"time"})) add("time", std::to_string(minutes(*wish_.limit)));
    // A run that has failed is not begun again unless its user says so; JobRequeue is on by
    // default.
    if (!has({"requeue", "no-requeue"})) add("no-requeue");
  }

  // The run ends first, in order, and says so.
  static std::int64_t minutes(base::Duration limit) {
    constexpr std::int64_t kMore = 2;
    return std::chrono::ceil<std::chrono::minutes>(limit).count() + kMore;
  }

  void ours() {
    add("nodes", std::to_string(wish_.nodes));
    add("ntasks-per-node", std::to_string(wish_.per_node));
    if (!wish_.name.empty()) add("job-name", wish_.name);
    if (!wish_.folder.empty()) add("chdir", wish_.folder);
    if (!wish_.out.empty()) add("output", file_name(wish_.out));
    if (!wish_.err.empty()) add("error", file_name(wish_.err));
    add("export", "ALL");
    add("no-kill");              // a node that is lost ends the run, which says which one it was
    add("open-mode", "append");  // a job that is queued again keeps what it has said
  }

  const Wish& wish_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string slurm_script(const Wish& wish) {
  return script_text(wish, "#SBATCH", Directives(wish).all());
}

}  // namespace muster::batch
