// Spec, inventory, plan; then the dry run's table or the run itself, and its report.
#include "cli/launch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <unistd.h>
#include <variant>

#include "base/variables.hpp"
#include "cli/ask_hosts.hpp"
#include "cli/build_image.hpp"
#include "cli/checkpoints.hpp"
#include "cli/code.hpp"
#include "cli/detached.hpp"
#include "cli/downloads.hpp"
#include "cli/dry_run.hpp"
#include "cli/head_options.hpp"
#include "cli/images.hpp"
#include "cli/inventory.hpp"
#include "cli/meet.hpp"
#include "cli/output_places.hpp"
#include "cli/packages.hpp"
#include "cli/prospect.hpp"
#include "cli/python_environment.hpp"
#include "cli/recording.hpp"
#include "cli/show_plan.hpp"
#include "cli/speak.hpp"
#include "cli/stand_ins.hpp"
#include "cli/tell.hpp"
#include "cli/travel.hpp"
#include "container/folders.hpp"
#include "front/inherited.hpp"
#include "front/job/python_path.hpp"
#include "head/allocation_end.hpp"
#include "job/mini_batches.hpp"
#include "plan/environment.hpp"
#include "plan/master_address.hpp"
#include "plan/memory.hpp"
#include "plan/plan.hpp"
#include "probe/affinity.hpp"
#include "probe/random.hpp"
#include "process/memory_policy.hpp"
#include "process/signal_mask.hpp"
#include "process/terminal.hpp"
#include "spec/hosts.hpp"
#include "spec/sources.hpp"
#include "store/stream_times.hpp"
#include "store/writer.hpp"
#include "view/phases.hpp"
#include "view/report.hpp"

namespace muster::cli {
namespace {

using base::Result;

// As a launcher in the command finds it, in a plan: what the job sets comes before the shell's.
std::vector<std::string> environment_in_job(const front::RunRequest& request,
                                            const std::vector<std::string>& environment) {
  if (!request.dry_run) return environment;
  std::vector<std::string> inside;
  const auto& exports = request.spec.apps.front().exports;
  inside.reserve(exports.size() + environment.size());
  for (const model::EnvSetting& one : exports) {
    if (one.value && !one.ours) inside.push_back(one.name + "=" + *one.value);
  }
  inside.insert(inside.end(), environment.begin(), environment.end());
  return inside;
}

// What the launcher in the command would start, as far as that can be told before; or why it would
// start nothing.
Result<std::optional<Prospect>> inner_prospect(const front::RunRequest& request,
                                               const std::vector<std::string>& environment) {
  std::optional<Prospect> nothing;
  if (!request.inner) return nothing;
  auto inventory = inventory_of(request.inner->spec, {}, environment);
  if (!inventory || plan::needs_facts(request.inner->spec, *inventory)) return nothing;
  auto job = prospect(request.inner->spec, std::move(*inventory),
                      environment_in_job(request, environment));
  if (job) return std::optional(std::move(*job));
  base::Error wrong = std::move(job.error());
  wrong.what = "the launcher in the command would not start: " + wrong.what;
  return tl::unexpected(std::move(wrong));
}

// All that such a launcher is given, when its words do not tell where it starts ranks.
std::vector<model::Host> command_hosts(const front::RunRequest& request,
                                       const std::vector<model::SameHost>& same,
                                       const std::vector<std::string>& environment) {
  if (request.inner || request.spec.hostfile.empty()) return {};
  auto entries = spec::read_hostfile(request.spec.hostfile, std::string(spec::kHostfile));
  if (!entries) return {};
  model::JobSpec spec = request.spec;
  spec.hosts = std::move(*entries);
  spec.hostfile.clear();
  spec.fake_hosts =
      spec.fake_nodes > 0 || std::ranges::count(spec.apps.front().exports, front::kFakeHosts,
                                                &model::EnvSetting::name) > 0;
  spec.fake_nodes = 0;
  const auto inventory = inventory_of(spec, same, environment);
  return inventory ? inventory->hosts : std::vector<model::Host>();
}

bool holds_outputs(const model::RunRecord& record) {
  return std::ranges::any_of(record.outputs,
                             [&](const auto& output) { return record.holds(output.path); });
}

void tell_same(const model::SameHost& same) {
  note(fmt::format("{} is {} under another name: one host, with the slots of both", same.other.name,
                   same.first.name));
}

// RunReport::input_step. Hydra gives stdin to rank 0 and nowhere else; what comes through a
// launcher like torchrun is that launcher's own.
std::string input_step(const front::RunRequest& request, const model::RunReport& report) {
  const model::StdinSpec& input = request.spec.input;
  if (input.to == model::StdinTo::none && request.keeps == front::Keeps::always) {
    return "the rank asked for input, but job files and detached runs have no stdin: read a file "
           "instead, or use `muster run --stdin 0`";
  }
  if (input.to == model::StdinTo::none) {
    return "the rank asked for input and its stdin had none: `muster run --stdin 0` gives rank 0 "
           "what is typed, or piped into muster";
  }
  const bool is_others = input.to == model::StdinTo::one && input.rank != report.first.rank;
  const bool can_choose = request.spec.failure.code != model::ExitStyle::hydra;
  if (!is_others || !can_choose || report.worlds.size() > 1) return {};
  return fmt::format(
      "the rank asked for input, which only rank {0} has: `--stdin {1}` gives it to rank {1} "
      "instead, and `--stdin all` to all",
      input.rank.value, report.first.rank.value);
}

// Ranks that deal out mini-batches know each other by it.
void give_secret(model::JobSpec& spec) {
  constexpr std::size_t kDigits = 32;
  for (model::App& app : spec.apps) {
    const bool deals =
        std::ranges::count(app.exports, job::kMiniBatchesProgram, &model::EnvSetting::name) > 0;
    if (!deals) continue;
    app.exports.push_back({std::string(job::kMiniBatchesSecret), probe::random_digits(kDigits)});
  }
}

// A run hears it from its agents, which ask the kernel before they start anything.
void foresee_refusal(Prospect& job) {
  const model::MemoryWish& wish = job.spec.mapping.memory;
  const auto is_here = [](const model::PlannedNode& node) {
    return node.host.carrier.same_machine;
  };
  const auto here = std::ranges::find_if(job.plan.nodes, is_here);
  if (here == job.plan.nodes.end() || job.spec.container) return;
  const auto policy = plan::memory_policy(wish, here->host.numa, probe::own_cpus());
  const int error = policy ? process::try_memory_policy(*policy) : 0;
  if (error == 0) return;
  const bool is_fatal = wish.if_refused == model::IfRefused::fail;
  job.plan.notices.push_back(fmt::format(
      "the kernel of this machine refuses to bind memory ({}): {}", std::strerror(error),
      is_fatal ? "the job would not start" : "ranks here would run without"));
}

// Programs that read the plan want to know it, too.
void foresee_places(const front::RunRequest& request, Prospect& job) {
  if (!request.json || !request.record) return;
  const std::string warning = OutputPlaces(*request.record).warning();
  if (!warning.empty()) job.plan.notices.push_back(warning);
}

// One job on its way from the spec to its exit code. When the agents tell that hosts of the list
// are one, it is planned once more.
class Launch {
 public:
  Launch(const front::RunRequest& request, const Invocation& invocation)
      : request_(request), spec_(request.spec), invocation_(invocation) {
    invocation_.links = &links_;
    if (!request.dry_run) give_secret(spec_);
  }
  // Of nodes that have come by themselves.
  Launch(const front::RunRequest& request, const Invocation& invocation, Joined joined)
      : request_(request),
        spec_(joined.job.spec),
        invocation_(invocation),
        joined_(std::move(joined)) {
    invocation_.links = &links_;
  }

  int go() {
    std::optional<int> code;
    while (!code) code = attempt();
    if (places_) places_->end();
    return *code;
  }

 private:
  // Nothing: to be planned again, with fewer hosts than before.
  std::optional<int> attempt() {
    if (!request_.dry_run && request_.build && !is_built_) {
      if (auto built = build_image(*request_.build, *spec_.container, invocation_); !built) {
        const auto report = interruption();  // of a step, whose signals wait for its head
        return report ? tell(*report, invocation_, false) : give_up(built.error());
      }
      is_built_ = true;
    }
    auto inventory =
        joined_ ? joined_->job.inventory : inventory_of(spec_, same_, invocation_.environment);
    if (!inventory) return give_up(inventory.error());
    // A plan that is only shown contacts nobody: what it must know of other hosts is an error
    // then, but for the cpus of a rankfile.
    const bool only_plans = request_.dry_run || request_.do_not_launch;
    if (only_plans) leave_cpus_open(*inventory);
    if (!only_plans && plan::needs_facts(spec_, *inventory)) {
      const model::RunReport asked = ask_hosts(spec_, *inventory, invocation_);
      if (joins_hosts(asked)) return std::nullopt;
      if (asked.cause != model::Cause::completed) return tell(asked, invocation_, true);
    }
    auto job = prospect(spec_, std::move(*inventory), invocation_.environment);
    if (!job) return give_up(job.error());
    if (joined_) job->kept = joined_->job.kept;  // each node has a launching shell of its own
    logs_to_record_ = log_to_record(request_, invocation_.environment, *job);
    if (const auto fine = check_meeting_place(*job, *job); !fine) return give_up(fine.error());
    const auto foreseen = inner_prospect(request_, invocation_.environment);
    if (request_.dry_run && !foreseen) return give_up(foreseen.error());
    const std::optional<Prospect> launched = foreseen.value_or(std::nullopt);
    if (request_.dry_run && launched) {
      const auto fine = check_meeting_place(*launched, *job);
      if (!fine) return give_up(fine.error());
    }
    if (!launched) job->command_hosts = command_hosts(request_, same_, invocation_.environment);
    if (copies_code(request_, *job, launched)) {
      start_in_copy(request_, job->spec);
    } else if (std::string told = told_empty_run_folder(request_); !told.empty()) {
      job->plan.notices.push_back(std::move(told));
    }
    if (request_.dry_run) return foretell(*job, launched);
    const int shown = show_plan(request_.shown, job->inventory, job->plan);
    if (request_.do_not_launch) return shown;
    lost_ = first_code(lost_, shown);
    if (request_.quiet) job->plan.notices.clear();
    return carry_out(std::move(*job));
  }

  int foretell(Prospect& job, const std::optional<Prospect>& launched) {
    foresee_refusal(job);
    foresee_places(request_, job);
    return show_dry_run(request_, job, launched);
  }

  // A rankfile counts sockets and cores, which only its hosts can tell, and what a default binds to
  // depends on them; which rank runs on which host needs none of that.
  void leave_cpus_open(const model::Inventory& inventory) {
    model::Mapping& mapping = spec_.mapping;
    const bool by_file = mapping.map_by == model::MapBy::rankfile && !mapping.bind_given;
    const bool is_open = by_file || mapping.bind_by_default;
    if (!is_open || !plan::needs_facts(spec_, inventory)) return;
    mapping.bind_given = true;
    mapping.bind_to = model::BindTo::none;
    mapping.bind_by_default = false;
    if (request_.quiet) return;
    note(fmt::format("no host is asked for its hardware, so {}",
                     by_file ? "the cpus of the rankfile are not checked"
                             : "what ranks are bound to by default is not shown"));
  }

  // Of its own ranks, or of those that its launcher starts. Nodes that have come met where they
  // said.
  Result<void> check_meeting_place(const Prospect& starts, Prospect& job) const {
    if (joined_) return {};
    auto told = plan::check_master_address(starts.spec, starts.plan, starts.kept);
    if (told && !told->empty()) job.plan.notices.push_back(*told);
    return std::move(told).map([](const std::string&) {});
  }

  // A record that an earlier attempt began ends here.
  int give_up(const base::Error& error) {
    if (recorder_ && recorder_->has_begun()) {
      recorder_->give_up(error);
      (void)check_record(*recorder_);
    }
    return refuse(error, request_.refusal_code, invocation_);
  }

  [[nodiscard]] std::optional<Prospect> inner() const {
    return inner_prospect(request_, invocation_.environment).value_or(std::nullopt);
  }

  bool joins_hosts(const model::RunReport& report) {
    for (const model::SameHost& same : report.same_hosts) tell_same(same);
    same_.insert(same_.end(), report.same_hosts.begin(), report.same_hosts.end());
    return !report.same_hosts.empty();
  }

  [[nodiscard]] head::HeadOptions options_for(const Prospect& job) const {
    head::HeadOptions options = head_options(invocation_);
    const bool is_one_host = job.plan.nodes.size() == 1 && job.plan.spare.empty();
    const bool has_limit = job.spec.timeout.has_value();
    if (is_one_host)
      options.asks_for_end = !head::add_allocation_end(options.environment, has_limit);
    return options;
  }

  std::optional<int> carry_out(Prospect job) {
    const bool verbose = job.spec.verbose;
    for (const std::string& notice : job.plan.notices) {
      note(notice);
    }
    if (verbose) tell_withheld(withheld(job));
    head::HeadOptions options = options_for(job);
    if (const auto taken = take_places(); !taken) return complain(taken.error());
    if (const auto made = record(job); !made) return end_unrecorded(made.error());
    if (places_) places_->begin();
    if (!held_) held_.emplace(job.spec.forwarded_signals);
    if (const auto filled = fill_record(); !filled) return end_unfilled(filled.error());
    if (const auto report = ready_hosts(job)) return end_early(*report);
    if (const auto report = send_code(job)) return end_early(*report);
    view::Phases phases;
    options.told = [&](const model::RunEvent& event) {
      has_started_ |= std::holds_alternative<model::RankStarted>(event);
      const auto* ended = std::get_if<model::RunEnded>(&event);
      if (ended != nullptr) ended_ = brought_home(ended->report);
      if (recorder_) recorder_->hear(ended != nullptr ? model::RunEnded{ended_} : event);
      phases.hear(event);
    };
    const bool shows_errors = job.spec.output.routes.err.console;
    note_python_environments(job);
    give(options, std::move(job));
    const auto report = invocation_.heads.run(std::move(options));
    if (report && joins_hosts(*report)) return std::nullopt;
    if (recorder_ && !report) recorder_->give_up(report.error());
    if (recorder_) lost_ = first_code(lost_, check_record(*recorder_));
    if (!report) return complain(report.error());
    if (verbose) note(phases.words());
    return first_code(tell(ended_, invocation_, shows_errors), lost_);
  }

  // Before there is a record. Once, however often it is planned.
  Result<void> take_places() {
    if (places_ || !request_.record) return {};
    places_.emplace(*request_.record);
    return places_->take();
  }

  // To the head of the ranks.
  void give(head::HeadOptions& options, Prospect job) {
    if (job.spec.terminal) job.spec.terminal = process::terminal_size(STDOUT_FILENO);
    if (job.spec.container) job.spec.container->mounts = mounts_of(job.spec);
    // An agent outside of a container serves nobody else.
    if (job.spec.container) links_.say_goodbye();
    options.input.keeps_links = travel_.has_value();
    if (recorder_ && !recorder_->record().streams.empty()) {
      job.spec.output.times_file =
          fmt::format("{}/{}", recorder_->record().folder, store::kTimesFile);
    }
    options.input.spec = std::move(job.spec);
    options.input.plan = std::move(job.plan);
    options.input.kept = std::move(job.kept);
    if (joined_) options.joined = std::move(joined_->connections);
  }

  // Ranks write in the record's folder, and read what lies elsewhere.
  [[nodiscard]] std::vector<model::ContainerMount> mounts_of(const model::JobSpec& spec) const {
    std::vector<std::string> folders;
    if (recorder_ && recorder_->has_begun()) folders.push_back(recorder_->record().folder);
    for (const front::DataPath& data : what_it_reads()) folders.push_back(data.path);
    return container::mounts_of_job(spec, folders);
  }

  // A run does not fail for its record, unless it would be lost without: when it is detached, or
  // when its code or its outputs lie there.
  Result<void> record(Prospect& job) {
    const bool began = recorder_ && recorder_->has_begun();
    const auto launched = inner();
    if (auto taken = take_code(job, launched); !taken) return taken;
    auto made = recorder_of(request_, job.spec, job.plan, launched ? &launched->plan : nullptr,
                            invocation_);
    if (began) return plan_record_anew(std::move(*made));
    recorder_ = std::move(made);
    if (!recorder_ && invocation_.parent >= 0) {
      return base::fail(base::Fault::usage, "set MUSTER_RECORDS, or HOME",
                        "there is no folder for the record of a detached run");
    }
    if (recorder_ && request_.keeps != front::Keeps::always) begin_for_metrics(job);
    if (!recorder_ || request_.keeps != front::Keeps::always) return {};
    const bool has_code = code_.has_value();
    if (has_code) {
      recorder_->set_code([this](const std::string& folder) { return code_->write_to(folder); });
    }
    auto begun = begin_recording(*recorder_, job.spec, job.plan, invocation_);
    spec_.output = job.spec.output;  // a second attempt writes its streams to the same place
    code_.reset();                   // the record names its contents from now on
    if (begun) {
      tell_watched(recorder_->record(), invocation_);
      return {};
    }
    const bool has_inputs = std::ranges::any_of(
        request_.data, [](const front::DataPath& one) { return !one.from.empty(); });
    const bool needs_it = has_code || has_inputs || holds_outputs(recorder_->record());
    if (invocation_.parent >= 0 || needs_it) return begun;
    warn(fmt::format("{}; the run continues", begun.error().what));
    if (begun.error().fault == base::Fault::output) lost_ = base::exit_code(base::Fault::output);
    keep_out_of(recorder_->record().folder, job.kept);
    recorder_.reset();
    return {};
  }

  // The old plan does no harm in a record that the run can do without.
  Result<void> plan_record_anew(head::Recorder made) {
    auto planned = recorder_->plan_anew(std::move(made));
    if (planned || request_.keeps == front::Keeps::always) return planned;
    warn(fmt::format("{}; the run continues", planned.error().what));
    return {};
  }

  // Ranks may write there as soon as they run, but nobody waits for a disk before that. A container
  // takes long itself, and sees only a folder that is there.
  void begin_for_metrics(Prospect& job) {
    if (!logs_to_record_) return;
    const std::string& folder = recorder_->record().folder;
    const bool has_folder =
        job.spec.container ? recorder_->begin().has_value() : store::reserve_record(folder);
    if (!has_folder) return keep_out_of(folder, job.kept);
    if (!job.spec.container) recorder_->begin_with_ranks(std::string(front::kMetricsFolder));
  }

  // Before anything starts: what is changed from here on is no part of the run.
  Result<void> take_code(const Prospect& job, const std::optional<Prospect>& launched) {
    if ((recorder_ && recorder_->has_begun()) || !copies_code(request_, job, launched)) return {};
    auto code = CodeSnapshot::take(request_);
    if (!code) return tl::unexpected(std::move(code.error()));
    manifest_ = code->manifest();
    code_.emplace(std::move(*code));
    return {};
  }

  // What it goes on from belongs to it from now on. Once, however often it is planned.
  Result<void> fill_record() {
    if (is_filled_) return {};
    is_filled_ = true;
    if (recorder_ && recorder_->has_begun()) {
      const std::string& folder = recorder_->record().folder;
      auto linked = link_inputs(request_.data, folder, invocation_.environment);
      if (!linked) return linked;
    }
    if (!request_.checkpoints) return {};
    front::Checkpoints checkpoints = *request_.checkpoints;
    const bool is_own = recorder_ && checkpoints.folder.starts_with(recorder_->record().folder);
    const bool has_record = request_.record && !request_.record->scheduler.kind.empty();
    if (is_own && checkpoints.earlier.empty() && !has_record) {
      checkpoints.earlier = queued_before(*request_.record, invocation_.environment);
    }
    return ready_checkpoints(checkpoints);
  }

  // Of a run that a signal ends before there are heads that hear it.
  static std::optional<model::RunReport> interruption() {
    model::RunReport report;
    report.signal = process::waiting_signal();
    report.cause = model::Cause::interrupted;
    return report.signal == 0 ? std::nullopt : std::optional(report);
  }

  // A signal has ended it, or what the error says.
  std::optional<int> end_unfilled(const base::Error& error) {
    const auto report = interruption();
    return report ? end_early(*report) : give_up(error);
  }

  // The same before there is a record to write to.
  [[nodiscard]] int end_unrecorded(const base::Error& error) const {
    const auto report = interruption();
    return report ? tell(*report, invocation_, false) : complain(error);
  }

  // With the software that the ranks need. Nothing: they have it.
  std::optional<model::RunReport> ready_hosts(Prospect& job) {
    if (job.spec.container) return give_images(job, inner(), invocation_);
    if (request_.packages.empty()) return {};
    return give_packages(request_.packages, job, inner(), invocation_);
  }

  // To the hosts that do not see the record. Nothing: the run can begin.
  std::optional<model::RunReport> send_code(const Prospect& job) {
    if (!recorder_ || !recorder_->has_begun()) return {};
    const bool has_own = !manifest_.entries.empty() || holds_outputs(recorder_->record()) ||
                         request_.record->metrics;
    if (!has_own && request_.data.empty() && !request_.checkpoints) return {};
    const auto hosts = hosts_elsewhere(job, inner());
    if (!hosts || hosts->empty()) return {};
    if (!job.command_hosts.empty()) {
      note(
          "which hosts the launcher in the command will use cannot be told: code goes to, "
          "and outputs come from, those of the job");
    }
    runs_here_ = std::ranges::any_of(job.plan.nodes, [](const model::PlannedNode& node) {
      return node.host.carrier.same_machine;
    });
    travel_.emplace(recorder_->record().folder, *hosts, manifest_, job.spec, invocation_);
    model::RunReport report = travel_->send(what_it_reads());
    if (report.cause == model::Cause::completed && report.same_hosts.empty()) return {};
    return report;
  }

  [[nodiscard]] std::vector<front::DataPath> what_it_reads() const {
    std::vector<front::DataPath> data = request_.data;
    const std::string folder = recorder_ ? recorder_->record().folder : std::string();
    // Each host would get it with each job, and few of these need it.
    const auto package = std::ranges::find(data, folder + std::string(front::kPackageInRecord),
                                           &front::DataPath::path);
    if (package != data.end() && !names_azureml(folder + "/code")) data.erase(package);
    if (request_.checkpoints) data.push_back({request_.checkpoints->folder});
    return data;
  }

  std::optional<int> end_early(const model::RunReport& report) {
    travel_.reset();
    links_.say_goodbye();
    if (joins_hosts(report)) return std::nullopt;
    if (recorder_) recorder_->hear(model::RunEnded{report});
    if (recorder_) (void)check_record(*recorder_);
    return tell(report, invocation_, false);
  }

  // Before the record says how the run has ended: one whose outputs are not here is not complete.
  model::RunReport brought_home(model::RunReport report) {
    report.input_step = input_step(request_, report);
    const Homecoming home =
        travel_ && has_started_ ? travel_->bring_home(runs_here_) : Homecoming();
    travel_.reset();
    links_.say_goodbye();
    report.warnings.insert(report.warnings.end(), home.warnings.begin(), home.warnings.end());
    if (!home.lost) return report;
    if (report.cause == model::Cause::completed && home.signal == 0) {
      report.cause = model::Cause::fault;
      report.error = *home.lost;
      return report;
    }
    if (report.cause == model::Cause::completed) {
      report.cause = model::Cause::interrupted;
      report.signal = home.signal;
    }
    report.warnings.push_back(fmt::format("{}; {}", home.lost->what, home.lost->hint));
    return report;
  }

  const front::RunRequest& request_;
  model::JobSpec spec_;
  head::KeptLinks links_;  // of the heads that come before the ranks' and after it
  Invocation invocation_;
  std::optional<Joined> joined_;
  std::vector<model::SameHost> same_;
  std::unique_ptr<head::Recorder> recorder_;
  std::optional<CodeSnapshot> code_;  // until it lies in the record
  snapshot::Manifest manifest_;
  std::optional<Travel> travel_;  // while hosts that do not see the record may run ranks
  std::optional<OutputPlaces> places_;
  bool is_filled_ = false;                    // the record
  bool is_built_ = false;                     // the image
  bool runs_here_ = false;                    // some rank, beside those on hosts elsewhere
  bool has_started_ = false;                  // any rank
  bool logs_to_record_ = false;               // any rank, with MLflow
  model::RunReport ended_;                    // of the run, once its outputs are here
  std::optional<process::HeldSignals> held_;  // from the record's beginning to its end
  int lost_ = 0;  // code of a run that ends well, when something could not be printed or recorded
};

}  // namespace

int launch(const front::RunRequest& request, const Invocation& invocation) {
  if (!request.meeting || request.dry_run) return Launch(request, invocation).go();
  auto meeting = meet(request, invocation);
  if (const int* code = std::get_if<int>(&meeting)) return *code;
  return Launch(request, invocation, std::get<Joined>(std::move(meeting))).go();
}

}  // namespace muster::cli
