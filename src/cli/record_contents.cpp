// Inputs and checkpoints in the record of a run.
#include "cli/record_contents.hpp"

#include <filesystem>

#include "base/variables.hpp"
#include "blobs/sha256.hpp"
#include "cli/code.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using base::Result;

constexpr std::string_view kCheckpoints = "checkpoints";

Result<void> cannot_fill(std::string_view what, const std::string& path,
                         const std::error_code& why) {
  return base::fail(Fault::output, "", "cannot {} {}: {}", what, path, why.message());
}

// Where they lie now: later runs may have taken them on. Nothing: there are none.
std::optional<fs::path> found_at(const std::string& record) {
  std::error_code wrong;
  const fs::path place = fs::canonical(fs::path(record) / kCheckpoints, wrong);
  const bool has = !wrong && place.filename() == kCheckpoints && fs::is_directory(place, wrong);
  return has ? std::optional(place) : std::nullopt;
}

Result<void> check_unused(const fs::path& place) {
  const auto owner = store::read_record(place.parent_path());
  const bool runs = owner && (owner->state == model::RunState::running ||
                              owner->state == model::RunState::starting);
  if (!runs) return {};
  return base::fail(Fault::usage, "stop it first, or add --fresh-checkpoints",
                    "{} still runs, and its checkpoints are to be taken over", owner->run);
}

// Names of both that stay valid where the folder of all records is moved.
void leave_link(const fs::path& old, const fs::path& place) {
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(old, ignored))) fs::remove(old, ignored);
  fs::create_symlink(fs::relative(place, old.parent_path(), ignored), old, ignored);
}

Result<void> take_over(const std::string& earlier, const std::string& folder) {
  const auto found = found_at(earlier);
  if (!found) return {};
  if (auto fine = check_unused(*found); !fine) return fine;
  std::error_code wrong;
  fs::remove(folder, wrong);  // it has nothing yet
  fs::rename(*found, folder, wrong);
  if (wrong) return cannot_fill("move checkpoints to", folder, wrong);
  leave_link(*found, folder);
  leave_link(fs::path(earlier) / kCheckpoints, folder);
  return {};
}

// Of a command line in a job of Slurm's, and of the step of its pipeline.
std::string key_of(const front::Recording& record, const std::vector<std::string>& environment) {
  std::vector<std::string> words = {base::value_of(environment, "SLURM_CLUSTER_NAME"),
                                    base::value_of(environment, "SLURM_JOB_ID"), record.name,
                                    record.asked.folder};
  words.insert(words.end(), record.asked.words.begin(), record.asked.words.end());
  blobs::Sha256 hash;
  for (const std::string& word : words) hash.add(word + '\0');
  return hash.take();
}

}  // namespace

Result<void> link_inputs(const std::vector<front::DataPath>& data) {
  for (const front::DataPath& one : data) {
    std::error_code wrong;
    if (one.from.empty()) continue;
    if (!fs::exists(one.from, wrong)) {
      return base::fail(Fault::bad_file, "mode: download takes it from this machine",
                        "the input {} is not there", one.from);
    }
    fs::create_directories(fs::path(one.path).parent_path(), wrong);
    fs::create_symlink(one.from, one.path, wrong);
    if (wrong && wrong != std::errc::file_exists) return cannot_fill("make", one.path, wrong);
  }
  return {};
}

Result<void> ready_checkpoints(const front::Checkpoints& checkpoints) {
  if (!checkpoints.earlier.empty()) {
    if (auto taken = take_over(checkpoints.earlier, checkpoints.folder); !taken) return taken;
  }
  std::error_code wrong;
  fs::create_directories(checkpoints.folder, wrong);
  return wrong ? cannot_fill("make", checkpoints.folder, wrong) : Result<void>();
}

// Slurm sets the count in a job that it has requeued (sbatch(1), OUTPUT ENVIRONMENT VARIABLES).
std::string queued_before(const front::Recording& record,
                          const std::vector<std::string>& environment) {
  if (base::value_of(environment, "SLURM_JOB_ID").empty()) return "";
  const bool again = !base::value_of(environment, "SLURM_RESTART_COUNT").empty();
  const fs::path records = records_of(record.folder);
  const fs::path link = records / ".queued" / key_of(record, environment);
  std::error_code wrong;
  const fs::path before = again ? fs::read_symlink(link, wrong) : fs::path();
  fs::create_directory(link.parent_path(), wrong);
  fs::remove(link, wrong);
  fs::create_symlink(fs::path("..") / fs::relative(record.folder, records), link, wrong);
  return before.empty() ? "" : (link.parent_path() / before).lexically_normal().string();
}

std::string earlier_checkpoints(const std::string& pipeline, const std::string& step) {
  constexpr int kRerunsMax = 10'000;  // no circle goes on for ever
  std::string run = pipeline;
  for (int i = 0; i < kRerunsMax && !run.empty(); ++i) {
    std::string folder = store::step_folder(run, step);
    if (found_at(folder)) return folder;
    const auto whole = store::read_record(run);
    run = whole ? whole->rerun_of : "";
  }
  return "";
}

}  // namespace muster::cli
