// dialects: which variables a rank is given, and why it is not given the others.
#include "plan/dialects.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "plan/environment.hpp"
#include "plan/variable_owner.hpp"
#include "plan/variable_table.hpp"

namespace muster::plan {
namespace {

bool is_of_app(const Word& word) { return word.value.index() == 0; }

bool sets_threads(const Forwarded& kept, const model::JobSpec& spec) {
  if (spec.torch) return find(kept, "OMP_NUM_THREADS") != nullptr;
  return std::ranges::any_of(variable_table(), [&](const Word& word) {
    return word.yields == Yields::to_threads && find(kept, word.name) != nullptr;
  });
}

bool is_left_to_user(const AboutApp& about, const Word& word, bool own_threads) {
  if (word.yields == Yields::to_threads && own_threads) return true;
  if (word.yields == Yields::to_own && find(about.kept, word.name) != nullptr) return true;
  return is_exported(about, word.name);
}

bool is_left_to_ranks(const AboutApp& about) {
  const auto is_alone = [](const model::PlannedNode& one) { return one.ranks.size() < 2; };
  return about.spec.lone_ranks_start_workers && std::ranges::all_of(about.plan.nodes, is_alone);
}

bool is_msrun(std::string_view word) { return word.substr(word.rfind('/') + 1) == "msrun"; }

// Itself, or in a text for a shell.
bool calls_msrun(const model::App& app) {
  if (app.command.empty()) return false;
  if (is_msrun(app.command.front())) return true;
  const bool has_text =
      app.command.size() > 2 && app.command[1].starts_with('-') && app.command[1].ends_with('c');
  std::string_view text = has_text ? std::string_view(app.command[2]) : std::string_view();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\n;&|()"), text.size());
    if (is_msrun(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

// Why no rank of the app gets it; empty: it may.
std::string_view why_not(const AboutApp& about, const Word& word) {
  const model::EnvironmentRule& rule = about.spec.environment;
  if (model::is_unset(rule, word.name)) return kUnset;
  if (model::is_silent(rule, word.dialect)) return "its dialect is left out, as asked";
  if (word.name == "LOCAL_RANK" && is_left_to_ranks(about)) {
    return "each node has one rank, which may start workers of its own there";
  }
  if (!word.name.starts_with("OMPI_COMM_WORLD_")) return {};
  if (about.spec.roles == model::Roles::mindspore) {
    return "MindSpore would take it for a number of its own, which do not count the scheduler";
  }
  if (calls_msrun(about.app())) {
    return "MindSpore would take it for a number of the workers that msrun starts in the rank";
  }
  return {};
}

AboutApp about_app(const Sources& of, const Forwarded& kept, std::uint32_t app) {
  return {of.plan, of.where, kept, of.job, of.spec, app};
}

About about_rank(const AboutApp& app, base::Rank rank, const Twins& twins) {
  const model::PlannedRank& planned = app.plan.ranks[rank.value];
  return {app, rank.value, planned.node.value, planned.local_rank, twins};
}

void add_variable(std::vector<model::Variable>& variables, const Word& word, std::string value) {
  if (value.empty()) return;
  variables.push_back({std::string(word.name), std::move(value), std::string(word.dialect)});
}

void add_own_variable(std::vector<model::Variable>& variables, const Word& word,
                      const About& about) {
  if (const auto* value_of = std::get_if<1>(&word.value)) {
    return add_variable(variables, word, (*value_of)(about));
  }
  if (!std::get<2>(word.value)(about)) return;
  variables.push_back({std::string(word.name), {}, std::string(word.dialect)});
}

bool has_value(const Word& word, const About& about) {
  std::vector<model::Variable> variables;
  if (is_of_app(word)) {
    add_variable(variables, word, std::get<0>(word.value)(about));
  } else {
    add_own_variable(variables, word, about);
  }
  return !variables.empty();
}

}  // namespace

Twins twins(const model::Plan& plan) {
  Twins twins;
  twins.before.resize(plan.ranks.size());
  for (const model::PlannedNode& node : plan.nodes) {
    if (twins.nodes.size() < node.ranks.size()) twins.nodes.resize(node.ranks.size());
    for (std::size_t local = 0; local < node.ranks.size(); ++local) {
      twins.before[node.ranks[local].value] = twins.nodes[local]++;
    }
  }
  return twins;
}

AppDialects::AppDialects(const Sources& of, const Forwarded& kept, std::uint32_t app)
    : of_(of), kept_(&kept), app_(app) {
  const AboutApp about = about_app(of, kept, app);
  const bool own_threads = sets_threads(kept, of.spec);
  const std::span<const Word> words = variable_table();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (is_left_to_user(about, word, own_threads) || !why_not(about, word).empty()) continue;
    if (is_of_app(word)) {
      add_variable(common_, word, std::get<0>(word.value)(about));
    } else {
      words_.push_back(i);
    }
  }
}

std::vector<model::Variable> AppDialects::of(base::Rank rank, const Twins& twins) const {
  const About about = about_rank(about_app(of_, *kept_, app_), rank, twins);
  std::vector<model::Variable> variables;
  variables.reserve(words_.size());
  for (const std::size_t word : words_) {
    add_own_variable(variables, variable_table()[word], about);
  }
  return variables;
}

void AppDialects::keep(const std::function<bool(std::string_view)>& is_wanted) {
  std::erase_if(words_, [&](std::size_t word) { return !is_wanted(variable_table()[word].name); });
}

std::vector<Withheld> left_out(const Sources& of, const Forwarded& kept) {
  if (of.plan.ranks.empty()) return {};
  const Twins all = twins(of.plan);
  const About about = about_rank(about_app(of, kept, 0), base::Rank(0), all);
  const bool own_threads = sets_threads(kept, of.spec);
  std::vector<Withheld> result;
  for (const Word& word : variable_table()) {
    const std::string_view why = why_not(about, word);
    if (why.empty() || is_left_to_user(about, word, own_threads)) continue;
    if (has_value(word, about)) result.push_back({std::string(word.name), std::string(why)});
  }
  return result;
}

bool is_default(std::string_view name) {
  const std::span<const Word> words = variable_table();
  const auto word = std::ranges::lower_bound(words, name, {}, &Word::name);
  return word != words.end() && word->name == name && word->yields != Yields::never;
}

std::string hostfile_text(const model::Plan& plan) {
  std::string text;
  for (const model::PlannedNode& node : plan.nodes) {
    const std::size_t slots = std::max<std::size_t>(node.host.slots, node.ranks.size());
    text += fmt::format("{} slots={}\n", node.host.name, slots);
  }
  return text;
}

bool lists_host(std::string_view hostfile, std::string_view name) {
  while (!hostfile.empty()) {
    const std::string_view line = hostfile.substr(0, hostfile.find('\n'));
    if (line.substr(0, line.find(' ')) == name) return true;
    hostfile.remove_prefix(std::min(line.size() + 1, hostfile.size()));
  }
  return false;
}

}  // namespace muster::plan
