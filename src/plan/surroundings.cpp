// Fingerprints of what muster gives, and the environment without what was given.
#include "plan/surroundings.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "base/variables.hpp"
#include "plan/variable_owner.hpp"

namespace muster::plan {
namespace {

constexpr std::size_t kCharacters = 8;
constexpr unsigned kBitsEach = 6;

// FNV-1a of 64 bits (Fowler, Noll, Vo), folded to 48, which are written in 64 harmless characters.
void append_fingerprint(std::string& to, std::string_view name, std::string_view value) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; };
  for (const char c : name) mix(c);
  mix('=');
  for (const char c : value) mix(c);
  hash ^= hash >> (kCharacters * kBitsEach);
  for (std::size_t i = 0; i < kCharacters; ++i) to += kAlphabet[(hash >> (i * kBitsEach)) & 63];
}

struct Entry {
  std::string_view name;
  std::string_view value;
};

std::optional<Entry> parted(std::string_view entry) {
  const std::size_t equals = entry.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  return Entry{entry.substr(0, equals), entry.substr(equals + 1)};
}

bool is_list(std::string_view name) { return name == "PATH" || name == "PYTHONPATH"; }

bool speaks_to_launchers(std::string_view name) {
  return name.starts_with("MUSTER_") || name == "AZUREML_MPI_HOSTFILE";
}

class Ledger {
 public:
  explicit Ledger(std::string_view text) {
    known_.reserve(text.size() / kCharacters);
    for (; text.size() >= kCharacters; text.remove_prefix(kCharacters)) {
      known_.insert(text.substr(0, kCharacters));
    }
  }

  [[nodiscard]] bool holds(std::string_view name, std::string_view value) const {
    if (known_.empty()) return false;
    std::string fingerprint;
    append_fingerprint(fingerprint, name, value);
    return known_.contains(fingerprint);
  }

  // A list without the entry that muster put into it, wherever a script may have moved it.
  [[nodiscard]] std::string without_ours(const Entry& list) const {
    std::string kept;
    bool begun = false;
    for (std::size_t at = 0; at <= list.value.size();) {
      const std::size_t end = std::min(list.value.find(':', at), list.value.size());
      const std::string_view part = list.value.substr(at, end - at);
      at = end + 1;
      if (holds(list.name, part)) continue;
      if (begun) kept += ':';
      kept += part;
      begun = true;
    }
    return kept;
  }

 private:
  std::unordered_set<std::string_view> known_;  // parts of the text
};

bool is_named_in(std::string_view words, std::string_view name) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == name) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// The jobs of batch systems that variables name; FLUX_URI: an instance of Flux, as `flux batch`
// begins one. Others than Grid Engine may have a JOB_ID.
std::vector<Entry> batch_jobs(std::span<const std::string> environment) {
  constexpr std::string_view kIds[] = {"SLURM_JOB_ID", "PBS_JOBID",   "LSB_JOBID",
                                       "OAR_JOB_ID",   "FLUX_JOB_ID", "FLUX_ENCLOSING_ID",
                                       "FLUX_URI",     "JOB_ID"};
  const bool has_grid_engine = !base::value_of(environment, "SGE_ROOT").empty();
  std::vector<Entry> jobs;
  for (const std::string& entry : environment) {
    const auto one = parted(entry);
    if (!one || one->value.empty() || std::ranges::count(kIds, one->name) == 0) continue;
    if (one->name != "JOB_ID" || has_grid_engine) jobs.push_back(*one);
  }
  return jobs;
}

// A job of Slurm in several components has an id for each: a step may be in another one.
bool names_component(std::string_view name) {
  return name == "SLURM_HET_JOB_ID" || name.starts_with("SLURM_JOB_ID_HET_GROUP_");
}

// No variable has such a name.
std::string mark_of(std::string_view name) { return "batch " + std::string(name); }

// MASTER_ADDR is that of the rank's own job, unless that rank is there to start the job's ranks.
bool is_inherited(std::string_view name, bool starts_ranks) {
  const Belongs to = belongs(name);
  return to == Belongs::to_host || (to == Belongs::to_meeting && starts_ranks);
}

std::vector<model::EnvSetting> inherited_by(const Surroundings& around) {
  const std::string exported = base::value_of(around.environment, kExported);
  const bool starts_ranks = !base::value_of(around.environment, "MUSTER_STARTS_RANKS").empty();
  std::vector<model::EnvSetting> inherited;
  if (exported.empty()) return inherited;
  for (const std::string& entry : around.environment) {
    const auto one = parted(entry);
    const bool goes_along =
        one && is_inherited(one->name, starts_ranks) && is_named_in(exported, one->name);
    if (goes_along) inherited.push_back({std::string(one->name), std::nullopt});
  }
  return inherited;
}

}  // namespace

std::string fingerprints(std::span<const std::string> entries) {
  std::string text;
  text.reserve(entries.size() * kCharacters);
  for (const std::string& entry : entries) {
    const auto one = parted(entry);
    if (!one) continue;
    const std::size_t end = is_list(one->name) ? one->value.find(':') : std::string_view::npos;
    append_fingerprint(text, one->name, one->value.substr(0, end));
  }
  return text;
}

Surroundings surroundings(std::span<const std::string> found) {
  const std::string text = base::value_of(found, kGave);
  const Ledger ledger(text);
  Surroundings around;
  around.environment.reserve(found.size());
  for (const std::string& entry : found) {
    const auto one = parted(entry);
    if (one && is_list(one->name)) {
      const std::string rest = ledger.without_ours(*one);
      if (rest.empty() && !one->value.empty()) continue;
      around.environment.push_back(std::string(one->name) + "=" + rest);
      continue;
    }
    const bool ours = one && ledger.holds(one->name, one->value);
    if (ours) around.given.emplace_back(one->name);
    const bool stays =
        !ours || speaks_to_launchers(one->name) || belongs(one->name) == Belongs::to_host;
    if (stays) around.environment.push_back(entry);
  }
  std::ranges::sort(around.given);
  return around;
}

std::string batch_job_marks(std::span<const std::string> environment) {
  std::string marks;
  append_fingerprint(marks, mark_of(""), "");
  for (const Entry& job : batch_jobs(environment)) {
    append_fingerprint(marks, mark_of(job.name), job.value);
  }
  for (const std::string& entry : environment) {
    const auto one = parted(entry);
    if (!one || !names_component(one->name)) continue;
    append_fingerprint(marks, mark_of("SLURM_JOB_ID"), one->value);
  }
  return marks;
}

std::optional<std::string> other_batch_job(std::span<const std::string> found) {
  const std::string text = base::value_of(found, kGave);
  const Ledger ledger(text);
  if (!ledger.holds(mark_of(""), "")) return std::nullopt;
  for (const Entry& job : batch_jobs(found)) {
    if (ledger.holds(mark_of(job.name), job.value)) continue;
    return std::string(job.name) + "=" + std::string(job.value);
  }
  return std::nullopt;
}

void settle_exports(const Surroundings& around, model::JobSpec& spec) {
  auto inherited = inherited_by(around);
  std::erase_if(inherited,
                [&](const auto& one) { return model::is_unset(spec.environment, one.name); });
  for (model::App& app : spec.apps) {
    std::erase_if(app.exports, [&](const model::EnvSetting& setting) {
      return !setting.value && std::ranges::binary_search(around.given, setting.name);
    });
    if (app.clean) continue;
    app.exports.insert(app.exports.begin(), inherited.begin(), inherited.end());
  }
}

}  // namespace muster::plan
