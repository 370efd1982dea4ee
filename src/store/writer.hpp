// RecordWriter: the record of one run, from its folder to its report. docs/RECORD.md tells what is
// in it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/record.hpp"
#include "process/unique_fd.hpp"

namespace muster::store {

struct FirstFiles {
  std::string spec;                       // JSON
  std::string plan;                       // JSON; empty: there is none yet
  std::string events;                     // lines
  std::vector<std::string> folders = {};  // to be there, too; as seen from the record's
  // Adds what else shall be there when the record appears; the folder has another name till then.
  std::function<base::Result<void>(const std::string& folder)> fill = {};
  bool takes_over = false;  // a record that may be there: see store/taken_over.hpp
  // What the run's ranks may have made in the folder by now: this alone, a folder too, may be
  // there.
  std::string early = {};
};

// Whether there is room for a record that will be made in `folder`, and permission. Where it will
// be made is there from then on, so that the run's own ranks can see that it is not over.
[[nodiscard]] bool reserve_record(const std::string& folder);

// Whether the record in `folder` is being made, or will be.
[[nodiscard]] bool is_being_made(const std::string& folder);

class RecordWriter {
 public:
  // Makes `folder`, which must be as RecordWriter::fresh() names it; it appears at once, with its
  // files, and locked by this process. Fault::output: there was no room for it. Where it cannot be
  // made, nothing of it stays.
  [[nodiscard]] static base::Result<RecordWriter> create(const std::string& folder,
                                                         const FirstFiles& files);

  // Another plan in place of the first one. JSON.
  [[nodiscard]] base::Result<void> plan_anew(std::string_view plan);
  // Adds whole lines to the events; complete() and finish() tell of those that did not fit.
  void add(std::string_view lines);
  [[nodiscard]] base::Result<void> complete() const;
  // The run has ended from here on, even if this process is killed. The text is for people, and may
  // be empty.
  [[nodiscard]] base::Result<void> finish(std::string_view report_json,
                                          std::string_view report_text);

 private:
  RecordWriter(std::string folder, process::UniqueFd events)
      : folder_(std::move(folder)), events_(std::move(events)) {}

  std::string folder_;
  process::UniqueFd events_;
  int missing_ = 0;  // errno of the first lines that could not be added
};

}  // namespace muster::store
