// Chooses records, asks, and removes one after the other.
#include "cli/forget.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

#include "base/shell_word.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/unnamed.hpp"
#include "cli/list.hpp"
#include "cli/meant_record.hpp"
#include "cli/other_hosts.hpp"
#include "cli/scheduled.hpp"
#include "cli/speak.hpp"
#include "cli/typed_line.hpp"
#include "cli/ways.hpp"
#include "process/tree.hpp"
#include "store/folder.hpp"
#include "store/foreign.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"
#include "store/removed.hpp"
#include "store/under_way.hpp"
#include "view/first_few.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using front::RecordRequest;
using model::RunRecord;
using Records = std::vector<RunRecord>;

std::string folder_in(const std::string& records, const std::string& run) {
  return records + "/" + run;
}

// What is left of a record that cannot be read is a folder, which may be removed like others.
RunRecord record_or_remains(const std::string& records, const std::string& run) {
  RunRecord remains;
  remains.run = run;
  remains.folder = folder_in(records, run);
  remains.state = model::RunState::unknown;
  return store::read_record(remains.folder).value_or(remains);
}

// Its scheduler may know more.
RunRecord as_now(RunRecord record, const Invocation& invocation) {
  return is_scheduled(record) ? asked_for(std::move(record), invocation) : record;
}

// A step may live longer than its pipeline's head.
Result<void> check_ended(const RunRecord& record, const RecordRequest& request) {
  const std::string& run = record.run;
  if (record.is_live()) {
    return base::fail(Fault::usage, typed_stop(request, run), "{} still runs", run);
  }
  const auto step = store::running_step(record.folder);
  if (!step) return {};
  return base::fail(Fault::usage, typed_stop(request, *step), "{} stays: its step {} still runs",
                    run, *step);
}

// Once, however often it is named.
Result<void> add_meant(const std::string& records, const std::string& word,
                       const RecordRequest& request, const Invocation& invocation, Records& found) {
  const auto run = run_meant(records, word);
  if (!run && folder_of_run(records, word)) {
    const std::string pipeline = word.substr(0, word.find('/'));
    return base::fail(Fault::usage, typed_instead(invocation, word, pipeline),
                      "{} is a step: its record goes with that of its pipeline", word);
  }
  if (!run) return tl::unexpected(run.error());
  if (std::ranges::count(found, *run, &RunRecord::run) > 0) return {};
  const std::string owner = store::other_owner(records, folder_in(records, *run));
  if (!owner.empty() && !request.foreign) return tl::unexpected(foreign_run(*run, owner));
  found.push_back(as_now(record_or_remains(records, *run), invocation));
  return check_ended(found.back(), request);
}

// All that is wrong with any of them is told before one is removed.
Result<Records> named(const std::string& records, const RecordRequest& request,
                      const Invocation& invocation) {
  Records found;
  base::Errors wrong;
  for (const std::string& word : request.runs) {
    auto added = add_meant(records, word, request, invocation, found);
    if (!added) wrong.add(std::move(added.error()));
  }
  if (!wrong.empty()) return tl::unexpected(std::move(wrong).together());
  return found;
}

Records selected(const std::string& records, const RecordRequest& request,
                 const Invocation& invocation) {
  Records found;
  const model::Utc now = store::utc_now();
  const auto runs = request.foreign ? store::run_names(records) : store::own_run_names(records);
  for (const std::string& run : runs) {
    auto record = store::read_record(folder_in(records, run));
    if (record) record = as_now(std::move(*record), invocation);
    if (!record || record->is_live() || !matches(request.filter, *record, now)) continue;
    if (store::running_step(record->folder)) continue;
    found.push_back(std::move(*record));
  }
  return found;
}

std::string count_of(const Records& found) {
  return fmt::format("{} run{}", found.size(), found.size() == 1 ? "" : "s");
}

// "2 runs: 20261121-212530.123-kufari, 20261121-212604.771-sozunu"
std::string names_of(const Records& found) {
  if (found.empty()) return count_of(found);
  return fmt::format("{}: {}", count_of(found),
                     view::first_few(found.size(), [&](std::size_t i) { return found[i].run; }));
}

int list_found(const Records& found, const RecordRequest& request) {
  const model::Utc now = store::utc_now();
  if (request.json) {
    std::string objects;
    for (const RunRecord& record : found) objects += view::record_json(record, now) + "\n";
    return print(objects);
  }
  std::vector<view::RecordCells> rows;
  rows.reserve(found.size());
  for (const RunRecord& record : found) rows.push_back(view::record_cells(record, now));
  const std::string table = view::record_table(rows, style_for(STDOUT_FILENO));
  const int code = rows.empty() ? 0 : print(table);
  say(fmt::format("muster: {} would be removed\n", count_of(found)));
  return code;
}

// Only a person at a terminal is asked.
bool may_remove(const Records& found, const RecordRequest& request) {
  if (request.unasked || found.empty() || ::isatty(STDIN_FILENO) != 1) return true;
  say(fmt::format("remove {}, with all that their records hold? [y/N] ", names_of(found)));
  std::array<char, 16> answer{};
  if (std::fgets(answer.data(), answer.size(), stdin) == nullptr) return false;
  return answer.front() == 'y' || answer.front() == 'Y';
}

int cannot_remove(const std::string& what, int why) {
  return complain(
      {Fault::bad_file, fmt::format("cannot remove {}: {}", what, std::strerror(why)), {}, {}});
}

struct Removal {
  int code = 0;
  bool was_gone = false;  // another command has removed it
};

// Hidden first: nobody finds half a record, and of several commands one has it.
Removal remove(int records, const RunRecord& record) {
  const std::string hidden = ".gone-" + record.run;
  if (::renameat(records, record.run.c_str(), records, hidden.c_str()) != 0) {
    if (errno == ENOENT) return {0, true};
    return {cannot_remove(record.folder, errno)};
  }
  store::unmark_foreign(record.folder.substr(0, record.folder.rfind('/')), record.run);
  const process::Removed removed = process::remove_tree(records, hidden);
  if (removed.left.empty()) return {};
  return {cannot_remove(record.folder.substr(0, record.folder.rfind('/') + 1) + removed.left,
                        removed.why)};
}

// Where outputs may lie that were in the record's folder, but not on this machine.
std::set<std::string> other_holders(const RunRecord& record) {
  const bool held = std::ranges::any_of(
      record.outputs, [&](const auto& output) { return record.holds(output.path); });
  return held ? other_hosts(record) : std::set<std::string>();
}

// Which hosts share the folder, nobody knows here.
void tell_holders(const std::set<std::string>& hosts, const Ways& ways, const Records& found) {
  if (hosts.empty()) return;
  const std::string& first = found.front().folder;
  const std::string folder = found.size() == 1 ? first : first.substr(0, first.rfind('/'));
  std::vector<std::string> lines;
  lines.reserve(ways.size());
  for (const auto& [options, there] : ways) {
    std::vector<std::string> words = {"muster", "gc", "-H",
                                      fmt::format("{}", fmt::join(there, ","))};
    words.insert(words.end(), options.begin(), options.end());
    lines.push_back('`' + base::shell_words(words) + '`');
  }
  say(fmt::format("muster: hosts that do not share {} keep the outputs there: {}; {} {} them\n",
                  folder, fmt::join(hosts, ", "), fmt::join(lines, " and "),
                  lines.size() == 1 ? "removes" : "remove"));
}

// Contents that only these named. What a run that is about to start may need stays for muster gc.
void drop_contents(const std::string& folder, const blobs::Named& named) {
  const blobs::BlobStore store(blobs::blobs_of(folder));
  const process::UniqueFd alone = named.hashes.empty() ? process::UniqueFd() : store.hold_alone();
  if (alone) (void)blobs::drop_unnamed(folder, {.really = true, .only = &named.hashes});
}

// What it has made in a cluster first: without the record nobody would find it.
Removal remove_everywhere(int records, const RunRecord& record, const Invocation& invocation) {
  if (is_scheduled(record)) {
    const auto removed = remove_scheduled(record, invocation);
    if (!removed) return {complain(removed.error())};
  }
  return remove(records, record);
}

// Those that were removed, in `removed`; a line about those that others removed meanwhile.
int remove_all(const std::string& folder, const Records& found, const RecordRequest& request,
               const Invocation& invocation, Records& removed) {
  int code = 0;
  Records gone;
  std::set<std::string> holders;
  Ways ways;
  blobs::Named named;
  const process::UniqueFd records(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const RunRecord& record : found) {
    blobs::add_named(records.get(), record.run, named);
    const std::set<std::string> hosts = other_holders(record);
    Ways with_these = ways;  // the record says how they were reached
    add_ways(hosts, record, with_these);
    const Removal own = remove_everywhere(records.get(), record, invocation);
    if (own.was_gone) gone.push_back(record);
    code = first_code(code, own.code);
    if (own.was_gone || own.code != 0) continue;
    removed.push_back(record);
    holders.insert(hosts.begin(), hosts.end());
    ways = std::move(with_these);
    store::note_removed(folder, {{record.run, other_hosts(record)}});
    if (!request.json) continue;
    code = first_code(code, print(view::record_json(record, store::utc_now()) + "\n"));
  }
  drop_contents(folder, named);
  tell_holders(holders, ways, removed);
  if (!gone.empty()) note(fmt::format("{}: removed by another command", names_of(gone)));
  return code;
}

}  // namespace

int forget(const std::string& records, const RecordRequest& request, const Invocation& invocation) {
  const bool selects = request.runs.empty();
  const auto found =
      selects ? selected(records, request, invocation) : named(records, request, invocation);
  if (!found) return complain(found.error());
  if (request.dry_run) return list_found(*found, request);
  if ((selects || found->size() > 1) && !may_remove(*found, request)) {
    note("nothing was removed");
    return 0;
  }
  Records removed;
  const int code = remove_all(records, *found, request, invocation, removed);
  const bool says_enough = request.json || (removed.empty() && !found->empty());
  return code == 0 && !says_enough ? print(fmt::format("removed {}\n", names_of(removed))) : code;
}

}  // namespace muster::cli
