// Records as JSON, and back. docs/RECORD.md gives the shapes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "model/record.hpp"
#include "model/report.hpp"
#include "model/run_event.hpp"

namespace muster::view {

// "2026-11-21T21:25:30.123Z"
[[nodiscard]] std::string utc_text(model::Utc time);

// What `show --json` prints: an object on one line, without a line end.
[[nodiscard]] std::string record_json(const model::RunRecord& record, model::Utc now);

// The same with `report`: the words of report.txt, or null.
[[nodiscard]] std::string report_json(const model::RunRecord& record, const std::string& words,
                                      model::Utc now);

// A line that a rank wrote; `world` is 1 unless the rank was spawned.
struct LogPlace {
  std::uint32_t world;
  std::uint32_t rank;
  std::string_view stream;
  std::string step = {};  // of a pipeline; else empty
};
[[nodiscard]] std::string log_line(const LogPlace& place, std::string_view line);

// spec.json: what is known before the start, and all that is needed to ask for it again.
[[nodiscard]] std::string spec_json(const model::RunRecord& record,
                                    const model::TypedCommand& asked, std::string_view version);

// Of spec.json, report.json, or what record_json() wrote; nothing for text that is no record.
[[nodiscard]] std::optional<model::RunRecord> read_record(std::string_view text);
[[nodiscard]] std::optional<model::TypedCommand> read_asked(std::string_view spec_json);

// Lines of events.jsonl, with their ends.
[[nodiscard]] std::string event_line(model::Utc time, std::string_view event);
// A batch system has accepted the run as the job `id`.
[[nodiscard]] std::string queued_line(model::Utc time, std::string_view id);
[[nodiscard]] std::string rank_started_line(model::Utc time, base::Rank rank, std::int32_t pid,
                                            std::string_view host);
[[nodiscard]] std::string rank_ended_line(model::Utc time, const model::RankExit& exit);
// Of what else is recorded of a run; empty for what is not.
[[nodiscard]] std::string told_line(model::Utc time, const model::RunEvent& event);
[[nodiscard]] std::string run_ended_line(const model::RunRecord& record);
// Of a pipeline: a step has changed its state.
[[nodiscard]] std::string step_line(model::Utc time, const model::StepRecord& step);
// What the events of a pipeline say of its steps so far.
void hear_steps(std::string_view events, std::vector<model::StepRecord>& steps);

// The id of the job, if the last line of the events is that of its acceptance. Earlier versions
// left it empty there, and had it in spec.json.
[[nodiscard]] std::optional<std::string> queued_as(std::string_view events);

// What the last line of the events tells, if it is that of the end.
[[nodiscard]] std::optional<model::Ending> ending_of(std::string_view events);

// When the last event of that name happened.
[[nodiscard]] std::optional<model::Utc> time_of_event(std::string_view events,
                                                      std::string_view event);

}  // namespace muster::view
