// JobFile: what a job file asks for, in whichever dialect it is written. Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "job/conda.hpp"
#include "job/node.hpp"
#include "job/parallel.hpp"
#include "job/sweep_file.hpp"
#include "job/text.hpp"

namespace muster::job {

enum class Dialect : std::uint8_t {
  native,     // muster's own: it has the key `muster`
  draft,      // Azure ML's first job files: `distributed`, `code.path`
  component,  // Azure ML's older components: {inputs.x} is an expression, and [ ] a group
  preview,    // command jobs of the first preview: {inputs.x} is an expression, too
  command,    // Azure ML's command jobs and command components (CLI v2)
};

enum class Framework : std::uint8_t { mpi, pytorch, tensorflow };

struct Named {
  std::string name;
  Mark mark;  // of the name
  Text value;
};

struct Chosen {
  Framework framework;
  Mark mark;
};

// What one node of a job may use, or must have.
struct Limits {
  std::optional<Text> cpu;
  std::optional<Text> memory;
  std::optional<Count> gpu;
};

// The workers or the parameter servers of a TensorFlow job.
struct Role {
  std::optional<Count> count;
  std::optional<Text> environment;
  std::optional<Text> image;     // if it is not the job's
  std::vector<Named> variables;  // these win over the job's
  Limits limits;
};

struct Input {
  std::string name;
  Mark mark;
  std::optional<Text> type;
  std::optional<Text> mode;   // "ro_mount", "download" ...
  std::optional<Text> value;  // as written in place of a map, or its `default` or `path`
  std::optional<Text> least;
  std::optional<Text> most;
  std::vector<Text> choices;
  bool is_path = false;           // its value stands under `path`
  bool optional = false;          // may go without a value
  bool swept = false;             // each trial of a sweep has a value of its own
  bool bound = false;             // of a step: the value has expressions of its pipeline
  std::optional<Text> otherwise;  // of a step: its component's value, where the step's has none
  std::string sha256 = {};        // that a file must have which is fetched; empty: any
};

struct Output {
  std::string name;
  Mark mark;
  std::optional<Text> type;
  std::optional<Text> mode;
  std::optional<Text> path;
  bool bound = false;          // of a step: the path is an expression of its pipeline
  bool overwrite = false;      // what lies at the path may be the user's
  bool is_control = false;     // a word that the step writes, which decides what runs after it
  bool is_undeclared = false;  // only steps that take it name it
};

// What a pipeline says of its steps together.
struct Flow {
  std::optional<Text> target;  // of steps that name none
  std::optional<Text> store;   // of Azure ML, for ${{default_datastore}} in paths of outputs
  std::optional<Text> first;   // the step that all others wait for
  std::optional<Text> last;    // the step that runs after all others, whatever becomes of them
  bool goes_on = true;         // after a step has failed, with those that do not depend on it
  bool force_rerun = false;    // no step's earlier results are taken in place of running it
};

struct JobFile {
  Dialect dialect = Dialect::native;
  std::string source;  // path of the file

  std::optional<Text> name;
  std::optional<Text> title;  // in place of that
  std::optional<Text> experiment;
  std::optional<Text> command;   // for a shell
  std::vector<Text> words;       // the command as words, without a shell
  std::optional<Text> code;      // folder where it runs
  std::optional<Text> snapshot;  // "false": in that folder itself
  std::optional<Text> snapshot_limit;
  std::vector<Text> environment;  // descriptions of the software it needs, other than these:
  std::optional<Text> image;
  std::optional<Text> environment_name;  // beside what describes it, or of one that somebody keeps
  std::optional<Text> build;             // the folder from which its image is made
  std::optional<Text> dockerfile;        // in that
  std::optional<Conda> conda;            // its packages
  std::vector<Text> docker_args;         // more words for the container's runtime
  std::vector<Named> variables;
  std::vector<Text> unset;          // variables that no process gets
  std::vector<Text> dialects;       // of frameworks: whose variables processes get
  std::optional<Text> checkpoints;  // "true", "false" or a folder
  std::vector<Text> secrets;        // names of variables whose values nobody writes down
  std::vector<Named> tags;

  std::optional<Text> target;
  std::optional<Text> instance_type;
  std::optional<Count>
      instances;  // compute.instance_count of a draft, beside its counts of workers

  std::vector<Chosen> frameworks;  // more than one is a contradiction
  std::optional<Count> nodes;
  std::optional<Count> per_node;   // processes
  std::optional<Count> processes;  // in total
  std::optional<Count> slots;      // of a node, for a launcher in the command
  Limits limits;
  Limits launcher;                    // of the launcher's own pod, on Kubernetes
  std::vector<Named> infrastructure;  // `type` or `infrastructure` of a draft: managed, k8s ...
  std::optional<Text> shared_memory;  // /dev/shm of a container, in docker's units: "2g"
  Role workers;
  Role servers;

  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::optional<Text> timeout;       // seconds
  std::optional<Text> notice;        // as spec::read_notice() takes it
  bool deterministic = false;        // declared: the same inputs give the same outputs
  std::optional<Parallel> parallel;  // in place of a command
  bool any_code = false;             // any exit code of a process is a success
  Flow flow;                         // of a pipeline
  SweepKeys sweep_keys;              // of a sweep; the job is that of its trials
  std::shared_ptr<const SweepFile> sweep;
};

}  // namespace muster::job
