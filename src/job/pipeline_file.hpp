// PipelineFile: what a pipeline's file says, and those of its components. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "job/control.hpp"
#include "job/job_file.hpp"
#include "job/table_reader.hpp"

namespace muster::job {

struct Pipeline;

// A branch that a step is in: an if_else among the same steps.
struct Guard {
  std::size_t decision = 0;
  bool is = true;
};

// One of the `jobs`.
struct Step {
  std::string name;
  Mark mark;               // of its name
  std::uint32_t file = 0;  // that says what it runs: where relative paths of `job` begin
  // Its component's or its own, with what the step says of it. Of a pipeline's: its inputs and
  // outputs.
  JobFile job;
  std::shared_ptr<const Pipeline> pipeline;  // of a step that is one
  std::vector<Later<JobFile>> later;         // keys whose values the pipeline's inputs give
  std::optional<Control> control;            // of a step that only decides about others
  std::vector<Guard> guards;                 // it runs if all are so
  std::optional<std::size_t> loop;           // that repeats it, among the same steps
  bool broken = false;                       // complained about: nothing more is known of it
};

struct Pipeline {
  JobFile head;  // its names, inputs, outputs, and settings of all steps
  std::vector<Step> steps;
  std::map<std::string, std::size_t, std::less<>> numbers;  // of steps, by their names
  std::optional<std::size_t> first;                         // of these: all others wait for it
  std::optional<std::size_t> last;                          // it waits for all others
  std::vector<std::size_t> order;           // of all steps: each after those that it waits for
  std::set<std::string, std::less<>> made;  // its outputs that a step makes
  bool is_sweep = false;                    // it has one step, a sweep that is a file of its own
};

struct SourceFile {
  std::string path;    // as it was typed, or as the file that names it does
  std::string folder;  // of it, as seen from that of the pipeline's file; may be empty
};

struct PipelineFile {
  std::vector<SourceFile> files;  // Mark::file counts them; the pipeline's own is the first
  Pipeline root;
};

}  // namespace muster::job
