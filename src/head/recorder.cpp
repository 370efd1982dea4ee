// Turns events of a run into lines of its record, and the report into its end.
#include "head/recorder.hpp"

#include <algorithm>
#include <variant>

#include "base/check.hpp"
#include "store/folder.hpp"
#include "view/record_json.hpp"
#include "view/report.hpp"

namespace muster::head {
namespace {

using model::RunRecord;
using model::RunState;

RunState state_of(const model::RunReport& report) {
  if (report.cause == model::Cause::interrupted) return RunState::stopped;
  return report.exit_code() == 0 ? RunState::completed : RunState::failed;
}

// Those of outputs, as seen from the record. Whoever copies the code makes its folder.
std::vector<std::string> folders_inside(const RunRecord& record) {
  std::vector<std::string> inside;
  for (const model::NamedPath& one : record.outputs) {
    if (!record.holds(one.path) || one.path == record.code) continue;
    const std::size_t end = one.is_file ? one.path.rfind('/') : one.path.size();
    const std::string folder = one.path.substr(0, end).substr(record.folder.size() + 1);
    if (std::ranges::find(inside, folder) == inside.end()) inside.push_back(folder);
  }
  return inside;
}

}  // namespace

Recorder::Recorder(RecorderOptions options)
    : options_(std::move(options)),
      planned_(options_.hosts.size()),
      named_(options_.record.hosts.size()) {
  RunRecord& record = options_.record;
  if (!record.created) record.created = store::utc_now();
  record.run = store::run_of(record.folder);
  record.head = store::this_place();
  lines_ = view::event_line(*record.created, "created");
}

void Recorder::set_code(std::function<base::Result<void>(const std::string& folder)> fill) {
  options_.record.code = options_.record.folder + "/code";
  fill_ = std::move(fill);
}

base::Result<void> Recorder::begin() {
  auto made = store::RecordWriter::create(
      options_.record.folder,
      {view::spec_json(options_.record, options_.asked, options_.version), options_.plan(), lines_,
       folders_inside(options_.record), fill_, !options_.record.scheduler.kind.empty(), early_});
  lines_.clear();
  if (!made) {
    failure_ = made.error();
    return tl::unexpected(made.error());
  }
  writer_ = std::move(*made);
  return {};
}

base::Result<void> Recorder::plan_anew(Recorder other) {
  options_.hosts = std::move(other.options_.hosts);
  options_.record.hosts = std::move(other.options_.record.hosts);
  options_.record.ranks = other.options_.record.ranks;
  planned_ = other.planned_;
  named_ = other.named_;
  return writer_->plan_anew(other.options_.plan());
}

// A folder that may not be written to is no matter; a disk that has no room is.
void Recorder::begin_late() {
  if (!writer_ && !failure_) (void)begin();
}

// With the next start or end, at the latest.
template <class Other>
void Recorder::on(const Other& event) {
  lines_ += view::told_line(store::utc_now(), event);
  if (writer_) flush();
}

void Recorder::hear(const model::RunEvent& event) {
  std::visit([this](const auto& one) { on(one); }, event);
}

void Recorder::on(const model::HostJoined& event) {
  CHECK(event.node.value == options_.hosts.size());
  options_.hosts.push_back(event.name);
}

void Recorder::on(const model::RankStarted& event) {
  const model::Utc now = store::utc_now();
  const base::NodeIndex node = event.node;
  lines_ += view::rank_started_line(now, event.rank, event.pid, options_.hosts[node.value]);
  if (node.value >= planned_ && joined_.insert(node).second) name_joined();
  if (!early_.empty()) begin_late();
  if (options_.record.started) flush();
}

void Recorder::on(const model::PhaseReached& event) {
  if (event.phase != model::Phase::started || options_.record.started) return;
  options_.record.started = store::utc_now();
  lines_ += view::event_line(*options_.record.started, "running");
  begin_late();
  flush();
  options_.running();
}

void Recorder::name_joined() {
  std::vector<std::string>& hosts = options_.record.hosts;
  hosts.resize(named_);
  for (const base::NodeIndex node : joined_) hosts.push_back(options_.hosts[node.value]);
}

void Recorder::on(const model::RankEnded& event) {
  lines_ += view::rank_ended_line(store::utc_now(), event.exit);
  begin_late();
  flush();
}

void Recorder::flush() {
  if (writer_) writer_->add(lines_);
  lines_.clear();
}

void Recorder::on(const model::RunEnded& event) {
  const model::RunReport& report = event.report;
  if (!report.same_hosts.empty()) return;
  options_.record.state = state_of(report);
  options_.record.exit_code = report.exit_code();
  options_.record.code_from = model::word(view::code_from(report));
  close(view::report(report, {}));
}

void Recorder::give_up(const base::Error& error) {
  options_.record.state = RunState::failed;
  options_.record.exit_code = base::exit_code(error.fault);
  options_.record.code_from = model::word(model::CodeFrom::muster);
  close(view::error(error, {}));
}

void Recorder::close(const std::string& words) {
  RunRecord& record = options_.record;
  record.ended = store::utc_now();
  if (!record.ended_well()) record.cause = view::cause_in(words);
  lines_ += view::run_ended_line(record);
  begin_late();
  flush();
  if (!writer_) return;
  const auto kept = writer_->finish(view::record_json(record, *record.ended) + "\n", words);
  if (!kept) failure_ = kept.error();
}

}  // namespace muster::head
