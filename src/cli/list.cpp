// Chooses which runs are listed, and asks the index for those that have ended.
#include "cli/list.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include "cli/speak.hpp"
#include "store/folder.hpp"
#include "store/index.hpp"
#include "store/lock.hpp"
#include "store/reader.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::cli {
namespace {

using front::RecordRequest;
using model::RunRecord;
using store::Indexed;

constexpr std::size_t kMost = 20;

// A run of the list; its record is read when it is needed.
struct Entry {
  std::string run;
  std::string experiment;
  std::optional<RunRecord> record;
};

// Nothing will change any more; but what is said of one that died may depend on who asks.
bool has_report(const RunRecord& record) {
  return !record.is_live() && record.state != model::RunState::died &&
         record.state != model::RunState::unknown;
}

class Listing {
 public:
  explicit Listing(std::string folder)
      : folder_(std::move(folder)), index_(store::Index::open(folder_)) {}

  // All runs, the oldest first. What the index did not know it does from now on.
  std::vector<Entry> all() {
    const std::vector<std::string> names = store::run_names(folder_);
    const std::vector<Indexed> known = known_runs();
    std::vector<Entry> entries;
    std::vector<std::string> gone;
    auto next = known.begin();
    for (const std::string& name : names) {
      for (; next != known.end() && next->run < name; ++next) gone.push_back(next->run);
      const bool is_known = next != known.end() && next->run == name;
      if (is_known) entries.push_back({name, (next++)->experiment, {}});
      if (!is_known) add_unknown(name, entries);
    }
    for (; next != known.end(); ++next) gone.push_back(next->run);
    remember(entries, gone);
    return entries;
  }

  RunRecord record_of(const Entry& entry) {
    if (entry.record) return *entry.record;
    auto found = index_ ? index_->record_of(entry.run) : std::nullopt;
    if (!found) found = store::read_record(folder_ + "/" + entry.run);
    RunRecord record = std::move(found).value_or(RunRecord());
    record.run = entry.run;
    record.folder = folder_ + "/" + entry.run;
    return record;
  }

 private:
  std::vector<Indexed> known_runs() {
    auto known = index_ ? index_->runs() : std::nullopt;
    if (known) return *known;
    if (index_ && index_->is_damaged()) {
      index_.reset();
      store::Index::forget(folder_);
      index_ = store::Index::open(folder_);
    }
    return {};
  }

  void add_unknown(const std::string& name, std::vector<Entry>& entries) const {
    auto record = store::read_record(folder_ + "/" + name);
    if (!record) return;
    std::string experiment = record->experiment;
    entries.push_back({name, std::move(experiment), std::move(record)});
  }

  void remember(const std::vector<Entry>& entries, const std::vector<std::string>& gone) {
    std::vector<RunRecord> ended;
    for (const Entry& entry : entries) {
      if (entry.record && has_report(*entry.record)) ended.push_back(*entry.record);
    }
    if (index_) index_->change(ended, gone);
  }

  std::string folder_;
  std::optional<store::Index> index_;
};

void keep_experiment(std::vector<Entry>& entries, const std::string& experiment) {
  if (experiment.empty()) return;
  std::erase_if(entries, [&](const Entry& entry) { return entry.experiment != experiment; });
}

// The last ones, and all that run.
void shorten(std::vector<Entry>& entries, std::size_t most) {
  const std::size_t old = entries.size() - std::min(most, entries.size());
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(old);
  const auto has_ended = [](const Entry& entry) {
    return !entry.record || !entry.record->is_live();
  };
  entries.erase(std::remove_if(entries.begin(), end, has_ended), end);
}

bool is_held(const std::string& folder) {
  const process::UniqueFd events = store::open_events(folder);
  return events && store::holder_of(events.get()).has_value();
}

// What a muster that was killed while it made or removed a record has left.
void sweep(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    const bool is_half = name.starts_with(".new-") || name.starts_with(".gone-");
    if (is_half && !is_held(entry.path())) left.push_back(entry.path());
  }
  for (const fs::path& path : left) fs::remove_all(path, ignored);
}

}  // namespace

int list(const std::string& folder, const RecordRequest& request) {
  Listing listing(folder);
  std::vector<Entry> entries = listing.all();
  keep_experiment(entries, request.experiment);
  if (!request.all) shorten(entries, request.most.value_or(kMost));
  std::vector<RunRecord> records;
  for (const Entry& entry : entries) records.push_back(listing.record_of(entry));
  const model::Utc now = store::utc_now();
  if (!request.json) {
    print(stdout, view::record_table(records, now, {::isatty(STDOUT_FILENO) == 1}));
    return 0;
  }
  std::vector<std::string> objects;
  for (const RunRecord& record : records) objects.push_back(view::record_json(record, now));
  print(stdout, view::json_list(objects));
  return 0;
}

int reindex(const std::string& folder) {
  store::Index::forget(folder);
  sweep(folder);
  const std::size_t count = Listing(folder).all().size();
  print(stdout, fmt::format("{} run{}\n", count, count == 1 ? "" : "s"));
  return 0;
}

}  // namespace muster::cli
