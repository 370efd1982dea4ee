// Removal: takes a run's objects away, and tells which of its pods stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/kubectl.hpp"
#include "kubernetes/state.hpp"

namespace muster::cluster {

enum class Until : std::uint8_t {
  ended,  // no container of the run goes on
  gone,   // no pod of it is there
};

// Pods that have not come so far, and why, a line each. Pure.
[[nodiscard]] std::vector<std::string> staying(const kubernetes::RunState& state, Until until);

// What is told of such a wait, after so long: one of these lines. Pure.
[[nodiscard]] std::string wait_words(const std::string& stays, std::chrono::milliseconds waited);

// Waits for a run's pods, for 45 seconds: a pod has 30 to end; not beyond a signal that is held
// back. Returns those that stay. `say` hears after a while what is waited for. For pods that are to
// be gone, what others are late with is done here: after 15 seconds those that nobody has told to
// go are told so, after 25 those that have ended and are still there are forgotten.
[[nodiscard]] Answered<std::vector<std::string>> await_pods(
    const Kubectl& kubectl, const std::string& id, Until until,
    const std::function<void(const std::string&)>& say);

// Asks that objects of a run be deleted, and does not wait: all of them, which the garbage
// collector does once their Secret is gone, however many pods there are; or those that make pods,
// Jobs first: a Job makes another pod in place of one that was deleted.
[[nodiscard]] Answered<void> delete_objects(const Kubectl& kubectl, const std::string& id);
[[nodiscard]] Answered<void> delete_pods(const Kubectl& kubectl, const std::string& id);

// What people can do about pods that stay.
inline constexpr const char* kStayingHint =
    "once the node is off, kubectl delete pod --force --grace-period=0 forgets it";

}  // namespace muster::cluster
