// Sight: what a cluster tells of a run: its launcher's pod, what its pods wait for, what ended
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/kubectl.hpp"
#include "kubernetes/state.hpp"
#include "model/record.hpp"

namespace muster::cluster {

// How the launcher's container has ended.
struct LauncherEnd {
  int code = 0;
  std::string reason;   // "Completed", "Error", "OOMKilled", "Evicted"; may be empty
  std::string message;  // its termination message, or the last of its log
  std::optional<model::Utc> time = {};  // where its node has said it
};

struct Sight {
  bool is_there = false;            // something of the run is
  bool has_begun = false;           // all its pods run, or have run
  bool is_lost = false;             // its launcher will not tell anything any more
  std::string launcher;             // the name of its pod; empty: there is none
  std::string node;                 // where that is
  std::vector<std::string> waits;   // what keeps pods from running, a line each
  std::optional<model::Utc> began;  // when the last of them did
  std::optional<LauncherEnd> end;
  kubernetes::RunState state;
};

// `id`: the name of the run's Secret. Events are asked for where a Job lacks pods.
[[nodiscard]] Answered<Sight> look(const Kubectl& kubectl, const std::string& id);
// Events are asked for anyway.
[[nodiscard]] Answered<Sight> look_closely(const Kubectl& kubectl, const std::string& id);

// The same from objects that have been listed. Pure.
[[nodiscard]] Sight sight_of(const kubernetes::Value& listed, const std::string& id);

// What ended pods of the run, a line each, those that tell most first: `told` is what the head said
// of the end, which may name pods. Pure.
[[nodiscard]] std::vector<std::string> endings(const kubernetes::RunState& state,
                                               std::string_view told);

// Whether a cluster has told what became of all pods of a run that is over. Pure.
[[nodiscard]] bool is_settled(const kubernetes::RunState& state);

// spec.json of each run whose Secret is there and has it.
[[nodiscard]] Answered<std::vector<std::string>> list_specs(const Kubectl& kubectl);

}  // namespace muster::cluster
