// Lets the front end read its words, then launches what they ask for.
#include "cli/run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/ranges.h>
#include <optional>
#include <unistd.h>

#include "base/hash.hpp"
#include "base/variables.hpp"
#include "batch/system.hpp"
#include "cli/allocated.hpp"
#include "cli/asked_files.hpp"
#include "cli/batch_run.hpp"
#include "cli/called.hpp"
#include "cli/check_target.hpp"
#include "cli/cluster_run.hpp"
#include "cli/code.hpp"
#include "cli/collect.hpp"
#include "cli/detached.hpp"
#include "cli/end_file.hpp"
#include "cli/files_below.hpp"
#include "cli/head_options.hpp"
#include "cli/in_step.hpp"
#include "cli/launch.hpp"
#include "cli/meant_record.hpp"
#include "cli/operated.hpp"
#include "cli/output_places.hpp"
#include "cli/pipeline.hpp"
#include "cli/prospect.hpp"
#include "cli/queued.hpp"
#include "cli/read_file.hpp"
#include "cli/records.hpp"
#include "cli/speak.hpp"
#include "cli/stand_ins.hpp"
#include "cli/stop_wish.hpp"
#include "front/batch_request.hpp"
#include "front/cluster_request.hpp"
#include "front/inherited.hpp"
#include "front/job/front.hpp"
#include "front/reach_options.hpp"
#include "front/voice.hpp"
#include "model/cpu_set.hpp"
#include "option/values.hpp"
#include "plan/surroundings.hpp"
#include "probe/affinity.hpp"
#include "probe/devices.hpp"
#include "probe/probe.hpp"
#include "probe/random.hpp"
#include "probe/terminal.hpp"
#include "process/converse.hpp"
#include "process/output_file.hpp"
#include "process/ownership.hpp"
#include "process/write_all.hpp"
#include "spec/in_quotes.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "view/complaints.hpp"

namespace muster::cli {
namespace {

std::string current_folder() {
  std::array<char, PATH_MAX> buffer;
  return ::getcwd(buffer.data(), buffer.size()) == nullptr ? "/" : buffer.data();
}

std::uint32_t count_of(const model::Devices& devices) {
  return static_cast<std::uint32_t>(devices.ids.size());
}

front::Counts counts(const std::vector<std::string>& environment) {
  return {[] { return probe::cpus().usable; },
          [&environment] { return count_of(probe::most_devices(environment)); },
          [&environment] { return count_of(probe::most_devices(environment, "ZE_AFFINITY_MASK")); },
          [&environment] { return probe::most_devices(environment).variable; }};
}

bool has_file(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool is_plain_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::string new_record_folder(const Invocation& invocation) {
  const auto records = store::records_folder(invocation.environment);
  if (!records) return {};
  const std::string name = base::value_of(invocation.environment, kRunName);
  if (store::is_run_name(name) && !has_file(*records + "/" + name)) return *records + "/" + name;
  return *records + "/" + store::run_name(store::utc_now(), probe::random_number());
}

// Programs of a batch system, which have the answer at hand, or a daemon to ask for it.
base::Result<std::string> ask_program(const std::vector<std::string>& words,
                                      const std::vector<std::string>& environment) {
  constexpr auto kPatience = std::chrono::seconds(30);
  constexpr const char* kNameHosts = "you can name the hosts yourself";
  const auto answer = process::converse(
      {.words = words, .environment = environment, .limit = base::Duration(kPatience)});
  if (!answer) return base::fail(answer.error().fault, kNameHosts, "{}", answer.error().what);
  if (answer->ended_well()) return answer->out;
  const std::string why =
      answer->is_cut ? fmt::format("no answer within {} s", kPatience.count()) : answer->err;
  return base::fail(base::Fault::unreachable, kNameHosts, "{}: {}", fmt::join(words, " "),
                    spec::in_quotes(why.substr(0, why.find('\n'))));
}

// Slurm leaves the variable to steps within the one that has the terminal.
std::vector<std::string> environment_of(const Invocation& invocation) {
  std::vector<std::string> all = invocation.environment;
  const auto is_port = [](const std::string& one) { return one.starts_with("SLURM_PTY_PORT="); };
  const bool has_port = std::ranges::any_of(all, is_port);
  if (has_port && !probe::has_terminal() && !probe::is_silenced()) std::erase_if(all, is_port);
  return all;
}

// All that does not depend on whether the words are new or those of a record.
front::Call asked_with(front::Call asked, const Invocation& invocation) {
  asked.environment = environment_of(invocation);
  asked.given = invocation.given;
  asked.counts = counts(invocation.environment);
  asked.fresh = probe::random_digits(8);
  asked.version = MUSTER_VERSION;
  asked.record_folder = new_record_folder(invocation);
  asked.read_around = read_found_file;
  asked.why_others = process::why_others;
  asked.columns = help_columns();
  asked.own_name = own_name(invocation.environment);
  asked.stand_ins = stand_ins_beside(own_path());
  if (const auto records = store::records_folder(invocation.environment)) {
    asked.find_output = [folder = *records](const job::RunOutput& output) {
      return path_of_output(folder, output);
    };
  }
  asked.check_room = [&own = invocation.environment](auto& spec) { return check_room(spec, own); };
  asked.ask = [&invocation](const std::vector<std::string>& words) {
    return ask_program(words, invocation.environment);
  };
  return asked;
}

front::Call asked_here(const std::string& called, std::vector<std::string> words,
                       const Invocation& invocation, model::TypedCommand& remembered) {
  remembered.folder = current_folder();
  return asked_with({.called = called,
                     .words = std::move(words),
                     .current_folder = remembered.folder,
                     .read_file = remembering(read_input_file, remembered),
                     .has_file = has_file,
                     .is_file = is_plain_file,
                     .read_found = remembering(read_found_file, remembered),
                     .list_files = lists_files(invocation.environment),
                     .look_into = read_found_file},
                    invocation);
}

// The files are those of then, not of now.
front::Call asked_before(const model::TypedCommand& remembered, const Invocation& invocation) {
  return asked_with({.called = remembered.words.front(),
                     .words = {remembered.words.begin() + 1, remembered.words.end()},
                     .current_folder = remembered.folder,
                     .read_file = read_remembered(remembered),
                     .has_file = has_remembered(remembered),
                     .list_files = lists_remembered(remembered),
                     .look_into = read_remembered(remembered)},
                    invocation);
}

int complain_all(const std::vector<base::Error>& complaints) {
  int code = 0;
  for (const base::Error& error : complaints) code = complain(error);
  return code;
}

// What starts nothing says why a run would not start either.
void add_places(front::Reading& read, const Invocation& invocation) {
  std::string warning;
  if (!read.outputs.empty()) {
    front::Recording record;
    record.folder = new_record_folder(invocation);
    record.outputs = read.outputs;
    warning = OutputPlaces(record).warning();
  }
  const bool is_request = read.request && read.request->record && read.request->dry_run;
  const bool is_pipeline = read.pipeline && read.pipeline->dry_run;
  if ((is_request || is_pipeline) && !read.cluster) warning = OutputPlaces(read).warning();
  if (!warning.empty()) read.notices.push_back(std::move(warning));
}

int act(front::RunRequest request, const front::Front& front, const Invocation& invocation,
        const model::TypedCommand& asked) {
  request.refusal_code = front.late_code != 0 ? front.late_code : front.usage_code;
  if (request.record) request.record->asked = asked;
  plan::settle_exports({invocation.environment, invocation.given}, request.spec);
  if (request.allocation && request.dry_run) return show_allocation(request);
  const auto start = [&](const Invocation& own) {
    const auto begin = [&](const Invocation& inside) { return launch(request, inside); };
    return request.allocation ? run_allocated(request, own, begin) : begin(own);
  };
  const auto go = [&](const Invocation& own) {
    const int code = start(own);
    if (!request.record || request.dry_run) return code;
    write_end_file(request.record->folder, own.environment);
    keep_to_budget(request.record->folder, own.environment);
    return code;
  };
  return request.detach ? run_detached(go, request.json, invocation) : go(invocation);
}

int act(front::PipelineRequest& request, const Invocation& invocation,
        const model::TypedCommand& asked) {
  request.record.asked = asked;
  if (request.dry_run) return show_pipeline(request);
  const auto go = [&](const Invocation& own) {
    const int code = run_pipeline(request, own);
    write_end_file(request.record.folder, own.environment);
    keep_to_budget(request.record.folder, own.environment);
    return code;
  };
  return request.detach ? run_detached(go, request.json, invocation) : go(invocation);
}

// Of what the tasks of a step would do together; null: it is done by each.
const model::JobSpec* spec_of(const front::Reading& read) {
  if (read.called && read.called->opens) return &read.called->spec;
  if (!read.request || read.request->meeting || read.request->allocation) return nullptr;
  return &read.request->spec;
}

// Which task of a step this is, if the step's tasks ask for one run together.
base::Result<std::optional<model::StepPlace>> place_of(const front::Reading& read,
                                                       const front::Call& asked) {
  if (const model::JobSpec* spec = spec_of(read)) {
    return front::place_in_step(asked, spec->source, spec->hosts);
  }
  const bool is_allocated = read.pipeline && read.pipeline->uses_job_around;
  return front::place_in_step(asked, is_allocated ? model::kHostsAllocated : model::kHostsHere, {});
}

base::Result<void> check_stays(const front::Reading& read) {
  const bool leaves =
      (read.request && read.request->detach) || (read.pipeline && read.pipeline->detach);
  if (!leaves) return {};
  return base::fail(base::Fault::usage, "leave it out, or start muster once, in the batch script",
                    "--detach cannot be used in each task of a Slurm step: Slurm ends what is left "
                    "when they end");
}

// What the environment says of hosts holds for every front end.
base::Result<front::Reading> settled(front::Reading read, const front::Call& asked) {
  if (read.request || read.pipeline) {
    if (auto fine = front::check_budget(asked); !fine) return tl::unexpected(fine.error());
  }
  if (!read.request) return read;
  if (auto set = front::take_reach_wishes(asked, *read.request); !set) {
    return tl::unexpected(std::move(set.error()));
  }
  if (!read.request->allocation) {
    const auto reach = front::take_inherited_settings(asked, read.request->said_reach,
                                                      read.request->spec, read.request->beside);
    if (!reach) return tl::unexpected(reach.error());
  }
  const auto record = front::settle_record(asked, *read.request);
  if (!record) return tl::unexpected(record.error());
  return read;
}

base::Result<front::Reading> read_words(const front::Front& front, const front::Call& asked) {
  auto read = front.read(asked).and_then(
      [&](front::Reading own) { return settled(std::move(own), asked); });
  if (!read) return read;
  auto place = place_of(*read, asked);
  if (place && *place) {
    if (auto fine = check_stays(*read); !fine) return tl::unexpected(fine.error());
  }
  return std::move(place).map([&](auto found) {
    read->step_place = std::move(found);
    return *std::move(read);
  });
}

// What was there stays if that fails; but a link, a device, and what this process prints to are
// written to.
int error_of_writing(const std::string& path, const std::string& text) {
  if (process::may_be_replaced(path)) return store::replace_file(path, text) ? 0 : errno;
  const auto file = process::open_output(path, process::NamedBy::user);
  return file ? process::write_all(file.get(), text).error : errno;
}

int write_text(const front::Reading& read) {
  const int error = error_of_writing(read.text_file, read.text);
  if (error == 0) return 0;
  const char* const why = process::output_trouble(error);
  return complain({base::Fault::output,
                   fmt::format("cannot write {}: {}", read.text_file, why),
                   process::output_hint(error),
                   {}});
}

int carry_out_here(const front::Front& front, base::Result<front::Reading> read,
                   const Invocation& invocation, const model::TypedCommand& asked) {
  if (!read) {
    const int code = complain(read.error());
    const int own = front.code_before_start(read.error().fault);
    return own != 0 ? own : code;
  }
  if (read->complaints.empty()) add_places(*read, invocation);
  const bool only_asks = read->complaints.empty() && read->only_asks;
  if (only_asks && read->cluster) return check_target(*read, invocation);
  if (only_asks && read->batch) return check_batch_target(*read, invocation);
  if (read->checked) {
    const int told = print(view::complaints_json(*read->checked, read->complaints, read->notices));
    const bool good = read->complaints.empty();
    return good ? told : base::exit_code(read->complaints.front().fault);
  }
  if (!read->complaints.empty()) return complain_all(read->complaints);
  if (read->request || read->pipeline || read->called) {
    for (const std::string& left : invocation.left) note(left);
  }
  for (const std::string& notice : read->notices) note(notice);
  if (read->request && is_quiet()) read->request->quiet = true;
  const bool only_shows =
      (read->request && read->request->dry_run) || (read->pipeline && read->pipeline->dry_run);
  if (read->cluster && !only_shows && !read->cluster->operated.empty()) {
    return run_operated(*read, asked, invocation);
  }
  if (read->cluster && !only_shows) return run_in_cluster(*read, asked, invocation);
  if (read->batch) return only_shows ? show_script(*read) : run_in_queue(*read, asked, invocation);
  if (read->request) return act(std::move(*read->request), front, invocation, asked);
  if (read->pipeline) return act(*read->pipeline, invocation, asked);
  if (read->called) return called(*read->called, invocation);
  if (read->records) return records(*read->records, invocation);
  if (!read->text_file.empty()) return write_text(*read);
  return print(read->text);
}

// Words that are wrong are so in all tasks of a step, and one complaint is enough.
std::optional<model::StepPlace> place_for(const base::Result<front::Reading>& read,
                                          const Invocation& invocation,
                                          const std::vector<std::string>& words) {
  std::optional<model::StepPlace> place;
  if (read && read->complaints.empty()) {
    place = read->step_place;
  } else {
    const front::Call around{.called = {}, .environment = environment_of(invocation)};
    place = front::place_in_step(around, model::kHostsAllocated, {}).value_or(std::nullopt);
  }
  if (place)
    place->step += fmt::format(".{:08x}", base::hash(fmt::format("{}", fmt::join(words, "\n"))));
  return place;
}

int carry_out(const front::Front& front, base::Result<front::Reading> read,
              const Invocation& invocation, const model::TypedCommand& asked) {
  const auto place = place_for(read, invocation, asked.words);
  const bool is_wrong = !read || !read->complaints.empty();
  const auto begin = [&] { return carry_out_here(front, std::move(read), invocation, asked); };
  if (!place) return begin();
  const auto alone = [&](const base::Error& why) { return is_wrong ? begin() : complain(why); };
  StepPart part{.first = begin, .alone = alone};
  if (read && read->request) {
    part.patience = 4 * read->request->spec.carrier.patience;
    part.reads_input = read->request->spec.input.to != model::StdinTo::none;
  }
  return in_step(*place, part, invocation);
}

// In a rank that was bound for its own sake, on a host that no other rank of its job needs.
void leave_binding(const Invocation& invocation) {
  const std::string text = base::value_of(invocation.environment, plan::kCpus);
  if (text.empty()) return;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto bound = model::parse_cpu_set(std::string_view(text).substr(0, slash));
  const auto all =
      model::parse_cpu_set(std::string_view(text).substr(std::min(slash + 1, text.size())));
  if (bound && all && probe::own_cpus() == *bound) (void)probe::run_on(*all);
}

void go_on_from(const Earlier& earlier, front::PipelineRequest& request) {
  request.earlier = earlier.folder;
  if (earlier.step.empty()) return;
  request.anew.insert(earlier.step);
  request.only_anew = true;
}

// ---- runs that a batch system has started -------------------------------------------------------

struct QueuedRun {
  std::string folder;
  model::RunRecord record;
  model::TypedCommand asked;
};

// The variable may say anything, and outlive the job that it was set for. The id is not yet noted
// where the job has begun at once.
std::optional<QueuedRun> run_of_this_job(const std::string& folder, const Invocation& invocation) {
  const auto record = store::read_record(folder);
  const auto asked = store::read_asked(folder);
  if (!process::is_own_folder(folder) || !record || !asked || !is_queued_run(*record)) return {};
  const std::string_view name = batch::system_of(record->scheduler.kind)->job_variable;
  const std::string job = base::value_of(invocation.environment, name);
  const std::string& noted = record->scheduler.id;
  if (job.empty() || (!noted.empty() && noted != job)) return {};
  return QueuedRun{folder, *record, *asked};
}

// Files that the record has are those of then; those of the job around are there only now.
front::Call asked_in_job(const model::TypedCommand& asked, const std::string& folder,
                         const Invocation& invocation) {
  front::Call call = asked_before(asked, invocation);
  const front::ReadFile of_then = call.read_file;
  call.read_file = one_or_other(of_then, read_input_file);
  call.read_found = one_or_other(of_then, read_found_file);
  call.record_folder = folder;
  call.is_queued_run = true;
  return call;
}

// Its record is there, and somebody follows that already.
void settle(front::Recording& record, const model::RunRecord& submitted,
            const Invocation& invocation) {
  const batch::System* system = batch::system_of(submitted.scheduler.kind);
  record.scheduler = submitted.scheduler;
  record.scheduler.id = base::value_of(invocation.environment, system->job_variable);
  record.submitted = submitted.created;
}

void go_on_as_asked(const std::vector<std::string>& script, front::PipelineRequest& pipeline) {
  const auto said = [&](const char* name) { return base::value_of(script, name); };
  const std::string fresh = said(kQueuedFresh);
  go_on_from({"", said(kQueuedEarlier), said(kQueuedStep)}, pipeline);
  pipeline.fresh_code = fresh.find("code") != std::string::npos;
  pipeline.fresh_checkpoints = fresh.find("checkpoints") != std::string::npos;
}

// As tell_reach() has written them.
std::vector<front::ReachWish> wishes_in(const std::vector<std::string>& script) {
  std::vector<front::ReachWish> wishes;
  const std::string said = base::value_of(script, kQueuedReach);
  const auto read = option::read_words({kQueuedReach, said});
  if (!read) return wishes;  // the variable is not set, or may say anything
  const std::vector<std::string>& words = *read;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto setting = std::ranges::find(front::kReachSettings, words[i],
                                           [](const auto& one) { return one.text.names; });
    if (setting == front::kReachSettings.end()) continue;
    wishes.push_back({setting->text.names, words[i + 1]});
  }
  return wishes;
}

// `script`: the environment that it has made.
int run_as_queued(const QueuedRun& run, const std::vector<std::string>& script,
                  const Invocation& invocation) {
  const auto& [folder, record, asked] = run;
  if (batch::system_of(record.scheduler.kind)->interrupt == nullptr) {
    if (const auto heard = hear_stop_wish(folder); !heard) return complain(heard.error());
  }
  const front::Front* front = front::front_of(asked.words.front());
  if (front == nullptr || ::chdir(asked.folder.c_str()) != 0) {
    return complain({base::Fault::cannot_start,
                     "the folder in which it was submitted is not here: " + asked.folder,
                     "all hosts must see it at the same path",
                     {}});
  }
  front::Call call = asked_in_job(asked, folder, invocation);
  call.reach_wishes = wishes_in(script);
  auto read = read_words(*front, call);
  if (read && read->request && read->request->record) {
    settle(*read->request->record, record, invocation);
    read->request->record->overwrites |= !base::value_of(script, kQueuedForce).empty();
    use_code_of(folder, *read->request);
    if (read->request->detach) {
      read->request->spec.output.routes.out.console = false;
      read->request->spec.output.routes.err.console = false;
    }
    read->request->detach = read->request->json = false;
  }
  if (read && read->pipeline) {
    settle(read->pipeline->record, record, invocation);
    read->pipeline->record.overwrites |= !base::value_of(script, kQueuedForce).empty();
    go_on_as_asked(script, *read->pipeline);
    read->pipeline->detach = read->pipeline->json = false;
  }
  return carry_out(*front, std::move(read), invocation, asked);
}

// What the batch system's script calls. What it starts is not that run.
int run_queued(const std::string& folder, Invocation invocation) {
  const auto run = run_of_this_job(folder, invocation);
  if (!run) {
    return complain({base::Fault::bad_file,
                     fmt::format("{} names no run of this batch job: {}", kQueuedRecord, folder),
                     "unset it: only the script of the job that muster submits sets it",
                     {}});
  }
  const std::vector<std::string> script = invocation.environment;
  std::erase_if(invocation.environment, [](const std::string& one) {
    return one.starts_with("MUSTER_RECORDS=") || one.starts_with("MUSTER_QUEUED_");
  });
  invocation.environment.push_back("MUSTER_RECORDS=" + folder.substr(0, folder.rfind('/')));
  for (const char* name :
       {kQueuedRecord, kQueuedEarlier, kQueuedStep, kQueuedFresh, kQueuedForce, kQueuedReach}) {
    ::unsetenv(name);
  }
  const int code = run_as_queued(*run, script, invocation);
  finish_unbegun(folder, code);
  return code;
}

}  // namespace

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int run(const front::Front& front, const Invocation& invocation, std::size_t name) {
  const front::Voice voice = front::voice(front, std::span(invocation.words).subspan(name + 1));
  if (voice.version) return print_version();
  speak_as(voice);
  leave_binding(invocation);
  const std::string queued = base::value_of(invocation.environment, kQueuedRecord);
  if (!queued.empty()) return run_queued(queued, invocation);
  const auto& words = invocation.words;
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(name);
  model::TypedCommand remembered{{first, words.end()}, {}, {}};
  remembered.words.front() = base_name(words[name]);
  const front::Call asked =
      asked_here(remembered.words.front(), {first + 1, words.end()}, invocation, remembered);
  return carry_out(front, read_words(front, asked), invocation, remembered);
}

int run_again(const model::TypedCommand& before, const front::RecordRequest& wish,
              const Earlier& earlier, const Invocation& invocation) {
  const front::Front* front = before.words.empty() ? nullptr : front::front_of(before.words[0]);
  if (front == nullptr) {
    return complain({base::Fault::bad_file, "its record names no command of muster", {}, {}});
  }
  front::Call asked = asked_before(before, invocation);  // paths as they are seen from here
  asked.reach_wishes = wish.reach_wishes;
  if (::chdir(before.folder.c_str()) != 0) {
    return complain({base::Fault::cannot_start,
                     "the folder in which it was started has gone: " + before.folder,
                     {},
                     {}});
  }
  auto read = read_words(*front, asked);
  if (read && read->request) {
    read->request->detach |= wish.detach;
    if (wish.json && !read->request->detach) return complain(front::json_needs_detach());
    read->request->json |= wish.json;
    if (read->request->detach) read->request->keeps = front::Keeps::always;
    if (read->request->record) read->request->record->overwrites |= wish.force;
    if (!wish.fresh_code) use_code_of(earlier.record, *read->request);
    auto& checkpoints = read->request->checkpoints;
    if (checkpoints && !wish.fresh_checkpoints) checkpoints->earlier = earlier.record;
  }
  if (read && read->pipeline) {
    read->pipeline->detach |= wish.detach;
    if (wish.json && !read->pipeline->detach) return complain(front::json_needs_detach());
    read->pipeline->json |= wish.json;
    read->pipeline->record.overwrites |= wish.force;
    read->pipeline->fresh_code = wish.fresh_code;
    read->pipeline->fresh_checkpoints = wish.fresh_checkpoints;
    go_on_from(earlier, *read->pipeline);
  }
  return carry_out(*front, std::move(read), invocation, before);
}

}  // namespace muster::cli
