// Jobs that an operator carries out in muster's place: their names, and how far they are. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/value.hpp"
#include "model/record.hpp"

namespace muster::kubernetes {

// What kubectl calls objects of its kind: "mpijobs.kubeflow.org", "secrets".
[[nodiscard]] std::string resource_of(const Value& object);

// That of a manifest which the operator carries out: the others are what it needs.
[[nodiscard]] const Value& carried_out(const std::vector<Value>& objects);

// What knows objects of its kind: "mpi-operator", "volcano".
[[nodiscard]] std::string operator_of(const Value& object);

enum class Stage : std::uint8_t { queued, running, succeeded, failed };

struct OperatedState {
  Stage stage = Stage::queued;
  std::string why;  // in the operator's words, one line; may be empty
  std::optional<model::Utc> started = {};
  std::optional<model::Utc> ended = {};
  bool operator==(const OperatedState&) const = default;
};

// As its status tells: .status.conditions of training jobs, MPIJobs and JobSets; times are those of
// .status.startTime and .status.completionTime, which not all have, else of the conditions.
[[nodiscard]] OperatedState read_operated(const Value& object);

}  // namespace muster::kubernetes
