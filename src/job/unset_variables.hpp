// unset_variables: Azure ML's variables that a job's command reads and nothing sets. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::job {

// What muster gives every process in Azure ML's place; sorted.
inline constexpr std::string_view kAzureVariables[] = {
    "AZUREML_CR_NODE_RANK",           "AZUREML_MPI_HOSTFILE",          "AZUREML_NODE_COUNT",
    "AZUREML_PROCESS_NAME",           "AZ_BATCHAI_JOB_MASTER_NODE_IP", "AZ_BATCHAI_MPI_MASTER_NODE",
    "AZ_BATCHAI_PYTORCH_INIT_METHOD", "AZ_BATCHAI_TASK_INDEX",         "AZ_BATCH_HOST_LIST",
    "AZ_BATCH_MASTER_NODE",
};

struct UnsetVariable {
  std::string name;
  std::string word;        // as it stands in the command: "$NAME" or "${NAME}"
  std::size_t before = 0;  // how often the command holds the same before it
  bool operator==(const UnsetVariable&) const = default;
};

// Of names that begin with AZ_BATCH or AZUREML_, each once. Not those that the command itself names
// without '$' (NAME=..., read NAME), nor ${NAME:-...}, nor what is in single quotes, unless a shell
// gets it (bash -c '...'); none of a command that takes variables from elsewhere, or has a heredoc.
[[nodiscard]] std::vector<UnsetVariable> unset_variables(
    std::string_view command, const std::function<bool(std::string_view name)>& is_set);

}  // namespace muster::job
