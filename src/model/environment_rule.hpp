// EnvironmentRule: what the ranks of a job are not given, although they would be as a rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::model {

struct EnvironmentRule {
  // Variables that no rank has, whoever would set them; "NAME*" is all that begin with NAME. Those
  // of muster itself are always there.
  std::vector<std::string> unset;
  // Dialects, by their names below, that are not set; nothing: nobody has said which.
  std::optional<std::vector<std::string>> silent;
  bool operator==(const EnvironmentRule&) const = default;
};

// What people call a dialect, and what it is called as the reason of a variable.
struct DialectName {
  std::string_view name;
  std::string_view title;
};

// Sorted by name; torch's variables are those of two dialects. What is set for any framework
// (threads, network interfaces, devices) belongs to none.
inline constexpr DialectName kDialects[] = {
    {"azureml", "Azure ML"}, {"deepspeed", "DeepSpeed"}, {"horovod", "Horovod"},
    {"jax", "JAX"},          {"mindspore", "MindSpore"}, {"mlflow", "MLflow"},
    {"mpich", "MPICH"},      {"openmpi", "Open MPI"},    {"tensorflow", "TensorFlow"},
    {"torch", "torch"},      {"torch", "torchrun"},
};

// Whether the rule's `unset` covers the name.
[[nodiscard]] bool is_unset(const EnvironmentRule& rule, std::string_view name);
// Whether the rule's `silent` has the dialect that is the reason of a variable.
[[nodiscard]] bool is_silent(const EnvironmentRule& rule, std::string_view title);

}  // namespace muster::model
