// Renames, entry by entry: others may look at the record meanwhile.
#include "store/taken_over.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/index.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"
#include "view/record_json.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAttempt = "attempt.";
constexpr std::string_view kEvents = "events.jsonl";
constexpr std::string_view kSpec = "spec.json";

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code wrong;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, wrong)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

// The code is that of the submission.
bool stays(const std::string& name) {
  constexpr std::array<std::string_view, 6> kStay = {kJobScript, kJobOutput,    kJobErrors,
                                                     kJobLock,   "checkpoints", kSpec};
  const bool is_code = name.starts_with("code.") && name.ends_with(".manifest");
  return is_code || name.starts_with(kAttempt) || std::ranges::find(kStay, name) != kStay.end();
}

bool has_begun(const std::string& folder) {
  const auto events = read_file(fmt::format("{}/{}", folder, kEvents));
  return events && !view::queued_as(*events);
}

bool move_all(const std::string& from, const std::string& to,
              const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    return ::rename((from + "/" + name).c_str(), (to + "/" + name).c_str()) == 0;
  });
}

bool set_aside(const std::string& folder) {
  std::vector<std::string> names = entries_of(folder);
  const auto before = std::ranges::count_if(
      names, [](const std::string& name) { return name.starts_with(kAttempt); });
  const std::string aside = fmt::format("{}/{}{}", folder, kAttempt, before + 1);
  if (::mkdir(aside.c_str(), 0700) != 0) return false;
  std::erase_if(names, stays);
  if (!move_all(folder, aside, names)) return false;
  if (auto index = Index::open(folder.substr(0, folder.rfind('/')))) {
    index->change({}, {run_of(folder)});
  }
  return true;
}

// Somebody has taken the job for lost, who saw less than there is: its head is here.
void drop_reports(const std::string& folder) {
  for (const char* name : {"report.json", "report.txt", kJobOver}) {
    (void)::unlink(fmt::format("{}/{}", folder, name).c_str());
  }
}

// Whatever umask a rank had, unlike process::is_own_folder().
bool is_folder_of_ours(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

// Until `last` is there, whoever looks sees that the record is not whole.
bool move_with_last(const std::string& fresh, const std::string& folder, std::string_view last) {
  std::vector<std::string> names = entries_of(fresh);
  // std::ranges::partition() of libstdc++ 12 is too much for clang 14.
  std::partition(names.begin(), names.end(), [&](const std::string& name) { return name != last; });
  return move_all(fresh, folder, names) && ::rmdir(fresh.c_str()) == 0;
}

}  // namespace

process::UniqueFd wait_for_turn(const std::string& folder) {
  for (;;) {
    if (const process::UniqueFd events = open_events(folder)) wait_for_lock(events.get());
    process::UniqueFd alone = lock_file(fmt::format("{}/{}", folder, kJobLock));
    const process::UniqueFd events = open_events(folder);
    if (!alone || !events || !holder_of(events.get())) return alone;
  }
}

bool take_record_over(const std::string& fresh, const std::string& folder) {
  if (has_begun(folder) && !set_aside(folder)) return false;
  drop_reports(folder);
  return move_with_last(fresh, folder, kEvents);
}

bool add_to_early(const std::string& fresh, const std::string& folder, const std::string& early) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  const auto names = entries_of(folder);
  const bool has_early = names == std::vector{early} && is_folder_of_ours(folder + "/" + early);
  if (!is_folder_of_ours(folder) || !(names.empty() || has_early)) {
    errno = EEXIST;
    return false;
  }
  // They have made it as all their folders.
  return ::chmod(folder.c_str(), 0700) == 0 && move_with_last(fresh, folder, kSpec);
}

}  // namespace muster::store
