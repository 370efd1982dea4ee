// Rows of command jobs, and of the steps of a pipeline that run them.
#pragma once

#include "job/shared_keys.hpp"

namespace muster::job {

inline constexpr Traits kRayOnly = {.support = no_effect("it is only for Ray")};
inline constexpr JobKey kCommandDistribution[] = {
    kDistributionType,
    {{"process_count_per_instance", Form::count, "Processes on each node (default 1)."},
     kInto<&JobFile::per_node>},
    {{"worker_count", Form::count, "tensorflow: workers (default: one on each node)."},
     kInto<&JobFile::workers, &Role::count>},
    {{"parameter_server_count",
      Form::count,
      "tensorflow: parameter servers (default 0).",
      {.least = 0}},
     kInto<&JobFile::servers, &Role::count>},
    {{"port", Form::anything, "Ray: the port of its head node.", kRayOnly}},
    {{"address", Form::anything, "Ray: the address of its head node.", kRayOnly}},
    {{"include_dashboard", Form::anything, "Ray: whether to start its dashboard.", kRayOnly}},
    {{"dashboard_port", Form::anything, "Ray: the port of its dashboard.", kRayOnly}},
    {{"head_node_additional_args", Form::anything, "Ray: options of its head node.", kRayOnly}},
    {{"worker_node_additional_args", Form::anything, "Ray: options of its worker nodes.",
      kRayOnly}},
};

inline constexpr Traits kFixedSize = {
    .support = no_effect("instance_count says how many nodes the job has")};
inline constexpr JobKey kCommandResources[] = {
    {{"instance_count", Form::count, "How many nodes (default 1)."}, kInto<&JobFile::nodes>},
    {{"instance_type", Form::text, "The machine size."}, kInto<&JobFile::instance_type>},
    {{"shm_size", Form::quantity, "Shared memory of the container."},
     kInto<&JobFile::shared_memory>},
    {{"docker_args", Form::text, "More words for docker run.", {.listed = true}},
     kInto<&JobFile::docker_args>},
    {{"max_instance_count", Form::count, "How many nodes Azure ML may add up to.", kFixedSize}},
    kProperties,
    {{"locations", Form::anything, "Azure's regions.", kAzureOnly}},
};

inline constexpr JobKey kJobLimits[] = {
    {{"timeout", Form::number, "Seconds after which the job is ended.", {.positive = true}},
     kInto<&JobFile::timeout>},
};

// As files of the first preview have them.
inline constexpr JobKey kOlderCode[] = {
    {{"path", Form::text, "The folder, as seen from the job file."}, kInto<&JobFile::code>},
    {{"local_path", Form::text, "The same, in older files."}, kInto<&JobFile::code>},
    {{"directory", Form::text, "The same, in older files."}, kInto<&JobFile::code>},
};

inline constexpr JobKey kOlderCompute[] = {
    {{"target", Form::text, "Where to run."}, kInto<&JobFile::target>},
    {{"instance_count", Form::count, "How many nodes (default 1)."}, kInto<&JobFile::nodes>},
    {{"node_count", Form::count, "The same, in older files."}, kInto<&JobFile::nodes>},
    {{"instance_type", Form::text, "The machine size."}, kInto<&JobFile::instance_type>},
};

inline constexpr JobKey kCommandCompute = {
    {"compute", Form::text, "Where to run."}, kInto<&JobFile::target>, kOlderCompute};

}  // namespace muster::job
