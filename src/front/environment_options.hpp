// The options on the variables of ranks, which all commands that start ranks share.
#pragma once

#include "front/call.hpp"
#include "front/request.hpp"
#include "front/table.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// The same for all that is started below: names, with ',' between; a list of dialects.
inline constexpr std::string_view kUnsetVariable = "MUSTER_UNSET";
inline constexpr std::string_view kDialectsVariable = "MUSTER_DIALECTS";

[[nodiscard]] base::Result<void> add_unset(const Typed& typed, model::EnvironmentRule& rule);
[[nodiscard]] base::Result<void> choose_dialects(const Typed& typed, model::EnvironmentRule& rule);

// What the two variables say beside what was typed: names are added, but for those that were given
// a value, and dialects that were chosen stand. Afterwards the ranks have both variables, for
// launchers in them.
[[nodiscard]] base::Result<void> take_environment_rule(const Call& call, model::JobSpec& spec);

// That muster sets counts of threads, and the launcher does not: in a dry run, by explain, and
// with --verbose.
void tell_threads(const Call& call, std::string_view launcher, const RunRequest& request,
                  std::vector<std::string>& notices);

// The value of --dialects that leaves out these.
[[nodiscard]] std::string list_of_dialects(const std::vector<std::string>& silent);

// The rows of a table differ in their group alone.
[[nodiscard]] constexpr OptionText unset_text(std::string_view group) {
  return {"--unset",
          group,
          Takes::text,
          "NAME",
          "Give no rank this variable, whoever would set it; NAME* means all variables that begin "
          "with NAME. Repeatable.",
          {.repeatable = true}};
}
[[nodiscard]] constexpr OptionText dialects_text(std::string_view group) {
  return {"--dialects",
          group,
          Takes::choice,
          "LIST",
          "Set the variables of these frameworks only: torch,mpich; ^jax,mlflow means all but "
          "those (default: all).",
          {.choices = "all none azureml deepspeed horovod jax mindspore mlflow mpich openmpi "
                      "tensorflow torch"}};
}

[[nodiscard]] constexpr OptionText share_gpus_text(std::string_view group) {
  return {"--share-gpus", group, Takes::nothing, "",
          "Ranks may be given devices that another job of muster on their host has."};
}

}  // namespace muster::front
