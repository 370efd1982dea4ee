// Recorder: writes what becomes of a pipeline's steps to its record while it runs.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "model/record.hpp"
#include "model/report.hpp"
#include "store/writer.hpp"

namespace muster::pipeline {

struct RecorderOptions {
  model::RunRecord record;  // its folder, name, hosts and steps; its times are noted here
  model::TypedCommand asked;
  std::string plan;  // JSON
  std::string version;
};

class Recorder {
 public:
  explicit Recorder(RecorderOptions options);

  [[nodiscard]] const model::RunRecord& record() const { return options_.record; }
  [[nodiscard]] base::Result<void> begin();
  // The first step runs.
  void run();
  void change(std::size_t step, model::StepRecord now);
  void set_outputs(std::vector<model::NamedPath> outputs);
  void set_best(model::BestTrial best);
  // `why`: one line, `report`: several; empty: what became of the steps says it.
  void end(model::RunState state, int code, model::CodeFrom from, const std::string& why = {},
           const std::string& report = {});
  // Once it has ended: why not all of it could be written.
  [[nodiscard]] const std::optional<base::Error>& failure() const { return failure_; }

 private:
  void add(std::string_view line);

  RecorderOptions options_;
  std::optional<store::RecordWriter> writer_;
  std::optional<base::Error> failure_;
};

}  // namespace muster::pipeline
