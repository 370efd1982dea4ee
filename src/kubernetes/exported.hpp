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

// Of an operator's job with so many pods.
[[nodiscard]] Value run_policy(const ExportedJob& job, std::uint32_t pods);

// The plan of a part's pods with its command for a shell behind `prefix`, and its variables.
[[nodiscard]] PodPlan part_plan(const ExportedJob& job, std::size_t part,
                                const std::string& prefix = "");

// The last value of a name counts: a server takes no name twice.
void set_variable(PodPlan& plan, Word variable);

// Of all operators' jobs: {apiVersion, kind, metadata}, and the parts of a pod of theirs.
[[nodiscard]] Value operator_object(const ExportedJob& job, const char* version, const char* kind);
[[nodiscard]] PodParts operator_parts(const ExportedJob& job, std::string container);

[[nodiscard]] bool is_of(const job::JobFile& job, job::Framework framework);

// The error of a job that cannot be of a kind ("an MPIJob"), with one that fits it.
[[nodiscard]] tl::unexpected<base::Error> no_fit(const ExportedJob& job, std::string_view kind);

// Which MPI the image of such a job has, where nobody says it: as its command calls it, else as its
// variables or its image are named; else Open MPI.
enum class Mpi : std::uint8_t { open_mpi, intel, mpich };
[[nodiscard]] Mpi mpi_of(const ExportedJob& job);

// The launcher of ranks that muster would start itself. sshd passes no variables on, so that Open
// MPI's mpirun must; Hydra passes all on.
[[nodiscard]] std::vector<std::string> own_mpirun(const ExportedJob& job, const PodPlan& plan,
                                                  Mpi mpi);

// Open MPI refuses root unless both of its variables are set; mpi-operator's own variable for
// MPICH, with which ssh waits for the workers' sshd, is none that Hydra reads.
void set_mpi_variables(PodPlan& launcher, Mpi mpi, bool as_root);

// In the pods of MPIJobs: where the user's keys lie, and what its sshd reads.
[[nodiscard]] std::string ssh_folder(const job::Cluster& cluster);
[[nodiscard]] std::string sshd_config(const job::Cluster& cluster);

[[nodiscard]] base::Result<std::vector<Value>> mpi_objects(const ExportedJob& job);
[[nodiscard]] base::Result<std::vector<Value>> torch_objects(const ExportedJob& job);
[[nodiscard]] base::Result<std::vector<Value>> tensorflow_objects(const ExportedJob& job);
[[nodiscard]] base::Result<std::vector<Value>> cron_objects(const ExportedJob& job);
[[nodiscard]] base::Result<std::vector<Value>> train_objects(const ExportedJob& job);
// What of the target a TrainJob has no words for: one line each.
[[nodiscard]] std::vector<std::string> beside_train(const ExportedJob& job);
[[nodiscard]] std::vector<Value> job_objects(const ExportedJob& job);
[[nodiscard]] std::vector<Value> jobset_objects(const ExportedJob& job);

// The text of the job file for the pods: its code is at code_folder().
[[nodiscard]] std::string text_for_pods(const ExportedJob& job);

}  // namespace muster::kubernetes
