// Asks again and again which pods there are.
#include "cluster/removal.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "cluster/listing.hpp"
#include "cluster/sight.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Cause;
using kubernetes::CauseKind;
using kubernetes::Phase;
using kubernetes::PodState;
using kubernetes::RunState;

constexpr std::chrono::milliseconds kPauseOfRemoval{500};
constexpr std::chrono::seconds kTellAfter{8};
constexpr std::chrono::seconds kStayMax{45};

bool has_come(const PodState& pod, Until until) {
  return until == Until::ended && (pod.phase == Phase::succeeded || pod.phase == Phase::failed);
}

std::string why_it_stays(const RunState& state, const PodState& pod) {
  const bool is_lost = std::ranges::any_of(state.causes, [&](const Cause& one) {
    return one.pod == pod.name && one.kind == CauseKind::node_lost;
  });
  if (is_lost) return "its node does not answer";
  return pod.is_going ? "its node has not said that it has ended it" : "it has not ended";
}

Answered<void> delete_kinds(const Kubectl& kubectl, const std::string& kinds,
                            const std::string& id) {
  return kubectl
      .ask({"delete", kinds, "--selector=" + selector_of(id), "--ignore-not-found", "--wait=false"})
      .map([](const std::string&) {});
}

}  // namespace

std::vector<std::string> staying(const RunState& state, Until until) {
  std::vector<std::string> lines;
  for (const PodState& pod : state.pods) {
    if (has_come(pod, until)) continue;
    lines.push_back(
        fmt::format("{} stays: {}", kubernetes::subject(pod), why_it_stays(state, pod)));
  }
  return lines;
}

Answered<std::vector<std::string>> await_pods(const Kubectl& kubectl, const std::string& id,
                                              Until until,
                                              const std::function<void(const std::string&)>& say) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  bool has_told = false;
  for (;;) {
    const bool is_over = Clock::now() > begin + kStayMax;
    const auto sight = is_over ? look_closely(kubectl, id) : look(kubectl, id);
    if (!sight && (is_over || sight.error().kind != Refusal::unreachable)) {
      return tl::unexpected(sight.error());
    }
    auto lines = sight ? staying(sight->state, until) : std::vector<std::string>();
    if (sight && (lines.empty() || is_over)) return lines;
    if (!has_told && !lines.empty() && Clock::now() > begin + kTellAfter) {
      has_told = true;
      say("waiting for the cluster: " + lines.front());
    }
    std::this_thread::sleep_for(kPauseOfRemoval);
  }
}

Answered<void> delete_objects(const Kubectl& kubectl, const std::string& id) {
  return delete_kinds(kubectl, "secrets,jobs", id);
}

Answered<void> delete_pods(const Kubectl& kubectl, const std::string& id) {
  return delete_kinds(kubectl, "jobs,pods", id);
}

}  // namespace muster::cluster
