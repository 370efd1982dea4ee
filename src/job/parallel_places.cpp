// Asks, for paths that meet, whether both of their steps may run at the same time.
#include "job/parallel_places.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>

#include "base/path.hpp"
#include "base/words.hpp"
#include "job/values.hpp"

namespace muster::job {
namespace {

// By its words alone: where links lead is not known here. Paths are absolute by now, so that ".."
// at the top stays there. std::filesystem's lexically_normal() would keep the slash at the end of
// "/a/" and of "/a/.", which is the same folder as "/a"; and pure rooms do without that header.
std::string plain(std::string_view path) {
  std::vector<std::string> names;
  for (std::string& name : base::split(path, "/")) {
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else if (name != ".") {
      names.push_back(std::move(name));
    }
  }
  return fmt::format("/{}", fmt::join(names, "/"));
}

bool is_one_of_several(const GraphStep& step, std::size_t before) {
  const auto has = [&](const MadeBy& makers) {
    return makers.size() > 1 && std::ranges::count(makers, before, &StepOutput::step) > 0;
  };
  return has(step.items) ||
         std::ranges::any_of(step.inputs, has,
                             [](auto& one) -> const MadeBy& { return one.second; }) ||
         std::ranges::any_of(step.when, has, &Condition::output);
}

// What must hold for the step to run: its own conditions, and those of all that it cannot do
// without.
std::vector<Condition> conditions_of(const std::vector<GraphStep>& steps, std::size_t step) {
  std::vector<Condition> all;
  std::set<std::size_t> seen = {step};
  for (std::vector<std::size_t> left = {step}; !left.empty();) {
    const std::size_t at = left.back();
    left.pop_back();
    const GraphStep& one = steps[at];
    all.insert(all.end(), one.when.begin(), one.when.end());
    if (one.anyway) continue;
    for (const std::size_t before : one.after) {
      if (!is_one_of_several(one, before) && seen.insert(before).second) left.push_back(before);
    }
  }
  return all;
}

// Whether a condition lets one of two steps run only if the other does not.
bool exclude_each_other(const std::vector<Condition>& one, const std::vector<Condition>& other) {
  return std::ranges::any_of(one, [&](const Condition& condition) {
    return std::ranges::count(other, Condition{condition.output, !condition.is}) > 0;
  });
}

struct WritingStep {
  std::size_t step = 0;
  const Output* output = nullptr;
};

class Places {
 public:
  Places(const Graph& graph, Complaints& complaints)
      : graph_(graph), complaints_(complaints), conditions_(graph.steps.size()) {}

  void tell() {
    for (std::size_t i = 0; i < graph_.steps.size() && !complaints_.full(); ++i) {
      std::map<std::string, WritingStep> own;
      for (const Output& output : graph_.steps[i].job.outputs) {
        if (says_path(output)) own.emplace(plain(output.path->text), WritingStep{i, &output});
      }
      for (const auto& [path, writer] : own) tell(path, writer);
      for (const auto& [path, writer] : own) writers_[path].push_back(writer);
    }
  }

 private:
  void tell(const std::string& path, const WritingStep& writer) {
    for (std::size_t end = path.size(); end > 0 && end != std::string::npos;
         end = path.rfind('/', end - 1)) {
      const auto found = writers_.find(path.substr(0, end));
      if (found != writers_.end() && tell(path, writer, found->first, found->second)) return;
    }
    for (auto at = writers_.upper_bound(path + "/");
         at != writers_.end() && base::lies_in(at->first, path); ++at) {
      if (tell(path, writer, at->first, at->second)) return;
    }
  }

  // Of the steps that stand before it, the last one that does not wait.
  bool tell(const std::string& path, const WritingStep& writer, const std::string& other_path,
            const std::vector<WritingStep>& others) {
    const GraphStep& step = graph_.steps[writer.step];
    const std::vector<bool>& earlier = before(writer.step);
    const auto found =
        std::ranges::find_if(others.rbegin(), others.rend(), [&](const WritingStep& other) {
          const bool is_meant = writer.output->overwrite && other.output->overwrite;
          return !is_meant && !earlier[other.step] &&
                 !exclude_each_other(conditions(writer.step), conditions(other.step));
        });
    if (found == others.rend()) return false;
    const std::string& name = graph_.steps[found->step].name;
    const Mark first = found->output->mark;
    complaints_.add(
        writer.output->mark,
        fmt::format("the steps {} and {} may run at the same time, and write to {} ({}: {}:{}:{})",
                    step.name, name,
                    path == other_path ? "the same path, " + path : path + " and " + other_path,
                    name, complaints_.source(first.file), first.line, first.column),
        "use another path, make one step's output an input of the other, or say overwrite: true of "
        "both");
    return true;
  }

  // Gathered once for each step that meets another one.
  const std::vector<Condition>& conditions(std::size_t step) {
    std::optional<std::vector<Condition>>& own = conditions_[step];
    if (!own) own = conditions_of(graph_.steps, step);
    return *own;
  }

  // All that the step waits for, and what those wait for.
  const std::vector<bool>& before(std::size_t step) {
    if (of_ == step) return before_;
    of_ = step;
    before_.assign(graph_.steps.size(), false);
    before_[step] = true;
    for (std::size_t i = step + 1; i-- > 0;) {
      if (!before_[i]) continue;
      for (const std::size_t needed : graph_.steps[i].after) before_[needed] = true;
    }
    return before_;
  }

  const Graph& graph_;
  Complaints& complaints_;
  std::map<std::string, std::vector<WritingStep>> writers_;  // of steps that stand before, by path
  std::optional<std::size_t> of_;
  std::vector<bool> before_;                                       // of that step
  std::vector<std::optional<std::vector<Condition>>> conditions_;  // index: a step
};

}  // namespace

void tell_parallel_places(const Graph& graph, Complaints& complaints) {
  Places(graph, complaints).tell();
}

}  // namespace muster::job
