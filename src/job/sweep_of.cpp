// Judges search spaces, samplings and policies.
#include "job/sweep_of.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/words.hpp"
#include "job/expression.hpp"
#include "job/number.hpp"
#include "job/sweep_bounds.hpp"
#include "job/sweep_keys.hpp"
#include "job/table_reader.hpp"
#include "spec/in_quotes.hpp"
#include "sweep/draw.hpp"
#include "sweep/metric_text.hpp"
#include "sweep/sampler.hpp"
#include "sweep/sobol.hpp"
#include "sweep/steady_math.hpp"

namespace muster::job {
namespace {

using sweep::Law;

constexpr std::size_t kSpaceDepthMax = 8;
constexpr std::size_t kParametersMax = 1000;
constexpr double kWholeMax = 0x1p53;

std::string out_of_range(const std::string& name, int least, double number) {
  return fmt::format("{} must be a whole number from {} to {:.0f}, not {}", name, least, kWholeMax,
                     number);
}

double double_of(const std::optional<Text>& text, double otherwise = 0) {
  return text ? number_of(text->text).value_or(otherwise) : otherwise;
}

// ---- search spaces ----

struct Needed {
  std::string_view key;
  const std::optional<Text>& value;
  bool needed;
};

class SpaceReader {
 public:
  // `component`: whose inputs get the values; null: the trial is not one.
  SpaceReader(const JobFile* component, double log_base, Complaints& complaints)
      : component_(component), log_base_(log_base), complaints_(complaints) {}

  sweep::Space read(const std::vector<ParameterKeys>& keys, const std::string& path) {
    sweep::Space space;
    for (const ParameterKeys& one : keys) {
      space.push_back(read(one, path + one.name));
    }
    return space;
  }

  // Where the names stand, in the order of a Point.
  [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }
  // Whether all parameters have what their laws need.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  // Of one that has been complained about, the name alone counts.
  sweep::Parameter read(const ParameterKeys& keys, const std::string& path) {
    sweep::Parameter parameter{keys.name, Law::uniform, 0, 1, 0, 0, {}};
    marks_.push_back(keys.mark);
    if (!job::is_name(keys.name)) {
      complaints_.add(keys.mark, spec::in_quotes(keys.name) + " is not a name for a parameter",
                      "a name has only letters, digits, _ and -");
    }
    if (!keys.type) return parameter;
    if (++count_ > kParametersMax) {
      if (count_ == kParametersMax + 1) {
        complaints_.add(
            keys.mark, fmt::format("a search space has at most {} parameters", kParametersMax), "");
      }
      return parameter;
    }
    const Law law = *sweep::law_of(base::lower(keys.type->text));
    if (!has_its_keys(keys, law, path)) return parameter;
    parameter.law = law;
    const std::size_t before = complaints_.size();
    set_numbers(keys, path, parameter);
    if (complaints_.size() == before) check_reach(keys, path, parameter);
    if (component_ != nullptr && complaints_.size() == before) {
      check_bounds(keys, parameter, *component_, log_base_, complaints_);
    }
    if (law == Law::choice) parameter.options = options_of(*keys.values, path + ".values");
    return parameter;
  }

  bool has_its_keys(const ParameterKeys& keys, Law law, const std::string& path) {
    const std::string_view name = sweep::word(law);
    const bool spans = name.ends_with("uniform");
    const bool normal = name.ends_with("normal");
    const Needed all[] = {{"upper", keys.upper, law == Law::randint},
                          {"min_value", keys.least, spans},
                          {"max_value", keys.most, spans},
                          {"mu", keys.mu, normal},
                          {"sigma", keys.sigma, normal},
                          {"q", keys.quantum, name.starts_with('q')}};
    const std::size_t before = complaints_.size();
    bool has_all = law != Law::choice || keys.values;
    for (const Needed& one : all) {
      if (one.needed && !one.value) missing(keys, path, name, one.key);
      has_all = has_all && (!one.needed || one.value);
      if (!one.needed && one.value) {
        complaints_.add(one.value->begin,
                        fmt::format("{}.{} has no meaning for type {}", path, one.key, name),
                        "remove it, or change the type");
      }
    }
    if (law == Law::choice && !keys.values) missing(keys, path, name, "values");
    if (law != Law::choice && keys.values) {
      complaints_.add(keys.values->begin,
                      path + ".values has no meaning for type " + std::string(name),
                      "write type: choice");
    }
    is_whole_ = is_whole_ && has_all;
    return has_all && complaints_.size() == before;
  }

  void missing(const ParameterKeys& keys, const std::string& path, std::string_view law,
               std::string_view key) {
    if (std::ranges::count(keys.written, key) > 0) return;
    complaints_.add(keys.type->begin, fmt::format("the key {}.{} is missing", path, key),
                    fmt::format("type {} needs it", law));
  }

  void set_numbers(const ParameterKeys& keys, const std::string& path,
                   sweep::Parameter& parameter) {
    if (keys.least) {
      parameter.first = double_of(keys.least);
      parameter.second = double_of(keys.most);
      if (parameter.first >= parameter.second) {
        complaints_.add(keys.least->begin, path + ": min_value must be below max_value", "");
      }
    }
    if (keys.mu) {
      parameter.first = double_of(keys.mu);
      parameter.second = positive(*keys.sigma, path + ".sigma");
    }
    if (keys.quantum) parameter.quantum = positive(*keys.quantum, path + ".q");
    if (!keys.upper) return;
    const double upper = double_of(keys.upper);
    if (upper < 1 || upper > kWholeMax || upper != std::floor(upper)) {
      return complaints_.add(keys.upper->begin, out_of_range(path + ".upper", 1, upper), "");
    }
    parameter.upper = static_cast<std::uint64_t>(upper);
  }

  void check_reach(const ParameterKeys& keys, const std::string& path,
                   const sweep::Parameter& parameter) {
    if (parameter.law == Law::choice || sweep::can_be_drawn(parameter, log_base_)) return;
    const bool is_log = sweep::word(parameter.law).find("log") != std::string_view::npos;
    complaints_.add(
        keys.least ? keys.least->begin : keys.mu->begin,
        fmt::format("{}: type {} would give values that are infinite or 0 to a computer", path,
                    sweep::word(parameter.law)),
        is_log ? "its numbers are exponents: from -6 to -1 means from e^-6 to e^-1"
               : "write numbers up to 1e300, and a q that is not so small");
  }

  double positive(const Text& text, const std::string& path) {
    const double number = double_of(text);
    if (number <= 0) complaints_.add(text.begin, path + " must be above 0", "");
    return number;
  }

  std::vector<sweep::Option> options_of(const Node& values, const std::string& path) {
    std::vector<sweep::Option> options;
    if (values.kind != Kind::list || values.items.empty()) {
      complaints_.add(values.begin, path + " must be a list with at least one value",
                      "write [A, B]");
      return options;
    }
    for (const SharedNode& item : values.items) {
      if (item->kind == Kind::text) {
        options.push_back({item->text, {}});
      } else if (item->kind == Kind::map) {
        options.push_back({"", members_of(*item, path + ".")});
      } else {
        complaints_.add(item->begin, fmt::format("{} holds {}", path, word(item->kind)),
                        "each value is a text or a map");
      }
    }
    return options;
  }

  // A map among the values of a choice: what it holds is given beside the choice. A text in it is a
  // parameter that has one value.
  sweep::Space members_of(const Node& map, const std::string& path) {
    sweep::Space members;
    if (++depth_ > kSpaceDepthMax) {
      complaints_.add(
          map.begin, fmt::format("search spaces are nested more than {} deep", kSpaceDepthMax), "");
    } else {
      for (const Entry& entry : map.entries) add_member(entry, path, members);
    }
    --depth_;
    return members;
  }

  void add_member(const Entry& entry, const std::string& path, sweep::Space& members) {
    if (entry.value->kind == Kind::text) {
      marks_.push_back(entry.mark);
      members.push_back({entry.key, Law::choice, 0, 1, 0, 0, {{entry.value->text, {}}}});
      return;
    }
    if (entry.value->kind != Kind::map) {
      complaints_.add(entry.mark,
                      fmt::format("{}{} must be a text or a map, not {}", path, entry.key,
                                  word(entry.value->kind)),
                      "");
      return;
    }
    JobFile one;
    add_parameter(one, {entry.key, entry.mark, *entry.value});
    TableReader<JobFile>(one, complaints_)
        .read(*entry.value, parameter_keys(), path + entry.key + ".");
    members.push_back(read(one.sweep_keys.space.front(), path + entry.key));
  }

  const JobFile* component_;
  double log_base_;
  Complaints& complaints_;
  std::vector<Mark> marks_;
  std::size_t count_ = 0;
  std::size_t depth_ = 0;
  bool is_whole_ = true;
};

// A name within an option stands for one value only.
class NameCheck {
 public:
  NameCheck(const std::vector<Mark>& marks, Complaints& complaints)
      : marks_(marks), complaints_(complaints) {}

  // `at`: the dimension of the first; `taken`: names that have a value wherever these have one.
  void check(const sweep::Space& space, std::size_t at, std::map<std::string, Mark> taken) {
    std::size_t next = at;
    for (const sweep::Parameter& parameter : space) {
      const auto [first, is_new] = taken.try_emplace(parameter.name, marks_[next]);
      if (!is_new) tell(parameter.name, marks_[next], first->second);
      next += sweep::dimensions({parameter});
    }
    for (const sweep::Parameter& parameter : space) {
      ++at;
      for (const sweep::Option& option : parameter.options) {
        check(option.members, at, taken);
        at += sweep::dimensions(option.members);
      }
    }
  }

 private:
  // Once for each name.
  void tell(const std::string& name, Mark second, Mark first) {
    if (!told_.insert(name).second) return;
    complaints_.add(
        second, fmt::format("the search space gives {} two values at once", spec::in_quotes(name)),
        fmt::format("line {} gives it one, too: write another name", first.line));
  }

  const std::vector<Mark>& marks_;
  Complaints& complaints_;
  std::set<std::string> told_;
};

// ---- sampling ----

double log_base_of(const std::optional<Text>& text, Complaints& complaints) {
  if (!text || text->text == "e") return 1;
  const auto base = number_of(text->text);
  if (base && *base > 0 && *base != 1) return sweep::log_of(*base);
  complaints.add(text->begin,
                 "sampling_algorithm.logbase must be e, or a number above 0 that is not 1", "");
  return 1;
}

const sweep::Parameter* first_number(const sweep::Space& space) {
  for (const sweep::Parameter& parameter : space) {
    if (parameter.law != Law::choice) return &parameter;
    for (const sweep::Option& option : parameter.options) {
      if (const auto* found = first_number(option.members)) return found;
    }
  }
  return nullptr;
}

void check_method(const SweepKeys& keys, const sweep::Settings& settings, Complaints& complaints) {
  const sweep::Parameter* number = first_number(settings.space);
  if (settings.sampling.method == sweep::Method::grid && number != nullptr) {
    complaints.add(keys.method->begin,
                   fmt::format("a grid takes choices only, and search_space.{} is of type {}",
                               number->name, sweep::word(number->law)),
                   "write type: choice and its values, or sampling_algorithm: random");
  }
  const std::size_t has = sweep::dimensions(settings.space);
  if (settings.sampling.method == sweep::Method::sobol && has > sweep::kSobolDimensions) {
    complaints.add(keys.rule->begin,
                   fmt::format("sobol takes at most {} parameters, and the search space has {}",
                               sweep::kSobolDimensions, has),
                   "leave rule out");
  }
}

void set_sampling(const SweepKeys& keys, sweep::Settings& settings, Complaints& complaints) {
  if (!keys.method) return;  // it has been complained about
  const std::string method = base::lower(keys.method->text);
  sweep::Sampling& sampling = settings.sampling;
  if (method == "grid") sampling.method = sweep::Method::grid;
  if (method == "bayesian") sampling.method = sweep::Method::bayesian;
  if (keys.rule && base::lower(keys.rule->text) == "sobol") {
    if (method == "random") sampling.method = sweep::Method::sobol;
    if (method != "random") {
      complaints.add(keys.rule->begin, "sampling_algorithm.rule is for type random", "remove it");
    }
  }
  if (keys.seed) {
    const double seed = double_of(keys.seed);
    if (seed < 0 || seed > kWholeMax || seed != std::floor(seed)) {
      complaints.add(keys.seed->begin, out_of_range("sampling_algorithm.seed", 0, seed), "");
    } else {
      sampling.seed = static_cast<std::uint64_t>(seed);
    }
  }
  check_method(keys, settings, complaints);
}

// ---- limits and policies ----

std::optional<base::Duration> seconds_of(const std::optional<Text>& text) {
  const double seconds = double_of(text);
  if (seconds <= 0) return std::nullopt;
  constexpr double kMost = 365.0 * 24 * 3600;
  return base::Duration(static_cast<std::int64_t>(std::min(seconds, kMost) * 1000));
}

void set_limits(const SweepKeys& keys, sweep::Limits& limits) {
  if (keys.trials) limits.trials = keys.trials->number;
  if (keys.at_once) limits.at_once = keys.at_once->number;
  limits.whole = seconds_of(keys.timeout);
  limits.one = seconds_of(keys.trial_timeout);
}

// A slack of 0 is none: the SDK writes both.
void set_slack(const SweepKeys& keys, sweep::Policy& policy, Complaints& complaints) {
  const auto is_wrong = [&](std::string_view key, const std::optional<Text>& value) {
    return !value && std::ranges::count(keys.of_policy, key) > 0;
  };
  if (is_wrong("slack_factor", keys.slack_factor) || is_wrong("slack_amount", keys.slack_amount)) {
    return;  // it has been complained about
  }
  const double factor = double_of(keys.slack_factor);
  const double amount = double_of(keys.slack_amount);
  if (factor < 0 || amount < 0 || (factor > 0) == (amount > 0)) {
    return complaints.add(keys.policy->begin,
                          "a bandit has one slack above 0: slack_factor or slack_amount",
                          "for example slack_factor: 0.2");
  }
  if (factor > 0) policy.slack_factor = factor;
  if (amount > 0) policy.slack_amount = amount;
}

void set_policy(const SweepKeys& keys, sweep::Policy& policy, Complaints& complaints) {
  if (!keys.policy) return;
  const std::string kind = base::lower(keys.policy->text);
  if (keys.interval) policy.interval = std::max(1U, keys.interval->number);
  if (keys.delay) policy.delay = keys.delay->number;
  policy.without_completed = keys.without_completed;
  if (kind == "bandit") {
    policy.kind = sweep::EarlyEnd::bandit;
    set_slack(keys, policy, complaints);
  } else if (kind == "median_stopping") {
    policy.kind = sweep::EarlyEnd::median_stopping;
  } else {
    policy.kind = sweep::EarlyEnd::truncation_selection;
    policy.percentage = keys.percentage ? keys.percentage->number : 0;
    constexpr std::string_view kPercentage = "truncation_percentage";
    const bool is_wrong = !keys.percentage && std::ranges::count(keys.of_policy, kPercentage) > 0;
    if (!is_wrong && (policy.percentage < 1 || policy.percentage > 99)) {
      complaints.add(keys.policy->begin,
                     fmt::format("early_termination.truncation_percentage must be from 1 to 99{}",
                                 keys.percentage ? fmt::format(", not {}", policy.percentage) : ""),
                     "");
    }
  }
}

void set_metric(const SweepKeys& keys, SweepFile& made, Complaints& complaints) {
  made.from_output = keys.metrics_from && keys.metrics_from->text == "output";
  if (!keys.metric) return;  // it has been complained about
  made.metric = keys.metric->text;
  const std::string name = spec::in_quotes(made.metric);
  if (!made.from_output && !sweep::is_metric_name(made.metric)) {
    complaints.add(keys.metric->begin, "MLflow cannot have a metric of the name " + name,
                   "names have letters, digits, blanks and _ - . : only, and / between such parts");
  }
  const bool can_be_printed = sweep::printed_value(made.metric + "=1", made.metric).has_value();
  if (made.from_output && !can_be_printed) {
    complaints.add(keys.metric->begin, "no line NAME=VALUE can have the name " + name,
                   "a name has no =, and no blanks around it");
  }
}

// ---- inputs of the trials ----

void sweep_inputs(const sweep::Space& space, const SweepKeys& keys, bool in_component,
                  JobFile& trial) {
  for (const std::string& name : sweep::names(space)) {
    for (Input& input : trial.inputs) {
      if (in_component && input.name == name) input.swept = true;
    }
    Input input;
    input.name = std::string(kSearchSpace) + name;
    input.mark = keys.mark;
    input.swept = true;
    input.optional = std::ranges::find(space, name, &sweep::Parameter::name) == space.end();
    trial.inputs.push_back(std::move(input));
  }
}

}  // namespace

void make_sweep(const SweepKeys& keys, bool in_component, JobFile& trial, Complaints& complaints) {
  auto made = std::make_shared<SweepFile>();
  sweep::Settings& settings = made->settings;
  settings.sampling.log_base = log_base_of(keys.log_base, complaints);
  const std::size_t before = complaints.size();
  SpaceReader reader(in_component ? &trial : nullptr, settings.sampling.log_base, complaints);
  settings.space = reader.read(keys.space, kSearchSpace.data());
  NameCheck(reader.marks(), complaints).check(settings.space, 0, {});
  if (reader.is_whole() && complaints.size() == before) set_sampling(keys, settings, complaints);
  if (keys.goal && base::lower(keys.goal->text) == "maximize") {
    settings.goal = sweep::Goal::maximize;
  }
  set_limits(keys, settings.limits);
  set_policy(keys, settings.policy, complaints);
  set_metric(keys, *made, complaints);
  sweep_inputs(settings.space, keys, in_component, trial);
  trial.sweep = std::move(made);
}

void assign(JobFile& trial, const std::vector<sweep::Assignment>& values) {
  for (Input& input : trial.inputs) {
    if (!input.swept) continue;
    std::string_view name = input.name;
    if (name.starts_with(kSearchSpace)) name.remove_prefix(kSearchSpace.size());
    const auto found = std::ranges::find(values, name, &sweep::Assignment::name);
    input.value.reset();
    if (found != values.end()) input.value = Text{found->text, input.mark, input.mark, true};
  }
}

}  // namespace muster::job
