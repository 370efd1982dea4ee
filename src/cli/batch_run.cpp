// Record, script, and the words with which it is handed over.
#include "cli/batch_run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/shell_word.hpp"
#include "base/variables.hpp"
#include "batch/script.hpp"
#include "batch/system.hpp"
#include "cli/batch_environment.hpp"
#include "cli/checkpoints.hpp"
#include "cli/code.hpp"
#include "cli/detached.hpp"
#include "cli/head_options.hpp"
#include "cli/output_places.hpp"
#include "cli/pipeline.hpp"
#include "cli/queued.hpp"
#include "cli/run.hpp"
#include "cli/scheduled_record.hpp"
#include "cli/speak.hpp"
#include "front/batch_request.hpp"
#include "front/pipeline_request.hpp"
#include "process/signal_mask.hpp"
#include "queue/commands.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/taken_over.hpp"
#include "store/writer.hpp"
#include "view/complaints.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using front::BatchRequest;

const batch::System& wanted_system(const BatchRequest& request) {
  return *batch::system_of(request.kind);
}

void tell_earlier(const front::PipelineRequest& pipeline, batch::Wish& wish) {
  if (pipeline.earlier.empty()) return;
  wish.variables.emplace_back(kQueuedEarlier, pipeline.earlier);
  if (pipeline.only_anew) wish.variables.emplace_back(kQueuedStep, *pipeline.anew.begin());
  std::string fresh = pipeline.fresh_code ? "code " : "";
  if (pipeline.fresh_checkpoints) fresh += "checkpoints";
  if (!fresh.empty()) wish.variables.emplace_back(kQueuedFresh, fresh);
}

void tell_reach(const BatchRequest& request, batch::Wish& wish) {
  std::vector<std::string> words;
  for (const front::ReachWish& one : request.reach_wishes) {
    words.insert(words.end(), {std::string(one.option), one.value});
  }
  if (!words.empty()) wish.variables.emplace_back(kQueuedReach, base::shell_words(words));
}

batch::Wish wish_for(const front::Reading& reading, const std::string& folder) {
  const BatchRequest& request = *reading.batch;
  batch::Wish wish = request.wish;
  wish.command.front() = request.program.empty() ? own_path() : request.program;
  const std::string run = store::run_of(folder);
  wish.about.front() += fmt::format(", as run {}: muster show {}", run, run);
  wish.out = folder + "/" + store::kJobOutput;
  wish.err = folder + "/" + store::kJobErrors;
  wish.variables.emplace_back(kQueuedRecord, folder);
  if (reading.pipeline) tell_earlier(*reading.pipeline, wish);
  tell_reach(request, wish);
  if (recording_in(reading).overwrites) wish.variables.emplace_back(kQueuedForce, "yes");
  return wish;
}

// Neither its hosts nor its job's id is known yet.
model::RunRecord queued_record(const front::Reading& reading) {
  const BatchRequest& request = *reading.batch;
  return scheduled_record(reading, {request.kind, request.target, {}, {}, {}});
}

class BatchRun {
 public:
  BatchRun(const front::Reading& reading, const model::TypedCommand& asked,
           const Invocation& invocation, std::string script)
      : reading_(reading),
        asked_(asked),
        invocation_(invocation),
        commands_(wanted_system(*reading.batch), batch_environment(invocation)),
        record_(queued_record(reading)),
        script_(std::move(script)) {}

  int go() {
    const process::HeldSignals held;  // who follows the job hears what comes during the hand-over
    if (const auto given = submit(); !given) return complain(given.error());
    record_.state = model::RunState::queued;
    const bool detach = reading_.pipeline ? reading_.pipeline->detach : reading_.request->detach;
    if (!detach) {
      tell_watched(record_, invocation_);
      return follow_queued(record_, invocation_);
    }
    const bool json = reading_.pipeline ? reading_.pipeline->json : reading_.request->json;
    return tell_begun(record_, json);
  }

 private:
  // The head in the job, and others who look, wait until we let go of the record's lock.
  Result<void> submit() {
    std::optional<store::RecordWriter> writer;
    auto given = hand_over(writer);
    if (!given && writer) give_up(*writer, given.error());
    return given;
  }

  // The record is there before the job can be, and is made while the system's program starts.
  Result<void> hand_over(std::optional<store::RecordWriter>& writer) {
    Result<void> noted;
    const auto ready = [&] {
      return begin()
          .map([&](store::RecordWriter made) { writer = std::move(made); })
          .and_then([this] { return take_checkpoints(); });
    };
    const auto id = commands_.submit(
        script_, {ready, [&](const std::string& job) { noted = note(job, *writer); }});
    if (!id) return tl::unexpected(id.error().error);
    if (!noted) (void)commands_.cancel(*id);  // nobody would find it by its record
    return noted;
  }

  Result<void> note(const std::string& id, store::RecordWriter& writer) {
    record_.scheduler.id = id;
    writer.add(view::queued_line(store::utc_now(), id));
    return writer.complete();
  }

  Result<store::RecordWriter> begin() {
    if (record_.folder.empty()) {
      return base::fail(Fault::usage, "set MUSTER_RECORDS, or HOME",
                        "there is no folder for the record of the run");
    }
    store::FirstFiles files;
    files.spec = view::spec_json(record_, asked_, MUSTER_VERSION);
    files.events = view::event_line(*record_.created, "created");
    files.fill = [this](const std::string& folder) { return fill(folder); };
    return store::RecordWriter::create(record_.folder, files);
  }

  // The script, and what the code is now, whenever the job starts.
  Result<void> fill(const std::string& folder) {
    const std::string script = folder + "/" + store::kJobScript;
    if (!store::write_file(script, script_)) return store::cannot_write(Fault::output, script);
    if (reading_.pipeline) return keep_code(*reading_.pipeline, folder);
    if (!reading_.request->code) return {};
    auto code = CodeSnapshot::take(*reading_.request);
    if (!code) return tl::unexpected(std::move(code.error()));
    return code->write_manifest(folder + "/" + std::string(kManifestFile));
  }

  // Those of the run that is run again are this one's from now on.
  Result<void> take_checkpoints() {
    const bool takes = reading_.request && reading_.request->checkpoints &&
                       !reading_.request->checkpoints->earlier.empty();
    return takes ? ready_checkpoints(*reading_.request->checkpoints) : Result<void>();
  }

  void give_up(store::RecordWriter& writer, const base::Error& error) {
    record_.state = model::RunState::failed;
    record_.cause = error.what;
    record_.exit_code = base::exit_code(error.fault);
    record_.code_from = "muster";
    record_.ended = store::utc_now();
    (void)writer.finish(view::record_json(record_, store::utc_now()), "");
  }

  const front::Reading& reading_;
  const model::TypedCommand& asked_;
  const Invocation& invocation_;
  queue::Commands commands_;
  model::RunRecord record_;
  std::string script_;
};

// Unless it cannot be written down.
Result<std::string> script_of(const front::Reading& reading, const batch::Wish& wish) {
  return batch::check_lines(wish).map([&] { return wanted_system(*reading.batch).script(wish); });
}

int print_checked(const front::Reading& reading, const queue::Answered<std::string>& said) {
  const std::string_view name = wanted_system(*reading.batch).name;
  if (reading.checked) {
    model::CheckedFile file = *reading.checked;
    const base::Error* error = said ? nullptr : &said.error().error;
    file.asked.push_back({std::string(name), said.has_value(), error ? error->what : *said,
                          error ? error->hint : ""});
    return print(view::complaints_json(file, {}, reading.notices));
  }
  for (const std::string& notice : reading.notices) note(notice);
  if (!said) return complain(said.error().error);
  return print(fmt::format("{}{}: {}\n", reading.text, name, *said));
}

}  // namespace

int run_in_queue(const front::Reading& reading, const model::TypedCommand& asked,
                 const Invocation& invocation) {
  auto script = script_of(reading, wish_for(reading, recording_in(reading).folder));
  if (!script) return complain(script.error());
  if (const auto fine = OutputPlaces(reading).check(); !fine) return complain(fine.error());
  return BatchRun(reading, asked, invocation, std::move(*script)).go();
}

int show_script(const front::Reading& reading) {
  const std::string folder = records_of(recording_in(reading).folder) + "/<run>";
  batch::Wish wish = wish_for(reading, folder);
  for (const char* only_here : {"--dry-run", "--json"}) std::erase(wish.command, only_here);
  const auto script = script_of(reading, wish);
  return script ? print(*script) : complain(script.error());
}

int check_batch_target(const front::Reading& reading, const Invocation& invocation) {
  const auto script = script_of(reading, wish_for(reading, "/tmp"));
  if (!script) return complain(script.error());
  const batch::System& system = wanted_system(*reading.batch);
  const auto said = queue::Commands(system, invocation.environment).test(*script);
  const int told = print_checked(reading, said);
  return said ? told : base::exit_code(said.error().error.fault);
}

}  // namespace muster::cli
