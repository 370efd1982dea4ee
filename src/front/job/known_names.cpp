// Asks all who may know a name, one after the other, and remembers what they have said.
#include "front/job/known_names.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/address.hpp"
#include "base/nearest.hpp"
#include "front/targets.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using job::Asset;

const std::vector<std::string> kLabels = {"latest"};
constexpr Asset kAssets[] = {Asset::component, Asset::data, Asset::environment};

std::string_view word_of(Asset kind) {
  constexpr std::string_view kWords[] = {"component", "data", "environment"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string_view without_file(std::string_view path) {
  constexpr std::string_view kScheme = "file:";
  return path.starts_with(kScheme) ? path.substr(kScheme.size()) : path;
}

// Images have a registry or a name in front.
bool is_environments_file(std::string_view to) {
  return to.starts_with('/') || to.starts_with("./") || to.starts_with("../") ||
         to.starts_with("~/") || to.ends_with(".yml") || to.ends_with(".yaml") ||
         to.ends_with(".json");
}

tl::unexpected<base::Error> leads_nowhere(const std::string& name, const std::string& to,
                                          const std::string& by, std::string_view instead) {
  return fail(Fault::bad_file, fmt::format("write {} there", instead),
              "{} leads to where muster cannot reach it: {} ({})", name, spec::in_quotes(to), by);
}

bool is_path_of(Asset kind, std::string_view to) {
  if (kind == Asset::environment) return is_environments_file(to);
  return !job::is_elsewhere(to);
}

}  // namespace

std::vector<std::string> words_for_set(const job::Leads& leads) {
  std::vector<std::string> words;
  for (const Asset kind : kAssets) {
    for (const job::Lead& one : job::leads_of(leads, kind)) {
      words.push_back(fmt::format("{}.{}={}", job::key_of(kind), one.name, one.to->text));
    }
  }
  return words;
}

std::string typed_lead(Asset kind, const std::string& folder, std::string to) {
  to = without_file(to);
  const bool stays = !is_path_of(kind, to) || to.starts_with("~/");
  return stays ? to : job::below(folder, to);
}

KnownNames::KnownNames(const Call& call, const JobDraft& draft, std::string folder,
                       const Result<job::TargetsReading>& told)
    : call_(call), draft_(draft), told_(told), files_(call, std::move(folder)) {}

Result<std::string> KnownNames::component(const std::string& name) {
  auto found = find(Asset::component, name);
  if (!found) return tl::unexpected(std::move(found.error()));
  if (*found) {
    const std::string path = placed_lead(Asset::component, **found);
    if (job::is_elsewhere(path)) {
      return leads_nowhere(name, path, (*found)->by, "the path of a component's file");
    }
    note(Asset::component, name, path, (*found)->by);
    return path;
  }
  return fail(Fault::bad_file,
              fmt::format("{}name its file: component: ./FILE.yml, or {}",
                          near(Asset::component, name), job::how_to_say(Asset::component, name)),
              "the component {} is registered in Azure ML, where muster cannot reach it",
              spec::in_quotes(name));
}

Result<job::DataFound> KnownNames::data(const std::string& name) {
  auto asked = find(Asset::data, name);
  if (!asked) return tl::unexpected(std::move(asked.error()));
  const bool is_output = job::run_output(name) && call_.find_output;
  if (!*asked && !is_output) return job::DataFound{{}, near(Asset::data, name)};
  const Found found = std::move(*asked).value_or(Found{name, "", "the record of that run", ""});
  auto place = place_of_data(name, found);
  if (!place) return tl::unexpected(std::move(place.error()));
  note(Asset::data, name, *place, found.by);
  return job::DataFound{job::Reached{std::move(*place), found.sha256}};
}

Result<std::string> KnownNames::place_of_data(const std::string& name, const Found& found) const {
  const auto output = job::run_output(found.to);
  if (output && call_.find_output) return call_.find_output(*output);
  std::string to = placed_lead(Asset::data, found);
  if (!job::is_elsewhere(to) || job::is_fetched(to)) return to;
  return leads_nowhere(name, to, found.by, "a path of the hosts, or an https: address,");
}

Result<std::optional<MeantEnvironment>> KnownNames::environment(const std::string& name) {
  auto found = find(Asset::environment, name);
  if (!found) return tl::unexpected(std::move(found.error()));
  if (!*found) return std::optional<MeantEnvironment>();
  const std::string to = placed_lead(Asset::environment, **found);
  if (job::is_in_azure(to)) {
    return leads_nowhere(name, to, (*found)->by, "an image, or an environment's file,");
  }
  note(Asset::environment, name, to, (*found)->by);
  const bool is_file = is_environments_file(to);
  return std::optional(is_file ? MeantEnvironment{"", to} : MeantEnvironment{to, ""});
}

std::string KnownNames::placed_lead(Asset kind, const Found& found) const {
  const std::string to = typed_lead(kind, found.folder, found.to);
  return to.starts_with("~/") ? job::placed(found.folder, home_of(call_), to) : to;
}

job::FindComponent KnownNames::find_component() {
  return [this](const std::string& name) { return component(name); };
}

job::FindData KnownNames::find_data() {
  return [this](const std::string& name) { return data(name); };
}

void KnownNames::tell(std::vector<std::string>& notices) const {
  if (draft_.dry_run || draft_.explains) {
    for (const std::string& line : lines_) add_once(notices, line);
  }
  for (const Asset kind : kAssets) {
    for (const job::Lead& lead : job::leads_of(draft_.leads, kind)) {
      if (used_.contains(&lead)) continue;
      add_once(notices, fmt::format("--set {}.{} has no effect here: the job names no such {}",
                                    job::key_of(kind), lead.name, word_of(kind)));
    }
  }
}

std::vector<model::NamedPath> KnownNames::led() const {
  std::vector<model::NamedPath> all;
  for (const Asset kind : kAssets) {
    for (const job::Lead& one : job::leads_of(found_, kind)) {
      all.push_back({base::without_secrets(one.name), base::without_secrets(one.to->text)});
    }
  }
  return all;
}

KnownNames::MaybeFound KnownNames::find(Asset kind, const std::string& name) {
  if (auto found = typed(kind, name)) return found;
  auto found = in_muster_yml(kind, name);
  return !found || *found ? std::move(found) : in_files(kind, name);
}

std::optional<KnownNames::Found> KnownNames::typed(Asset kind, const std::string& name) {
  const auto found = job::led_by(job::leads_of(draft_.leads, kind), name);
  if (!found) return std::nullopt;
  used_.insert(found->by);
  return Found{found->to, call_.current_folder,
               fmt::format("--set {}.{}", job::key_of(kind), found->by->name), ""};
}

KnownNames::MaybeFound KnownNames::in_muster_yml(Asset kind, const std::string& name) const {
  if (!told_) return tl::unexpected(told_.error());
  if (!told_->complaints.empty()) {
    const base::Error& first = told_->complaints.front();
    return fail(first.fault, first.hint, "{}: {}", to_string(first.place), first.what);
  }
  const job::Targets& file = told_->targets;
  const auto said = job::led_by(job::leads_of(file.leads, kind), name);
  if (!said) return std::optional<Found>();
  const job::Lead& lead = *said->by;
  Found found{said->to, folder_of(absolute(call_, file.source)), "", ""};
  found.by = fmt::format("{}.{}, {}", job::key_of(kind), lead.name,
                         to_string(base::Place{file.source, lead.mark.line, lead.mark.column}));
  const bool is_whole = lead.to && said->to == lead.to->text;
  if (is_whole && lead.sha256) found.sha256 = lead.sha256->text;
  return found;
}

KnownNames::MaybeFound KnownNames::in_files(Asset kind, const std::string& name) {
  const auto named = job::asset_name(name);
  if (!named) return std::optional<Found>();
  auto file = files_.find(kind, *named);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (*file) {
    const std::string& path = (*file)->path;
    const std::string to = kind == Asset::data ? (*file)->data : path;
    return Found{to, folder_of(path), fmt::format("name: in {}", path), ""};
  }
  const std::string& record = call_.record_folder;
  const auto found = registered(call_, record.empty() ? "" : folder_of(record), kind, *named);
  if (!found) return std::optional<Found>();
  return Found{found->to.empty() ? found->file : found->to, folder_of(found->file),
               "registered, " + found->file, ""};
}

std::string KnownNames::near(Asset kind, const std::string& name) {
  std::vector<std::string> known = files_.names(kind);
  const auto add = [&](const job::Leads& leads) {
    for (const job::Lead& lead : job::leads_of(leads, kind)) known.push_back(lead.name);
  };
  add(draft_.leads);
  if (told_) add(told_->targets.leads);
  const auto named = job::asset_name(name);
  if (named) {
    if (std::string told = near_version(kind, *named, known); !told.empty()) return told;
  }
  const auto found = base::nearest(named ? named->name : name, known);
  if (found) return fmt::format("did you mean {}? If not, ", *found);
  return files_.are_all() ? "" : "only the first of many YAML files here were looked at; ";
}

// Of a name that is known, with another version or label.
std::string KnownNames::near_version(Asset kind, const job::AssetName& name,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> versions = files_.versions(kind, name.name);
  const std::string& record = call_.record_folder;
  for (std::string& one :
       registered_versions(call_, record.empty() ? "" : folder_of(record), kind, name.name)) {
    add_once(versions, std::move(one));
  }
  for (const std::string& one : known) {
    const auto other = job::asset_name(one);
    if (other && other->name == name.name && !other->version.empty()) {
      add_once(versions, other->version);
    }
  }
  if (versions.empty()) return "";
  const bool is_label = !name.label.empty();
  if (is_label && name.label != "latest" && base::nearest(name.label, kLabels)) {
    return fmt::format("did you mean {}@latest? If not, ", name.name);
  }
  return fmt::format("known version{} of {}: {}; ", versions.size() == 1 ? "" : "s", name.name,
                     fmt::join(versions, ", "));
}

void KnownNames::note(Asset kind, const std::string& name, const std::string& to,
                      const std::string& by) {
  add_once(lines_,
           base::without_secrets(fmt::format("{} is {}", name, to)) + fmt::format(" ({})", by));
  std::vector<job::Lead>& all = job::leads_of(found_, kind);
  if (std::ranges::find(all, name, &job::Lead::name) != all.end()) return;
  all.push_back({name, {}, job::Text{to, {}, {}, true}, {}});
}

}  // namespace muster::front
