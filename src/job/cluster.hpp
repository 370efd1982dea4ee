// Cluster: what muster.yml says of a target that is a cluster of Kubernetes. Plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_file.hpp"
#include "job/node.hpp"
#include "job/text.hpp"

namespace muster::job {

inline constexpr std::string_view kMpiNames = "OpenMPI Intel MPICH";

// What one pod asks for and may use: Kubernetes' names and quantities, such as cpu: 500m.
struct PodResources {
  std::vector<Named> requests;
  std::vector<Named> limits;
};

// Something that all pods see below a path.
struct ClusterVolume {
  Mark mark;
  std::optional<Text> name;   // none: "volume-N"
  std::optional<Text> mount;  // absolute, once it has been checked
  std::optional<Text> sub_path;
  std::optional<Text> claim;  // of a PersistentVolumeClaim; or:
  std::string kind;           // Kubernetes' name of a volume's source, such as nfs, or ""
  SharedNode source;          // the map below that name
  bool read_only = false;
};

struct Toleration {
  Mark mark;
  std::optional<Text> key;
  std::optional<Text> op;  // Exists or Equal
  std::optional<Text> value;
  std::optional<Text> effect;
  std::optional<Count> seconds;
};

// Of the MPI in the image, for MPIJobs.
struct ClusterMpi {
  std::optional<Text> implementation;  // OpenMPI, Intel or MPICH; none: as command and image say
  std::optional<Text> ssh_folder;      // absolute: ~/.ssh of `user`; none: /home/mpiuser/.ssh
  std::optional<Text> sshd_config;     // absolute; none: .sshd_config beside that folder
};

// Pods that start together or not at all.
struct Gang {
  std::optional<Text> by;        // volcano or scheduler-plugins; none: there is no gang
  std::optional<Text> queue;     // volcano's
  std::optional<Count> least;    // pods that must have room; none: all
  std::optional<Count> timeout;  // seconds that scheduler-plugins waits for them
};

struct Cluster {
  Mark mark;
  std::optional<Text> context;       // of kubeconfig; none: the current one
  std::optional<Text> name_space;    // none: that of the context
  std::optional<Text> image;         // of jobs that name none
  std::optional<Text> muster_image;  // holds muster as /muster; none: the program is pushed
  std::optional<Text> service_account;
  std::optional<Text> priority_class;
  std::optional<Text> queue;          // Kueue's
  std::optional<Text> operator_kind;  // mpijob, pytorchjob ...; none: muster's own
  std::optional<Text> runtime;        // of TrainJobs: NAME or KIND/NAME
  ClusterMpi mpi;
  std::optional<Text> scheduler;  // of the pods; none: the cluster's, or that of the gang
  Gang gang;
  std::optional<Text> security;           // restricted (also when none), baseline or none
  std::optional<Count> user;              // of the processes; none: 1000, or that of the image
  std::optional<Text> gpu_resource;       // none: nvidia.com/gpu
  std::optional<Text> image_pull_policy;  // none: the server's default
  std::vector<Text> image_pull_secrets;
  std::optional<Text> records;      // absolute: in a volume; none: they go with the pod
  std::optional<Text> code_folder;  // absolute: where the code lies in the image or a volume
  std::vector<Named> node_selector;
  std::vector<Named> labels;       // of all objects
  std::vector<Named> annotations;  // of all objects
  std::vector<Toleration> tolerations;
  std::vector<ClusterVolume> volumes;
  PodResources launcher;               // where the job says nothing
  PodResources worker;                 // where neither the job nor its instance type says something
  std::optional<Count> nodes;          // worker pods at most; none: as many as a job asks for
  std::optional<Count> start_timeout;  // seconds until all pods are there
  std::optional<Count> ttl;            // seconds that ended Jobs are kept
};

}  // namespace muster::job
