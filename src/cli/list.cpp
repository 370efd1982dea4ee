// Chooses which runs are listed, and asks the index for those that have ended.
#include "cli/list.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <unistd.h>
#include <vector>

#include "cli/requeued.hpp"
#include "cli/scheduled.hpp"
#include "cli/speak.hpp"
#include "process/terminal.hpp"
#include "process/tree.hpp"
#include "store/folder.hpp"
#include "store/index.hpp"
#include "store/lock.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"
#include "view/drawn_over.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

using front::RecordRequest;
using model::RunRecord;
using store::Indexed;
using store::IndexText;

constexpr std::size_t kMost = 20;

// A run of the list: as the index tells it, or as its record does.
struct Entry {
  std::string run;
  std::string text;
  std::unique_ptr<const RunRecord> record;  // null: as the index tells it
  bool is_meant = true;                     // by the filter; of a record, nobody has asked yet
};

std::unique_ptr<const RunRecord> held(RunRecord record) {
  return std::make_unique<const RunRecord>(std::move(record));
}

// Nothing will change any more; but what is said of one that died may depend on who asks.
bool has_report(const RunRecord& record) {
  return !record.is_live() && record.state != model::RunState::died &&
         record.state != model::RunState::unknown && !may_run_again(record);
}

class Listing {
 public:
  Listing(std::string folder, IndexText text, model::RunFilter filter = {})
      : folder_(std::move(folder)),
        text_(text),
        filter_(std::move(filter)),
        index_(store::Index::open(folder_)) {}

  // All runs, the oldest first. What the index did not know it does from now on.
  std::vector<Entry> all() {
    const std::vector<std::string> names = store::run_names(folder_);
    std::vector<Indexed> known = known_runs();
    const std::vector<std::string> own = store::own_among(folder_, names);
    std::vector<Entry> entries;
    entries.reserve(names.size());
    std::vector<std::string> gone;
    auto next = known.begin();
    for (const std::string& name : names) {
      for (; next != known.end() && next->run < name; ++next) gone.push_back(next->run);
      const bool is_known = next != known.end() && next->run == name;
      // The index knows nothing of owners, so it is not asked for runs of other users.
      if (!is_known || !std::ranges::binary_search(own, name)) {
        add_unknown(name, entries);
      } else {
        entries.push_back({name, std::move(next->text), {}, next->is_meant});
      }
      if (is_known) ++next;
    }
    for (; next != known.end(); ++next) gone.push_back(next->run);
    remember(entries, gone);
    return entries;
  }

 private:
  std::vector<Indexed> known_runs() {
    auto known = index_ ? in_index() : std::nullopt;
    if (known && is_of_here(*known)) return std::move(*known);
    if (index_ && (known || index_->is_damaged())) {
      index_.reset();
      store::Index::forget(folder_);
      index_ = store::Index::open(folder_);
    }
    return {};
  }

  std::optional<std::vector<Indexed>> in_index() {
    if (filter_.says_nothing()) return index_->runs(text_);
    return index_->runs(text_, filter_, store::utc_now());
  }

  // Records may have been moved, or be seen under another path from here.
  [[nodiscard]] bool is_of_here(const std::vector<Indexed>& known) const {
    if (text_ != IndexText::json || known.empty()) return true;
    const auto record = view::read_record(known.back().text);
    return record && record->folder == folder_ + "/" + known.back().run;
  }

  void add_unknown(const std::string& name, std::vector<Entry>& entries) const {
    auto record = store::read_record(folder_ + "/" + name);
    if (record) record->owner = store::other_owner(folder_, record->folder);
    if (record) entries.push_back({name, {}, held(std::move(*record))});
  }

  void remember(const std::vector<Entry>& entries, const std::vector<std::string>& gone) {
    std::vector<RunRecord> ended;
    for (const Entry& entry : entries) {
      if (!entry.record || !entry.record->owner.empty()) continue;
      if (has_report(*entry.record)) ended.push_back(*entry.record);
    }
    if (index_) index_->change(ended, gone);
  }

  std::string folder_;
  IndexText text_;
  model::RunFilter filter_;
  std::optional<store::Index> index_;
};

view::RecordCells cells_of(const Entry& entry, model::Utc now) {
  if (entry.record) return view::record_cells(*entry.record, now);
  view::RecordCells cells;
  std::string_view rest = entry.text;
  for (std::string& cell : cells) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    cell = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return cells;
}

std::string table(const std::vector<Entry>& entries) {
  std::vector<view::RecordCells> rows;
  rows.reserve(entries.size());
  const model::Utc now = store::utc_now();
  for (const Entry& entry : entries) rows.push_back(cells_of(entry, now));
  return view::record_table(rows, style_for(STDOUT_FILENO));
}

// What stands around the objects, each of which has a line of its own.
struct Around {
  std::string_view before;
  std::string_view first;
  std::string_view between;
  std::string_view after;
};

constexpr Around kArray = {"[", "\n  ", ",\n  ", "\n]\n"};
constexpr Around kNoObjects = {"[", "", "", "]\n"};
constexpr Around kObjectLines = {"", "", "\n", "\n"};
constexpr Around kNoObjectLines = {"", "", "", ""};

// It may be long: it never lies in memory twice.
int print_list(const std::vector<Entry>& entries, bool lines) {
  constexpr std::size_t kPiece = 256u << 10;
  const Around& around =
      entries.empty() ? (lines ? kNoObjectLines : kNoObjects) : (lines ? kObjectLines : kArray);
  std::string piece(around.before);
  const model::Utc now = store::utc_now();
  for (const Entry& entry : entries) {
    piece += &entry == &entries.front() ? around.first : around.between;
    piece += entry.record ? view::record_json(*entry.record, now) : entry.text;
    if (piece.size() < kPiece) continue;
    if (const int code = print(piece); code != 0) return code;
    piece.clear();
  }
  return print(piece.append(around.after));
}

void keep_matching(std::vector<Entry>& entries, const model::RunFilter& filter) {
  const model::Utc now = store::utc_now();
  std::erase_if(entries, [&](const Entry& entry) {
    return entry.record ? !matches(filter, *entry.record, now) : !entry.is_meant;
  });
}

void ask_schedulers(std::vector<Entry>& entries, const Invocation& invocation) {
  std::vector<RunRecord> live;
  for (const Entry& entry : entries) {
    if (entry.record && is_open_at_scheduler(*entry.record)) live.push_back(*entry.record);
  }
  if (live.empty()) return;
  ask_for_all(live, invocation);
  for (RunRecord& record : live) {
    const auto entry = std::ranges::find(entries, record.run, &Entry::run);
    entry->record = held(std::move(record));
  }
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

std::vector<Entry> meant(const std::string& folder, const RecordRequest& request,
                         const Invocation& invocation) {
  const IndexText text = request.json ? IndexText::json : IndexText::cells;
  std::vector<Entry> entries = Listing(folder, text, request.filter).all();
  ask_schedulers(entries, invocation);
  keep_matching(entries, request.filter);
  if (!request.all) shorten(entries, request.most.value_or(kMost));
  return entries;
}

// Until Ctrl-C, which leaves the last list on the terminal.
int watch(const std::string& folder, const RecordRequest& request, const Invocation& invocation) {
  constexpr int kPauseMs = 2000;  // schedulers may be asked each time
  if (::isatty(STDOUT_FILENO) != 1) {
    return complain({base::Fault::usage,
                     "--watch needs a terminal to draw on",
                     "muster ps --json-lines prints the list once, for programs",
                     {}});
  }
  for (std::string_view begin = view::kClear;; begin = view::kHome) {
    const std::string list = table(meant(folder, request, invocation));
    const std::size_t height = process::terminal_size(STDOUT_FILENO).rows;
    const int code = print(std::string(begin) + view::drawn_over(list, height));
    if (code != 0) return code;
    ::poll(nullptr, 0, kPauseMs);
  }
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
  for (const fs::path& path : left) (void)process::remove_tree(path);
}

// What a job is called, by its name and its display name, with and without its experiment.
std::vector<std::string> called_names(const RunRecord& record) {
  std::set<std::string> names;
  for (const std::string& name : {record.name, record.title}) {
    if (!name.empty()) names.insert({name, record.experiment + "/" + name});
  }
  return {names.begin(), names.end()};
}

// By what its row shows: "lines/train", "lines/train (My training)", or how that begins. A display
// name has no experiment there, which may stand before it in the word.
bool may_be_called(const std::string& shown, const std::string& word) {
  if (shown.ends_with("...") || shown.ends_with(word)) return true;
  if (!shown.ends_with(')')) return false;
  for (std::size_t at = 0; at != std::string::npos; at = word.find('/', at + 1)) {
    const std::string title = word.substr(at == 0 ? 0 : at + 1);
    if (shown.ends_with("(" + title + ")")) return true;
  }
  return shown.find(word + " (") != std::string::npos;
}

using Called = std::map<std::string, std::vector<RunRecord>, std::less<>>;

// The user's runs that are called one of the words. By the cells, which show what a job is called,
// or how that begins.
Called called_one_of(const std::set<std::string>& words, const std::string& records,
                     const std::vector<Entry>& entries) {
  Called called;
  const model::Utc now = store::utc_now();
  for (const Entry& entry : entries) {
    const std::string shown = cells_of(entry, now).back();
    const auto is_shown = [&](const std::string& word) { return may_be_called(shown, word); };
    if (std::ranges::none_of(words, is_shown)) continue;
    if (!store::other_owner(records, records + "/" + entry.run).empty()) continue;
    const auto record = store::read_record(records + "/" + entry.run);
    if (!record) continue;
    for (const std::string& name : called_names(*record)) {
      if (words.contains(name)) called[name].push_back(*record);
    }
  }
  return called;
}

// The only one, or else the only one that has not ended.
std::optional<std::string> only_one(const std::vector<RunRecord>& called) {
  if (called.size() == 1) return called.front().run;
  if (std::ranges::count_if(called, &RunRecord::is_live) != 1) return std::nullopt;
  return std::ranges::find_if(called, &RunRecord::is_live)->run;
}

// Each name that is offered, with the run that it finds, as folder_of_run() finds it.
std::map<std::string, std::string> found_by(const std::set<std::string>& names,
                                            const std::string& records,
                                            const std::vector<Entry>& entries) {
  const std::vector<std::string> all = store::run_names(records);
  const std::vector<std::string> own = store::own_among(records, all);
  const auto first_of = [](const std::string& name) { return name.substr(0, name.find('/')); };
  std::set<std::string> words = names;
  for (const std::string& name : names) words.insert(first_of(name));
  Called called = called_one_of(words, records, entries);
  const auto is_run = [&](const std::string& word) {
    return std::ranges::binary_search(all, word) || store::find_run(own, word).has_value();
  };
  std::map<std::string, std::string> found;
  for (const std::string& name : names) {
    const std::string first = first_of(name);
    if (is_run(name) || is_run(first)) continue;
    if (first != name && only_one(called[first])) continue;  // the rest is one of its steps
    if (const auto run = only_one(called[name])) found.emplace(name, *run);
  }
  return found;
}

}  // namespace

std::vector<RunRecord> runs_called(const std::string& records, const std::string& word) {
  return called_one_of({word}, records, Listing(records, IndexText::cells).all())[word];
}

// Another user's is meant by its whole name only.
base::Result<std::string> run_meant(const std::string& records, const std::string& word) {
  const std::vector<std::string> all = store::run_names(records);
  if (std::ranges::binary_search(all, word)) return word;
  const std::vector<std::string> own = store::own_among(records, all);
  if (own.empty() && !all.empty()) {
    return base::fail(base::Fault::usage, "a run of another user is meant by its whole name",
                      "no run in {} is yours", records);
  }
  auto by_name = store::find_run(own, word);
  if (by_name) return by_name;
  const std::vector<RunRecord> called = runs_called(records, word);
  if (called.empty()) return by_name;
  if (const auto run = only_one(called)) return *run;
  return base::fail(base::Fault::usage, "write which: `muster ps` lists them",
                    "{} runs are called {}, the last is {}", called.size(), word,
                    called.back().run);
}

int list(const std::string& folder, const RecordRequest& request, const Invocation& invocation) {
  if (request.watch) return watch(folder, request, invocation);
  const std::vector<Entry> entries = meant(folder, request, invocation);
  return request.json ? print_list(entries, request.lines) : print(table(entries));
}

// Runs are listed once, however many names there are: a person waits.
int offer_runs(const Invocation& invocation) {
  const auto records = store::records_folder(invocation.environment);
  if (!records) return 0;
  const std::vector<Entry> entries = Listing(*records, IndexText::cells).all();
  const std::size_t count = std::min(entries.size(), kMost);
  const model::Utc now = store::utc_now();
  std::set<std::string> names;
  std::string text;
  for (auto entry = entries.rbegin(); entry != entries.rbegin() + std::ptrdiff_t(count); ++entry) {
    text += fmt::format("{}\t{}\n", entry->run, cells_of(*entry, now).back());
    const auto record = store::read_record(*records + "/" + entry->run);
    for (const std::string& name : record ? called_names(*record) : std::vector<std::string>()) {
      // What begins with '-' or '/' would be an option, or has no experiment.
      const bool is_typed = name == view::one_line(name) && name.find_first_of("-/") != 0;
      if (is_typed) names.insert(name);
    }
  }
  for (const auto& [name, run] : found_by(names, *records, entries)) {
    text += fmt::format("{}\t{}\n", name, run);
  }
  return print(text);
}

int reindex(const std::string& folder, const RecordRequest& request) {
  if (::access(folder.c_str(), W_OK) != 0 && errno != ENOENT) {
    return complain({base::Fault::bad_file,
                     fmt::format("cannot write the index in {}: {}", folder, std::strerror(errno)),
                     "muster ps reads the records themselves, more slowly",
                     {}});
  }
  store::Index::forget(folder);
  sweep(folder);
  const std::size_t count = Listing(folder, IndexText::cells).all().size();
  return print(request.json ? fmt::format("{{\"runs\":{}}}\n", count)
                            : fmt::format("{} run{}\n", count, count == 1 ? "" : "s"));
}

}  // namespace muster::cli
