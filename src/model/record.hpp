// RunRecord: what is kept of a run, from its start on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "model/step.hpp"

namespace muster::model {

enum class RunState : std::uint8_t {
  queued,  // a scheduler has it, and no rank runs yet
  starting,
  running,
  completed,
  failed,
  stopped,  // by a signal to muster
  died,     // its head is gone and left no report
  unknown,  // its head ran on another host, whose locks do not show here
};

[[nodiscard]] std::string_view word(RunState state);
[[nodiscard]] std::optional<RunState> run_state(std::string_view word);

using Utc = std::chrono::sys_time<std::chrono::milliseconds>;

// All that is needed to ask for the same again.
struct TypedCommand {
  struct File {
    std::string path;
    std::string text;
    bool operator==(const File&) const = default;
  };
  std::vector<std::string> words;  // of the command line, from "run" or "submit" on
  std::string folder;              // in which they were typed
  std::vector<File> files;         // that were read: job files, targets, hosts
  bool operator==(const TypedCommand&) const = default;
};

struct NamedPath {
  std::string name;
  std::string path;
  // Not kept in the record:
  bool is_file = false;     // that the run makes itself
  bool overwrites = false;  // what lies there may be the user's
  bool operator==(const NamedPath&) const = default;
};

// What people say of a run, to find it by: "stage" is "dev".
struct Tag {
  std::string name;
  std::string value;
  bool operator==(const Tag&) const = default;
};

// The process that carries out the run.
struct HeadPlace {
  std::string host;
  std::int32_t pid = 0;
  std::string boot;  // names one start of that host's kernel
  bool operator==(const HeadPlace&) const = default;
};

// The scheduler that carries out a run instead of a head on this machine, and the run's name there.
struct Scheduler {
  std::string kind;     // "kubernetes"; empty: there is none
  std::string target;   // of muster.yml
  std::string context;  // of kubectl's configuration
  std::string space;    // the namespace there
  std::string id;
  std::string user = {};  // who began it, as all machines know him: "ana"; empty: not said
  bool operator==(const Scheduler&) const = default;
};

// A step of a pipeline. Once it has been started it has a record of its own, `steps/NAME` below the
// pipeline's.
struct StepRecord {
  std::string name;
  StepState state = StepState::waiting;
  std::string cause = {};  // why it did not complete, one line
  std::optional<std::int32_t> exit_code = {};
  std::optional<Utc> started = {};
  std::optional<Utc> ended = {};
  std::vector<Tag> values = {};  // of a sweep's trial: what it was given
  bool operator==(const StepRecord&) const = default;
};

// What ranks have logged through MLflow: each metric's last value, and parameters, by name.
struct Logged {
  struct Metric {
    std::string name;
    double value = 0;       // may be infinite, or not a number
    std::int64_t step = 0;  // as the program counts
    bool operator==(const Metric&) const = default;
  };
  std::vector<Metric> metrics;
  std::vector<Tag> params;
  bool operator==(const Logged&) const = default;
};

// Of a sweep: the trial whose outputs are the sweep's, and the value that it reached.
struct BestTrial {
  std::string step;  // empty: there is none
  std::string metric;
  double value = 0;
  bool operator==(const BestTrial&) const = default;
};

struct RunRecord {
  std::string run;         // its name, which sorts by time: "20261121-212530.123-kufa"
  std::string folder;      // of the record
  std::string name;        // of the job; may be empty, as the next two
  std::string title = {};  // its display_name: what people read
  std::string experiment;
  RunState state = RunState::starting;
  std::string cause;  // why it did not complete, one line
  std::optional<std::int32_t> exit_code;
  std::string
      code_from;  // "rank", "muster" or "signal"; empty while it runs, and when the code is 0
  std::optional<Utc> created;
  std::optional<Utc> started;  // every rank had a process
  std::optional<Utc> ended;
  std::vector<std::string> hosts;
  std::uint32_t ranks = 0;
  std::uint32_t launched = 0;  // ranks that a launcher in the command starts; 0: none, or not known
  std::vector<std::string> command;  // of its first program
  std::vector<NamedPath> outputs;
  std::vector<Tag> tags;
  std::string code;     // the copy of the job's code in which its ranks run; empty: there is none
  std::string streams;  // folder of rank.N/stdout and stderr; empty: output is not kept
  HeadPlace head;
  Scheduler scheduler = {};
  std::vector<StepRecord> steps = {};  // of a pipeline; `ranks` is 0 then
  std::string rerun_of = {};  // of a pipeline, or a run with checkpoints: the record's folder that
                              // it goes on from
  std::string reused_from = {};  // of a step: the folder of the record whose outputs it has
  BestTrial best = {};
  std::optional<Logged> logged = {};  // none: not looked for; not part of the record's files
  std::string owner =
      {};  // of the folder, when it is another user: "uid 1001"; not in files either
  bool operator==(const RunRecord&) const = default;

  // Whether a folder lies in that of the record, and goes with it.
  [[nodiscard]] bool holds(std::string_view path) const {
    return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
  }
  [[nodiscard]] bool ended_well() const { return state == RunState::completed; }
  [[nodiscard]] bool is_live() const {
    return state == RunState::queued || state == RunState::starting || state == RunState::running;
  }
};

// When it started, as far as that is known; the clock's zero for a record without any time.
[[nodiscard]] Utc begin_of(const RunRecord& record);

// From its start to its end, or to `now` while it runs.
[[nodiscard]] double seconds_of(const RunRecord& record, Utc now);
[[nodiscard]] double seconds_of(const StepRecord& step, Utc now);

// The first step that failed or was stopped by itself, in time; null: none.
[[nodiscard]] const StepRecord* culprit_of(const RunRecord& record);

// Which runs are meant; each part that says nothing lets all through.
struct RunFilter {
  struct Tagged {
    std::string name;
    std::optional<std::string> value;  // none: any
  };
  std::string experiment;
  std::vector<Tagged> tags;                  // all of them
  std::vector<RunState> states;              // one of them
  std::optional<base::Duration> older_than;  // since its end

  [[nodiscard]] bool says_nothing() const {
    return experiment.empty() && tags.empty() && states.empty() && !older_than;
  }
};
[[nodiscard]] bool matches(const RunFilter& filter, const RunRecord& record, Utc now);

// How a run ended, as its last event tells it.
struct Ending {
  RunState state = RunState::unknown;
  std::optional<std::int32_t> exit_code;
  std::string code_from;
  std::string cause;
  Utc time;
};

// Of a pipeline whose head has gone, at `ended`: nobody goes on with its steps.
void abandon_steps(RunRecord& record);

// A record as it is found when nobody has written its report: `is_held` says whether its head still
// holds its lock, `here` where that was looked at.
struct Unfinished {
  bool is_held = false;
  std::optional<Utc> started;
  std::optional<Utc> last_event;
  HeadPlace here;
  std::optional<Ending> ending = {};  // its head came so far: the report did not fit on the disk
  std::string job = {};               // its id at the batch system that it waits in
};
[[nodiscard]] RunRecord judged(RunRecord record, const Unfinished& found);

}  // namespace muster::model
