// conduct: carries out a pipeline: a process for each step's head, the steps' output behind their
// names, signals, and the pipeline's record.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "machine/pipeline.hpp"
#include "pipeline/overseer.hpp"
#include "pipeline/recorder.hpp"

namespace muster::pipeline {

struct Conducting {
  machine::PipelineInput plan;
  std::vector<std::string> hosts;  // their names; index: HostShare::host
  // Carries out a step, in a process of its own; returns its exit code. It leaves a record in the
  // step's folder.
  std::function<int(const machine::StartStep&)> run;
  // Whether a step that starts takes over what an earlier run of the pipeline has left: it is told
  // of once it has.
  std::function<bool(std::size_t)> takes_over;
  // What a step that completed has written into those of its outputs that conditions ask for.
  std::function<base::Result<std::map<std::string, bool>>(std::size_t)> says;
  // Where the outputs of the whole lie, once every step is over.
  std::function<std::vector<model::NamedPath>(const std::vector<model::StepRecord>&)> outputs;
  Overseer* overseer = nullptr;  // or nobody judges the steps
  bool colour = false;
  bool quiet = false;              // errors only, no notes and no progress
  bool tells_interruption = true;  // unless who has sent the signal says it
};

struct Conducted {
  int code = 0;
  std::vector<std::string> troubles;  // what of the output was lost, a line each
};

// Until every step is over. The recorder has begun; it is ended. Call it while the process has one
// thread; signals that end a program are held back from then on.
[[nodiscard]] base::Result<Conducted> conduct(Conducting conducting, Recorder& recorder);

}  // namespace muster::pipeline
