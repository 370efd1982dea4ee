// Asks for the objects of a run, and reads them.
#include "cluster/sight.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "cluster/base64.hpp"
#include "cluster/listing.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Cause;
using kubernetes::CauseKind;
using kubernetes::JobState;
using kubernetes::Phase;
using kubernetes::PodState;
using kubernetes::RunState;

constexpr const char* kLauncherRole = "launcher";

// The kubelet says nothing of a container that a lost node or an eviction has ended.
std::optional<LauncherEnd> end_of(const PodState& pod) {
  constexpr int kKilled = 137;
  if (!pod.code && pod.phase != Phase::failed) return std::nullopt;
  return LauncherEnd{pod.code.value_or(kKilled), pod.reason, pod.message, pod.ended};
}

bool is_final_for(const Cause& cause, const std::string& pod) {
  return cause.pod == pod && cause.is_final && kubernetes::ends_pods(cause.kind);
}

bool is_over_for(const RunState& state, const std::string& pod) {
  return std::ranges::any_of(state.causes,
                             [&](const Cause& one) { return is_final_for(one, pod); });
}

// A node that is gone never says how its containers have ended.
bool is_on_lost_node(const RunState& state, const std::string& pod) {
  return std::ranges::any_of(state.causes, [&](const Cause& one) {
    return is_final_for(one, pod) && one.kind == CauseKind::node_lost;
  });
}

// Workers are made once there is a launcher. A Job that has lost its pod may make another one, for
// which no worker waits.
bool is_replaced(const RunState& state, const PodState& launcher) {
  const auto was_before = [&](const auto& one) {
    return one.role != kLauncherRole && one.created < launcher.created;
  };
  return std::ranges::any_of(state.pods, was_before) || std::ranges::any_of(state.jobs, was_before);
}

void take_launcher(const PodState& pod, Sight& sight) {
  sight.launcher = pod.name;
  sight.node = pod.host;
  sight.end = end_of(pod);
  const bool is_other = is_replaced(sight.state, pod);
  if (is_other) sight.end.reset();
  sight.is_lost = is_other || (!sight.end && is_on_lost_node(sight.state, pod.name));
}

// Somebody has deleted its pod, which its Job does not make anew.
bool has_lost_launcher(const RunState& state) {
  return std::ranges::any_of(
      state.jobs, [](const JobState& job) { return job.role == kLauncherRole && job.is_over; });
}

// None, where one of them does not say so.
std::optional<model::Utc> last_start(const std::vector<PodState>& pods) {
  std::optional<model::Utc> last;
  for (const PodState& pod : pods) {
    if (!pod.started) return std::nullopt;
    last = std::max(last.value_or(*pod.started), *pod.started);
  }
  return last;
}

// The first that was made.
const PodState* launcher_in(const std::vector<PodState>& pods) {
  const PodState* first = nullptr;
  for (const PodState& pod : pods) {
    const bool counts = pod.role == kLauncherRole;
    if (counts && (first == nullptr || pod.created < first->created)) first = &pod;
  }
  return first;
}

}  // namespace

Answered<std::vector<std::string>> list_specs(const Kubectl& kubectl) {
  constexpr const char* kSpecs = R"(-o=jsonpath={range .items[*]}{.data.spec}{"\n"}{end})";
  return kubectl.ask({"get", "secrets", "--selector=" + selector_of(""), kSpecs})
      .map([](const std::string& lines) {
        std::vector<std::string> specs;
        for (const std::string& line : base::split(lines, "\n")) {
          auto spec = from_base64(line);
          if (spec && !spec->empty()) specs.push_back(std::move(*spec));
        }
        return specs;
      });
}

Answered<Sight> look(const Kubectl& kubectl, const std::string& id) {
  const auto sight = list_objects(kubectl, selector_of(id)).map([&](const auto& listed) {
    return sight_of(listed, id);
  });
  const bool lacks_pods = sight && std::ranges::any_of(sight->state.jobs, &JobState::lacks_pods);
  const bool is_going = sight && std::ranges::any_of(sight->state.pods, &PodState::is_going);
  return lacks_pods || is_going ? look_closely(kubectl, id) : sight;
}

Answered<Sight> look_closely(const Kubectl& kubectl, const std::string& id) {
  return list_with_events(kubectl, selector_of(id)).map([&](const auto& listed) {
    return sight_of(listed, id);
  });
}

Sight sight_of(const kubernetes::Value& listed, const std::string& id) {
  Sight sight;
  sight.state = kubernetes::read_state(listed, id);
  const std::vector<PodState>& pods = sight.state.pods;
  const PodState* const launcher = launcher_in(pods);
  sight.is_there = !pods.empty() || !sight.state.jobs.empty();
  sight.has_begun =
      pods.size() > 1 && std::ranges::count(pods, Phase::pending, &PodState::phase) == 0;
  if (sight.has_begun) sight.began = last_start(pods);
  if (launcher != nullptr) take_launcher(*launcher, sight);
  if (launcher == nullptr) sight.is_lost = has_lost_launcher(sight.state);
  for (const Cause& cause : sight.state.causes) {
    if (!kubernetes::ends_pods(cause.kind)) sight.waits.push_back(cause.what);
  }
  return sight;
}

// That a pod was deleted is often what a Job does when another has failed.
std::vector<std::string> endings(const RunState& state, std::string_view told) {
  std::vector<std::string> named;
  std::vector<std::string> others;
  std::vector<std::string> deleted;
  for (const Cause& cause : state.causes) {
    if (!kubernetes::ends_pods(cause.kind)) continue;
    const bool is_named = !cause.pod.empty() && told.find(cause.pod) != std::string_view::npos;
    auto& those = is_named ? named : cause.kind == CauseKind::deleted ? deleted : others;
    those.push_back(cause.what);
  }
  named.insert(named.end(), others.begin(), others.end());
  return named.empty() ? deleted : named;
}

bool is_settled(const RunState& state) {
  return std::ranges::all_of(state.pods, [&](const PodState& pod) {
    return kubernetes::has_ended(pod) || is_over_for(state, pod.name);
  });
}

}  // namespace muster::cluster
