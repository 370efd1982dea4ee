// One sentence for each way in which a job ends.
#include "batch/ending.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace muster::batch {
namespace {

using base::Fault;
using model::RunState;

JobEnd failed(Fault fault, std::string cause) {
  return {RunState::failed, base::exit_code(fault), "muster", std::move(cause)};
}

std::string job_words(const System& system, const Traces& traces) {
  return fmt::format("{} job {}", system.name, traces.id);
}

std::string hosts_words(const Sight& sight) {
  return sight.hosts.empty() ? "" : " on " + sight.hosts;
}

std::string script_words(const Sight& sight) {
  std::string words = sight.code ? fmt::format(" with exit code {}", *sight.code) : "";
  words += sight.script_host.empty() ? hosts_words(sight) : " on " + sight.script_host;
  if (!sight.reason.empty()) words += fmt::format(" ({})", sight.reason);
  return words;
}

std::string why_exited(const Traces& traces) {
  if (!traces.last_words.empty()) return ": " + traces.last_words;
  if (traces.has_begun || traces.unwritten.empty()) return {};
  return fmt::format(": its output is not in {}, which all nodes must see (MUSTER_RECORDS)",
                     traces.unwritten);
}

// Its script has ended by itself, and muster in it has said nothing in the record.
JobEnd exited(const System& system, const Sight& sight, const Traces& traces) {
  std::string cause =
      fmt::format("the script of {} ended{}", job_words(system, traces), script_words(sight));
  if (!traces.has_begun) cause += " before its run began";
  cause += why_exited(traces);
  if (!sight.code || *sight.code == 0) return {RunState::died, {}, {}, std::move(cause)};
  return {RunState::failed, sight.code, "muster", std::move(cause)};
}

}  // namespace

JobEnd end_of(const System& system, const Sight* sight, const Traces& traces) {
  const std::string job = job_words(system, traces);
  if (sight == nullptr) {
    return {RunState::died,
            {},
            {},
            fmt::format("{} knows nothing of job {} any more, and its run wrote no end",
                        system.name, traces.id)};
  }
  const std::string where = hosts_words(*sight);
  switch (sight->how) {
    case How::exited:
      return exited(system, *sight, traces);
    case How::cancelled:
      return {RunState::stopped, 128 + SIGTERM, "signal",
              fmt::format("{} was cancelled{}", job,
                          traces.has_begun ? where : " before its run began")};
    case How::timed_out:
      return failed(Fault::timeout, fmt::format("{} reached its time limit{}", job, where));
    case How::node_lost:
      return failed(Fault::lost, fmt::format("{} was ended with one of its nodes ({}){}", job,
                                             sight->state, where));
    case How::no_memory:
      return failed(Fault::lost, fmt::format("{} was ended for want of memory ({}){}", job,
                                             sight->state, where));
    case How::preempted:
      return {RunState::stopped, 128 + SIGTERM, "signal",
              fmt::format("{} made room for another job{}", job, where)};
    case How::other:
      break;
  }
  return {RunState::died, {}, {}, fmt::format("{} ended as {}{}", job, sight->state, where)};
}

std::string last_words_of(std::string_view text) {
  constexpr std::string_view kOurs = "muster: ";
  constexpr std::string_view kError = "error: ";
  std::string_view last;
  bool is_ours = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const bool ours = line.starts_with(kOurs);
    if (line.empty() || (is_ours && !ours)) continue;
    is_ours = ours;
    last = line;
  }
  if (is_ours) last.remove_prefix(kOurs.size());
  if (is_ours && last.starts_with(kError)) last.remove_prefix(kError.size());
  return std::string(last);
}

std::string wait_words(const System& system, const Sight& sight) {
  if (sight.reason.empty()) return {};
  std::string words = fmt::format("{} job {} waits: {}", system.name, sight.id, sight.reason);
  if (!sight.queued.empty()) words += "; queued since " + sight.queued;
  if (!sight.start.empty()) words += "; expected to start at " + sight.start;
  return words;
}

}  // namespace muster::batch
