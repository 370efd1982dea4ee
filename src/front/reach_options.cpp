// Reads the settings of the group, whoever says them.
#include "front/reach_options.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/shell_word.hpp"
#include "front/targets.hpp"
#include "job/values.hpp"
#include "model/head_above.hpp"
#include "option/values.hpp"
#include "spec/limits.hpp"

namespace muster::front {

using base::Result;
using option::read_count;
using option::read_seconds;
using option::read_text;
using option::read_words;

Result<void> set_ssh_command(const Typed& typed, model::JobSpec& spec) {
  return store(read_words(typed), spec.carrier.command);
}

Result<void> set_ssh_port(const Typed& typed, model::JobSpec& spec) {
  return store(read_count(typed, {1, spec::kPortMax}), spec.carrier.port);
}

Result<void> set_ssh_identity(const Typed& typed, model::JobSpec& spec) {
  return store(read_text(typed), spec.carrier.identity);
}

Result<void> set_agent_path(const Typed& typed, model::JobSpec& spec) {
  return store(read_text(typed), spec.carrier.agent_path);
}

Result<void> set_patience(const Typed& typed, model::JobSpec& spec) {
  return store(read_seconds(typed, spec::kPatience), spec.carrier.patience);
}

Result<void> set_most_open(const Typed& typed, model::JobSpec& spec) {
  return store(read_count(typed, {1, spec::kOpenMax}), spec.carrier.parallel);
}

Result<void> set_lease(const Typed& typed, model::JobSpec& spec) {
  return store(read_seconds(typed, spec::kLease), spec.lease);
}

namespace {

bool is_way_to_hosts(const ReachSetting& setting) {
  constexpr Reach kWays[] = {Reach::ssh_command, Reach::ssh_port, Reach::ssh_identity,
                             Reach::agent_path};
  return std::ranges::any_of(kWays, [&](Reach way) { return &reach_setting(way) == &setting; });
}

// In a folder such as /tmp anybody may leave a file, and it would choose what this user executes.
Result<void> check_own(const Call& call, const job::Targets& defaults, std::string_view key,
                       job::Mark mark, std::string_view option) {
  const std::string why = call.why_others ? call.why_others(defaults.source) : "";
  if (why.empty()) return {};
  return base::fail_at({defaults.source, mark.line, mark.column}, base::Fault::bad_file,
                       fmt::format("say {}, or work in another folder", option),
                       "run.{} may not come from this file: {}", key, why);
}

// Absolute; empty: nobody says it.
Result<std::string> usual_workdir(const Call& call, const job::Targets& defaults) {
  const auto folder = variable(call, "MUSTER_WORKDIR").value_or("");
  if (!folder.empty()) return absolute(call, folder);
  if (!defaults.run_workdir || variable(call, model::kHeadAbove)) return std::string();
  return check_own(call, defaults, "workdir", defaults.run_workdir->begin, kWorkdir).map([&] {
    return job::below(folder_of(defaults.source), defaults.run_workdir->text);
  });
}

}  // namespace

const ReachSetting& reach_setting(std::string_view option) {
  const auto found = std::ranges::find(kReachSettings, option,
                                       [](const ReachSetting& one) { return one.text.names; });
  CHECK(found != kReachSettings.end());
  return *found;
}

Result<void> take_reach_wishes(const Call& call, RunRequest& request) {
  for (const ReachWish& wish : call.reach_wishes) {
    const ReachSetting& setting = reach_setting(wish.option);
    if (auto set = setting.set({wish.option, wish.value}, request.spec); !set) return set;
    request.said_reach.push_back(setting.text.names);
  }
  return {};
}

std::vector<std::string> reach_words(const model::CarrierSpec& carrier) {
  const model::CarrierSpec usual;
  std::vector<std::string> words;
  const auto add = [&](Reach which, std::string value) {
    words.emplace_back(reach_setting(which).text.names);
    words.push_back(std::move(value));
  };
  if (carrier.command != usual.command) add(Reach::ssh_command, base::shell_words(carrier.command));
  if (carrier.port != usual.port) add(Reach::ssh_port, std::to_string(carrier.port));
  if (carrier.identity != usual.identity) add(Reach::ssh_identity, carrier.identity);
  if (carrier.agent_path != usual.agent_path) add(Reach::agent_path, carrier.agent_path);
  return words;
}

Result<void> check_reach(const std::vector<job::Named>& said, std::string_view section,
                         const std::string& source) {
  for (const job::Named& one : said) {
    model::JobSpec tried;
    const auto* setting = std::ranges::find(kReachSettings, one.name, &ReachSetting::key);
    auto set = setting->set({std::string(section) + one.name, one.value.text}, tried);
    if (set) continue;
    set.error().place = {source, one.value.begin.line, one.value.begin.column};
    return set;
  }
  return {};
}

Result<bool> take_usual(const Call& call, const job::Targets& defaults, const ReachSetting& setting,
                        model::JobSpec& spec) {
  const auto value = variable(call, setting.variable);
  if (value && !value->empty()) {
    return setting.set({setting.variable, *value}, spec).map([] { return true; });
  }
  const auto found = std::ranges::find(defaults.run_reach, setting.key, &job::Named::name);
  const bool is_for_head = is_way_to_hosts(setting) && variable(call, model::kHeadAbove);
  if (found == defaults.run_reach.end() || is_for_head) return false;
  if (is_way_to_hosts(setting)) {
    auto own = check_own(call, defaults, setting.key, found->value.begin, setting.text.names);
    if (!own) return tl::unexpected(std::move(own.error()));
  }
  return setting.set({setting.key, found->value.text}, spec).map([] { return true; });
}

Result<void> take_usual_reach(const Call& call, const job::Targets& defaults, const SaidReach& said,
                              model::JobSpec& spec) {
  if (auto fine = check_reach(defaults.run_reach, "run.", defaults.source); !fine) return fine;
  for (const ReachSetting& setting : kReachSettings) {
    const bool is_said = std::ranges::count(said, setting.text.names) > 0;
    if (is_said || setting.set == set_ssh_command) continue;
    if (auto set = take_usual(call, defaults, setting, spec); !set) {
      return tl::unexpected(std::move(set.error()));
    }
  }
  if (std::ranges::count(said, kWorkdir) > 0) return {};
  return usual_workdir(call, defaults).map([&](const std::string& folder) {
    for (model::App& app : spec.apps) {
      if (!folder.empty()) app.workdir = folder;
    }
  });
}

}  // namespace muster::front
