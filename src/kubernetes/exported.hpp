// What the kinds of exported manifests share. Known to kubernetes/export*.cpp only.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/export.hpp"
#include "kubernetes/pod.hpp"

namespace muster::kubernetes {

[[nodiscard]] std::string name_of(const ExportedJob& job);

// Where the code lies in the pods; "" for a job without code.
[[nodiscard]] std::string code_folder(const ExportedJob& job);

// A pod's labels, which operators add theirs to; and those of the object itself.
[[nodiscard]] Value pod_labels(const ExportedJob& job, const std::string& role);
[[nodiscard]] Value object_metadata(const ExportedJob& job);

[[nodiscard]] Value pod_template(const ExportedJob& job, const PodPlan& plan,
                                 const PodParts& parts);

// How many pods, and what is in each of them: {replicas, restartPolicy, template}.
[[nodiscard]] Value replica_spec(std::uint32_t replicas, Value pod);

// Of an operator's job.
[[nodiscard]] Value run_policy(const ExportedJob& job);

// The plan of a part's pods with its command for a shell behind `prefix`, and its variables.
[[nodiscard]] PodPlan part_plan(const ExportedJob& job, std::size_t part,
                                const std::string& prefix = "");

// The last value of a name counts: a server takes no name twice.
void set_variable(PodPlan& plan, Word variable);

[[nodiscard]] base::Result<std::vector<Value>> mpi_objects(const ExportedJob& job);
[[nodiscard]] base::Result<std::vector<Value>> torch_objects(const ExportedJob& job);
[[nodiscard]] base::Result<std::vector<Value>> tensorflow_objects(const ExportedJob& job);
[[nodiscard]] std::vector<Value> job_objects(const ExportedJob& job);
[[nodiscard]] std::vector<Value> jobset_objects(const ExportedJob& job);

// The text of the job file for the pods: its code is at code_folder().
[[nodiscard]] std::string text_for_pods(const ExportedJob& job);

}  // namespace muster::kubernetes
