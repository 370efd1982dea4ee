// Finds records by their names.
#include "store/folder.hpp"

#include <algorithm>
#include <array>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include "base/nearest.hpp"
#include "base/variables.hpp"
#include "process/unique_fd.hpp"

namespace muster::store {
namespace {

using base::fail;
using base::Fault;

constexpr std::string_view kSteps = "/steps/";

// What follows the time in a name.
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('-') + 1); }

// Hidden folders are no records, nor is what others keep beside them.
bool begins_as_run(std::string_view name) {
  return !name.empty() && name.front() >= '0' && name.front() <= '9';
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> folders_in(const std::string& folder, bool (*is_meant)(std::string_view)) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = opened ? ::readdir(opened.get()) : nullptr) {
    if (is_meant(entry->d_name) && entry->d_type != DT_REG) names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> matches(const std::vector<std::string>& names, const std::string& word) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.starts_with(word) || last_part(name).starts_with(word)) found.push_back(name);
  }
  return found;
}

tl::unexpected<base::Error> no_such_run(const std::vector<std::string>& names,
                                        const std::string& word) {
  std::vector<std::string> known = names;
  for (const std::string& name : names) known.emplace_back(last_part(name));
  return fail(Fault::usage, base::did_you_mean(word, known, "`muster ps` lists them"), "no run {}",
              word);
}

std::string boot_of_host() {
  const process::UniqueFd file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  return size > 1 ? std::string(text.data(), static_cast<std::size_t>(size) - 1) : "";
}

}  // namespace

std::optional<std::string> records_folder(const std::vector<std::string>& environment) {
  if (const auto own = base::value_of(environment, "MUSTER_RECORDS"); !own.empty()) {
    std::error_code ignored;  // a current folder that has gone
    return std::filesystem::absolute(own, ignored);
  }
  const std::string state = base::value_of(environment, "XDG_STATE_HOME");
  if (state.starts_with('/')) return state + "/muster/runs";
  const std::string home = base::value_of(environment, "HOME");
  if (home.starts_with('/')) return home + "/.local/state/muster/runs";
  return std::nullopt;
}

bool is_run_name(std::string_view name) {
  constexpr std::size_t kDate = 8;
  const bool dated =
      name.size() > kDate && name[kDate] == '-' && name.find('/') == std::string_view::npos;
  return dated && name.substr(0, kDate).find_first_not_of("0123456789") == std::string_view::npos;
}

std::string below_records(std::string_view records, std::string_view folder) {
  if (folder.starts_with(records) && folder.substr(records.size()).starts_with('/')) {
    return std::string(folder.substr(records.size() + 1));
  }
  for (std::size_t slash = folder.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = folder.rfind('/', slash - 1)) {
    const std::string_view rest = folder.substr(slash + 1);
    if (is_run_name(rest.substr(0, rest.find('/')))) return std::string(rest);
  }
  return {};
}

std::vector<std::string> run_names(const std::string& folder) {
  return folders_in(folder, begins_as_run);
}

std::vector<std::string> step_names(const std::string& pipeline) {
  return folders_in(pipeline + "/steps", [](std::string_view name) { return name.front() != '.'; });
}

base::Result<std::string> find_step(const std::vector<std::string>& names,
                                    const std::string& word) {
  if (std::ranges::binary_search(names, word)) return word;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name.starts_with(word)) found.push_back(name);
  }
  if (found.size() == 1) return found.front();
  if (!found.empty()) {
    return fail(Fault::usage, "write more of its name", "{} steps are called {}...", found.size(),
                word);
  }
  return fail(Fault::usage,
              base::did_you_mean(word, names, "`muster show RUN` lists those of a run"),
              "no step {} has been started", word);
}

base::Result<std::string> find_run(const std::vector<std::string>& names, const std::string& word) {
  if (std::ranges::binary_search(names, word)) return word;
  if (word == "last") {
    if (!names.empty()) return names.back();
    return fail(Fault::usage, "muster submit and muster run keep records", "there is no run yet");
  }
  const std::vector<std::string> found = word.empty() ? names : matches(names, word);
  if (found.size() == 1) return found.front();
  if (found.empty()) return no_such_run(names, word);
  return fail(Fault::usage, "write more of its name", "{} runs are called {}..., the last is {}",
              found.size(), word, found.back());
}

// Trials of a step that is a sweep lie in its record, as steps do in that of their pipeline.
std::string run_of(const std::string& folder) {
  std::string above = folder;
  std::string names;
  while (!is_run_name(last_name(above))) {
    const std::size_t steps = above.rfind(kSteps);
    const bool is_step =
        steps != std::string::npos && above.find('/', steps + kSteps.size()) == std::string::npos;
    if (!is_step) return last_name(folder);
    names.insert(0, above, steps + kSteps.size() - 1);
    above.resize(steps);
  }
  return last_name(above) + names;
}

std::string step_folder(const std::string& pipeline, std::string_view step) {
  return fmt::format("{}{}{}", pipeline, kSteps, step);
}

std::string run_name(model::Utc time, std::uint32_t random) {
  constexpr std::string_view kConsonants = "bdfghjklmnprstvz";
  constexpr std::string_view kVowels = "aeiou";
  using namespace std::chrono;
  const auto midnight = floor<days>(time);
  const year_month_day date(midnight);
  const hh_mm_ss clock(time - midnight);
  std::string name =
      fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}.{:03}-", int(date.year()),
                  unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                  clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
  for (int i = 0; i < 3; ++i) {
    name += kConsonants[random % kConsonants.size()];
    random /= kConsonants.size();
    name += kVowels[random % kVowels.size()];
    random /= kVowels.size();
  }
  return name;
}

model::Utc utc_now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

model::HeadPlace this_place() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return {host.data(), ::getpid(), boot_of_host()};
}

}  // namespace muster::store
