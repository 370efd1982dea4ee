// forwarded: what of the launching shell reaches the ranks of a host; account: what the host adds.
#include <algorithm>
#include <map>
#include <string_view>

#include "base/nearest.hpp"
#include "plan/environment.hpp"
#include "plan/surroundings.hpp"
#include "plan/variable_owner.hpp"

namespace muster::plan {
namespace {

// Sorted by name; of a name that is there twice the first counts, as it does for getenv.
using Shell = std::map<std::string_view, std::string_view>;

Shell read(std::span<const std::string> entries) {
  Shell shell;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) continue;
    shell.try_emplace(std::string_view(entry).substr(0, equals),
                      std::string_view(entry).substr(equals + 1));
  }
  return shell;
}

tl::unexpected<base::Error> not_set(const std::string& name, const Shell& shell) {
  std::vector<std::string> known;
  known.reserve(shell.size());
  for (const auto& variable : shell) known.emplace_back(variable.first);
  const std::string hint = fmt::format("set it first, or give it a value: -x {}=VALUE", name);
  return base::fail_at({"-x", 0, 0}, base::Fault::usage, base::did_you_mean(name, known, hint),
                       "{} is not set in the launching shell", name);
}

using Exports = std::map<std::string, std::string, std::less<>>;

// What a launcher in the rank must know: which of them nobody asked for, and which were asked for
// but would not go along by themselves.
void note_origins(const model::App& app, Exports& exports) {
  std::vector<std::string> ours;
  for (const model::EnvSetting& one : app.exports) {
    if (!one.ours || !one.value) continue;
    const auto kept = exports.find(one.name);
    const bool counts = kept != exports.end() && kept->second == *one.value;
    if (counts) ours.push_back(one.name + "=" + *one.value);
  }
  std::string names;
  for (const auto& variable : exports) {
    const Belongs to = belongs(variable.first);
    if (to != Belongs::to_host && to != Belongs::to_meeting) continue;
    names += (names.empty() ? "" : " ") + variable.first;
  }
  if (!ours.empty()) exports.insert_or_assign(std::string(kGave), fingerprints(ours));
  if (!names.empty()) exports.insert_or_assign(std::string(kExported), std::move(names));
}

base::Result<Exports> exports_of(const model::App& app, const Shell& shell,
                                 const model::EnvironmentRule& rule) {
  Exports exports;
  for (const model::EnvSetting& setting : app.exports) {
    if (setting.ours && model::is_unset(rule, setting.name)) continue;
    if (setting.value) {
      exports.insert_or_assign(setting.name, *setting.value);
      continue;
    }
    const auto found = shell.find(setting.name);
    if (found == shell.end()) return not_set(setting.name, shell);
    exports.insert_or_assign(setting.name, std::string(found->second));
  }
  note_origins(app, exports);
  return exports;
}

// The address of MindSpore's scheduler, for workers that are started by hand: not a worker's own.
bool is_for_workers(std::string_view name, const Shell& shell) {
  return name.starts_with("MS_") && belongs(name) == Belongs::to_meeting &&
         !shell.contains("MS_ROLE") && !shell.contains("MS_NODE_ID");
}

std::string_view withheld_because(std::string_view name, const Shell& shell, const model::App& app,
                                  const model::EnvironmentRule& rule, Machine machine) {
  if (model::is_unset(rule, name)) return kUnset;
  if (app.clean) return "no option names it";
  if (is_for_workers(name, shell)) return {};
  const std::string_view stale = stale_because(name);
  if (!stale.empty() || machine == Machine::same) return stale;
  return stays_because(name);
}

}  // namespace

base::Result<Forwarded> forwarded(std::span<const std::string> launching_shell,
                                  const model::App& app, const model::EnvironmentRule& rule,
                                  Machine machine) {
  const Shell shell = read(launching_shell);
  const auto exports = exports_of(app, shell, rule);
  if (!exports) return tl::unexpected(exports.error());
  Forwarded result;
  result.kept.reserve(shell.size() + exports->size());
  for (const auto& [name, value] : *exports) result.kept.push_back({name, value, "-x"});
  for (const auto& [name, value] : shell) {
    if (exports->contains(name)) continue;
    const std::string_view why = withheld_because(name, shell, app, rule, machine);
    if (!why.empty()) {
      result.withheld.push_back({std::string(name), std::string(why)});
    } else {
      result.kept.push_back({std::string(name), std::string(value), "shell"});
    }
  }
  std::inplace_merge(
      result.kept.begin(), result.kept.begin() + static_cast<std::ptrdiff_t>(exports->size()),
      result.kept.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return result;
}

std::vector<std::string> account(std::span<const std::string> agents_own, bool clean,
                                 const model::EnvironmentRule& rule) {
  constexpr std::string_view kUsable[] = {"HOME", "USER", "LOGNAME", "SHELL",
                                          "PATH", "LANG", "TZ",      "TERM"};
  const auto belongs = [&](std::string_view name) {
    if (model::is_unset(rule, name)) return false;
    if (!clean) return !name.starts_with("SSH_") && stale_because(name).empty();
    return name.starts_with("LC_") || std::ranges::find(kUsable, name) != std::end(kUsable);
  };
  std::vector<std::string> kept;
  kept.reserve(agents_own.size());
  for (const std::string& entry : agents_own) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) continue;
    if (belongs(std::string_view(entry).substr(0, equals))) kept.push_back(entry);
  }
  return kept;
}

bool gives_hostfile(const model::EnvironmentRule& rule) {
  return !model::is_unset(rule, "AZUREML_MPI_HOSTFILE") && !model::is_silent(rule, "Azure ML");
}

}  // namespace muster::plan
