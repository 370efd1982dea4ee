// Pod templates: one container, with what the cluster's target says of all pods. Pure.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/run.hpp"
#include "kubernetes/value.hpp"

namespace muster::kubernetes {

// How muster gets into a pod.
enum class Program : std::uint8_t {
  none,      // it is not needed there
  copied,    // by an init container, from the cluster's muster_image
  pushed,    // by the client, once the container waits for it
  in_image,  // it is there, on PATH
};

struct PodParts {
  std::string container;  // its name; operators look for some
  Program program = Program::none;
  std::string secret = {};     // the Secret of the run
  bool mounts_secret = false;  // at kSecretFolder
  bool whole_secret = false;   // all its keys; else the run's secret only
  std::string config = {};     // the ConfigMap that is mounted at kConfigFolder; empty: none
  bool as_root = false;        // the image's user, whatever the cluster's target says
  // Its program has the file capability to open ports below 1024, as an sshd for all users does,
  // and does not start where the container has it not. The standard "restricted" allows it.
  bool binds_port = false;
  std::vector<Field> more = {};  // further fields of the pod's spec: hostname, subdomain
};

inline constexpr const char* kConfigFolder = "/run/muster-job";

// The labels of an object of a run: the recommended ones, the cluster's, further ones.
[[nodiscard]] Value labels_of(const std::string& name, const std::string& role,
                              const job::Cluster& cluster, const std::vector<Word>& more = {});

// {name, namespace, labels, annotations}.
[[nodiscard]] Value metadata(const std::string& name, Value labels, const job::Cluster& cluster);

[[nodiscard]] Value pod_spec(const PodPlan& plan, const PodParts& parts,
                             const job::Cluster& cluster);

// Text as it is to reach a program: Kubernetes replaces $(NAME) and $$ in commands and variables.
// The variables of a PodPlan are such text; the words of its command are not.
[[nodiscard]] std::string literal(const std::string& text);
[[nodiscard]] std::vector<std::string> literal(std::vector<std::string> words);

// The words that start muster in such a pod; those of `words` follow.
[[nodiscard]] std::vector<std::string> program_words(Program program, std::uint32_t patience,
                                                     std::vector<std::string> words);

}  // namespace muster::kubernetes
