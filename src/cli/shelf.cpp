// Reads every record, with those of steps that may have taken over what others made.
#include "cli/shelf.hpp"

#include <algorithm>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

#include "blobs/unnamed.hpp"
#include "cli/requeued.hpp"
#include "process/tree.hpp"
#include "store/folder.hpp"
#include "store/leftovers.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"
#include "store/under_way.hpp"

namespace muster::cli {
namespace {

using model::RunRecord;

// A step may live longer than its pipeline's head, and a batch system may start that once more.
bool has_ended(const RunRecord& record) {
  return !record.is_live() && record.state != model::RunState::unknown &&
         !store::running_step(record.folder) && !may_run_again(record);
}

class Stocktaking {
 public:
  Stocktaking(std::string records, const ShelfRules& rules)
      : records_(std::move(records)),
        rules_(rules),
        folder_(::open(records_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    shelf_.runs = store::own_run_names(records_);
    std::erase_if(shelf_.runs, [](const auto& name) { return !store::is_run_name(name); });
  }

  Shelf all() {
    if (rules_.measures) price_contents();
    for (std::size_t i = 0; i < shelf_.runs.size(); ++i) {
      if (rules_.told) rules_.told(i, shelf_.runs.size());
      add(shelf_.runs[i]);
    }
    return std::move(shelf_);
  }

 private:
  [[nodiscard]] bool is_own_folder(const std::string& run) const {
    struct stat facts {};
    return ::fstatat(folder_.get(), run.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
  }

  // By an errand of a head on another host.
  [[nodiscard]] bool is_sent(const std::string& run) const {
    const std::string file = fmt::format("{}/{}", run, store::kSentFile);
    return ::faccessat(folder_.get(), file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  }

  void price_contents() {
    const process::UniqueFd store = process::open_folder(folder_.get(), ".blobs");
    std::vector<std::string> strange;
    for (const blobs::StoreEntry& entry : blobs::stored(store.get(), strange)) {
      numbers_.emplace(entry.hash, shelf_.holdings.contents.size());
      shelf_.holdings.contents.push_back(entry.bytes);
    }
  }

  void add(const std::string& run) {
    model::HeldRecord& held = shelf_.holdings.records.emplace_back();
    const std::string folder = records_ + "/" + run;
    const auto record = store::read_record(folder);
    const bool is_own = is_own_folder(run);
    if (!record && is_own && !is_sent(run)) shelf_.unreadable.push_back(run);
    const bool ended = record && is_own && has_ended(*record);
    held.may_go = ended && run != rules_.spared;
    if (ended) shelf_.ended.push_back(run);
    if (rules_.measures) {
      held.bytes = bytes_of(run, ended);
      held.contents = contents_of(run);
    }
    if (!record) return;
    held.ended = record->ended.value_or(record->created.value_or(model::Utc()));
    std::set<std::size_t> needs;
    add_needs(*record, needs);
    if (!ended) add_inputs(folder, needs);
    if (ended) drop_earlier(*record, needs);
    needs.erase(shelf_.holdings.records.size() - 1);
    held.needs.assign(needs.begin(), needs.end());
  }

  [[nodiscard]] std::uint64_t bytes_of(const std::string& run, bool ended) const {
    if (rules_.before != nullptr) {
      const auto& known = rules_.before->runs;
      const auto found = std::ranges::lower_bound(known, run);
      const auto at = static_cast<std::size_t>(found - known.begin());
      if (found != known.end() && *found == run) return rules_.before->holdings.records[at].bytes;
    }
    return store::record_bytes(folder_.get(), run, ended, rules_.anew);
  }

  [[nodiscard]] std::vector<std::size_t> contents_of(const std::string& run) const {
    blobs::Named named;
    blobs::add_named(folder_.get(), run, named);
    std::vector<std::size_t> contents;
    for (const std::string& hash : named.hashes) {
      if (const auto found = numbers_.find(hash); found != numbers_.end()) {
        contents.push_back(found->second);
      }
    }
    return contents;
  }

  void add_need(const std::string& folder, std::set<std::size_t>& needs) const {
    const std::string below = store::below_records(records_, folder);
    const std::string run = below.substr(0, below.find('/'));
    const auto found = std::ranges::lower_bound(shelf_.runs, run);
    if (found == shelf_.runs.end() || *found != run) return;
    needs.insert(static_cast<std::size_t>(found - shelf_.runs.begin()));
  }

  void add_needs(const RunRecord& record, std::set<std::size_t>& needs) const {
    if (!record.rerun_of.empty()) add_need(record.rerun_of, needs);
    if (!record.reused_from.empty()) add_need(record.reused_from, needs);
    if (record.steps.empty()) return;
    for (const std::string& step : store::step_names(record.folder)) {
      const auto its = store::read_record(store::step_folder(record.folder, step));
      if (its) add_needs(*its, needs);
    }
  }

  // A rerun that has ended has copies of all outputs that it took over: the older one goes first.
  void drop_earlier(const RunRecord& record, std::set<std::size_t>& needs) const {
    constexpr int kEarlierMost = 10'000;  // no circle goes on for ever
    std::string earlier = record.rerun_of;
    for (int i = 0; i < kEarlierMost && !earlier.empty(); ++i) {
      std::set<std::size_t> found;
      add_need(earlier, found);
      if (found.empty()) return;
      needs.erase(*found.begin());
      const auto whole = store::read_record(records_ + "/" + shelf_.runs[*found.begin()]);
      earlier = whole ? whole->rerun_of : "";
    }
  }

  // A run reads them where they were made.
  void add_inputs(const std::string& folder, std::set<std::size_t>& needs) const {
    for (const std::string& target : store::linked_inputs(folder)) add_need(target, needs);
  }

  std::string records_;
  const ShelfRules& rules_;
  process::UniqueFd folder_;
  std::unordered_map<std::string, std::size_t> numbers_;  // of contents
  Shelf shelf_;
};

}  // namespace

Shelf shelf_of(const std::string& records, const ShelfRules& rules) {
  return Stocktaking(records, rules).all();
}

}  // namespace muster::cli
