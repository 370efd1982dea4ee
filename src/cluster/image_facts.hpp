// Image facts: whether an image is there, and for which processors, as far as that can be told from
// here: nodes say which they have, and skopeo asks registries.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cluster/kubectl.hpp"

namespace muster::cluster {

struct ImageFacts {
  std::optional<bool> is_there;      // nothing: nobody could tell
  std::set<std::string> processors;  // in the words of Kubernetes
  std::string why;                   // it is not there, or not known: one line
};

// As kubectl's and skopeo's users may: nodes and registries can refuse them.
[[nodiscard]] ImageFacts image_facts(const Kubectl& kubectl, const std::string& image);

// The processors in a manifest list as a registry has it; empty: it is the manifest of one image.
// Pure.
[[nodiscard]] std::set<std::string> processors_of_list(std::string_view json);

// Those of the nodes that have the image, where a line is "PROCESSOR IMAGE IMAGE...". Pure.
[[nodiscard]] std::set<std::string> processors_of_nodes(std::string_view lines,
                                                        const std::string& image);

}  // namespace muster::cluster
