// Records to JSON and back. What is read may be of any shape: what does not fit is left out.
#include "view/record_json.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "view/run_event_words.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using Json = nlohmann::ordered_json;
using model::RunRecord;
using model::Utc;

Json list_of(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(utf8(text));
  return list;
}

Json time_or_null(const std::optional<Utc>& time) {
  return time ? Json(utc_text(*time)) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(utf8(text));
}

Json outputs_object(const std::vector<model::NamedPath>& outputs) {
  Json object = Json::object();
  for (const model::NamedPath& one : outputs) object[utf8(one.name)] = utf8(one.path);
  return object;
}

Json tags_object(const std::vector<model::Tag>& tags) {
  Json object = Json::object();
  for (const auto& [name, value] : tags) object[utf8(name)] = utf8(value);
  return object;
}

Json head_object(const model::HeadPlace& head) {
  return Json{{"host", utf8(head.host)}, {"pid", head.pid}, {"boot", head.boot}};
}

Json step_object(const model::StepRecord& step) {
  Json object{{"step", utf8(step.name)},
              {"state", word(step.state)},
              {"cause", text_or_null(step.cause)},
              {"exit_code", step.exit_code ? Json(*step.exit_code) : Json(nullptr)},
              {"started", time_or_null(step.started)},
              {"ended", time_or_null(step.ended)}};
  if (!step.values.empty()) object["values"] = tags_object(step.values);
  return object;
}

Json scheduler_object(const model::Scheduler& scheduler) {
  Json object{{"kind", utf8(scheduler.kind)},
              {"target", text_or_null(scheduler.target)},
              {"context", text_or_null(scheduler.context)},
              {"namespace", text_or_null(scheduler.space)},
              {"id", utf8(scheduler.id)}};
  if (!scheduler.user.empty()) object["user"] = utf8(scheduler.user);
  return object;
}

void add_logged(const model::Logged& logged, Json& object) {
  Json& metrics = object["metrics"] = Json::object();
  for (const model::Logged::Metric& one : logged.metrics) metrics[utf8(one.name)] = one.value;
  object["params"] = tags_object(logged.params);
}

// Keys that most runs do not have.
void add_steps(const RunRecord& record, Json& object) {
  if (!record.scheduler.kind.empty()) object["scheduler"] = scheduler_object(record.scheduler);
  if (!record.rerun_of.empty()) object["rerun_of"] = utf8(record.rerun_of);
  if (!record.reused_from.empty()) object["reused_from"] = utf8(record.reused_from);
  if (!record.best.step.empty()) {
    object["best"] = Json{{"step", utf8(record.best.step)},
                          {"metric", utf8(record.best.metric)},
                          {"value", record.best.value}};
  }
  if (!record.owner.empty()) object["owner"] = utf8(record.owner);
  if (record.logged) add_logged(*record.logged, object);
  if (record.steps.empty()) return;
  Json& steps = object["steps"] = Json::array();
  for (const model::StepRecord& step : record.steps) steps.push_back(step_object(step));
}

Json object_of(const RunRecord& record, const Json& seconds) {
  Json object{{"run", utf8(record.run)},
              {"name", text_or_null(record.name)},
              {"display_name", text_or_null(record.title)},
              {"experiment", text_or_null(record.experiment)},
              {"state", word(record.state)},
              {"cause", text_or_null(record.cause)},
              {"exit_code", record.exit_code ? Json(*record.exit_code) : Json(nullptr)},
              {"exit_code_from", text_or_null(record.code_from)},
              {"created", time_or_null(record.created)},
              {"started", time_or_null(record.started)},
              {"ended", time_or_null(record.ended)},
              {"seconds", seconds},
              {"folder", utf8(record.folder)},
              {"hosts", list_of(record.hosts)},
              {"ranks", record.ranks},
              {"launched", record.launched},
              {"command", list_of(record.command)},
              {"outputs", outputs_object(record.outputs)},
              {"tags", tags_object(record.tags)},
              {"code", text_or_null(record.code)},
              {"streams", text_or_null(record.streams)},
              {"head", head_object(record.head)}};
  add_steps(record, object);
  return object;
}

Json asked_object(const model::TypedCommand& asked) {
  Json files = Json::array();
  for (const auto& [path, text] : asked.files) {
    files.push_back(Json{{"path", utf8(path)}, {"text", utf8(text)}});
  }
  return Json{
      {"words", list_of(asked.words)}, {"folder", utf8(asked.folder)}, {"files", std::move(files)}};
}

// ---- reading ----------------------------------------------------------------------------------

const Json& at(const Json& object, const char* key) {
  static const Json kNothing;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? kNothing : *found;
}

std::string text_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

template <class Number>
std::optional<Number> number_at(const Json& object, const char* key) {
  const Json& value = at(object, key);
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<Number>();
}

std::vector<std::string> texts_at(const Json& object, const char* key) {
  std::vector<std::string> texts;
  for (const Json& one : at(object, key)) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

std::optional<int> digits(std::string_view text, std::size_t from, std::size_t count) {
  if (text.size() < from + count) return std::nullopt;
  int number = 0;
  const char* end = text.data() + from + count;
  const auto read = std::from_chars(text.data() + from, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// The form of utc_text() alone.
std::optional<Utc> read_utc(std::string_view text) {
  using namespace std::chrono;
  const auto y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2), mi = digits(text, 14, 2), s = digits(text, 17, 2);
  const auto ms = digits(text, 20, 3);
  if (!y || !mo || !d || !h || !mi || !s || !ms) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*mo)),
                            day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  return Utc(sys_days(date) + hours(*h) + minutes(*mi) + seconds(*s) + milliseconds(*ms));
}

model::HeadPlace head_at(const Json& object) {
  const Json& head = at(object, "head");
  return {text_at(head, "host"), number_at<std::int32_t>(head, "pid").value_or(0),
          text_at(head, "boot")};
}

model::Scheduler scheduler_at(const Json& object) {
  const Json& scheduler = at(object, "scheduler");
  return {text_at(scheduler, "kind"),    text_at(scheduler, "target"),
          text_at(scheduler, "context"), text_at(scheduler, "namespace"),
          text_at(scheduler, "id"),      text_at(scheduler, "user")};
}

std::vector<model::NamedPath> outputs_at(const Json& object) {
  std::vector<model::NamedPath> outputs;
  for (const auto& [name, path] : at(object, "outputs").items()) {
    if (path.is_string()) outputs.push_back({name, path.get<std::string>()});
  }
  return outputs;
}

std::vector<model::Tag> tags_at(const Json& object, const char* key = "tags") {
  std::vector<model::Tag> tags;
  for (const auto& [name, value] : at(object, key).items()) {
    if (value.is_string()) tags.push_back({name, value.get<std::string>()});
  }
  return tags;
}

model::BestTrial best_at(const Json& object) {
  const Json& best = at(object, "best");
  const Json& value = at(best, "value");
  // Infinity and the like have no form in JSON.
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  return {text_at(best, "step"), text_at(best, "metric"),
          value.is_number()  ? value.get<double>()
          : best.is_object() ? kNotANumber
                             : 0};
}

std::optional<model::StepRecord> step_at(const Json& object) {
  const auto state = model::step_state(text_at(object, "state"));
  if (!state) return std::nullopt;
  return model::StepRecord{text_at(object, "step"),
                           *state,
                           text_at(object, "cause"),
                           number_at<std::int32_t>(object, "exit_code"),
                           read_utc(text_at(object, "started")),
                           read_utc(text_at(object, "ended")),
                           tags_at(object, "values")};
}

std::vector<model::StepRecord> steps_at(const Json& object) {
  std::vector<model::StepRecord> steps;
  for (const Json& one : at(object, "steps")) {
    if (auto step = step_at(one)) steps.push_back(std::move(*step));
  }
  return steps;
}

Json parsed(std::string_view text) {
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

std::string utc_text(Utc time) {
  using namespace std::chrono;
  const auto midnight = floor<days>(time);
  const year_month_day date(midnight);
  const hh_mm_ss of_day{time - midnight};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), of_day.hours().count(),
                     of_day.minutes().count(), of_day.seconds().count(),
                     of_day.subseconds().count());
}

std::string record_json(const RunRecord& record, Utc now) {
  return object_of(record, seconds_of(record, now)).dump();
}

std::string report_json(const RunRecord& record, const std::string& words, Utc now) {
  Json object = object_of(record, seconds_of(record, now));
  object["report"] = text_or_null(words);
  return object.dump();
}

std::string log_line(const LogPlace& place, std::string_view line) {
  Json object = {{"rank", place.rank}, {"stream", place.stream}, {"line", utf8(line)}};
  if (place.world != 1) object["world"] = place.world;
  if (!place.step.empty()) object["step"] = utf8(place.step);
  return object.dump();
}

std::string spec_json(const RunRecord& record, const model::TypedCommand& asked,
                      std::string_view version) {
  Json object = object_of(record, nullptr);
  object["muster"] = version;
  object["asked"] = asked_object(asked);
  return object.dump(2) + "\n";
}

std::optional<RunRecord> read_record(std::string_view text) {
  const Json object = parsed(text);
  const auto state = model::run_state(text_at(object, "state"));
  if (!state) return std::nullopt;
  return RunRecord{.run = text_at(object, "run"),
                   .folder = text_at(object, "folder"),
                   .name = text_at(object, "name"),
                   .title = text_at(object, "display_name"),
                   .experiment = text_at(object, "experiment"),
                   .state = *state,
                   .cause = text_at(object, "cause"),
                   .exit_code = number_at<std::int32_t>(object, "exit_code"),
                   .code_from = text_at(object, "exit_code_from"),
                   .created = read_utc(text_at(object, "created")),
                   .started = read_utc(text_at(object, "started")),
                   .ended = read_utc(text_at(object, "ended")),
                   .hosts = texts_at(object, "hosts"),
                   .ranks = number_at<std::uint32_t>(object, "ranks").value_or(0),
                   .launched = number_at<std::uint32_t>(object, "launched").value_or(0),
                   .command = texts_at(object, "command"),
                   .outputs = outputs_at(object),
                   .tags = tags_at(object),
                   .code = text_at(object, "code"),
                   .streams = text_at(object, "streams"),
                   .head = head_at(object),
                   .scheduler = scheduler_at(object),
                   .steps = steps_at(object),
                   .rerun_of = text_at(object, "rerun_of"),
                   .reused_from = text_at(object, "reused_from"),
                   .best = best_at(object)};
}

std::optional<model::TypedCommand> read_asked(std::string_view spec_json) {
  const Json spec = parsed(spec_json);
  const Json& asked = at(spec, "asked");
  if (!asked.is_object()) return std::nullopt;
  model::TypedCommand read{texts_at(asked, "words"), text_at(asked, "folder"), {}};
  for (const Json& file : at(asked, "files")) {
    read.files.push_back({text_at(file, "path"), text_at(file, "text")});
  }
  return read;
}

// ---- events -----------------------------------------------------------------------------------

// A million ranks have two million of these: no tree is built for them.

std::string event_line(Utc time, std::string_view event) {
  return fmt::format("{{\"time\":\"{}\",\"event\":\"{}\"}}\n", utc_text(time), event);
}

std::string queued_line(Utc time, std::string_view id) {
  constexpr std::string_view kForm = R"({{"time":"{}","id":{},"event":"queued"}})";
  // Earlier versions look for the event at the end of the line.
  return fmt::format(kForm, utc_text(time), Json(utf8(id)).dump()) + "\n";
}

std::string rank_started_line(Utc time, base::Rank rank, std::int32_t pid, std::string_view host) {
  constexpr std::string_view kForm =
      R"({{"time":"{}","event":"rank_started","rank":{},"pid":{},"host":{}}})";
  return fmt::format(kForm, utc_text(time), rank.value, pid, Json(utf8(host)).dump()) + "\n";
}

std::string rank_ended_line(Utc time, const model::RankExit& exit) {
  constexpr std::string_view kForm =
      R"({{"time":"{}","event":"rank_ended","rank":{},"pid":{},"code":{},"signal":{},)"
      R"("max_rss_kib":{}}})";
  const auto number = [](bool is_meant, std::int32_t value) {
    return is_meant ? std::to_string(value) : std::string("null");
  };
  return fmt::format(kForm, utc_text(time), exit.rank.value, exit.pid,
                     number(exit.signal == 0, exit.code), number(exit.signal != 0, exit.signal),
                     exit.max_rss_kib) +
         "\n";
}

namespace {

// What only --verbose shows is not recorded, and starts and ends have more keys.
struct RecordedName {
  std::string_view operator()(const model::HostLost&) const { return "host_lost"; }
  std::string_view operator()(const model::Warned&) const { return "warning"; }
  std::string_view operator()(const model::SpawnRefused&) const { return "spawn_refused"; }
  std::string_view operator()(const model::RanksAwaited&) const { return "ranks_awaited"; }
  std::string_view operator()(const model::NoticeGiven&) const { return "notice"; }
  std::string_view operator()(const model::TimeUp&) const { return "time_up"; }
  std::string_view operator()(const model::RankTraced&) const { return "rank_traced"; }
  std::string_view operator()(const model::Interrupted&) const { return "interrupted"; }
  std::string_view operator()(const model::RoundBegun&) const { return "restart"; }
  template <class Other>
  std::string_view operator()(const Other&) const {
    return {};
  }
};

std::string recorded_words(const model::RunEvent& event) {
  const auto* lost = std::get_if<model::HostLost>(&event);
  return lost != nullptr ? lost->why : words(event);
}

}  // namespace

std::string told_line(Utc time, const model::RunEvent& event) {
  const std::string_view name = std::visit(RecordedName{}, event);
  if (name.empty()) return {};
  constexpr std::string_view kForm = R"({{"time":"{}","event":"{}","text":{}}})";
  return fmt::format(kForm, utc_text(time), name, Json(utf8(recorded_words(event))).dump()) + "\n";
}

std::string run_ended_line(const RunRecord& record) {
  return Json{{"time", time_or_null(record.ended)},
              {"event", "ended"},
              {"state", word(record.state)},
              {"exit_code", record.exit_code ? Json(*record.exit_code) : Json(nullptr)},
              {"exit_code_from", text_or_null(record.code_from)},
              {"cause", text_or_null(record.cause)}}
             .dump() +
         "\n";
}

std::string step_line(Utc time, const model::StepRecord& step) {
  Json line{{"time", utc_text(time)}, {"event", "step"}};
  line.update(step_object(step));
  return line.dump() + "\n";
}

void hear_steps(std::string_view events, std::vector<model::StepRecord>& steps) {
  std::map<std::string, model::StepRecord*, std::less<>> named;
  for (model::StepRecord& step : steps) named[step.name] = &step;
  while (!events.empty()) {
    const std::size_t end = std::min(events.find('\n'), events.size());
    const Json line = parsed(events.substr(0, end));
    const bool is_step = text_at(line, "event") == "step";
    auto heard = is_step ? step_at(line) : std::nullopt;
    const auto own = heard ? named.find(heard->name) : named.end();
    if (own != named.end()) *own->second = std::move(*heard);
    events.remove_prefix(std::min(end + 1, events.size()));
  }
}

namespace {

Json last_event(std::string_view events) {
  if (!events.ends_with('\n')) return nullptr;  // torn
  events.remove_suffix(1);
  return parsed(events.substr(events.rfind('\n') + 1));
}

}  // namespace

std::optional<std::string> queued_as(std::string_view events) {
  const Json last = last_event(events);
  if (text_at(last, "event") != "queued") return std::nullopt;
  return text_at(last, "id");
}

std::optional<model::Ending> ending_of(std::string_view events) {
  const Json last = last_event(events);
  const auto state = model::run_state(text_at(last, "state"));
  const auto time = read_utc(text_at(last, "time"));
  if (text_at(last, "event") != "ended" || !state || !time) return std::nullopt;
  return model::Ending{*state, number_at<std::int32_t>(last, "exit_code"),
                       text_at(last, "exit_code_from"), text_at(last, "cause"), *time};
}

std::optional<Utc> time_of_event(std::string_view events, std::string_view event) {
  std::optional<Utc> time;
  const std::string mark = fmt::format("\"event\":\"{}\"", event);
  while (!events.empty()) {
    const std::size_t end = std::min(events.find('\n'), events.size());
    const std::string_view line = events.substr(0, end);
    if (line.find(mark) != std::string_view::npos) time = read_utc(text_at(parsed(line), "time"));
    events.remove_prefix(std::min(end + 1, events.size()));
  }
  return time;
}

}  // namespace muster::view
