// Reads the answers of Grid Engine's commands. States: qstat(1); numbers of failures:
// sge_status(5).
#include "batch/grid_engine_answers.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/words.hpp"
#include "batch/answer_time.hpp"

namespace muster::batch {
namespace {

using base::Fault;

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// What stands between <NAME> and </NAME>; empty: there is none.
std::string_view element(std::string_view xml, std::string_view name) {
  const std::string open = fmt::format("<{}>", name);
  const std::size_t begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = xml.substr(begin + open.size());
  const std::size_t end = rest.find(fmt::format("</{}>", name));
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

bool has(std::string_view state, char letter) {
  return state.find(letter) != std::string_view::npos;
}

std::string why_waiting(std::string_view state, std::string_view id) {
  if (has(state, 'E')) {
    return fmt::format("an error ({}); qstat -j {} tells it, and qmod -cj {} tries again", state,
                       id, id);
  }
  return has(state, 'h') ? fmt::format("held ({})", state) : "";
}

Sight sight_of(std::string_view xml) {
  Sight sight;
  sight.id = element(xml, "JB_job_number");
  sight.state = element(xml, "state");
  sight.stage = has(sight.state, 'w') ? Stage::waiting : Stage::running;
  if (sight.state == "z") {
    sight.stage = Stage::over;
    sight.how = How::cancelled;
  }
  if (sight.stage == Stage::waiting) {
    sight.reason = why_waiting(sight.state, sight.id);
    sight.queued = minute_in(element(xml, "JB_submission_time"));
  }
  const std::string_view queue = element(xml, "queue_name");
  const std::size_t at = queue.find('@');
  if (at != std::string_view::npos) sight.hosts = queue.substr(at + 1);
  return sight;
}

// The value of a line "NAME   VALUE  ".
std::string value_of(std::string_view line, std::string_view name) {
  line.remove_prefix(std::min(line.find_first_not_of(' ', name.size()), line.size()));
  const std::size_t last = line.find_last_not_of(' ');
  return std::string(line.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// 37: "qmaster enforced h_rt, h_cpu, or h_vmem limit"; 100: a signal ended it, which is qdel's
// unless somebody has sent it on the host.
How how_of(std::string_view failed) {
  if (failed == "0") return How::exited;
  if (failed == "37") return How::timed_out;
  return failed == "100" ? How::cancelled : How::other;
}

class Accounts {
 public:
  std::vector<Sight> read(std::string_view said) {
    for (const std::string& line : base::split(said, "\n")) {
      if (line.starts_with("====")) finish();
      if (line.starts_with("jobnumber ")) sight_.id = value_of(line, "jobnumber");
      if (line.starts_with("hostname ")) sight_.hosts = value_of(line, "hostname");
      if (line.starts_with("failed ")) failed_ = value_of(line, "failed");
      if (line.starts_with("start_time ")) {
        sight_.began = ctime_time(value_of(line, "start_time"));
      }
      if (line.starts_with("end_time ")) {
        sight_.ended = ctime_time(value_of(line, "end_time"));
      }
      if (line.starts_with("exit_status ")) {
        code_ = first_word(value_of(line, "exit_status"));
      }
    }
    finish();
    return std::move(all_);
  }

 private:
  // A job that was run again has an entry for each time; the last one counts.
  void finish() {
    if (is_digits(sight_.id) && !failed_.empty()) {
      sight_.stage = Stage::over;
      sight_.how = how_of(first_word(failed_));
      sight_.state = "failed " + failed_;
      if (is_digits(code_) && code_.size() <= 3) sight_.code = std::stoi(code_);
      std::erase_if(all_, [&](const Sight& one) { return one.id == sight_.id; });
      all_.push_back(sight_);
    }
    sight_ = {};
    failed_.clear();
    code_.clear();
  }

  std::vector<Sight> all_;
  Sight sight_;
  std::string failed_;
  std::string code_;
};

// Without the name of what could not be done, and without "Exiting.".
std::string words_of_refusal(std::string_view said) {
  std::string words;
  for (const std::string& line : base::split(said, "\n")) {
    std::string_view rest = line;
    constexpr std::array<std::string_view, 4> kBegins = {
        "Unable to run job: ", "error: ", "denied: ", "Job was rejected because "};
    for (const std::string_view begin : kBegins) {
      if (rest.starts_with(begin)) rest = rest.substr(begin.size());
    }
    if (rest == "Exiting." || rest.find_first_not_of(' ') == std::string_view::npos) continue;
    words += (words.empty() ? "" : "; ") + std::string(rest);
  }
  return words.empty() ? "it does not say why" : words;
}

struct Cause {
  std::string_view part;  // of what it says
  Fault fault;
  std::string_view hint;
  Words (*names)() = nullptr;
  std::string_view names_are = {};
};

Words queues() { return {"qconf", "-sql"}; }
Words environments() { return {"qconf", "-spl"}; }

constexpr std::array<Cause, 9> kCauses = {{
    {"unknown queue", Fault::cannot_start, "queue: of the target names one", queues, "queues here"},
    {"parallel environment", Fault::cannot_start, "pe: of the target names one", environments,
     "parallel environments here"},
    {"cannot run in PE", Fault::cannot_start, "it has too few slots; qstat -g c shows how many"},
    {"no suitable queues", Fault::cannot_start,
     "no queue has as many slots of that pe:, or the resources:; qstat -g c, qhost -F"},
    {"project", Fault::cannot_start, "project: of the target; qconf -sprjl lists them"},
    {"unknown resource", Fault::cannot_start, "resources: of the target; qconf -sc lists them"},
    {"no submit host", Fault::cannot_start, "call muster on a login node; qconf -ss lists them"},
    {"unable to send message to qmaster", Fault::unreachable, "qping; qhost"},
    {"unable to contact qmaster", Fault::unreachable, "qping; qhost"},
}};

}  // namespace

std::string grid_engine_id(std::string_view said) {
  for (const std::string& line : base::split(said, "\n")) {
    std::string id = line.substr(0, line.find('.'));
    if (is_digits(id)) return id;
  }
  return {};
}

std::string grid_engine_tested(std::string_view, model::Utc) { return "it would be taken"; }

std::vector<Sight> grid_engine_listed(std::string_view said) {
  constexpr std::string_view kEnd = "</job_list>";
  std::vector<Sight> all;
  for (;;) {
    const std::size_t begin = said.find("<job_list ");
    const std::size_t end = said.find(kEnd, begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return all;
    Sight sight = sight_of(said.substr(begin, end - begin));
    if (is_digits(sight.id)) all.push_back(std::move(sight));
    said.remove_prefix(end + kEnd.size());
  }
}

std::vector<Sight> grid_engine_past(std::string_view said) { return Accounts().read(said); }

Refusal grid_engine_refused(std::string_view said) {
  Refusal refusal;
  const std::string words = words_of_refusal(said);
  refusal.error = {Fault::cannot_start, "Grid Engine refuses: " + words, {}, {}};
  // "job "99" does not exist"; qdel of one that ends already is no failure either.
  refusal.is_unknown_job = words.starts_with("job \"") && words.ends_with("does not exist");
  for (const Cause& cause : kCauses) {
    if (words.find(cause.part) == std::string::npos) continue;
    refusal.error.fault = cause.fault;
    refusal.error.hint = cause.hint;
    if (cause.fault == Fault::unreachable) {
      refusal.error.what = "Grid Engine does not answer: " + words;
    }
    if (cause.names != nullptr) {
      refusal.names = cause.names();
      refusal.names_are = cause.names_are;
    }
    break;
  }
  return refusal;
}

}  // namespace muster::batch
