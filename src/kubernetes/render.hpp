// render: a run in, the objects that a client creates for it out. Pure.
//
// The client creates the Secret (with its data) and the launcher, learns the address of the
// launcher's pod from its status, then creates the workers. All objects carry the labels of
// selector(), and so does all that is left of them.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/pod.hpp"
#include "kubernetes/run.hpp"
#include "kubernetes/value.hpp"

namespace muster::kubernetes {

[[nodiscard]] std::string secret_name(const Run& run);    // NAME
[[nodiscard]] std::string launcher_name(const Run& run);  // NAME-launcher, a Job
// NAME-worker, a Job; Pods are NAME-ROLE-K, with the node's number.
[[nodiscard]] std::string workers_name(const Run& run);

// Without its data, which the client adds as `data` or `stringData`: kSecretKey has the run's
// secret, the only key that worker pods see; the launcher's pod sees all of them below
// kSecretFolder.
[[nodiscard]] Value secret_object(const Run& run);

// A Job of one pod, in which `muster lead` waits for the workers.
[[nodiscard]] Value launcher_object(const Run& run);

// The PodGroup of a gang; an Indexed Job, and Pods: see Run::indexed. `address`: of the launcher's
// pod, without port.
[[nodiscard]] std::vector<Value> worker_objects(const Run& run, const std::string& address);

// All of these, in the order in which they are created.
[[nodiscard]] std::vector<Value> render(const Run& run, const std::string& address);

// An object in the cluster.
struct Owner {
  const char* version;  // "batch/v1"
  const char* kind;     // "Job"
  std::string name;
  std::string uid;
};

// The same object, which the garbage collector removes with its owner.
[[nodiscard]] Value owned_by(Value object, const Owner& owner);

// ---- what exports share with them ----

// The arguments of muster in the launcher's pod, up to the command; and those in a worker's pod,
// where `node` is a number or "$(VARIABLE)".
[[nodiscard]] std::vector<std::string> lead_words(const Run& run);
[[nodiscard]] std::vector<std::string> join_words(const Run& run, const std::string& address,
                                                  const std::string& node);

// The spec of a Job of `count` pods; `indexed` ones know their index as $(MUSTER_NODE), for which
// index_variable() is to be added to their container.
[[nodiscard]] Value job_spec(const Run& run, std::uint32_t count, bool indexed, Value labels,
                             Value pod);
void add_index_variable(Value& pod);

}  // namespace muster::kubernetes
