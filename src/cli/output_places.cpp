// Asks the notes on each place.
#include "cli/output_places.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/code.hpp"
#include "cli/speak.hpp"
#include "process/own_streams.hpp"
#include "store/folder.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

// "notes.txt and 3 others"; empty: the place is a file itself.
std::string files_of(const store::Placed::Users& users) {
  const std::string& first = users.files.begin()->first;
  const std::size_t others = users.files.size() - 1;
  if (first.empty() || others == 0) return first;
  return fmt::format("{} and {}{} other{}", first, users.are_all ? "" : "more than ", others,
                     others == 1 ? "" : "s");
}

// Nothing lies in a stream such as /dev/stdout, a device or a FIFO that could be lost, and many may
// write there.
bool is_stream(const std::string& path) {
  if (process::descriptor_named(path)) return true;
  std::error_code wrong;
  const fs::file_status found = fs::status(path, wrong);
  return fs::exists(found) && !fs::is_regular_file(found) && !fs::is_directory(found);
}

}  // namespace

OutputPlaces::OutputPlaces(const front::Recording& record)
    : records_(records_of(record.folder)), run_(store::run_of(record.folder)) {
  for (const model::NamedPath& output : record.outputs) add(record, output, false);
}

OutputPlaces::OutputPlaces(const front::PipelineRequest& request)
    : records_(records_of(request.record.folder)), run_(store::run_of(request.record.folder)) {
  const bool is_sweep = request.sweep != nullptr;
  for (const front::StepRequest& step : request.steps) {
    for (const model::NamedPath& output : step.outputs) {
      if (!is_sweep) add(request.record, output, step.replaces);
    }
  }
  for (const model::NamedPath& output : request.record.outputs) {
    add(request.record, output, is_sweep);
  }
}

OutputPlaces::OutputPlaces(const front::Reading& reading)
    : OutputPlaces(reading.pipeline ? OutputPlaces(*reading.pipeline)
                                    : OutputPlaces(*reading.request->record)) {}

void OutputPlaces::add(const front::Recording& record, const model::NamedPath& output,
                       bool replaces) {
  if (record.folder.empty() || output.path.starts_with(record.folder + "/")) return;
  if (is_stream(output.path)) return;
  std::error_code wrong;
  fs::path place = fs::weakly_canonical(output.path, wrong);
  if (!place.has_filename()) place = place.parent_path();
  // An output of the pipeline is one of a step's, which knows more of it.
  const bool is_known =
      std::ranges::any_of(all_, [&](const One& one) { return one.place.path() == place.string(); });
  if (is_known || place.empty()) return;
  all_.push_back({.name = output.name,
                  .place = store::Placed(records_, place.string()),
                  .overwrites = output.overwrites || record.overwrites,
                  .replaces = replaces});
}

base::Result<void> OutputPlaces::check() const {
  for (const One& one : all_) {
    if (one.overwrites) continue;
    const store::Placed::Users users = one.place.users();
    if (users.files.empty()) continue;
    const std::string files = files_of(users);
    return base::fail(
        base::Fault::bad_file,
        "name another path, or allow it: overwrite: true of the output, or muster submit "
        "--force",
        "the output {} could overwrite what no run of muster has written: {} {}", one.name,
        one.place.path(), files.empty() ? "is a file" : "holds " + files);
  }
  return {};
}

std::string OutputPlaces::warning() const {
  const auto fine = check();
  return fine ? ""
              : fmt::format("it would not start: {}; {}", fine.error().what, fine.error().hint);
}

// One that is started by the run that has the place is refused, too: muster could not tell what is
// whose, nor keep two apart that the same command starts.
base::Result<void> OutputPlaces::refusal(const One& one, const store::PlaceClaims::Answer& answer) {
  const bool is_same = answer.place == one.place.path();
  const std::string where = is_same ? "there" : "to " + answer.place;
  const std::string_view or_mean_it =
      is_same && !answer.is_outer ? "" : ", or say overwrite: true of this output";
  if (answer.is_outer) {
    return base::fail(
        base::Fault::bad_file,
        fmt::format("use another path in the file of the inner or of the outer job{}", or_mean_it),
        "the output {} cannot be written to {}: the outer run {}, which started this one, writes "
        "{}",
        one.name, one.place.path(), answer.run, where);
  }
  return base::fail(base::Fault::bad_file,
                    fmt::format("wait until it has ended (muster wait {0}), stop it (muster stop "
                                "{0}), or name another path{1}",
                                answer.run, or_mean_it),
                    "the output {} cannot be written to {} now: the run {} writes {}", one.name,
                    one.place.path(), answer.run, where);
}

// Where the user means to write into what another run writes, or around it, nothing is claimed.
base::Result<void> OutputPlaces::claim() {
  claims_.emplace(records_, run_);
  std::vector<One*> left;
  left.reserve(all_.size());
  for (One& one : all_) left.push_back(&one);
  for (;;) {
    std::vector<std::string> places;
    places.reserve(left.size());
    for (const One* one : left) places.push_back(one->place.path());
    const auto answers = claims_->take(places);
    const auto refused = std::ranges::find_if(
        answers, [](const store::PlaceClaims::Answer& answer) { return !answer.run.empty(); });
    if (refused == answers.end()) {
      for (std::size_t i = 0; i < left.size(); ++i)
        left[i]->is_of_pipeline = answers[i].is_of_pipeline;
      return {};
    }
    const auto at = left.begin() + (refused - answers.begin());
    const bool is_meant =
        (*at)->overwrites && (refused->is_outer || refused->place != (*at)->place.path());
    if (!is_meant) return refusal(**at, *refused);
    warn(fmt::format("the run {} writes to {} at the same time as the output {} is written to {}",
                     refused->run, refused->place, (*at)->name, (*at)->place.path()));
    left.erase(at);
  }
}

base::Result<void> OutputPlaces::take() {
  if (all_.empty()) return {};
  if (auto claimed = claim(); !claimed) return claimed;
  if (auto fine = check(); !fine) return fine;
  for (const One& one : all_) {
    if (!one.overwrites || one.replaces || one.is_of_pipeline) continue;
    const store::Placed::Users users = one.place.users();
    if (users.files.empty()) continue;
    const std::string files = files_of(users);
    warn(fmt::format("{} was there before; the output {} may overwrite {}", one.place.path(),
                     one.name, files.empty() ? "it" : files + " in it"));
  }
  return {};
}

void OutputPlaces::begin() const {
  for (const One& one : all_) {
    if (!one.replaces) one.place.begin(run_);
  }
}

void OutputPlaces::end() const {
  for (const One& one : all_) {
    if (!one.replaces) one.place.end(run_);
  }
}

}  // namespace muster::cli
