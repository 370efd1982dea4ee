// Reads the settings of the group, whoever says them.
#include "front/reach_options.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/shell_word.hpp"
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

Result<void> take_reach_variables(const Call& call, const SaidReach& said, model::JobSpec& spec) {
  for (const ReachSetting& setting : kReachSettings) {
    const auto value = variable(call, setting.variable);
    const bool is_said = std::ranges::count(said, setting.text.names) > 0;
    if (!value || value->empty() || is_said || setting.set == set_ssh_command) continue;
    if (auto set = setting.set({setting.variable, *value}, spec); !set) return set;
  }
  const auto folder = variable(call, "MUSTER_WORKDIR").value_or("");
  if (folder.empty() || std::ranges::count(said, kWorkdir) > 0) return {};
  for (model::App& app : spec.apps) app.workdir = absolute(call, folder);
  return {};
}

}  // namespace muster::front
