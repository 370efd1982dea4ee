// Puts sweeps into words.
#include "view/sweep_words.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "sweep/sampler.hpp"

namespace muster::view {
namespace {

using sweep::Law;
using sweep::TrialState;

// "lr=0.1 kernel=rbf"
std::string values_words(const sweep::Space& space, const sweep::Point& point) {
  std::string text;
  for (const sweep::Assignment& one : sweep::assignments(space, point)) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", one.name, one.text);
  }
  return text;
}

std::string_view policy_word(sweep::EarlyEnd kind) {
  switch (kind) {
    case sweep::EarlyEnd::none:
      return "nobody";
    case sweep::EarlyEnd::bandit:
      return "bandit";
    case sweep::EarlyEnd::median_stopping:
      return "median stopping";
    case sweep::EarlyEnd::truncation_selection:
      return "truncation selection";
  }
  return "";
}

std::string_view method_word(sweep::Method method) {
  switch (method) {
    case sweep::Method::random:
      return "random";
    case sweep::Method::sobol:
      return "sobol";
    case sweep::Method::grid:
      return "grid";
    case sweep::Method::bayesian:
      return "bayesian";
  }
  return "";
}

// Followed by what the trial's values were.
std::string reached(const std::string& metric, const sweep::Trials& trials, std::size_t trial) {
  if (const auto value = trials.result(trial)) {
    return fmt::format("{} {}", metric, sweep::number_text(*value));
  }
  const auto odd = trials.uncounted(trial);
  if (!odd) return "no " + metric;
  return fmt::format("{} {}, which does not count,", metric, sweep::number_text(*odd));
}

// Whether a trial has completed with nothing but values that are not finite.
bool has_odd_values(const sweep::Trials& trials) {
  for (std::size_t i = 0; i < trials.trials().size(); ++i) {
    if (trials.trials()[i].state == TrialState::completed && trials.uncounted(i)) return true;
  }
  return false;
}

std::string why_no_best(const std::string& metric, const sweep::Trials& trials) {
  switch (trials.outcome()->end) {
    case sweep::SweepEnd::first_failed:
      return fmt::format("{} trials failed before any completed: the others were given up",
                         trials.failures_allowed());
    case sweep::SweepEnd::out_of_time:
      return "its time is up, and no trial has completed with a value of " + metric;
    case sweep::SweepEnd::interrupted:
      return "it was interrupted before a trial completed";
    case sweep::SweepEnd::completed:
    case sweep::SweepEnd::no_result:
      break;
  }
  if (has_odd_values(trials)) {
    return fmt::format("no trial completed with a value of {} that counts: it must be finite",
                       metric);
  }
  return fmt::format(
      "no trial completed with a value of {0}; trials log it through MLflow, or "
      "print {0}=VALUE, with metrics_from: output",
      metric);
}

std::string options_words(const sweep::Parameter& parameter) {
  std::string text;
  for (const sweep::Option& option : parameter.options) {
    const std::string one =
        option.members.empty() ? option.text : fmt::format("{{{}}}", option.members.size());
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

void add_rows(const sweep::Space& space, std::size_t depth, std::string& text) {
  for (const sweep::Parameter& parameter : space) {
    text +=
        fmt::format("{:{}}{}: {}\n", "", 2 + 2 * depth, parameter.name, parameter_words(parameter));
    for (const sweep::Option& option : parameter.options) {
      add_rows(option.members, depth + 1, text);
    }
  }
}

}  // namespace

std::string trial_note(const std::string& metric, const sweep::Trials& trials, std::size_t trial) {
  if (trial >= trials.trials().size()) return {};
  const sweep::Trials::Trial& one = trials.trials()[trial];
  const std::string values = values_words(trials.settings().space, one.point);
  switch (one.state) {
    case TrialState::completed:
      return fmt::format("{} with {}", reached(metric, trials, trial), values);
    case TrialState::ended_early:
      return fmt::format("ended early by {}: {} with {}",
                         policy_word(trials.settings().policy.kind), reached(metric, trials, trial),
                         values);
    case TrialState::out_of_time:
      return fmt::format("its time is up: {} with {}", reached(metric, trials, trial), values);
    case TrialState::running:
    case TrialState::failed:
    case TrialState::stopped:
    case TrialState::left_out:
      break;
  }
  return {};
}

std::string sweep_outcome(const std::string& metric, const sweep::Trials& trials,
                          const std::vector<std::string>& names) {
  const sweep::SweepOver& over = *trials.outcome();
  if (!over.best) return fmt::format("muster: {}\n", why_no_best(metric, trials));
  const auto left_out =
      std::ranges::count(trials.trials(), TrialState::left_out, &sweep::Trials::Trial::state);
  const std::size_t count = trials.trials().size() - static_cast<std::size_t>(left_out);
  const bool late = over.end == sweep::SweepEnd::out_of_time;
  return fmt::format("muster: {}the best of {} trial{} is {}: {} with {}\n",
                     late ? "the sweep's time is up; " : "", count, count == 1 ? "" : "s",
                     names[*over.best], reached(metric, trials, *over.best),
                     values_words(trials.settings().space, trials.trials()[*over.best].point));
}

std::string parameter_words(const sweep::Parameter& parameter) {
  const std::string law(sweep::word(parameter.law));
  if (parameter.law == Law::choice) return "choice of " + options_words(parameter);
  if (parameter.law == Law::randint)
    return fmt::format("randint from 0 to {}", parameter.upper - 1);
  const std::string first = sweep::number_text(parameter.first);
  const std::string second = sweep::number_text(parameter.second);
  std::string text = law.ends_with("normal") ? fmt::format("{} around {} by {}", law, first, second)
                                             : fmt::format("{} from {} to {}", law, first, second);
  if (parameter.quantum > 0) text += " in steps of " + sweep::number_text(parameter.quantum);
  return text;
}

std::string sweep_plan(const sweep::Settings& settings, const std::string& metric) {
  constexpr std::uint64_t kShown = 5;
  const std::uint64_t wanted = sweep::trials_of(settings);
  const bool less = settings.goal == sweep::Goal::minimize;
  std::string text =
      fmt::format("{} trials, {} at once, {}, to {} {}\n", wanted,
                  std::min<std::uint64_t>(settings.limits.at_once, wanted),
                  method_word(settings.sampling.method), less ? "minimize" : "maximize", metric);
  text += "search space:\n";
  add_rows(settings.space, 0, text);
  text += "first trials:\n";
  for (std::uint64_t i = 0; i < std::min(kShown, wanted); ++i) {
    text += fmt::format("  trial_{}: {}\n", i,
                        values_words(settings.space, sweep::sample(settings, i, {})));
  }
  return text;
}

}  // namespace muster::view
