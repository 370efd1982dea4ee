// Looks at all first; then, while nobody starts a run, decides, hides what goes, and lets others on
// before whole folders are removed.
#include "cli/collect.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
#include <unistd.h>

#include "base/byte_size.hpp"
#include "base/variables.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/unnamed.hpp"
#include "cli/code.hpp"
#include "cli/other_hosts.hpp"
#include "cli/progress.hpp"
#include "cli/reuse.hpp"
#include "cli/scheduled.hpp"
#include "cli/shelf.hpp"
#include "cli/speak.hpp"
#include "cli/tidy_hosts.hpp"
#include "front/inherited.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/ownership.hpp"
#include "process/signal_mask.hpp"
#include "process/tree.hpp"
#include "store/folder.hpp"
#include "store/leftovers.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"
#include "store/removed.hpp"
#include "view/first_few.hpp"

namespace muster::cli {
namespace {

using base::Fault;

class Collector {
 public:
  Collector(const std::string& records, const CollectRules& rules)
      : records_(records),
        rules_(rules),
        folder_(::open(records.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    result_.dry_run = rules.dry_run;
  }

  view::Collection all() {
    blobs::BlobStore store(blobs::blobs_of(records_));
    // Sizes are looked up before others have to wait for it.
    const Shelf before = rules_.bounds.bytes ? shelf(nullptr) : Shelf();
    if (!rules_.dry_run) (void)store.hold();  // makes the lock
    process::UniqueFd alone = store.hold_alone();
    if (!process::is_others_place(blobs::blobs_of(records_))) {
      store_ = process::open_folder(folder_.get(), ".blobs");
    }
    const Shelf found = shelf(&before);
    store::Leftovers left = leftovers(found);
    if (alone || !store_) {
      choose_records(found);
      if (store_) drop_contents();
    } else {
      result_.is_held = true;
    }
    alone.reset();
    drop_offers();
    remove_leftovers(found, std::move(left));
    return std::move(result_);
  }

 private:
  [[nodiscard]] Shelf shelf(const Shelf* before) const {
    const auto told = [this](std::size_t done, std::size_t all) {
      if (rules_.told) rules_.told("records looked at", done, all);
    };
    return shelf_of(records_, {rules_.bounds.bytes.has_value(), rules_.measures_anew, before,
                               rules_.spared, told});
  }

  // What another one is removing is no leftover: whoever removes has a lock on the store's folder,
  // which no other user can open.
  [[nodiscard]] store::Leftovers leftovers(const Shelf& found) const {
    if (rules_.dry_run || !store_) return store::leftovers_in(records_, found.ended);
    const bool leads = ::flock(store_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    store::Leftovers left = store::leftovers_in(records_, found.ended);
    if (!leads) left.paths.clear();
    share_store();
    return left;
  }

  // Another one may be looking, which takes a moment. One that has been stopped meanwhile is not
  // waited for: then both may tell of the same thing.
  void share_store() const {
    constexpr int kLooks = 200;
    constexpr std::chrono::milliseconds kPause{10};
    for (int i = 0; i < kLooks; ++i) {
      if (::flock(store_.get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
      process::rest(kPause);
    }
  }

  void choose_records(const Shelf& found) {
    if (rules_.bounds.says_nothing()) return;
    const model::Departures leave = departures(found.holdings, rules_.bounds, store::utc_now());
    for (const std::size_t i : leave.go) hide(found.runs[i]);
    for (const model::NeededRecord& one : leave.needed) {
      result_.needed.push_back({found.runs[one.record], found.runs[one.by]});
    }
    result_.bound = rules_.bounds.bytes;
    if (rules_.bounds.bytes) result_.stays = leave.left;
  }

  // From here on nobody finds it. Others may have been faster.
  void hide(const std::string& run) {
    const std::string hidden = ".gone-" + run;
    const int here = folder_.get();
    const auto record = store::read_record(fmt::format("{}/{}", records_, run));
    if (!rules_.dry_run && ::renameat(here, run.c_str(), here, hidden.c_str()) != 0) {
      if (errno != ENOENT) fail(run, errno);
      return;
    }
    going_.insert(run);
    if (record && !rules_.dry_run) store::note_removed(records_, {{run, other_hosts(*record)}});
  }

  void drop_contents() {
    blobs::Dropped dropped =
        blobs::drop_unnamed(records_, {!rules_.dry_run, nullptr, rules_.dry_run ? going_ : kNone});
    result_.contents = {dropped.contents, dropped.bytes};
    result_.leftovers = {dropped.leftovers, dropped.leftover_bytes};
    result_.unread = std::move(dropped.unread);
    for (const std::string& path : dropped.strange) result_.strange.push_back(".blobs/" + path);
  }

  void drop_offers() {
    for (const StaleOffer& offer : stale_offers(records_, going_)) {
      const bool gone = rules_.dry_run || ::unlinkat(folder_.get(), offer.path.c_str(), 0) == 0;
      if (gone) result_.offers.add(offer.bytes);
      if (!gone && errno != ENOENT) fail(offer.path, errno);
    }
  }

  void remove_leftovers(const Shelf& found, store::Leftovers left) {
    std::erase_if(left.paths, [&](const std::string& path) {  // they go with their record
      return going_.contains(path.substr(0, path.find('/')));
    });
    for (const std::string& run : found.unreadable) result_.strange.push_back(run);
    for (std::string& name : left.strange) result_.strange.push_back(std::move(name));
    std::size_t done = 0;
    const std::size_t all = going_.size() + left.paths.size();
    for (const std::string& run : going_) {
      tell(done++, all);
      result_.runs.push_back(run);
      remove(rules_.dry_run ? run : ".gone-" + run, result_.records);
    }
    for (const std::string& path : left.paths) {
      tell(done++, all);
      remove(path, result_.leftovers);
    }
  }

  void tell(std::size_t done, std::size_t all) const {
    if (rules_.told) rules_.told(rules_.dry_run ? "looked at" : "removed", done, all);
  }

  // What has not gone, or not all of it, is not counted.
  void remove(const std::string& path, view::Tally& went) {
    if (rules_.dry_run) return went.add(process::bytes_of(folder_.get(), path));
    const process::Removed removed = process::remove_tree(folder_.get(), path);
    if (removed.left.empty()) return went.add(removed.bytes);
    went.bytes += removed.bytes;
    fail(removed.left, removed.why);
  }

  void fail(const std::string& path, int why) {
    result_.failed.push_back(fmt::format("{} ({})", path, std::strerror(why)));
  }

  static inline const std::set<std::string> kNone = {};

  const std::string& records_;
  const CollectRules& rules_;
  process::UniqueFd folder_;
  process::UniqueFd store_;      // nothing: there is none, or it is another user's
  std::set<std::string> going_;  // runs
  view::Collection result_;
};

// Of records and code, as far as it has been measured.
std::uint64_t taken_by(const std::string& records) {
  const process::UniqueFd folder(::open(records.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const process::UniqueFd store = process::open_folder(folder.get(), ".blobs");
  std::vector<std::string> strange;
  std::uint64_t bytes = 0;
  for (const blobs::StoreEntry& entry : blobs::stored(store.get(), strange)) bytes += entry.bytes;
  for (const std::string& run : store::run_names(records)) {
    const bool ended = store::is_finished(fmt::format("{}/{}", records, run));
    bytes += store::record_bytes(folder.get(), run, ended, false);
  }
  return bytes;
}

// Runs may have ended without a head to put it on record: their schedulers' word goes there.
void ask_schedulers(const std::string& records, const Invocation& invocation) {
  std::vector<model::RunRecord> open;
  for (const std::string& run : store::own_run_names(records)) {
    auto record = store::read_record(fmt::format("{}/{}", records, run));
    if (record && is_open_at_scheduler(*record)) open.push_back(*std::move(record));
  }
  ask_for_all(open, invocation);
}

view::Collection collect_seen(const std::string& records, const front::RecordRequest& request,
                              const Invocation& invocation) {
  Progress progress;
  CollectRules rules;
  rules.bounds = {request.filter.older_than, request.max_size};
  if (!rules.bounds.says_nothing()) ask_schedulers(records, invocation);
  rules.dry_run = request.dry_run;
  rules.told = [&](auto work, auto count, auto all) { progress.tell(work, count, all); };
  return collect_in(records, rules);
}

}  // namespace

void keep_to_budget(const std::string& record, const std::vector<std::string>& environment) {
  const std::string words = base::value_of(environment, front::kRecordsBudget);
  const auto budget = base::parse_budget(words);
  const std::string records = records_of(record);
  if (!budget || record.empty() || !store::is_of_records(records)) return;
  if (taken_by(records) <= *budget) return;
  CollectRules rules;
  rules.bounds.bytes = budget;
  rules.measures_anew = false;
  rules.spared = store::run_of(record);
  // After a pipeline signals are still held back, and what goes may be large.
  (void)process::heard_meanwhile(
      [&]() -> base::Result<void> {
        const view::Collection done = collect_in(records, rules);
        const auto name = [&](std::size_t i) { return done.runs[i]; };
        if (done.records.count > 0) {
          note(fmt::format("{} went, since {} is {}", view::first_few(done.runs.size(), name),
                           front::kRecordsBudget, words));
        }
        return {};
      },
      process::Unfinished::goes_on);
}

view::Collection collect_in(const std::string& records, const CollectRules& rules) {
  return Collector(records, rules).all();
}

int collect(const std::string& records, const front::RecordRequest& request,
            const Invocation& invocation) {
  view::Collection done;
  done.dry_run = request.dry_run;
  const bool is_there = ::access(records.c_str(), F_OK) == 0 || errno != ENOENT;
  if (is_there && !store::is_of_records(records)) {
    return complain({Fault::usage,
                     "there are no records of muster in " + records,
                     "MUSTER_RECORDS names their folder",
                     {}});
  }
  if (is_there) done = collect_seen(records, request, invocation);
  if (!request.reach.hosts.empty()) tidy_hosts(records, request.reach, invocation, done);
  const std::vector<std::string> all = store::run_names(records);
  const std::size_t foreign = all.size() - store::own_among(records, all).size();
  if (foreign > 0) {
    note(fmt::format("{} of other users in {} stay{}",
                     foreign == 1 ? "a run" : fmt::format("{} runs", foreign), records,
                     foreign == 1 ? "s" : ""));
  }
  if (process::is_others_place(blobs::blobs_of(records))) {
    note(fmt::format("{} is another user's and stays", blobs::blobs_of(records)));
  }
  for (const std::string& notice : collection_notices(done, records)) {
    note(notice);
  }
  const int told = print(request.json ? collection_json(done) : collection_words(done));
  return first_code(done.failed.empty() ? 0 : base::exit_code(Fault::bad_file), told);
}

}  // namespace muster::cli
