// Finds out of pods, Jobs and events what has become of a run.
#include "kubernetes/state.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "kubernetes/time.hpp"
#include "spec/in_quotes.hpp"

namespace muster::kubernetes {
namespace {

// The field of an annotation or label, whose name has dots.
std::string named(const Value& meta, std::string_view map, std::string_view name) {
  const Value* const values = meta.find(map);
  const Value* const value = values == nullptr ? nullptr : values->find(name);
  return value == nullptr ? "" : value->text;
}

const std::vector<Value>& items_at(const Value& value, std::string_view path) {
  static const std::vector<Value> kNone;
  const Value* const found = value.at(path);
  return found == nullptr ? kNone : found->items;
}

std::optional<std::uint32_t> number_from(std::string_view text) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  return text;
}

Phase phase_of(const std::string& word) {
  if (word == "Pending") return Phase::pending;
  if (word == "Running") return Phase::running;
  if (word == "Succeeded") return Phase::succeeded;
  return word == "Failed" ? Phase::failed : Phase::unknown;
}

// The index that an Indexed Job gives, else that at the end of a name of ours: RUN-worker-3.
std::optional<std::uint32_t> node_of(const Value& pod, const std::string& name,
                                     const std::string& role) {
  if (role.empty() || role == "launcher") return std::nullopt;
  const Value* const meta = pod.find("metadata");
  const std::string index = named(*meta, "annotations", "batch.kubernetes.io/job-completion-index");
  if (!index.empty()) return number_from(index);
  return number_from(std::string_view(name).substr(name.rfind('-') + 1));
}

std::string label_of(const Value& object_of_run, std::string_view name) {
  const Value* const meta = object_of_run.find("metadata");
  return meta == nullptr ? "" : named(*meta, "labels", name);
}

std::string role_of(const Value& object_of_run) {
  return label_of(object_of_run, "app.kubernetes.io/component");
}

std::string owner_of(const Value& object_of_run) {
  return label_of(object_of_run, "app.kubernetes.io/instance");
}

// What the pod's status says of the whole counts more than what it says of its only container.
void take_end(const Value& pod, PodState& state) {
  state.reason = text_at(pod, "status.reason");
  state.message = text_at(pod, "status.message");
  for (const Value& status : items_at(pod, "status.containerStatuses")) {
    state.runs = state.runs || status.at("state.running") != nullptr;
    const Value* const end = status.at("state.terminated");
    if (end == nullptr) state.started = time_of(text_at(status, "state.running.startedAt"));
    if (end == nullptr || state.code) continue;
    state.started = time_of(text_at(*end, "startedAt"));
    state.ended = time_of(text_at(*end, "finishedAt"));
    const auto code = number_from(text_at(*end, "exitCode"));
    if (code) state.code = static_cast<int>(*code);
    if (state.reason.empty()) state.reason = text_at(*end, "reason");
    if (const std::string left = text_at(*end, "message"); !left.empty()) state.message = left;
  }
}

PodState pod_state(const Value& pod) {
  PodState state;
  state.name = text_at(pod, "metadata.name");
  state.run = owner_of(pod);
  state.role = role_of(pod);
  if (pod.find("metadata") != nullptr) state.node = node_of(pod, state.name, state.role);
  state.host = text_at(pod, "spec.nodeName");
  state.address = text_at(pod, "status.podIP");
  state.phase = phase_of(text_at(pod, "status.phase"));
  state.created = text_at(pod, "metadata.creationTimestamp");
  take_end(pod, state);
  state.is_going = pod.at("metadata.deletionTimestamp") != nullptr;
  return state;
}

JobState job_state(const Value& job) {
  JobState state{text_at(job, "metadata.name"), role_of(job)};
  state.created = text_at(job, "metadata.creationTimestamp");
  for (const Value& one : items_at(job, "status.conditions")) {
    const std::string type = text_at(one, "type");
    const bool holds = text_at(one, "status") == "True";
    state.is_over = state.is_over || (holds && (type == "Complete" || type == "Failed"));
  }
  std::uint32_t made = 0;
  for (const char* count : {"status.active", "status.succeeded", "status.failed"}) {
    made += number_from(text_at(job, count)).value_or(0);
  }
  const std::uint32_t wanted = number_from(text_at(job, "spec.parallelism")).value_or(1);
  state.lacks_pods = !state.is_over && made < wanted;
  return state;
}

std::string limit_of(const Value& pod, const std::string& container) {
  for (const Value& one : items_at(pod, "spec.containers")) {
    if (text_at(one, "name") == container) return text_at(one, "resources.limits.memory");
  }
  return "";
}

const Value* condition_of(const Value& object, std::string_view type) {
  for (const Value& one : items_at(object, "status.conditions")) {
    if (text_at(one, "type") == type) return &one;
  }
  return nullptr;
}

struct Waiting {
  std::string_view reason;
  CauseKind kind;
  bool is_final;  // however long one waits
  std::string_view what;
  std::string_view hint;
};

constexpr Waiting kWaiting[] = {
    {"ErrImagePull", CauseKind::image_pull, false, "cannot pull its image",
     "is the image's name right? for a private registry: image_pull_secrets in muster.yml"},
    {"ImagePullBackOff", CauseKind::image_pull, true, "cannot pull its image",
     "is the image's name right? for a private registry: image_pull_secrets in muster.yml"},
    {"ErrImageNeverPull", CauseKind::image_pull, true, "finds no image on its node",
     "load it there, or change image_pull_policy in muster.yml"},
    {"InvalidImageName", CauseKind::image_name, true, "has an image whose name is none",
     "names are in small letters: registry/name:tag"},
    {"CreateContainerConfigError", CauseKind::config, true, "cannot have its container made",
     "an image that must run as root needs security: baseline in muster.yml"},
    {"CreateContainerError", CauseKind::start, true, "cannot have its container made", ""},
    {"RunContainerError", CauseKind::start, false, "cannot start its program",
     "does the image hold that program, and sh?"},
};

// All causes of one pod.
class PodCauses {
 public:
  explicit PodCauses(const Value& pod) : pod_(pod), state_(pod_state(pod)) {}

  std::vector<Cause> take() && {
    unscheduled();
    for (const char* statuses : {"status.initContainerStatuses", "status.containerStatuses"}) {
      for (const Value& status : items_at(pod_, statuses)) container(status);
    }
    ended();
    return std::move(causes_);
  }

 private:
  void add(CauseKind kind, std::string_view what, const std::string& message, std::string_view hint,
           bool is_final) {
    Cause cause;
    cause.kind = kind;
    cause.what = fmt::format("{} {}", subject(state_), what);
    if (!message.empty()) cause.what += ": " + one_line(message);
    cause.hint = hint;
    cause.pod = state_.name;
    cause.role = state_.role;
    cause.host = state_.host;
    cause.node = state_.node;
    cause.is_final = is_final;
    causes_.push_back(std::move(cause));
  }

  void unscheduled() {
    const Value* const condition = condition_of(pod_, "PodScheduled");
    if (condition == nullptr || text_at(*condition, "status") != "False") return;
    add(CauseKind::unschedulable, "has no node", text_at(*condition, "message"),
        "fewer resources, or another node_selector and tolerations in muster.yml", false);
  }

  void container(const Value& status) {
    const std::string reason = text_at(status, "state.waiting.reason");
    for (const Waiting& known : kWaiting) {
      if (known.reason != reason) continue;
      std::string message = text_at(status, "state.waiting.message");
      if (message.empty()) message = text_at(status, "image");
      add(known.kind, known.what, message, known.hint, known.is_final);
    }
    const std::string end = text_at(status, "state.terminated.reason");
    const std::string message = text_at(status, "state.terminated.message");
    if (end == "OOMKilled") out_of_memory(text_at(status, "name"));
    if (end == "ContainerCannotRun" || end == "StartError") {
      add(CauseKind::start, "could not start its program", message,
          "does the image hold that program, and sh?", true);
    }
  }

  void out_of_memory(const std::string& name) {
    const std::string limit = limit_of(pod_, name);
    add(CauseKind::out_of_memory,
        limit.empty() ? "was ended for want of memory on its node"
                      : fmt::format("was ended for want of memory (its limit is {})", limit),
        "", "ask for more: resources.limits.memory in the job file", true);
  }

  // What ended the pod as a whole.
  void ended() {
    const std::string reason = text_at(pod_, "status.reason");
    const std::string message = text_at(pod_, "status.message");
    const Value* const disruption = condition_of(pod_, "DisruptionTarget");  // since 1.26
    const std::string by = disruption == nullptr ? "" : text_at(*disruption, "reason");
    if (reason == "DeadlineExceeded") {
      add(CauseKind::deadline, "was ended at its deadline", message, "", true);
    } else if (reason == "Preempting" || reason == "Preempted" || by == "PreemptionByScheduler" ||
               by == "PreemptionByKubeScheduler") {
      add(CauseKind::preempted, "made room for a pod of higher priority", message,
          "give it a higher priority_class in muster.yml", true);
    } else if (reason == "NodeLost" || reason == "NodeAffinity" || reason == "Terminated" ||
               reason == "Shutdown" || reason == "NodeShutdown" || by == "DeletionByPodGC" ||
               by == "DeletionByTaintManager") {
      add(CauseKind::node_lost, "was lost with its node", message, "", true);
    } else if (reason == "Evicted" || by == "TerminationByKubelet" ||
               by == "EvictionByEvictionAPI") {
      add(CauseKind::evicted, "was evicted from its node", message, "", true);
    } else if (state_.is_going) {
      add(CauseKind::deleted, "was deleted", "", "", true);
    }
  }

  const Value& pod_;
  PodState state_;
  std::vector<Cause> causes_;
};

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

Cause cause_of_job(CauseKind kind, const std::string& what, std::string_view hint, bool is_final) {
  Cause cause;
  cause.kind = kind;
  cause.what = one_line(what);
  cause.hint = hint;
  cause.is_final = is_final;
  return cause;
}

// Without the pod's name, which is new each time.
std::string refusal_in(const std::string& message) {
  constexpr std::string_view kWhy = " is forbidden: ";
  const std::size_t at = message.find(kWhy);
  return at == std::string::npos ? message : message.substr(at + kWhy.size());
}

// The controller says in an event why it cannot make a pod.
void add_event(const Value& event, const std::vector<JobState>& jobs, std::vector<Cause>& causes) {
  const std::string job = text_at(event, "involvedObject.name");
  const bool is_ours = std::ranges::find(jobs, job, &JobState::name) != jobs.end();
  if (!is_ours || text_at(event, "reason") != "FailedCreate") return;
  const std::string message = text_at(event, "message");
  const bool is_quota = has_any(message, {"exceeded quota", "failed quota"});
  Cause cause = cause_of_job(
      is_quota ? CauseKind::quota : CauseKind::refused,
      fmt::format("job {} cannot make its pods: {}", job, refusal_in(message)),
      is_quota ? "ask for less, or wait until the namespace has room"
               : "the message names the rule; security and resources are in muster.yml",
      false);
  const bool is_known = std::ranges::find(causes, cause) != causes.end();
  if (!is_known) causes.push_back(std::move(cause));
}

void add_job(const Value& job, std::vector<Cause>& causes) {
  const Value* const failed = condition_of(job, "Failed");
  if (failed == nullptr || text_at(*failed, "status") != "True") return;
  if (text_at(*failed, "reason") != "DeadlineExceeded") return;
  causes.push_back(cause_of_job(
      CauseKind::deadline,
      fmt::format("job {} was ended at its deadline of {} s", text_at(job, "metadata.name"),
                  text_at(job, "spec.activeDeadlineSeconds")),
      "", true));
}

struct PodWithCauses {
  PodState state;
  std::vector<Cause> causes;
  bool is_gone = false;   // only events tell of it
  bool is_ready = false;  // else its node may be silent
};

auto rank_of(const PodWithCauses& one) {
  const PodState& pod = one.state;
  return std::tuple(pod.role != "launcher", pod.node.value_or(UINT32_MAX), pod.name);
}

// What becomes of a pod, as events of it say; servers before 1.26 say it nowhere else. The first
// that is found counts.
struct Trace {
  std::string_view reason;
  std::string_view message;  // begins so
  CauseKind kind;
  bool is_final;
  std::string_view what;
};

constexpr Trace kTraces[] = {
    {"Preempted", "", CauseKind::preempted, true, "made room for a pod of higher priority"},
    {"TaintManagerEviction", "Marking", CauseKind::node_lost, true, "was lost with its node"},
    {"NodeNotReady", "", CauseKind::node_lost, false, "is on a node that does not answer"},
    {"Killing", "", CauseKind::deleted, true, "was deleted"},
};

const Trace* trace_of(const Value& event) {
  const std::string reason = text_at(event, "reason");
  const std::string message = text_at(event, "message");
  const auto* const found = std::ranges::find_if(kTraces, [&](const Trace& one) {
    return one.reason == reason && message.starts_with(one.message);
  });
  return found == std::end(kTraces) ? nullptr : found;
}

// Its name is RUN-ROLE-NUMBER, or RUN-ROLE with what a controller adds.
PodState gone_pod(const std::string& name, std::string_view run) {
  PodState state;
  state.name = name;
  state.run = run;
  const std::string_view rest = std::string_view(name).substr(run.size() + 1);
  const std::size_t end = rest.find('-');
  state.role = rest.substr(0, end);
  if (end == std::string_view::npos || state.role == "launcher") return state;
  const std::string_view number = rest.substr(end + 1);
  state.node = number_from(number.substr(0, number.find('-')));
  return state;
}

class Traces {
 public:
  Traces(std::vector<PodWithCauses>& pods, std::string_view run) : pods_(pods), run_(run) {}

  void take(const Value& event) {
    const Trace* const trace = trace_of(event);
    const std::string name = text_at(event, "involvedObject.name");
    if (trace == nullptr || text_at(event, "involvedObject.kind") != "Pod") return;
    const bool is_ours =
        find(name) != pods_.end() || (!run_.empty() && name.starts_with(std::string(run_) + "-"));
    if (!is_ours) return;
    auto& known = traces_[name];
    if (known.trace == nullptr || trace < known.trace) known.trace = trace;
    if (known.host.empty()) known.host = text_at(event, "source.host");
  }

  void add() {
    for (const auto& [name, found] : traces_) {
      auto pod = find(name);
      if (pod == pods_.end()) {
        pod = pods_.insert(pod, {gone_pod(name, run_), {}, true});
        pod->state.host = found.host;
      }
      if (counts(*pod, *found.trace)) add(*pod, *found.trace);
    }
  }

 private:
  struct Found {
    const Trace* trace = nullptr;
    std::string host;  // of a kubelet
  };

  std::vector<PodWithCauses>::iterator find(const std::string& name) {
    return std::ranges::find(pods_, name, [](const PodWithCauses& one) { return one.state.name; });
  }

  // A pod's own status knows better, but for who has deleted it.
  static bool counts(const PodWithCauses& pod, const Trace& trace) {
    const bool has_ended = pod.state.phase == Phase::succeeded || pod.state.phase == Phase::failed;
    if (!trace.is_final) return !pod.is_gone && !has_ended && !pod.is_ready;
    if (!pod.is_gone && (has_ended || trace.kind == CauseKind::deleted)) return false;
    return std::ranges::none_of(pod.causes, [](const Cause& one) {
      return ends_pods(one.kind) && one.kind != CauseKind::deleted;
    });
  }

  static void add(PodWithCauses& pod, const Trace& trace) {
    std::erase_if(pod.causes, [](const Cause& one) { return one.kind == CauseKind::deleted; });
    Cause cause;
    cause.kind = trace.kind;
    cause.what = fmt::format("{} {}", subject(pod.state), trace.what);
    cause.pod = pod.state.name;
    cause.role = pod.state.role;
    cause.host = pod.state.host;
    cause.node = pod.state.node;
    cause.is_final = trace.is_final;
    pod.causes.push_back(std::move(cause));
  }

  std::vector<PodWithCauses>& pods_;
  std::string_view run_;
  std::map<std::string, Found> traces_;
};

// Objects of a run, one kind after the other.
class Reading {
 public:
  Reading(const Value& listed, std::string_view run)
      : items_(items_at(listed, "items")), run_(run) {}

  RunState take() && {
    for (const Value& one : items_) take_object(one);
    Traces traces(pods_, run_);
    for (const Value& one : items_) {
      if (text_at(one, "kind") != "Event") continue;
      add_event(one, state_.jobs, of_jobs_);
      traces.take(one);
    }
    traces.add();
    std::ranges::sort(pods_, {}, rank_of);
    for (PodWithCauses& one : pods_) take_pod(std::move(one));
    for (Cause& cause : of_jobs_) state_.causes.push_back(std::move(cause));
    return std::move(state_);
  }

 private:
  void take_object(const Value& one) {
    const std::string kind = text_at(one, "kind");
    if (!run_.empty() && owner_of(one) != run_) return;
    if (kind == "Pod") {
      const Value* const ready = condition_of(one, "Ready");
      const bool is_ready = ready != nullptr && text_at(*ready, "status") == "True";
      pods_.push_back({pod_state(one), PodCauses(one).take(), false, is_ready});
    }
    if (kind != "Job") return;
    state_.jobs.push_back(job_state(one));
    add_job(one, of_jobs_);
  }

  void take_pod(PodWithCauses one) {
    for (Cause& cause : one.causes) state_.causes.push_back(std::move(cause));
    if (!one.is_gone) state_.pods.push_back(std::move(one.state));
  }

  const std::vector<Value>& items_;
  std::string_view run_;
  std::vector<PodWithCauses> pods_;
  std::vector<Cause> of_jobs_;
  RunState state_;
};

}  // namespace

RunState read_state(const Value& listed, std::string_view run) {
  return Reading(listed, run).take();
}

bool has_ended(const PodState& pod) {
  const bool is_over = pod.phase == Phase::succeeded || pod.phase == Phase::failed;
  return is_over || (pod.code.has_value() && !pod.runs);
}

std::string subject(const PodState& pod) {
  const std::string who = pod.node ? fmt::format("{} {}", pod.role, *pod.node)
                                   : (pod.role.empty() ? "pod" : "the " + pod.role);
  const std::string where = pod.host.empty() ? "" : " on " + pod.host;
  return fmt::format("{} (pod {}{})", who, pod.name, where);
}

bool ends_pods(CauseKind kind) {
  return kind == CauseKind::out_of_memory || kind == CauseKind::evicted ||
         kind == CauseKind::preempted || kind == CauseKind::deadline ||
         kind == CauseKind::node_lost || kind == CauseKind::deleted;
}

std::string_view word(CauseKind kind) {
  constexpr std::string_view kWords[] = {
      "unschedulable", "image_pull", "image_name", "config", "start",
      "out_of_memory", "evicted",    "preempted",  "quota",  "refused",
      "deadline",      "node_lost",  "deleted"};
  return kWords[static_cast<std::size_t>(kind)];
}

}  // namespace muster::kubernetes
