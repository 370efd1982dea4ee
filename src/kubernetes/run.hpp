// Run: what is made in a cluster for one run of muster: a launcher's pod, which holds the head, and
// worker pods, which are its hosts. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/cluster.hpp"
#include "job/layout.hpp"

namespace muster::kubernetes {

struct Word {
  std::string name;
  std::string value;
  bool operator==(const Word&) const = default;
};

// In Kubernetes' own names and quantities: {"cpu", "500m"}, {"nvidia.com/gpu", "4"}.
struct Resources {
  std::vector<Word> requests;
  std::vector<Word> limits;
  bool operator==(const Resources&) const = default;
};

// Pods that do the same.
struct PodPlan {
  std::string role;  // a label: "launcher", "worker", "ps", "master"
  std::string image;
  std::vector<std::string> command;  // empty: that of the image
  std::string folder = {};           // where it runs; empty: that of the image
  std::vector<Word> variables = {};
  // Variables whose values are keys of the mounted Secret, with the same names.
  std::vector<std::string> secret_variables = {};
  Resources resources = {};
  std::vector<Word> node_selector = {};  // beside that of the cluster, which gives way
  std::string shared_memory = {};        // most of /dev/shm, a quantity; empty: the pod's memory
};

inline constexpr std::uint16_t kPort = 7400;           // at which the launcher's pod listens
inline constexpr std::uint32_t kStartTimeout = 600;    // seconds
inline constexpr const char* kSecretKey = "secret";    // of the Secret: the run's secret
inline constexpr const char* kFolder = "/run/muster";  // in all pods: a folder that all may write
inline constexpr const char* kProgram = "/run/muster/muster";
inline constexpr const char* kSecretFolder = "/run/muster-secret";  // the Secret's keys, as files

// Worker pods of one kind.
struct Workers {
  PodPlan plan;  // its role is "worker" or "ps"; its command is ignored
  std::uint32_t count = 1;
};

struct Run {
  std::string name;      // as muster names it; see object_name()
  job::Cluster cluster;  // context, namespace, and what its pods need
  PodPlan launcher;  // its command, taken literally, is what `muster lead` starts once all workers
                     // have come
  // Not empty; nodes are numbered from 0 through them, in this order.
  std::vector<Workers> workers;
  std::uint32_t slots = 1;  // of each worker's host, for launchers in the command
  std::uint16_t port = kPort;
  std::uint32_t start_timeout = kStartTimeout;       // seconds until all workers must be there
  std::optional<std::chrono::seconds> timeout = {};  // of the job, from when it has started
  // The server knows completionMode: Indexed (1.22 and newer), which the first kind of workers
  // uses. Else, and of further kinds, each worker is a pod of its own.
  bool indexed = true;
  std::vector<Word> labels = {};  // of all objects, beside the recommended ones and the cluster's
};

// The stem of the names of a run's objects: at most 40 small letters, digits and -.
[[nodiscard]] std::string object_name(const std::string& run);

// What a Run is called whose record has this name: its word first, as objects' names begin with a
// letter.
[[nodiscard]] std::string name_of_record(const std::string& record);

[[nodiscard]] std::uint32_t nodes_of(const Run& run);

// By which all objects of a run are found: "app.kubernetes.io/instance=RUN,...".
[[nodiscard]] std::string selector(const Run& run);

// What a pod gets: what the job says, else its instance type (or null), else the target's
// `defaults`. Requests are the limits where only those are given. `gpu`: what a GPU is called.
[[nodiscard]] Resources resources_of(const job::Limits& limits, const job::InstanceType* type,
                                     const job::PodResources& defaults, const std::string& gpu);

// As much of each as the larger of both: pods that shall do for two jobs.
void widen(Resources& resources, const Resources& other);

// The same for the launcher's pod, which also has modest limits where nobody gives any.
[[nodiscard]] Resources launcher_resources(const job::Limits& limits,
                                           const job::PodResources& defaults,
                                           const std::string& gpu);

[[nodiscard]] std::string gpu_name(const job::Cluster& cluster);

// A quantity of a job file as Kubernetes writes it: "2g" is 2Gi, "500MB" 500M.
[[nodiscard]] std::string quantity(const std::string& text);
// One of docker's, whose units are powers of 1024: "500m" is 500Mi.
[[nodiscard]] std::string docker_quantity(const std::string& text);

}  // namespace muster::kubernetes
