// Record, objects; then the operator's status until it has ended.
#include "cli/operated.hpp"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <set>

#include "base/variables.hpp"
#include "cli/detached.hpp"
#include "cli/local_time.hpp"
#include "cli/operated_output.hpp"
#include "cli/own_user.hpp"
#include "cli/saved_output.hpp"
#include "cli/scheduled.hpp"
#include "cli/scheduled_record.hpp"
#include "cli/speak.hpp"
#include "cluster/base64.hpp"
#include "cluster/operated.hpp"
#include "cluster/sight.hpp"
#include "cluster/submission.hpp"
#include "front/cluster_request.hpp"
#include "kubernetes/render.hpp"
#include "probe/random.hpp"
#include "process/signal_mask.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/writer.hpp"
#include "view/last_lines.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;
using cluster::Kubectl;
using kubernetes::Stage;
using model::RunRecord;
using model::RunState;

constexpr std::chrono::seconds kLook{1};
constexpr std::size_t kOperatedSpecMax = 700'000;  // of a Secret's 1 MiB
constexpr std::size_t kOperatedDigits = 32;

// ---- the record ---------------------------------------------------------------------------------

std::string text_or_empty(const std::optional<job::Text>& text) { return text ? text->text : ""; }

RunRecord operated_record(const front::Reading& reading, const Invocation& invocation) {
  const front::ClusterRequest& cluster = *reading.cluster;
  const job::Cluster& place = cluster.run.cluster;
  RunRecord record = scheduled_record(
      reading,
      {"kubernetes", cluster.target, text_or_empty(place.context), text_or_empty(place.name_space),
       cluster::operated_id(cluster.operated), user_everywhere(invocation.environment)});
  std::erase_if(record.outputs, [&](const model::NamedPath& one) {
    return record.holds(one.path);  // it goes with its pod
  });
  for (const model::HostEntry& host : reading.request->spec.hosts) {
    record.hosts.push_back(host.name);
  }
  return record;
}

// Nothing of it changes from here on.
void finish_operated(const RunRecord& record) {
  (void)store::replace_file(record.folder + "/report.json",
                            view::record_json(record, store::utc_now()) + "\n");
}

RunRecord ended_as(RunRecord record, RunState state, int code, std::string cause) {
  record.state = state;
  record.exit_code = code;
  if (code != 0) record.code_from = state == RunState::stopped ? "signal" : "rank";
  record.cause = std::move(cause);
  record.ended = store::utc_now();
  return record;
}

// ---- the objects --------------------------------------------------------------------------------

// Also where the pods need nothing of it: by it, the run is found from other machines.
kubernetes::Value operated_secret(const front::Reading& reading, const RunRecord& record,
                                  const model::TypedCommand& asked, const Invocation& invocation) {
  kubernetes::Value data = kubernetes::object();
  data.add(kubernetes::kSecretKey, cluster::base64(probe::random_digits(kOperatedDigits)));
  for (const std::string& name : reading.request->secrets) {
    data.add(name, cluster::base64(base::value_of(invocation.environment, name)));
  }
  const std::string spec = view::spec_json(record, asked, MUSTER_VERSION);
  if (spec.size() <= kOperatedSpecMax) data.add(cluster::kSpecKey, cluster::base64(spec));
  return kubernetes::secret_object(reading.cluster->run).add("data", std::move(data));
}

std::string how_to_look(const RunRecord& record) {
  const std::string& space = record.scheduler.space;
  return fmt::format("kubectl{} get {}", space.empty() ? "" : " --namespace=" + space,
                     record.scheduler.id);
}

Result<void> make_objects(const front::Reading& reading, const RunRecord& record,
                          const model::TypedCommand& asked, const Invocation& invocation) {
  const auto made = cluster::create_operated(kubectl_of(record, invocation.environment),
                                             operated_secret(reading, record, asked, invocation),
                                             reading.cluster->operated);
  if (!made) return tl::unexpected(made.error().error);
  note(how_to_look(record) + " shows it");
  return {};
}

Result<void> begin_operated(const front::Reading& reading, const RunRecord& record,
                            const model::TypedCommand& asked, const Invocation& invocation) {
  if (record.folder.empty()) {
    return base::fail(Fault::usage, "set MUSTER_RECORDS, or HOME",
                      "there is no folder for the record of the run");
  }
  store::FirstFiles files;
  files.spec = view::spec_json(record, asked, MUSTER_VERSION);
  files.events = view::event_line(*record.created, "created");
  auto writer = store::RecordWriter::create(record.folder, files);
  if (!writer) return tl::unexpected(std::move(writer.error()));
  auto made = make_objects(reading, record, asked, invocation);
  if (made) return made;
  RunRecord failed =
      ended_as(record, RunState::failed, base::exit_code(made.error().fault), made.error().what);
  failed.code_from = "muster";
  (void)writer->finish(view::record_json(failed, store::utc_now()), "");
  return made;
}

// ---- until it has ended -------------------------------------------------------------------------

RunRecord gone_there(RunRecord record) {
  const std::string cause = record.scheduler.id + " is not in the cluster any more";
  record.state = RunState::died;
  record.cause = cause;
  record.ended = store::utc_now();
  finish_operated(record);
  return record;
}

// Pods that are gone say nothing: what is there then stays. So it does after a signal.
void save_log(const RunRecord& record, const Kubectl& kubectl) {
  bool has_said = false;
  (void)save_output(saved_log(record.folder), [&](const auto& write) {
    const auto done =
        cluster::operated_log(kubectl, record.scheduler.id, {}, [&](std::string_view lines) {
          has_said |= !lines.empty();
          return write(lines) && process::no_signal_waits();
        });
    return done && has_said && process::no_signal_waits();
  });
}

RunRecord ended_there(const RunRecord& record, const kubernetes::OperatedState& state,
                      const Kubectl& kubectl) {
  const bool good = state.stage == Stage::succeeded;
  const std::string& id = record.scheduler.id;
  const int code = good ? 0 : cluster::operated_code(kubectl, id);
  RunRecord ended =
      ended_as(record, good ? RunState::completed : RunState::failed, code, good ? "" : state.why);
  ended.started = state.started;
  if (state.ended) ended.ended = state.ended;
  save_log(ended, kubectl);
  if (process::waiting_signal() != 0) return record;  // who asks next finishes it
  finish_operated(ended);
  return ended;
}

class OperatedFollowing {
 public:
  OperatedFollowing(RunRecord record, const Invocation& invocation, cluster::LogBegin begin = {})
      : record_(std::move(record)),
        kubectl_(kubectl_of(record_, invocation.environment)),
        output_(kubectl_, record_.scheduler.id, std::move(begin)),
        invocation_(invocation) {}

  // Prints what the pods do, until the end, a signal, or output that nobody takes.
  RunRecord follow() {
    for (;;) {
      record_ = operated_now(record_, invocation_);
      look_at_pods();
      if (!record_.is_live() || !goes_on()) return record_;
      process::rest(kLook);
    }
  }

  // Of the output.
  [[nodiscard]] int code() const { return output_.code(); }

 private:
  [[nodiscard]] bool goes_on() const { return output_.code() == 0 && process::no_signal_waits(); }

  void look_at_pods() {
    const auto sight = cluster::look(kubectl_, cluster::name_in(record_.scheduler.id));
    if (!sight) return tell(sight.error().error.what);
    if (record_.state == RunState::queued) {
      for (const std::string& wait : sight->waits) tell(wait_line(record_, wait));
    }
    output_.print_new(*sight, record_.is_live(), [this] { return goes_on(); });
  }

  // Each once.
  void tell(const std::string& line) {
    if (said_.insert(line).second) note(line);
  }

  RunRecord record_;
  Kubectl kubectl_;
  OperatedOutput output_;
  const Invocation& invocation_;
  std::set<std::string> said_;
};

int tell_end(const RunRecord& record, int told) {
  if (!record.ended_well()) warn(view::record_sentence(record));
  return record.ended_well() ? told : record.exit_code.value_or(base::exit_code(Fault::lost));
}

cluster::LogBegin begin_of_operated(const front::RecordRequest& request) {
  const auto since = since_of(request);
  return {request.tail, since ? view::utc_text(*since) : ""};
}

// What its pods have printed so far. Of the tails of all pods, the last lines are held.
int print_operated(const RunRecord& record, const cluster::LogBegin& begin,
                   const Kubectl& kubectl) {
  int code = 0;
  std::string tails;
  const auto told =
      cluster::operated_log(kubectl, record.scheduler.id, begin, [&](std::string_view lines) {
        if (begin.tail) {
          tails += lines;
        } else {
          code = print(lines);
        }
        return code == 0;
      });
  if (!told) return complain(told.error().error);
  return begin.tail ? print(view::last_lines(tails, *begin.tail)) : code;
}

int wait_for_end(const RunRecord& record, const Invocation& invocation) {
  OperatedFollowing following(record, invocation);
  const RunRecord ended = following.follow();
  if (!ended.is_live()) return tell_end(ended, following.code());
  note("stopping the run");
  const int signal = process::waiting_signal();
  process::drop_waiting_signals();  // another one is for what the stop waits for
  const auto stopped = stop_operated(ended, invocation);
  return stopped ? 128 + signal : complain(stopped.error());
}

}  // namespace

bool is_operated(const RunRecord& record) { return cluster::is_operated(record.scheduler.id); }

int run_operated(const front::Reading& reading, const model::TypedCommand& asked,
                 const Invocation& invocation) {
  const process::HeldSignals held;
  RunRecord record = operated_record(reading, invocation);
  if (auto begun = begin_operated(reading, record, asked, invocation); !begun) {
    return complain(begun.error());
  }
  record.state = RunState::queued;
  if (reading.request->detach) return tell_begun(record, reading.request->json);
  tell_watched(record, invocation);
  return wait_for_end(record, invocation);
}

RunRecord operated_now(RunRecord record, const Invocation& invocation) {
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  const auto state = cluster::look_at_operated(kubectl, record.scheduler.id);
  if (!state && state.error().kind == cluster::Refusal::absent) {
    return gone_there(std::move(record));
  }
  if (!state) {
    record.cause = state.error().error.what;
    return record;
  }
  if (state->stage >= Stage::succeeded) return ended_there(record, *state, kubectl);
  record.state = state->stage == Stage::running ? RunState::running : RunState::queued;
  record.started = state->started;
  record.cause = state->stage == Stage::running ? "" : state->why;
  return record;
}

int operated_logs(const RunRecord& record, const front::RecordRequest& request,
                  const Invocation& invocation) {
  if (record.is_live() && request.follow) {
    cluster::LogBegin begin = begin_of_operated(request);
    begin.tail.reset();  // who follows sees all of it, whichever pod has the last lines
    OperatedFollowing following(record, invocation, std::move(begin));
    (void)following.follow();
    return following.code();
  }
  if (!record.is_live()) {
    int code = 0;
    const auto take = [&](std::string_view lines) { return (code = print(lines)) == 0; };
    (void)read_saved(saved_log(record.folder), {0, request.tail}, take);
    return code;
  }
  return print_operated(record, begin_of_operated(request),
                        kubectl_of(record, invocation.environment));
}

Result<void> stop_operated(const RunRecord& record, const Invocation& invocation) {
  const Kubectl kubectl = kubectl_of(record, invocation.environment);
  save_log(record, kubectl);
  const auto deleted = cluster::delete_operated(kubectl, record.scheduler.id);
  if (!deleted) return tl::unexpected(deleted.error().error);
  finish_operated(ended_as(record, RunState::stopped, 128 + SIGTERM, "stopped by its user"));
  return {};
}

Result<void> remove_operated(const RunRecord& record, const Invocation& invocation) {
  const auto removed =
      cluster::remove_operated(kubectl_of(record, invocation.environment), record.scheduler.id);
  if (removed) return {};
  base::Error error = removed.error().error;
  error.what = fmt::format("{} stays in the cluster: {}", record.scheduler.id, error.what);
  return tl::unexpected(std::move(error));
}

}  // namespace muster::cli
