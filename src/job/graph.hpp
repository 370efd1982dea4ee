// Graph: the steps of a pipeline, flat, in an order in which each comes after those it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/job_file.hpp"

namespace muster::job {

// An output of a step, as the value of another one's input.
struct StepOutput {
  std::size_t step = 0;  // index in Graph::steps
  std::string output;
  bool operator==(const StepOutput&) const = default;
};

// An output that steps make: the first of these whose step is not left out. Several are what the
// passes of a do_while leave, the last one first.
using MadeBy = std::vector<StepOutput>;

// A step runs only if a step before it has written this word into a control output.
struct Condition {
  MadeBy output;
  bool is = true;
  bool operator==(const Condition&) const = default;
};

struct GraphStep {
  std::string name;    // "train"; "prepare.clean" is a step of the nested pipeline "prepare"
  Mark mark;           // of its name, in the pipeline's file
  std::string folder;  // absolute; where relative paths of `job` begin: that of its file
  // Its component, with what the step says of it. Each input has a value, is in `inputs`, or is
  // optional; paths among the values are absolute.
  JobFile job;
  std::map<std::string, MadeBy> inputs;  // those that other steps make; all these are in `after`
  MadeBy items;  // not empty: it is run for each of the items that this output holds
  std::vector<std::size_t> after;  // all that it waits for: ascending, each below its own index
  std::vector<Condition> when;     // all of them must hold; else it is left out
  bool anyway = false;             // whatever becomes of those before it
  bool deterministic = false;      // declared: the same inputs give the same outputs
};

// An output of the whole pipeline.
struct GraphOutput {
  std::string name;
  MadeBy from;
};

struct Graph {
  std::string source;  // path of the file, as it was typed
  std::string name;    // these three may be empty
  std::string title;   // what people call it
  std::string experiment;
  std::vector<Named> tags;
  std::optional<Text> target;    // of steps that name none
  bool goes_on = true;           // after a step's failure, those that do not depend on it
  bool reuses = true;            // results of steps that ran before; force_rerun: false
  std::vector<GraphStep> steps;  // each after all that it waits for
  std::vector<GraphOutput> outputs;
  std::vector<std::string> files;  // that it was read from; Mark::file counts them
};

}  // namespace muster::job
