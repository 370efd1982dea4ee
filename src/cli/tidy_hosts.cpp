// Tells the hosts which runs have ended; one that cannot be reached keeps no other from it.
#include "cli/tidy_hosts.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <optional>

#include "base/words.hpp"
#include "blobs/files.hpp"
#include "cli/desk.hpp"
#include "cli/errand.hpp"
#include "cli/inventory.hpp"
#include "cli/speak.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "store/removed.hpp"
#include "view/report.hpp"

namespace muster::cli {
namespace {

using model::RunRecord;

// What could not be fetched is nowhere but there.
template <class Ended>
bool lacks_outputs(const Ended& one) {
  return one.exit_code == base::exit_code(base::Fault::output);
}

bool may_leave_hosts(const RunRecord& record) {
  return !record.is_live() && record.state != model::RunState::unknown && !lacks_outputs(record) &&
         std::ranges::none_of(record.steps, lacks_outputs<model::StepRecord>);
}

std::string what_is_known(const std::string& records, const std::vector<std::string>& gone) {
  std::string lines;
  for (const std::string& run : store::run_names(records)) {
    const auto record = store::read_record(fmt::format("{}/{}", records, run));
    lines += fmt::format("{} {}\n", record && may_leave_hosts(*record) ? "go" : "stay", run);
  }
  for (const std::string& run : gone) lines += fmt::format("go {}\n", run);
  return lines.append(kAllSaid);
}

// Whose records went now, or earlier while hosts may have had folders of them.
std::vector<std::string> gone_from(const std::string& records, const view::Collection& done) {
  std::vector<std::string> gone = done.runs;
  for (store::RemovedRun& one : store::removed_runs(records)) gone.push_back(std::move(one.run));
  return gone;
}

std::optional<view::TidiedHost> answer_of(const std::string& host, const std::string& text) {
  const std::vector<std::string> words = base::split(text, " \n");
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::uint64_t number = 0;
    const char* const end = words[i].data() + words[i].size();
    const auto [after, wrong] = std::from_chars(words[i].data(), end, number);
    if (wrong != std::errc() || after != end) return std::nullopt;
    numbers.push_back(number);
  }
  const bool is_whole = text.starts_with(kTidied) && text.ends_with('\n');
  if (!is_whole || numbers.size() != 4) return std::nullopt;
  return view::TidiedHost{host, {numbers[0], numbers[1]}, {numbers[2], numbers[3]}};
}

class HostTidying {
 public:
  HostTidying(const std::string& records, const model::JobSpec& reach, const Invocation& invocation,
              view::Collection& done)
      : records_(records), reach_(reach), invocation_(invocation), done_(done) {}

  void all(const std::vector<model::Host>& hosts) {
    if (hosts.empty() || desk_.path().empty()) return;
    gone_ = gone_from(records_, done_);
    if (!store::write_file(asked(), what_is_known(records_, gone_))) return;
    const auto all = ask(hosts);
    if (!all) return;
    for (const model::Host& host : hosts) {
      const auto one = ask({host});
      if (one) done_.failed.push_back(fmt::format("what is on {} ({})", host.name, *one));
    }
  }

 private:
  [[nodiscard]] std::string asked() const { return desk_.path() + "/asked"; }

  // Why it did not work; nothing: all have answered.
  std::optional<std::string> ask(const std::vector<model::Host>& hosts) {
    const process::UniqueFd input = blobs::open_regular(asked());
    Errand errand{{"tidy", records_, store::this_place().host},
                  hosts,
                  input.get(),
                  fmt::format("{}/{}", desk_.path(), ++count_)};
    if (done_.dry_run) errand.words.emplace_back("dry");
    const model::RunReport report = run_errand(errand, reach_, invocation_);
    if (report.cause != model::Cause::completed) {
      return view::cause_in(view::report(report, {}));
    }
    std::vector<view::TidiedHost> answers;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      constexpr std::size_t kAnswer = 200;
      const auto text = blobs::read_whole(answer_file(errand, i), kAnswer);
      auto answer = answer_of(hosts[i].name, text.value_or(""));
      if (!answer) return "it did not say what it removed";
      answers.push_back(std::move(*answer));
    }
    for (view::TidiedHost& one : answers) {
      if (!done_.dry_run) store::forget_removed(records_, gone_, one.host);
      done_.hosts.push_back(std::move(one));
    }
    return std::nullopt;
  }

  const std::string& records_;
  const model::JobSpec& reach_;
  const Invocation& invocation_;
  view::Collection& done_;
  Desk desk_;
  std::vector<std::string> gone_;  // runs
  int count_ = 0;
};

}  // namespace

void tidy_hosts(const std::string& records, const model::JobSpec& reach,
                const Invocation& invocation, view::Collection& done) {
  model::JobSpec errand = reach;
  errand.apps.front().command = {"muster"};  // as run_errand() will have it
  const auto inventory = inventory_of(errand, {}, invocation.environment);
  if (!inventory) {
    done.failed.push_back(fmt::format("what is on other hosts ({})", inventory.error().what));
    return;
  }
  std::vector<model::Host> hosts;
  for (const model::Host& host : inventory->hosts) {
    if (host.carrier.opened && !host.carrier.same_machine) hosts.push_back(host);
  }
  HostTidying(records, reach, invocation, done).all(hosts);
}

}  // namespace muster::cli
