// Moves them from record to record.
#include "cli/checkpoints.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "base/variables.hpp"
#include "blobs/sha256.hpp"
#include "cli/code.hpp"
#include "cli/copy_written.hpp"
#include "cli/look_back.hpp"
#include "cli/speak.hpp"
#include "plan/environment.hpp"
#include "process/fresh_file.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/signal_mask.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/leftovers.hpp"
#include "store/lock.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

constexpr std::string_view kCheckpoints = "checkpoints";
// Beside the records: links to those of runs that a scheduler may queue again.
constexpr std::string_view kQueued = ".queued";
constexpr int kRerunsMax = 10'000;  // no circle goes on for ever

Result<void> cannot_fill(std::string_view what, const std::string& path,
                         const std::error_code& why) {
  return base::fail(Fault::output, "", "cannot {} {}: {}", what, path, why.message());
}

struct Found {
  enum class Kind : std::uint8_t {
    none,
    here,       // a folder in a record
    elsewhere,  // a link of the user's leads there
    gone,       // they were taken on by a run whose record has been removed
  } kind = Kind::none;
  fs::path place;
};

// Where they lie now. By names alone: a record may be a link to another disk.
Found found_at(const std::string& record) {
  const std::string records = records_of(record) + "/";
  fs::path place = fs::path(record) / kCheckpoints;
  std::error_code wrong;
  const bool is_there = fs::exists(fs::symlink_status(place, wrong));
  for (int i = 0; i < kRerunsMax && fs::is_symlink(fs::symlink_status(place, wrong)); ++i) {
    const fs::path target = fs::read_symlink(place, wrong);
    place = (target.is_absolute() ? target : place.parent_path() / target).lexically_normal();
    const bool is_ours = place.filename() == kCheckpoints && place.string().starts_with(records);
    if (!is_ours) return {Found::Kind::elsewhere, place};
  }
  if (fs::is_directory(place, wrong)) return {Found::Kind::here, place};
  return {is_there ? Found::Kind::gone : Found::Kind::none, place};
}

tl::unexpected<base::Error> still_runs(const std::string& run) {
  return base::fail(Fault::usage,
                    fmt::format("stop it first: muster stop {}; or begin without them: muster "
                                "rerun takes --fresh-checkpoints",
                                run),
                    "{} still runs, and its checkpoints are to be taken over", run);
}

// Where it leads, and of what it says it was a rerun, is that user's choice.
bool is_others_record(const std::string& record) {
  return !store::other_owner(records_of(record), record).empty();
}

// A run that has none yet, or was refused those that it should have gone on from, goes on from what
// it was a rerun of. The record at which it ends: it has some, or is gone, or is no rerun.
Result<std::string> with_checkpoints(std::string record) {
  for (int i = 0; i < kRerunsMax && found_at(record).kind == Found::Kind::none; ++i) {
    const auto owner = store::read_record(record);
    if (owner && owner->is_live()) return still_runs(owner->run);
    const bool ends = !owner || owner->rerun_of.empty() || is_others_record(record);
    if (ends) break;
    record = owner->rerun_of;
  }
  return record;
}

// Names that stay valid where the folder of all records is moved.
fs::path link_to(const fs::path& place, const fs::path& from) {
  return place.lexically_relative(from.parent_path());
}

// In one step: whoever looks meanwhile finds the old link or the new one.
void lead_on(const fs::path& old, const fs::path& place) {
  const std::string fresh = process::fresh_name(old);
  std::error_code wrong;
  if (!fs::is_symlink(fs::symlink_status(old, wrong))) return;
  fs::create_symlink(link_to(place, old), fresh, wrong);
  if (!wrong) (void)store::put_in_place(fresh, old, true);
}

// The folder goes to `place`, and a link to it stays where it was; at the same instant, where the
// file system can do so (NFS cannot).
std::error_code change_places(const fs::path& from, const fs::path& place) {
  std::error_code wrong;
  fs::create_symlink(link_to(place, from), place, wrong);
  if (wrong) return wrong;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return {};
  const int why = errno;
  fs::remove(place, wrong);
  if (why != EINVAL && why != ENOSYS) return {why, std::generic_category()};
  fs::rename(from, place, wrong);
  if (!wrong) fs::create_symlink(link_to(place, from), from, wrong);
  return wrong;
}

// Its size has been noted, for budgets.
void forget_size(const fs::path& place) {
  const std::string records = records_of(place.parent_path());
  const fs::path run = *place.lexically_relative(records).begin();
  std::error_code ignored;
  fs::remove(records / run / store::kBytesFile, ignored);
}

// A record may lie on another disk: then they go there as a copy.
Result<void> move_tree(const fs::path& from, const std::string& folder) {
  std::error_code wrong = change_places(from, folder);
  if (!wrong) return {};
  if (wrong != std::errc::cross_device_link) {
    return cannot_fill("move checkpoints to", folder, wrong);
  }
  if (auto copied = copy_written(from, folder, folder); !copied) return copied;
  const fs::path gone = from.string() + ".gone";
  fs::rename(from, gone, wrong);
  if (!wrong) fs::create_symlink(link_to(folder, from), from, wrong);
  if (wrong) return cannot_fill("lead on", from, wrong);
  process::remove_meanwhile(gone);
  return {};
}

Result<void> move_on(const fs::path& from, const std::string& earlier, const std::string& folder) {
  const auto owner = store::read_record(from.parent_path());
  if (owner && owner->is_live()) return still_runs(owner->run);
  if (auto moved = move_tree(from, folder); !moved) return moved;
  forget_size(from);
  lead_on(fs::path(earlier) / kCheckpoints, folder);
  return {};
}

bool is_others_file(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && found.st_uid != ::geteuid();
}

// A lock of another user's would keep this run waiting for as long as that one likes. Whom all
// records belong to could do more than that.
bool may_wait_for(const std::string& records, const std::string& lock) {
  struct stat above {};
  struct stat found {};
  if (::lstat(lock.c_str(), &found) != 0 || found.st_uid == ::geteuid()) return true;
  return ::stat(records.c_str(), &above) == 0 && above.st_uid == found.st_uid;
}

// Of several runs at the same instant one takes them, and the others see that it has.
Result<void> go_on_from(const std::string& asked, const std::string& folder) {
  const std::string records = records_of(fs::path(folder).parent_path());
  const std::string lock = fmt::format("{}/{}", records, store::kCheckpointsLock);
  const bool waits = may_wait_for(records, lock);
  const process::UniqueFd held =
      waits ? store::lock_file(lock, process::no_signal_waits) : process::UniqueFd();
  const int why = errno;
  // As a rule it may be opened by its owner alone.
  const bool may_go_on = !waits || (why == EACCES && is_others_file(lock));
  if (!held && !may_go_on) return cannot_fill("open", lock, {why, std::generic_category()});
  if (!held) warn(lock + " is another user's, so muster does not wait for its lock");
  const auto earlier = with_checkpoints(asked);
  if (!earlier) return tl::unexpected(earlier.error());
  const Found found = found_at(*earlier);
  std::error_code wrong;
  const fs::path link = fs::path(*earlier) / kCheckpoints;
  if (is_others_record(*earlier) && fs::is_symlink(fs::symlink_status(link, wrong))) {
    warn(fmt::format("not taken over, since it is another user's link: {}", link.string()));
    return {};
  }
  if (found.kind == Found::Kind::none && fs::exists(*earlier, wrong)) return {};
  if (found.kind == Found::Kind::none || found.kind == Found::Kind::gone) {
    return base::fail(Fault::usage, "begin without them: muster rerun takes --fresh-checkpoints",
                      "the checkpoints of {} are gone, with the record of the run that had them",
                      store::run_of(*earlier));
  }
  fs::remove(folder, wrong);  // it has nothing yet
  if (found.kind == Found::Kind::here) return move_on(found.place, *earlier, folder);
  fs::create_symlink(found.place, folder, wrong);
  return wrong ? cannot_fill("make", folder, wrong) : Result<void>();
}

// ---- jobs that are queued again ----

// "train" of the record of RUN/train.
std::string step_of(const std::string& folder) {
  const std::string run = store::run_of(folder);
  return run.substr(std::min(run.find('/'), run.size()));
}

// Where a link leads that this user has put there: to a record of this user's, or nowhere.
std::string record_behind(const std::string& records, const fs::path& link) {
  struct stat found {};
  if (::lstat(link.c_str(), &found) != 0 || found.st_uid != ::geteuid()) return "";
  std::error_code wrong;
  const fs::path target = fs::read_symlink(link, wrong);
  const std::string record = (link.parent_path() / target).lexically_normal().string();
  const std::string above = fs::path(records).lexically_normal().string() + "/";
  const bool is_ours =
      !target.empty() && record.starts_with(above) && store::other_owner(records, record).empty();
  return is_ours ? record : "";
}

// Of a command line in a job of Slurm's, and of the step of its pipeline.
std::string key_of(const front::Recording& record, const std::vector<std::string>& environment) {
  std::vector<std::string> words = {base::value_of(environment, "SLURM_CLUSTER_NAME"),
                                    base::value_of(environment, "SLURM_JOB_ID"),
                                    step_of(record.folder), record.asked.folder};
  words.insert(words.end(), record.asked.words.begin(), record.asked.words.end());
  blobs::Sha256 hash;
  for (const std::string& word : words) hash.add(word + '\0');
  return hash.take();
}

}  // namespace

Result<void> ready_checkpoints(const front::Checkpoints& checkpoints) {
  if (!checkpoints.earlier.empty()) {
    if (auto taken = go_on_from(checkpoints.earlier, checkpoints.folder); !taken) return taken;
  }
  std::error_code wrong;
  fs::create_directories(checkpoints.folder, wrong);
  return wrong ? cannot_fill("make", checkpoints.folder, wrong) : Result<void>();
}

std::string queued_before(const front::Recording& record,
                          const std::vector<std::string>& environment) {
  if (base::value_of(environment, "SLURM_JOB_ID").empty()) return "";
  const std::string records = records_of(record.folder);
  const fs::path folder = fs::path(records) / kQueued;
  (void)::mkdir(folder.c_str(), 0700);
  if (!store::own_below(records, kQueued)) {
    warn(store::not_own_below(records, kQueued) +
         ", so a job that is queued again does not find its checkpoints");
    return "";
  }
  const std::string key = key_of(record, environment);
  const int start = plan::starts_before(environment);
  const auto link = [&](int of, int which) {
    return folder / fmt::format("{}.{}.{}", key, of, which);
  };
  std::error_code wrong;
  const fs::path own = fs::path("..") / fs::path(record.folder).lexically_relative(records);
  int which = 0;
  do {
    wrong.clear();
    fs::create_symlink(own, link(start, which++), wrong);
  } while (wrong == std::errc::file_exists && which < kRerunsMax);
  for (int before = start - 1; before >= 0; --before) {
    std::string found = record_behind(records, link(before, which - 1));
    if (!found.empty()) return found;
  }
  return "";
}

std::string earlier_checkpoints(const std::string& pipeline, const std::string& step) {
  return look_back(pipeline, step, [](const std::string& folder) {
    return found_at(folder).kind != Found::Kind::none;
  });
}

}  // namespace muster::cli
