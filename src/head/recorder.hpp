// Recorder: writes the events of a run to its record while it runs.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "model/record.hpp"
#include "model/report.hpp"
#include "model/run_event.hpp"
#include "store/writer.hpp"

namespace muster::head {

struct RecorderOptions {
  model::RunRecord record;  // what is known of it; its times are noted here
  model::TypedCommand asked;
  std::vector<std::string> hosts;         // index: node
  std::function<std::string()> plan;      // as JSON; called once
  std::function<void()> running = [] {};  // every rank has a process
  std::string version;
};

class Recorder {
 public:
  explicit Recorder(RecorderOptions options);

  [[nodiscard]] const model::RunRecord& record() const { return options_.record; }
  // The ranks run in a copy of the job's code, which `fill` adds to a record that is being made.
  void set_code(std::function<base::Result<void>(const std::string& folder)> fill);
  void set_streams(const std::string& folder) { options_.record.streams = folder; }
  // Makes the record now. Otherwise it is made once all ranks run, so that it does not delay their
  // start, or the first does, if they write in its folder `early`; an error is known when the run
  // ends.
  [[nodiscard]] base::Result<void> begin();
  void begin_with_ranks(const std::string& early) { early_ = early; }
  [[nodiscard]] bool has_begun() const { return writer_.has_value(); }
  // Before any rank has started: the run goes by the plan of `other`, which has not begun.
  [[nodiscard]] base::Result<void> plan_anew(Recorder other);
  void hear(const model::RunEvent& event);
  // The run cannot begin, or be planned again.
  void give_up(const base::Error& error);
  // Once it has ended: why not all of it could be written.
  [[nodiscard]] const std::optional<base::Error>& failure() const { return failure_; }

 private:
  // It is one of the run's once a rank runs there.
  void on(const model::HostJoined& event);
  void on(const model::RankStarted& event);
  void on(const model::RankEnded& event);
  void on(const model::PhaseReached& event);
  void on(const model::RunEnded& event);
  template <class Other>
  void on(const Other& event);
  void name_joined();
  void begin_late();
  void flush();
  void close(const std::string& words);

  RecorderOptions options_;
  std::function<base::Result<void>(const std::string& folder)> fill_;  // see store::FirstFiles
  std::string early_;                                                  // likewise
  std::size_t planned_;               // hosts that had ranks from the start
  std::size_t named_;                 // these, and those of a launcher in the command
  std::set<base::NodeIndex> joined_;  // others that have had some since
  std::optional<store::RecordWriter> writer_;
  std::optional<base::Error> failure_;  // why there is no record, or not all of it
  std::string lines_;                   // not written yet
};

}  // namespace muster::head
