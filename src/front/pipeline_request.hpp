// PipelineRequest: a pipeline, ready to be carried out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "front/request.hpp"
#include "model/step.hpp"
#include "sweep/settings.hpp"

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

// What is known of a step when it starts.
struct StepStart {
  std::vector<PoolShare> hosts;
  std::vector<std::size_t> chosen = {};  // of model::PlannedStep::any_of
  // What a file holds that a step before it has written. Fault::bad_file: no value.
  std::function<base::Result<std::string>(const std::string& path)> read = {};
};

// An output of the whole pipeline: of the first of these steps that is done.
struct PipelineOutput {
  struct From {
    std::size_t step = 0;
    std::string path;
  };
  std::string name;
  std::vector<From> from;
};

// What the results of a step that is declared deterministic depend on, but for its code.
struct StepFacts {
  std::string facts;               // command, variables, layout, values, shell; one text
  std::vector<std::string> paths;  // inputs whose contents count
};

struct StepRequest {
  std::string name;
  std::vector<model::NamedPath> outputs;
  bool replaces = false;  // a sweep, whose outputs are put where they belong at its end
  std::set<std::string> control = {};   // outputs that conditions of later steps ask for
  std::set<std::string> needed = {};    // outputs of one file that later steps read
  std::vector<std::string> data = {};   // inputs that no step makes, as absolute paths
  std::optional<CodeFolder> code = {};  // none: it runs in the folder itself
  std::optional<StepFacts> reuse = {};  // none: it always runs
  std::string never_reused = {};        // why, of one that is declared deterministic
};

// What is judged of trials, and what each of them asks for. The trials are the steps of a
// pipeline's request; the outputs of that become copies of the best one's.
struct SweepRequest {
  sweep::Settings settings;
  std::string metric;
  bool from_output = false;
  std::string logs = {};  // folder of the trials' output; empty: it is in their records
  // An error: the trial cannot start with these values.
  std::function<base::Result<RunRequest>(std::size_t trial, const std::vector<PoolShare>& hosts,
                                         const std::vector<sweep::Assignment>& values)>
      request;
};

struct PipelineRequest {
  Recording record;
  std::vector<StepRequest> steps;
  std::vector<model::PlannedStep> plan;      // of the same steps
  std::vector<PipelineOutput> outputs = {};  // in `record` is the first of each
  std::vector<PoolHost> hosts;
  bool uses_job_around = false;   // some of the hosts are those of a batch job
  std::uint32_t at_once = 0;      // most steps at the same time; 0: as many as the slots hold
  bool reuses = true;             // what steps that did the same have left
  bool goes_on = true;            // after a failure, with what does not depend on it
  std::set<std::size_t> skipped;  // left out because the user says so
  bool detach = false;
  bool json = false;
  bool dry_run = false;
  // What a step asks for. It may be asked again. Fault::bad_file for a value that a step before it
  // has written, and that the input does not take.
  std::function<base::Result<RunRequest>(std::size_t step, const StepStart& start)> request;
  // The steps within a step: trials of a sweep, or what a loop does with items that a step made.
  // Null for other steps.
  std::function<base::Result<std::shared_ptr<PipelineRequest>>(std::size_t step,
                                                               const StepStart& start)>
      within = {};
  std::shared_ptr<const SweepRequest> sweep = {};  // the steps are trials

  // Of a pipeline that is run again: the folder of its earlier record. Steps that completed there
  // are not run once more, unless they are named.
  std::string earlier = {};
  std::set<std::string> anew = {};
  bool fresh_code = false;         // with the files of now, not those of that record
  bool fresh_checkpoints = false;  // the same for those
  bool only_anew = false;          // other steps that did not complete are left out
};

}  // namespace muster::front
