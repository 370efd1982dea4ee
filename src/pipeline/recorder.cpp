// Turns changes of steps into lines of the pipeline's record.
#include "pipeline/recorder.hpp"

#include "store/folder.hpp"
#include "view/record_json.hpp"
#include "view/step_words.hpp"

namespace muster::pipeline {

Recorder::Recorder(RecorderOptions options) : options_(std::move(options)) {
  model::RunRecord& record = options_.record;
  if (!record.created) record.created = store::utc_now();
  record.run = store::run_of(record.folder);
  record.head = store::this_place();
}

base::Result<void> Recorder::begin() {
  const model::RunRecord& record = options_.record;
  auto made = store::RecordWriter::create(
      record.folder, {view::spec_json(record, options_.asked, options_.version),
                      options_.plan,
                      view::event_line(*record.created, "created"),
                      {"steps"},
                      {},
                      !record.scheduler.kind.empty()});
  if (!made) return tl::unexpected(made.error());
  writer_ = std::move(*made);
  return {};
}

void Recorder::run() {
  if (options_.record.started) return;
  options_.record.started = store::utc_now();
  add(view::event_line(*options_.record.started, "running"));
}

void Recorder::change(std::size_t step, model::StepRecord now) {
  add(view::step_line(store::utc_now(), now));
  options_.record.steps[step] = std::move(now);
}

void Recorder::set_outputs(std::vector<model::NamedPath> outputs) {
  options_.record.outputs = std::move(outputs);
}

void Recorder::set_best(model::BestTrial best) { options_.record.best = std::move(best); }

void Recorder::end(model::RunState state, int code, model::CodeFrom from, const std::string& why,
                   const std::string& report) {
  model::RunRecord& record = options_.record;
  record.ended = store::utc_now();
  record.state = state;
  record.exit_code = code;
  record.code_from = model::word(from);
  record.cause = why.empty() ? view::pipeline_cause(record) : why;
  add(view::run_ended_line(record));
  if (!writer_) return;
  const auto kept = writer_->finish(view::record_json(record, *record.ended) + "\n",
                                    report.empty() ? view::pipeline_report(record) : report);
  if (!kept) failure_ = kept.error();
}

void Recorder::add(std::string_view line) {
  if (writer_) writer_->add(line);
}

}  // namespace muster::pipeline
