// Asks again and again which pods there are.
#include "cluster/removal.hpp"

#include <algorithm>
#include <utility>

#include "cluster/listing.hpp"
#include "cluster/sight.hpp"
#include "process/signal_mask.hpp"

namespace muster::cluster {
namespace {

using kubernetes::Cause;
using kubernetes::CauseKind;
using kubernetes::PodState;
using kubernetes::RunState;

constexpr std::chrono::milliseconds kPauseOfRemoval{500};
constexpr std::chrono::seconds kTellAfter{8};
constexpr std::chrono::seconds kStayMax{45};
constexpr std::chrono::seconds kCollectMax{15};
constexpr std::chrono::seconds kForgetMax{25};

bool has_come(const PodState& pod, Until until) {
  return until == Until::ended && kubernetes::has_ended(pod);
}

std::string why_it_stays(const RunState& state, const PodState& pod) {
  const bool is_lost = std::ranges::any_of(state.causes, [&](const Cause& one) {
    return one.pod == pod.name && one.kind == CauseKind::node_lost;
  });
  if (is_lost) return "its node does not answer";
  if (kubernetes::has_ended(pod)) return "it has ended, and is still there";
  return pod.is_going ? "its node has not said that it has ended it" : "it has not ended";
}

Answered<void> delete_kinds(const Kubectl& kubectl, const std::string& kinds,
                            const std::string& id) {
  return kubectl.order(
      {"delete", kinds, "--selector=" + selector_of(id), "--ignore-not-found", "--wait=false"});
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

std::string wait_words(const std::string& stays, std::chrono::milliseconds waited) {
  using std::chrono::round, std::chrono::seconds;
  return fmt::format("waiting for the cluster: {} ({} s so far, at most {} s)", stays,
                     round<seconds>(waited).count(), kStayMax.count());
}

namespace {

// One wait for a run's pods.
class Wait {
 public:
  using Say = std::function<void(const std::string&)>;

  Wait(const Kubectl& kubectl, const std::string& id, Until until, const Say& say)
      : kubectl_(kubectl), id_(id), until_(until), say_(say) {}

  Answered<std::vector<std::string>> run() {
    for (;; process::rest(kPauseOfRemoval)) {
      const bool is_over = lasts(kStayMax);
      const auto sight = is_over ? look_closely(kubectl_, id_) : look(kubectl_, id_);
      const bool is_last = is_over || !process::no_signal_waits();
      if (!sight && (is_last || sight.error().kind != Refusal::unreachable)) {
        return tl::unexpected(sight.error());
      }
      if (!sight) continue;
      if (until_ == Until::gone) help(sight->state);
      auto lines = staying(sight->state, until_);
      if (lines.empty() || is_last) return lines;
      tell(lines.front());
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool lasts(Clock::duration limit) const { return Clock::now() > begin_ + limit; }

  // Each once.
  void help(const RunState& state) {
    if (lasts(kCollectMax) && !std::exchange(has_deleted_, true)) tell_to_go(state);
    if (lasts(kForgetMax) && !std::exchange(has_forgotten_, true)) forget(state);
  }

  // A collector that was cut off from the server may be late by minutes.
  void tell_to_go(const RunState& state) {
    if (!std::ranges::all_of(state.pods, &PodState::is_going)) (void)delete_pods(kubectl_, id_);
  }

  // A kubelet that was cut off may be late likewise; nothing of these goes on.
  void forget(const RunState& state) {
    std::vector<std::string> words = {"delete",           "pods",         "--force",
                                      "--grace-period=0", "--wait=false", "--ignore-not-found"};
    const std::size_t none = words.size();
    for (const PodState& pod : state.pods) {
      if (pod.is_going && kubernetes::has_ended(pod)) words.push_back(pod.name);
    }
    if (words.size() > none) (void)kubectl_.order(words);
  }

  void tell(const std::string& line) {
    if (!lasts(kTellAfter) || std::exchange(has_told_, true)) return;
    using std::chrono::milliseconds;
    say_(wait_words(line, std::chrono::duration_cast<milliseconds>(Clock::now() - begin_)));
  }

  const Kubectl& kubectl_;
  const std::string& id_;
  Until until_;
  const Say& say_;
  Clock::time_point begin_ = Clock::now();
  bool has_told_ = false;
  bool has_deleted_ = false;
  bool has_forgotten_ = false;
};

}  // namespace

Answered<std::vector<std::string>> await_pods(const Kubectl& kubectl, const std::string& id,
                                              Until until,
                                              const std::function<void(const std::string&)>& say) {
  return Wait(kubectl, id, until, say).run();
}

Answered<void> delete_objects(const Kubectl& kubectl, const std::string& id) {
  return delete_kinds(kubectl, "secrets,jobs", id);
}

Answered<void> delete_pods(const Kubectl& kubectl, const std::string& id) {
  return delete_kinds(kubectl, "jobs,pods", id);
}

}  // namespace muster::cluster
