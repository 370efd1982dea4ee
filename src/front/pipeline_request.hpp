// PipelineRequest: a pipeline, ready to be carried out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "front/request.hpp"
#include "model/step.hpp"

namespace muster::front {

// A host that steps share.
struct PoolHost {
  std::string name;
  std::uint32_t slots = 0;
};

// What a step may use of one.
struct PoolShare {
  std::string host;
  std::uint32_t slots = 0;
};

// What the results of a step that is declared deterministic depend on, but for its code.
struct StepFacts {
  std::string facts;               // command, variables, layout, values; one text
  std::vector<std::string> paths;  // inputs whose contents count
};

struct StepRequest {
  std::string name;
  std::uint32_t ranks = 0;
  std::vector<model::NamedPath> outputs;
  std::set<std::string> control = {};   // outputs that conditions of later steps ask for
  std::optional<CodeFolder> code = {};  // none: it runs in the folder itself
  std::optional<StepFacts> reuse = {};  // none: it always runs
};

struct PipelineRequest {
  Recording record;
  std::vector<StepRequest> steps;
  std::vector<model::PlannedStep> plan;  // of the same steps
  std::vector<PoolHost> hosts;
  std::uint32_t at_once = 0;      // most steps at the same time; 0: as many as the slots hold
  bool reuses = true;             // what steps that did the same have left
  bool goes_on = true;            // after a failure, with what does not depend on it
  std::set<std::size_t> skipped;  // left out because the user says so
  bool detach = false;
  bool json = false;
  bool dry_run = false;
  // What a step asks for, once it is known what it gets of which hosts. It may be asked again.
  std::function<RunRequest(std::size_t step, std::span<const PoolShare> hosts)> request;

  // Of a pipeline that is run again: the folder of its earlier record. Steps that completed there
  // are not run once more, unless they are named.
  std::string earlier = {};
  std::set<std::string> anew = {};
  bool fresh_code = false;  // with the files of now, not those of that record
  bool only_anew = false;   // other steps that did not complete are left out
};

}  // namespace muster::front
