// read_state: what kubectl says of a run's objects in, how its pods are and what keeps them from
// running, or has ended them, out. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "kubernetes/value.hpp"
#include "model/record.hpp"

namespace muster::kubernetes {

// JSON as kubectl prints it. Fails for what is no JSON, or is nested deeper than any object.
[[nodiscard]] base::Result<Value> read_json(std::string_view text);

enum class Phase : std::uint8_t { pending, running, succeeded, failed, unknown };

struct PodState {
  std::string name;
  std::string run = {};                    // whose it is: the name of the run's Secret
  std::string role = {};                   // launcher, worker, ps; "" if no label says
  std::string host = {};                   // the node that it is on; "": none yet
  std::string address = {};                // "": none yet
  std::optional<std::uint32_t> node = {};  // of a worker: its number in the run
  Phase phase = Phase::unknown;
  bool runs = false;             // its container does
  std::optional<int> code = {};  // of its container, once that has ended
  std::string reason = {};       // of its end: "Completed", "Error", "OOMKilled", "Evicted"
  std::string message = {};  // the same in a sentence, or what its container has left to be read
  std::string created = {};  // "2026-11-23T10:00:00Z"
  // Of its container, as far as it has.
  std::optional<model::Utc> started = {};
  std::optional<model::Utc> ended = {};
  bool is_going = false;  // its deletion has been asked for
  bool operator==(const PodState&) const = default;
};

enum class CauseKind : std::uint8_t {
  unschedulable,  // no node takes it
  image_pull,     // the image cannot be had
  image_name,     // the image's name is none
  config,         // the container cannot be made: a Secret is missing, the image runs as root
  start,          // the runtime cannot start the container
  out_of_memory,
  evicted,    // its node was short of something
  preempted,  // it made room for another pod
  quota,      // the namespace has no room
  refused,    // the server takes no such pod: admission
  deadline,   // activeDeadlineSeconds
  node_lost,
  deleted,
};

struct Cause {
  CauseKind kind;
  std::string what;  // one line with the cluster's own words: "worker 3 (pod run-worker-3-x on n1)
                     // was ended for want of memory (limit 2Gi)"
  std::string hint;  // what to do; may be empty
  std::string pod;   // "": that of no pod, but of a Job that cannot make one
  std::string role;  // of that pod
  std::string host;
  std::optional<std::uint32_t> node;
  bool is_final = false;  // else it may pass: the pod is still waited for
  bool operator==(const Cause&) const = default;
};

struct JobState {
  std::string name;
  std::string role = {};
  std::string created = {};
  bool is_over = false;     // it makes no more pods
  bool lacks_pods = false;  // it has made fewer than it shall
  bool operator==(const JobState&) const = default;
};

struct RunState {
  std::vector<PodState> pods;  // the launcher's first, then by node
  std::vector<JobState> jobs;
  std::vector<Cause> causes;  // in the order of pods, those of Jobs last
};

// `listed`: what `kubectl get pods,jobs,events -o json` prints, or any List with some of these.
// `run`: only what belongs to it, the name of its Secret; empty: all. Events of other objects are
// ignored; those of the run's pods tell why one is not there any more.
[[nodiscard]] RunState read_state(const Value& listed, std::string_view run = {});

[[nodiscard]] std::string_view word(CauseKind kind);

// Its container does not go on, and none takes its place there.
[[nodiscard]] bool has_ended(const PodState& pod);

// "worker 3 (pod run-worker-3 on node1)"
[[nodiscard]] std::string subject(const PodState& pod);

// Whether such a cause ends a pod that has run, as opposed to one that keeps it from running.
[[nodiscard]] bool ends_pods(CauseKind kind);

// Paths of fields that were sent and that the server has not stored: "spec.completionMode",
// "spec.template.spec.containers[worker].env". What servers add, change or leave out since it is
// empty is none.
[[nodiscard]] std::vector<std::string> dropped_fields(const Value& sent, const Value& stored);

}  // namespace muster::kubernetes
