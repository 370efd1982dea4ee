// Reads a record: the report if there is one, else what the spec, the events and the lock tell.
#include "store/reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/lock.hpp"
#include "view/record_json.hpp"

namespace muster::store {
namespace {

using model::RunRecord;

// A million ranks that start and end write a quarter of it.
constexpr std::size_t kEventsMax = std::size_t{1} << 30;

// A record may have been moved, or be seen from a host where its folder has another path.
std::optional<RunRecord> record_in(const std::string& folder, const std::string& file) {
  const auto text = read_file(folder + "/" + file);
  auto record = text ? view::read_record(*text) : std::nullopt;
  if (record) {
    record->folder = folder;
    record->run = run_of(folder);
  }
  return record;
}

std::optional<model::Utc> changed_at(int file) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return std::nullopt;
  const auto since =
      std::chrono::seconds(facts.st_mtim.tv_sec) + std::chrono::nanoseconds(facts.st_mtim.tv_nsec);
  return model::Utc(std::chrono::floor<std::chrono::milliseconds>(since));
}

model::Unfinished found_in(const std::string& folder, std::vector<model::StepRecord>& steps) {
  model::Unfinished found;
  found.here = this_place();
  const process::UniqueFd events = open_events(folder);
  if (!events) return found;
  found.is_held = holder_of(events.get()).has_value();
  found.last_event = changed_at(events.get());
  const std::string text = read_file(folder + "/events.jsonl", kEventsMax).value_or("");
  found.started = view::time_of_event(text, "running");
  found.ending = view::ending_of(text);
  found.job = view::queued_as(text).value_or("");
  if (!steps.empty()) view::hear_steps(text, steps);
  return found;
}

}  // namespace

bool is_finished(const std::string& folder) {
  return ::access((folder + "/report.json").c_str(), F_OK) == 0;
}

process::UniqueFd open_events(const std::string& folder) {
  return open_file(folder + "/events.jsonl");
}

std::optional<RunRecord> read_record(const std::string& folder) {
  if (auto finished = record_in(folder, "report.json")) return finished;
  auto record = record_in(folder, "spec.json");
  if (!record) return std::nullopt;
  const model::Unfinished found = found_in(folder, record->steps);
  // It may have ended while we looked: the report is written before the lock is let go.
  if (!found.is_held) {
    if (auto finished = record_in(folder, "report.json")) return finished;
  }
  return judged(std::move(*record), found);
}

std::optional<model::TypedCommand> read_asked(const std::string& folder) {
  const auto text = read_file(folder + "/spec.json");
  return text ? view::read_asked(*text) : std::nullopt;
}

}  // namespace muster::store
