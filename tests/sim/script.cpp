// Reads scripts, word by word.
#include "sim/script.hpp"

#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "model/carriers.hpp"

namespace muster::sim {
namespace {

using machine::Retry;

Duration milliseconds(std::istream& words) {
  std::int64_t count = -1;
  words >> count;
  return Duration(count);
}

std::int32_t number(std::istream& words) {
  std::int32_t value = -1;
  words >> value;
  return value;
}

void read_host(Scenario& world, std::istream& words) {
  std::string carrier;
  words >> carrier;
  HostScript host;
  const bool is_called = carrier == "called";
  host.carrier = carrier == "here" ? model::kLocal : is_called ? model::kCalled : model::kOpened;
  host.ranks = static_cast<std::uint32_t>(number(words));
  world.hosts.push_back(host);
  world.tasks.resize(world.tasks.size() + host.ranks);
}

void read_idle_host(Scenario& world, std::istream& words) {
  read_host(world, words);
  HostScript& host = world.hosts.back();
  host.slots = std::exchange(host.ranks, 0);
  world.tasks.resize(world.tasks.size() - host.slots);
}

void read_attempt(HostScript& host, std::istream& words) {
  static const std::map<std::string, Attempt> kinds = {
      {"up", {Attempt::How::up, Retry::no, Duration(0)}},
      {"busy", {Attempt::How::fails, Retry::patiently, Duration(0)}},
      {"refused", {Attempt::How::fails, Retry::briefly, Duration(0)}},
      {"denied", {Attempt::How::fails, Retry::no, Duration(0)}},
      {"silent", {Attempt::How::silent, Retry::no, Duration(0)}},
  };
  std::string kind;
  words >> kind;
  host.attempts.push_back(kinds.at(kind));
  host.attempts.back().takes = milliseconds(words);
}

void read_rank(Scenario& world, std::istream& words) {
  TaskScript& task = world.tasks.at(static_cast<std::size_t>(number(words)));
  std::string what;
  words >> what;
  if (what == "runs") task.runs = milliseconds(words);
  if (what == "endless") task.runs.reset();
  if (what == "code") task.code = number(words);
  if (what == "signal") task.signal = number(words);
  if (what == "ignores_term") task.on_term = OnTerm::ignores;
  if (what == "cannot_spawn") task.cannot_spawn = true;
  if (what == "heals") task.heals = static_cast<std::uint32_t>(number(words));
  if (what == "joins") task.joins = milliseconds(words);
  if (what == "spawns") {
    task.spawn_ranks = static_cast<std::uint32_t>(number(words));
    task.spawns.push_back(milliseconds(words));
  }
  if (what == "out") task.out_bytes = static_cast<std::uint64_t>(number(words));
}

void read_inner_run(Scenario& world, std::istream& words) {
  OtherRun& inner = world.others.emplace_back();
  inner.begins = milliseconds(words);
  inner.within = true;
  TaskScript task;
  task.runs = milliseconds(words);
  for (std::uint32_t host = 0; words >> host;) {
    inner.hosts.push_back(host);
    inner.own.hosts.push_back(world.hosts.at(host));
    inner.own.hosts.back().ranks = 1;
    inner.own.tasks.push_back(task);
  }
  words.clear();
}

void read_user(Scenario& world, std::istream& words) {
  const std::int32_t signal = number(words);
  world.signals.push_back({milliseconds(words), signal});
}

void read_input(Scenario& world, std::istream& words) {
  world.input_to = model::StdinTo::all;
  world.input_bytes = static_cast<std::uint64_t>(number(words));
}

// From when, and for how long: 0 is for ever.
void read_busy(HostScript& host, std::istream& words) {
  host.is_busy = true;
  host.stalls = milliseconds(words);
  host.stall_lasts = milliseconds(words);
}

bool read_line(Scenario& world, const std::string& line) {
  std::istringstream words(line);
  std::string first;
  words >> first;
  const auto host = [&]() -> HostScript& { return world.hosts.back(); };
  const std::map<std::string, std::function<void()>> handlers = {
      {"host", [&] { read_host(world, words); }},
      {"idle_host", [&] { read_idle_host(world, words); }},
      {"attempt", [&] { read_attempt(host(), words); }},
      {"refuses", [&] { host().refuses = true; }},
      {"declines", [&] { host().declines = true; }},
      {"link_closes", [&] { host().link_closes = milliseconds(words); }},
      {"cable_pulled", [&] { host().stalls = milliseconds(words); }},
      {"busy", [&] { read_busy(host(), words); }},
      {"agent_killed", [&] { host().agent_killed = milliseconds(words); }},
      {"guard_killed", [&] { host().guard_killed = milliseconds(words); }},
      {"dies", [&] { host().dies = milliseconds(words); }},
      {"rank", [&] { read_rank(world, words); }},
      {"user", [&] { read_user(world, words); }},
      {"grace", [&] { world.grace = milliseconds(words); }},
      {"lease", [&] { world.lease = milliseconds(words); }},
      {"init_timeout", [&] { world.init_timeout = milliseconds(words); }},
      {"max_restarts", [&] { world.max_restarts = static_cast<std::uint32_t>(number(words)); }},
      {"notice", [&] { world.notice = milliseconds(words); }},
      {"traces", [&] { world.traces = true; }},
      {"timeout", [&] { world.timeout = milliseconds(words); }},
      {"patience", [&] { world.patience = milliseconds(words); }},
      {"sleeps", [&] { world.sleeps = milliseconds(words); }},
      {"output_closes", [&] { world.output_closes = milliseconds(words); }},
      {"reader_pauses", [&] { world.reader_pauses = milliseconds(words); }},
      {"fences", [&] { world.fences = static_cast<std::uint32_t>(number(words)); }},
      {"pmi_fences", [&] { world.pmi_fences = static_cast<std::uint32_t>(number(words)); }},
      {"gloo", [&] { world.gloo = true; }},
      {"holds", [&] { world.holds = true; }},
      {"within", [&] { read_inner_run(world, words); }},
      {"input", [&] { read_input(world, words); }},
  };
  if (first.empty() || first.starts_with('#')) return true;
  const auto found = handlers.find(first);
  if (found == handlers.end()) return false;
  found->second();
  return !words.fail();
}

}  // namespace

Scenario read_script(const std::string& text, std::string& trouble) {
  Scenario world;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!read_line(world, line)) trouble = line;
  }
  return world;
}

}  // namespace muster::sim
