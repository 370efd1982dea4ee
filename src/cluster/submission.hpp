// submit: makes a run's objects in a cluster, and brings into its pods what they need.
//
// The Secret comes first: all others belong to it, so the garbage collector removes them with it.
// The launcher's pod is waited for, since the workers are told its address.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/kubectl.hpp"
#include "kubernetes/run.hpp"

namespace muster::cluster {

struct Parcel {
  int file = -1;  // from its beginning
  std::uint64_t bytes = 0;
};

struct Submission {
  kubernetes::Run run;                 // with the launcher's command
  std::string secret;                  // of the run
  std::vector<kubernetes::Word> keys;  // of the Secret, which the launcher's pod sees as files
  // Variables of the launcher's pod whose values nobody else sees.
  std::vector<kubernetes::Word> variables;
  Parcel bundle;        // one that the Secret has no room for is sent to the launcher's pod, and
  std::string folder;   // laid out in this folder there
  std::string program;  // this one: for pods that do not have it in their image
};

struct Attention {
  std::function<void(const std::string&)> say;  // a line for people
  std::function<bool()> goes_on;                // no: give up
};

// The largest bundle that goes into the Secret, which holds 1 MiB.
inline constexpr std::uint64_t kSecretBundleMax = 700'000;

// Keys of the Secret: the bundle, if it fits, and spec.json of the record (docs/RECORD.md), by
// which others find the run.
inline constexpr const char* kBundleKey = "bundle";
inline constexpr const char* kSpecKey = "spec";

// Whether the server has Indexed Jobs: older ones drop completionMode without a word.
[[nodiscard]] Answered<bool> knows_indexed_jobs(const Kubectl& kubectl);

// Until all objects are there, and all pods have what they need. Where it fails, what it has made
// is gone again.
[[nodiscard]] Answered<void> submit(const Kubectl& kubectl, const Submission& submission,
                                    const Attention& attention);

}  // namespace muster::cluster
