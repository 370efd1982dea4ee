// Errands before and after a run.
#include "cli/travel.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/blob_store.hpp"
#include "blobs/files.hpp"
#include "blobs/gathered.hpp"
#include "blobs/merge.hpp"
#include "blobs/parcel.hpp"
#include "blobs/rotated.hpp"
#include "cli/byte_progress.hpp"
#include "cli/code.hpp"
#include "cli/errand.hpp"
#include "cli/speak.hpp"
#include "probe/random.hpp"
#include "process/heard_meanwhile.hpp"
#include "process/signal_mask.hpp"
#include "process/unique_fd.hpp"
#include "snapshot/paths.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "view/first_few.hpp"
#include "view/report.hpp"
#include "view/signals.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;

// An answer names contents: more than a manifest has are none.
constexpr std::size_t kAnswerMax = std::size_t{128} << 20;

model::RunReport faulty(base::Error error) {
  model::RunReport report;
  report.signal = process::waiting_signal();
  if (report.signal != 0) {
    report.cause = model::Cause::interrupted;
    return report;
  }
  report.cause = model::Cause::fault;
  report.error = std::move(error);
  return report;
}

std::string names_of(const std::vector<model::Host>& hosts) {
  return view::first_few(hosts.size(), [&](std::size_t i) { return hosts[i].name; });
}

std::vector<std::string> lacking_in(const std::string& answer) {
  std::vector<std::string> hashes;
  std::string_view left = answer;
  while (left.starts_with(kLacks)) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    hashes.emplace_back(left.substr(kLacks.size(), end - kLacks.size()));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return hashes;
}

tl::unexpected<base::Error> not_whole() {
  return base::fail(base::Fault::lost, "", "what came over the link is not whole");
}

std::string front_of(int file) {
  std::string front(kLeftBehindMax, '\0');
  const ssize_t size = ::pread(file, front.data(), front.size(), 0);
  front.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return front;
}

std::uint64_t size_of(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

// How much of the outputs has come, as the files tell that grow meanwhile.
class Coming {
 public:
  explicit Coming(const Errand& errand) {
    for (std::size_t i = 0; i < errand.hosts.size(); ++i) {
      answers_.push_back({answer_file(errand, i)});
    }
  }

  void look() {
    std::uint64_t done = 0;
    std::uint64_t all = 0;
    for (Answer& answer : answers_) {
      const process::UniqueFd file = blobs::open_regular(answer.path);
      if (!answer.left) answer.left = left_in(file.get());
      if (!answer.left) continue;
      all += answer.left->coming;
      done += std::min(size_of(file.get()), answer.left->coming);
    }
    progress_.show(done, all);
  }

 private:
  struct Answer {
    std::string path;
    std::optional<LeftBehind> left = {};  // once it has begun
  };

  static std::optional<LeftBehind> left_in(int file) {
    const std::string front = front_of(file);
    std::string_view text = front;
    return take_left_behind(text);
  }

  std::vector<Answer> answers_;
  ByteProgress progress_{"of the outputs have come"};
};

std::vector<model::Host> planned_hosts(const model::Plan& plan) {
  std::vector<model::Host> hosts;
  for (const model::PlannedNode& node : plan.nodes) hosts.push_back(node.host);
  return hosts;
}

}  // namespace

std::optional<std::vector<model::Host>> hosts_elsewhere(const Prospect& job,
                                                        const std::optional<Prospect>& inner) {
  const bool calls_launcher = !view::launcher_hosts(job.spec).empty();
  if (!inner && calls_launcher && job.command_hosts.empty()) return std::nullopt;
  const std::vector<model::Host> launched = inner ? planned_hosts(inner->plan) : job.command_hosts;
  std::vector<model::Host> hosts;
  std::set<std::string> named;
  for (const std::vector<model::Host>& some : {planned_hosts(job.plan), launched}) {
    for (const model::Host& host : some) {
      if (host.carrier.same_machine) continue;
      if (!host.carrier.opened) return std::nullopt;
      if (named.insert(host.name).second) hosts.push_back(host);
    }
  }
  return hosts;
}

Travel::Travel(std::string record, std::vector<model::Host> hosts, const snapshot::Manifest& code,
               model::JobSpec like, const Invocation& invocation)
    : record_(std::move(record)),
      hosts_(std::move(hosts)),
      like_(std::move(like)),
      invocation_(invocation),
      root_(records_of(record_) + "/" +
            store::run_of(record_).substr(0, store::run_of(record_).find('/'))),
      folder_(record_ + "/.travel"),
      mark_(probe::random_digits(32)) {
  if (code.entries.empty()) return;
  const std::string place(kCodeFolder);
  add_unit(step() == "." ? place : step() + "/" + place, code);
}

std::string Travel::step() const {
  return record_ == root_ ? "." : record_.substr(root_.size() + 1);
}

// With the folders above it.
void Travel::add_unit(const std::string& unit, const snapshot::Manifest& manifest) {
  units_.push_back(unit);
  for (std::string up = unit; !up.empty(); up = snapshot::parent_of(up)) {
    all_.try_emplace(up, snapshot::Entry{snapshot::EntryKind::folder, up, 0700});
  }
  for (snapshot::Entry entry : manifest.entries) {
    entry.path = entry.path.empty() ? unit : unit + "/" + entry.path;
    all_.insert_or_assign(entry.path, std::move(entry));
  }
}

Result<void> Travel::add_one(const std::string& path, const std::string& from) {
  const std::string unit = path.substr(root_.size() + 1);
  const auto is_around = [&](const std::string& other) {
    return unit == other || unit.starts_with(other + "/");
  };
  if (!snapshot::is_inside(unit) || std::ranges::any_of(units_, is_around)) return {};
  auto found = blobs::gather(from, root_, process::no_signal_waits);
  if (!found) return tl::unexpected(std::move(found.error()));
  if (!found->left_out.empty() && found->left_out.front().path.empty()) {
    return base::fail(base::Fault::bad_file, "", "cannot read {}: {}", path,
                      found->left_out.front().why);
  }
  const LeftBehind left = left_behind(found->left_out);
  for (const LeftBehind::Part& part : {left.lost, left.others}) {
    if (part.count == 0) continue;
    LeftBehind::Part there;
    there.add(part, path);
    note(fmt::format("not sent to the hosts: {}", there.words()));
  }
  places_.merge(found->places);
  add_unit(unit, found->manifest);
  return {};
}

Result<void> Travel::add_data(const std::vector<front::DataPath>& data) {
  for (const front::DataPath& one : data) {
    std::error_code wrong;
    if (!one.path.starts_with(root_ + "/")) continue;
    const fs::path from = fs::canonical(one.path, wrong);
    if (wrong) continue;
    if (auto added = add_one(one.path, from); !added) return added;
  }
  return {};
}

Travel::~Travel() {
  if (signal_ == 0) process::remove_meanwhile(folder_);
  if (signal_ != 0) process::remove_unwaited(folder_);
  std::error_code ignored;
  fs::remove(record_ + "/" + std::string(kMarkFile), ignored);
}

// A file with the code and these contents of it, to be read from its beginning.
Result<int> Travel::parcel(const std::vector<std::string>& hashes) {
  blobs::BlobStore store(blobs::blobs_of(records_of(record_)));
  snapshot::Manifest manifest;
  for (const auto& [entry_path, entry] : all_) manifest.entries.push_back(entry);
  const blobs::Contents all = blobs::contents_of(manifest);
  blobs::Contents some;
  for (const std::string& hash : hashes) {
    const auto found = all.find(hash);
    if (found != all.end()) some.insert(*found);
  }
  const std::string path = place("parcel");
  constexpr int kFlags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
  process::UniqueFd file(::open(path.c_str(), kFlags, 0600));
  if (!file) return store::cannot_write(base::Fault::output, path);
  auto written = blobs::write_parcel(
      file.get(), path, manifest, some,
      [&](const std::string& hash) {
        const auto other = places_.find(hash);
        return other == places_.end() ? store.path_of(hash) : other->second;
      },
      process::no_signal_waits);
  if (!written) return tl::unexpected(std::move(written.error()));
  (void)::lseek(file.get(), 0, SEEK_SET);
  return file.release();
}

model::RunReport Travel::send(const std::vector<front::DataPath>& data) {
  if (auto added = add_data(data); !added) return faulty(std::move(added.error()));
  const std::string mark = record_ + "/" + std::string(kMarkFile);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return faulty(store::cannot_write(base::Fault::output, folder_).value());
  }
  if (!store::write_file(mark, mark_))
    return faulty(store::cannot_write(base::Fault::output, mark).value());
  return units_.empty() ? model::RunReport{} : send_to(hosts_);
}

// The contents that one of them lacks go to all that lack any.
model::RunReport Travel::send_to(std::vector<model::Host> hosts) {
  std::set<std::string> lacking;
  for (int round = 0; round < 2 && !hosts.empty(); ++round) {
    auto input = parcel({lacking.begin(), lacking.end()});
    if (!input) return faulty(std::move(input.error()));
    const process::UniqueFd file(*input);
    Errand errand{
        {"code", root_, step(), mark_, store::this_place().host}, hosts, file.get(), place("code")};
    ByteProgress progress("sent to the hosts");
    errand.tick = [&, all = size_of(file.get())] {
      progress.show(static_cast<std::uint64_t>(::lseek(file.get(), 0, SEEK_CUR)), all);
    };
    errand.words.insert(errand.words.end(), units_.begin(), units_.end());
    model::RunReport report = run_errand(errand, like_, invocation_);
    if (report.cause == model::Cause::interrupted) signal_ = report.signal;
    if (report.cause != model::Cause::completed || !report.same_hosts.empty()) return report;
    std::vector<model::Host> left;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const std::string answer = blobs::read_whole(answer_file(errand, i), kAnswerMax).value_or("");
      if (answer == kSees || answer == kLaidOut) continue;
      left.push_back(hosts[i]);
      for (std::string& hash : lacking_in(answer)) lacking.insert(std::move(hash));
    }
    hosts = std::move(left);
  }
  if (hosts.empty()) return {};
  return faulty({base::Fault::lost, "code and inputs did not reach " + names_of(hosts), {}, {}});
}

// What went to the hosts below the run's own record, by paths as seen from there.
snapshot::Manifest Travel::sent() const {
  const std::string above = step() == "." ? "" : step() + "/";
  snapshot::Manifest manifest;
  for (const auto& [path, entry] : all_) {
    if (!path.starts_with(above)) continue;
    manifest.entries.push_back(entry);
    manifest.entries.back().path = path.substr(above.size());
  }
  return manifest;
}

Result<void> Travel::take_parcel(int file, const std::string& host) {
  blobs::BlobStore contents(place("blobs"), process::no_signal_waits);
  const auto hold = contents.hold();
  if (!hold) return tl::unexpected(hold.error());
  auto theirs = blobs::read_parcel(file, contents, process::no_signal_waits);
  if (!theirs) return tl::unexpected(std::move(theirs.error()));
  for (const auto& [hash, size] : blobs::contents_of(*theirs)) {
    if (!contents.has(hash, size)) return not_whole();
  }
  for (const snapshot::Entry& entry : theirs->entries) kept_.insert(entry.path);
  auto merged =
      blobs::merge_into(record_, contents, *theirs, sent(), host, process::no_signal_waits);
  if (!merged) return tl::unexpected(std::move(merged.error()));
  const auto warn = [&](std::string_view what, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    const auto name = [&](std::size_t i) { return view::one_line(paths[i]); };
    warnings_.push_back(fmt::format("{} {}: {}", what, host, view::first_few(paths.size(), name)));
  };
  warn("files that differ from those of other hosts lie in NAME.conflicts/" + host + "; of",
       merged->conflicts);
  warn("links that lead out of the record were not taken from", merged->refused);
  return {};
}

Result<void> Travel::take(const std::string& answer, const std::string& host) {
  const process::UniqueFd file = blobs::open_regular(answer);
  (void)::unlink(answer.c_str());  // its room is needed as soon as it has been read
  const std::string front = front_of(file.get());
  is_shared_ = is_shared_ || front == kSees;
  if (front == kSees) return {};
  std::string_view rest = front;
  const auto left = take_left_behind(rest);
  if (!left) return not_whole();
  (void)::lseek(file.get(), static_cast<off_t>(front.size() - rest.size()), SEEK_SET);
  if (auto taken = take_parcel(file.get(), host); !taken) return taken;
  left_behind_.lost.add(left->lost, host);
  left_behind_.others.add(left->others, host);
  return {};
}

Result<void> Travel::fetch(const std::vector<model::Host>& hosts) {
  Errand errand{{"outputs", record_, mark_}, hosts, -1, place("outputs")};
  std::optional<Coming> coming(std::in_place, errand);
  errand.tick = [&] { coming->look(); };
  const model::RunReport report = run_errand(errand, like_, invocation_);
  coming.reset();
  if (report.cause == model::Cause::interrupted) signal_ = report.signal;
  if (report.cause != model::Cause::completed) {
    return base::fail(base::Fault::lost, "", "{}", view::cause_in(view::report(report, {})));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    signal_ = process::waiting_signal();
    if (signal_ != 0) return base::fail(base::Fault::lost, "", "interrupted");
    auto taken = take(answer_file(errand, i), hosts[i].name);
    process::remove_meanwhile(place("blobs"));
    if (!taken) {
      signal_ = process::waiting_signal();
      return taken;
    }
    home_.insert(hosts[i].name);
  }
  return {};
}

std::vector<model::Host> Travel::left() const {
  std::vector<model::Host> hosts;
  for (const model::Host& host : hosts_) {
    if (!home_.contains(host.name)) hosts.push_back(host);
  }
  return hosts;
}

// One that cannot be reached keeps no other from it.
Homecoming Travel::bring_home(bool runs_here) {
  (void)fetch(hosts_);
  std::string reason;
  for (const model::Host& host : left()) {
    if (signal_ != 0) break;
    const auto done = fetch({host});
    if (!done && reason.empty()) reason = done.error().what;
  }
  const bool none_here = !runs_here && !is_shared_;  // whose ranks would have kept something
  if (none_here && left().empty()) {
    blobs::remove_rotated(record_, sent(), kept_, process::no_signal_waits);
  }
  Homecoming home{not_here(left(), reason), signal_, warnings_};
  if (left_behind_.others.count > 0) {
    home.warnings.push_back("not fetched: " + left_behind_.others.words());
  }
  if (left_behind_.lost.count == 0) return home;
  const std::string words = fmt::format("{} of the outputs could not be fetched: {}",
                                        left_behind_.lost.count, left_behind_.lost.words());
  base::Error files{base::Fault::output, words, where(), {}};
  if (!home.lost) {
    home.lost = std::move(files);
  } else {
    home.warnings.push_back(std::move(files.what));
  }
  return home;
}

std::optional<base::Error> Travel::not_here(const std::vector<model::Host>& lost,
                                            const std::string& reason) const {
  if (lost.empty()) return std::nullopt;
  const std::string what = signal_ != 0
                               ? "did not come home: interrupted by " + view::signal_label(signal_)
                               : "could not be fetched: " + reason;
  const std::string words = fmt::format("the outputs of {} {}", names_of(lost), what);
  return base::Error{base::Fault::output, words, where(), {}};
}

}  // namespace muster::cli
