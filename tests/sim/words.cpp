// One overload per message; only what a reader of a trace wants to know.
#include "sim/words.hpp"

#include <array>
#include <csignal>
#include <fmt/format.h>

namespace muster::sim {
namespace {

std::string_view name(wire::Stream stream) { return stream == wire::Stream::out ? "out" : "err"; }

std::string say(const wire::Hello& m) {
  return fmt::format("Hello lease {} ms grace {} ms", m.lease_ms, m.grace_ms);
}
// The first world's number goes without saying.
std::string of_world(std::uint32_t number) {
  return number == 1 ? "" : fmt::format(" of world {}", number);
}

std::string say(const wire::Prepare& m) {
  return fmt::format("Prepare as node {}", m.node.value) + of_world(m.world);
}
std::string say(const wire::World& m) {
  return fmt::format("World of {} ranks", m.plan.ranks.size()) + of_world(m.number);
}
std::string say(const wire::Start& m) { return "Start" + of_world(m.world); }
std::string say(const wire::Drop& m) { return "Drop" + of_world(m.world); }
std::string say(const wire::Spawned& m) {
  return m.world == 0 ? "Spawned nothing" : "Spawned" + of_world(m.world);
}
std::string say(const wire::Trace&) { return "Trace"; }
std::string say(const wire::ToLauncher& m) {
  return fmt::format("ToLauncher {} {} bytes", m.connection, m.bytes.size());
}
std::string say(const wire::Reach& m) { return "Reach " + m.name; }
std::string say(const wire::Release&) { return "Release"; }
std::string say(const wire::Contain& m) { return "Contain in " + m.container.image; }
std::string say(const wire::Signal& m) { return "Signal " + signal_name(m.number); }
std::string say(const wire::Stop& m) {
  return fmt::format("Stop {} grace {} ms", signal_name(m.number), m.grace_ms);
}
std::string say(const wire::Input& m) {
  return fmt::format("Input rank {} {} bytes", m.rank.value, m.bytes.size());
}
std::string say(const wire::InputEnd& m) { return fmt::format("InputEnd rank {}", m.rank.value); }
std::string say(const wire::Credit& m) {
  return fmt::format("Credit rank {} {} {} bytes", m.rank.value, name(m.stream), m.bytes);
}
std::string say(const wire::FenceOut& m) { return fmt::format("FenceOut {}", m.sequence); }
std::string say(const wire::NameAnswer& m) { return fmt::format("NameAnswer {}", m.id); }
constexpr std::array kUpcalls = {"Ready",     "Broken",  "Connected",  "Finalized", "Aborted",
                                 "Fence",     "Modex",   "ModexFound", "Publish",   "Lookup",
                                 "Unpublish", "Connect", "Spawn",      "Event"};
static_assert(kUpcalls.size() == std::variant_size_v<wire::pmix::Upcall>);
constexpr std::array kCommands = {"AddJob", "Reply", "Found", "Spawned", "FetchModex", "Event"};
static_assert(kCommands.size() == std::variant_size_v<wire::pmix::Command>);

std::string say(const wire::PmixDown& m) {
  std::string text = std::string("PMIx ") + kCommands[m.command.index()];
  const auto* reply = std::get_if<wire::pmix::Reply>(&m.command);
  if (reply != nullptr && reply->status != 0) text += fmt::format(" {}", reply->status);
  return text;
}
std::string say(const wire::Suspend& m) { return m.suspended ? "Suspend" : "Suspend over"; }
std::string say(const wire::Ping&) { return "Ping"; }
std::string say(const wire::Bye&) { return "Bye"; }
std::string say(const wire::Welcome& m) { return fmt::format("Welcome protocol {}", m.protocol); }
std::string say(const wire::Prepared& m) { return "Prepared" + of_world(m.world); }
std::string say(const wire::Traced& m) { return "Traced: " + m.state; }
std::string say(const wire::Declined& m) { return "Declined: " + m.error.what; }
std::string say(const wire::Spawn& m) { return fmt::format("Spawn by rank {}", m.rank.value); }
std::string say(const wire::Refused& m) { return "Refused: " + m.error.what; }
std::string say(const wire::Started& m) { return fmt::format("Started rank {}", m.rank.value); }
std::string say(const wire::Output& m) {
  return fmt::format("Output rank {} {} {} bytes", m.rank.value, name(m.stream), m.bytes.size());
}
std::string say(const wire::OutputEnd& m) {
  return fmt::format("OutputEnd rank {} {}", m.rank.value, name(m.stream));
}
std::string say(const wire::Exited& m) {
  const model::RankExit& exit = m.exit;
  if (exit.signal == 0) return fmt::format("Exited rank {} code {}", exit.rank.value, exit.code);
  return fmt::format("Exited rank {} by {}", exit.rank.value, signal_name(exit.signal));
}
std::string say(const wire::FenceIn& m) { return fmt::format("FenceIn {}", m.sequence); }
std::string say(const wire::Aborted& m) { return fmt::format("Aborted rank {}", m.rank.value); }
std::string say(const wire::NameAsk& m) { return "NameAsk " + m.service; }
std::string say(const wire::Attendance& m) {
  std::string text = "Attendance";
  for (const base::Rank rank : m.ranks) text += fmt::format(" {}", rank.value);
  return text;
}
std::string say(const wire::Taken& m) { return "Taken " + model::to_string(m.cpus); }
std::string say(const wire::FromLauncher& m) {
  return fmt::format("FromLauncher {} {} bytes", m.connection, m.bytes.size());
}
std::string say(const wire::Reached&) { return "Reached"; }
std::string say(const wire::Unreached& m) { return "Unreached: " + m.error.what; }
std::string say(const wire::PmixUp& m) { return std::string("PMIx ") + kUpcalls[m.upcall.index()]; }
std::string say(const wire::InputCredit& m) {
  return fmt::format("InputCredit rank {} {} bytes", m.rank.value, m.bytes);
}
std::string say(const wire::Stopped& m) {
  return fmt::format("Stopped killed {} left {}", m.killed, m.leftovers.size());
}
std::string say(const wire::Pong&) { return "Pong"; }

std::string cause(const model::RunReport& report) {
  switch (report.cause) {
    case model::Cause::completed:
      return "completed";
    case model::Cause::rank_failed:
      return "rank failed: " + say(wire::Exited{report.first}) + " on " + report.host;
    case model::Cause::fault:
      return "fault: " + report.error.what;
    case model::Cause::interrupted:
      return "interrupted by " + signal_name(report.signal);
  }
  return {};
}

}  // namespace

std::string words(const wire::ToAgent& message) {
  return std::visit([](const auto& one) { return say(one); }, message);
}

std::string words(const wire::ToHead& message) {
  return std::visit([](const auto& one) { return say(one); }, message);
}

std::string signal_name(std::int32_t number) {
  if (number == 0) return "SIGKILL at once";
  const char* abbreviation = ::sigabbrev_np(number);
  return abbreviation == nullptr ? std::to_string(number) : std::string("SIG") + abbreviation;
}

std::string words(const model::RunReport& report) {
  std::string text = fmt::format("{}; exit code {}; {} ended, {} killed", cause(report),
                                 report.exit_code(), report.ended, report.killed);
  for (const base::Rank rank : report.missing) text += fmt::format("; {} is missing", rank.value);
  for (const std::string& warning : report.warnings) text += "; warning: " + warning;
  return text;
}

}  // namespace muster::sim
