// Front: a command line that muster understands: its own, or that of a launcher it replaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "front/call.hpp"
#include "front/request.hpp"
#include "front/table.hpp"
#include "model/checked_file.hpp"
#include "model/record.hpp"
#include "model/step_place.hpp"

namespace muster::front {

struct ClusterRequest;
struct BatchRequest;
struct PipelineRequest;
struct CalledRequest;

// A request of one kind, text to print (help, version) before an exit with 0, or errors.
struct Reading {
  std::optional<RunRequest> request = {};
  std::string text = {};
  std::vector<std::string> notices = {};     // each is printed once on stderr, as one line
  std::vector<base::Error> complaints = {};  // all about one file: nothing starts
  // That file, where the outcome is to be printed as JSON.
  std::optional<model::CheckedFile> checked = {};
  std::optional<RecordRequest> records = {};
  std::shared_ptr<PipelineRequest> pipeline = {};
  // The request, or the pipeline, is carried out in a cluster: the hosts are pods there.
  std::shared_ptr<ClusterRequest> cluster = {};
  // The same for the queue of a batch system: the hosts stand for those that it will give.
  std::shared_ptr<BatchRequest> batch = {};
  // Of a job that is only checked: where its outputs would lie.
  std::vector<model::NamedPath> outputs = {};
  bool only_asks = false;  // whether the cluster, or the batch system, would take it
  std::shared_ptr<const CalledRequest> called = {};
  // Other tasks of a Slurm step ask for the same, and it is to be done once for all of them.
  std::optional<model::StepPlace> step_place = {};
  std::string text_file = {};  // an absolute path that `text` goes to; empty: stdout
};

struct Front {
  std::string_view names;     // with blanks between; the first is the one of help and manual
  std::string_view argument;  // what follows the name in the list of commands
  std::string_view help;      // one sentence
  bool drop_in;               // a symbolic link to muster with one of the names reaches it
  int usage_code;             // exit code for usage errors; 0: as base::exit_code()
  base::Result<Reading> (*read)(const Call&);
  OptionTexts (*options)();
  bool takes_file = false;  // what follows the options is a file, no program
  // Exit code where the words could be read, but nothing may start; 0: as `usage_code`.
  int late_code = 0;

  [[nodiscard]] int code_before_start(base::Fault fault) const {
    return fault == base::Fault::usage || late_code == 0 ? usage_code : late_code;
  }
};

[[nodiscard]] std::span<const Front> fronts();

// Whatever launcher a job's command names is muster.
[[nodiscard]] std::vector<std::string> names_of_launchers();

// The front end of a command name, or null.
[[nodiscard]] const Front* front_of(std::string_view name);

}  // namespace muster::front
