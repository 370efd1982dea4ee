// Jobs that an operator carries out: made, looked at and taken away over kubectl.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/access.hpp"
#include "cluster/kubectl.hpp"
#include "kubernetes/operated.hpp"
#include "kubernetes/value.hpp"

namespace muster::cluster {

// How such a job is found again: "mpijobs.kubeflow.org/NAME".
[[nodiscard]] std::string operated_id(const std::vector<kubernetes::Value>& objects);
[[nodiscard]] bool is_operated(const std::string& id);
// The name of its objects.
[[nodiscard]] std::string name_in(const std::string& id);

// What its client needs beside looking at pods.
[[nodiscard]] std::vector<Right> operated_rights(const std::string& resource);

// Refusal::absent: the cluster does not know its kind, since the operator is not installed.
[[nodiscard]] Answered<void> look_for_operator(const Kubectl& kubectl,
                                               const kubernetes::Value& object);

// Makes the Secret, then the objects, and reads back what was stored: a field that the server has
// dropped is an error. Where it fails, what it has made is gone again.
[[nodiscard]] Answered<void> create_operated(const Kubectl& kubectl,
                                             const kubernetes::Value& secret,
                                             const std::vector<kubernetes::Value>& objects);

// Refusal::absent: it is gone.
[[nodiscard]] Answered<kubernetes::OperatedState> look_at_operated(const Kubectl& kubectl,
                                                                   const std::string& id);

// From where on the output of pods is wanted.
struct LogBegin {
  std::optional<std::uint32_t> tail = {};  // only the last lines of each container
  std::string since = {};                  // RFC 3339; empty: all
};

// For kubectl: what all its pods print, as PodLines reads it. `followed`: how many pods there are
// to go on with; 0: what they have printed so far.
[[nodiscard]] std::vector<std::string> words_of_logs(const std::string& id, std::size_t followed,
                                                     const LogBegin& begin);

// What its pods have printed, each line with its pod where there are several; whole lines, in
// pieces, until `heard` wants no more. `tail`: at least the last lines of all.
[[nodiscard]] Answered<void> operated_log(const Kubectl& kubectl, const std::string& id,
                                          const LogBegin& begin,
                                          const std::function<bool(std::string_view)>& heard);

// The code of the first of its containers that failed; 1: none says so.
[[nodiscard]] int operated_code(const Kubectl& kubectl, const std::string& id);

// The job itself, whose pods its operator removes.
[[nodiscard]] Answered<void> delete_operated(const Kubectl& kubectl, const std::string& id);
// All of it.
[[nodiscard]] Answered<void> remove_operated(const Kubectl& kubectl, const std::string& id);

}  // namespace muster::cluster
