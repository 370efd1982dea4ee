// create: makes objects in a cluster, and looks whether the server has stored all of what was sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/kubectl.hpp"
#include "kubernetes/value.hpp"

namespace muster::cluster {

struct Server {
  std::string version;        // as it calls itself: "v1.20.5"
  bool indexed_jobs = false;  // it has completionMode: Indexed, since 1.22
};

// {"minor": "20+", "gitVersion": "v1.20.5"}. Pure.
[[nodiscard]] Server read_server(std::string_view answer);

[[nodiscard]] Answered<Server> ask_server(const Kubectl& kubectl);

// As the server has stored them, in their order: with their uids. One call of kubectl makes 250 of
// them. Where it fails, some of them may have been made.
[[nodiscard]] Answered<std::vector<kubernetes::Value>> create(
    const Kubectl& kubectl, const Server& server, const std::vector<kubernetes::Value>& objects);

// The JSON documents that kubectl prints one after the other. Pure.
[[nodiscard]] base::Result<std::vector<kubernetes::Value>> read_documents(std::string_view text);

// What the server has dropped of an object without a word, as an error. Pure.
[[nodiscard]] std::optional<base::Error> dropped(const Server& server,
                                                 const kubernetes::Value& sent,
                                                 const kubernetes::Value& stored);

}  // namespace muster::cluster
