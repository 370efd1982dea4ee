// One kubectl follows all pods that speak; which do is looked at every few seconds.
#include "cli/operated_output.hpp"

#include "cli/speak.hpp"

namespace muster::cli {
namespace {

using cluster::Sight;
using kubernetes::Phase;
using kubernetes::PodState;
using kubernetes::Stage;

constexpr std::chrono::seconds kLookAgain{2};

// Those whose containers have begun.
std::set<std::string> speaking_pods(const Sight& sight) {
  std::set<std::string> names;
  for (const PodState& pod : sight.state.pods) {
    const bool has_ended = pod.phase == Phase::succeeded || pod.phase == Phase::failed;
    if (pod.runs || has_ended) names.insert(pod.name);
  }
  return names;
}

}  // namespace

void OperatedOutput::print_new(const Sight& sight, bool follows,
                               const std::function<bool()>& goes_on) {
  const std::set<std::string> speaking = speaking_pods(sight);
  if (speaking.empty()) return;
  tagged_ = tagged_ || sight.state.pods.size() > 1;
  look_at_ = std::chrono::steady_clock::now() + kLookAgain;
  (void)kubectl_.follow(
      cluster::words_of_logs(id_, follows ? sight.state.pods.size() : 0, begin_),
      [this](std::string_view bytes) {
        if (code_ == 0) code_ = print(lines_.take(bytes, tagged_));
      },
      [&] { return code_ == 0 && goes_on() && is_as_before(speaking); });
  lines_.cut();
}

// A server that does not answer changes nothing.
bool OperatedOutput::is_as_before(const std::set<std::string>& speaking) {
  if (std::chrono::steady_clock::now() < look_at_) return true;
  look_at_ = std::chrono::steady_clock::now() + kLookAgain;
  const auto state = cluster::look_at_operated(kubectl_, id_);
  if (state ? state->stage >= Stage::succeeded : state.error().kind == cluster::Refusal::absent) {
    return false;
  }
  const auto sight = cluster::look(kubectl_, cluster::name_in(id_));
  return !sight || speaking_pods(*sight) == speaking;
}

}  // namespace muster::cli
