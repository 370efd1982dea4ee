// Draws a scenario from a seed.
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <utility>

#include "model/carriers.hpp"
#include "sim/dice.hpp"
#include "sim/scenario.hpp"

namespace muster::sim {
namespace {

using machine::Retry;
using std::chrono::seconds;

Duration milliseconds(Dice& dice, std::uint32_t low, std::uint32_t high) {
  return Duration(dice.between(low, high));
}

void draw_end(TaskScript& task, Dice& dice, const Faults& faults) {
  task.runs = dice.between(Duration(0), faults.runs_at_most);
  if (dice.chance(faults.task_fails)) {
    if (dice.chance(faults.task_by_signal)) {
      task.signal = dice.chance(0.5) ? SIGSEGV : SIGKILL;
    } else {
      task.code = static_cast<std::int32_t>(dice.between(1, 255));
    }
  } else if (dice.chance(faults.task_endless)) {
    task.runs.reset();
  }
}

TaskScript draw_task(Dice& dice, const Faults& faults) {
  TaskScript task;
  draw_end(task, dice, faults);
  task.cannot_spawn = dice.chance(faults.task_cannot_spawn);
  if (dice.chance(faults.task_ignores_term)) {
    task.on_term = OnTerm::ignores;
  } else if (dice.chance(faults.task_exits_on_term)) {
    task.on_term = OnTerm::exits;
    task.term_code = dice.chance(0.5) ? 0 : 143;
    task.term_takes = milliseconds(dice, 0, 2000);
  }
  task.out_bytes = dice.chance(faults.task_floods) ? dice.between(100'000u, 1'500'000u)
                                                   : dice.between(0u, 2'000u);
  task.err_bytes = dice.chance(faults.task_floods / 2) ? dice.between(100'000u, 600'000u)
                                                       : dice.between(0u, 200u);
  task.closes_out = dice.chance(faults.task_closes_out);
  task.leaves_process = dice.chance(faults.task_leaves_process);
  task.reads_input = !dice.chance(faults.task_deaf_to_input);
  return task;
}

void draw_attempts(HostScript& host, Dice& dice, const Faults& faults) {
  const Attempt up{Attempt::How::up, Retry::no, milliseconds(dice, 10, 1500)};
  const auto failing = [&](Retry retry) {
    return Attempt{Attempt::How::fails, retry, milliseconds(dice, 10, 800)};
  };
  if (dice.chance(faults.carrier_refused)) {
    const Retry retry = dice.chance(0.5) ? Retry::briefly : Retry::patiently;
    host.attempts.assign(dice.between(1u, 4u), failing(retry));
  }
  if (dice.chance(faults.carrier_always_refused)) {
    host.attempts.push_back(failing(dice.chance(0.5) ? Retry::briefly : Retry::patiently));
  } else if (dice.chance(faults.carrier_denied)) {
    host.attempts.push_back(failing(Retry::no));
  } else if (dice.chance(faults.carrier_silent)) {
    host.attempts.push_back({Attempt::How::silent, Retry::no, Duration(0)});
  } else if (dice.chance(faults.carrier_lost_early)) {
    host.attempts.push_back({Attempt::How::up_then_lost, Retry::no, up.takes});
  } else {
    host.attempts.push_back(up);
  }
}

// At most one kind of trouble per host, so that what must be cleaned up by whom stays clear.
void draw_trouble(HostScript& host, Dice& dice, const Faults& faults) {
  const Duration when = dice.between(Duration(0), faults.fault_at_most);
  const bool here = host.carrier == model::kLocal;
  if (dice.chance(faults.guard_killed)) {
    host.guard_killed = when;
  } else if (here) {
    return;
  } else if (dice.chance(faults.link_closes)) {
    host.link_closes = when;
  } else if (dice.chance(faults.cable_pulled)) {
    host.stalls = when;
    if (dice.chance(faults.cable_back)) host.stall_lasts = milliseconds(dice, 100, 15'000);
  } else if (dice.chance(faults.agent_killed)) {
    host.agent_killed = when;
  } else if (dice.chance(faults.host_dies)) {
    host.dies = when;
  }
}

HostScript draw_host(Dice& dice, const Faults& faults) {
  HostScript host;
  host.ranks = dice.between(1u, 4u);
  host.latency = dice.between(Duration(0), faults.latency_at_most);
  host.clock_ahead = dice.between(Duration(0), Duration(5000));
  host.jitter = dice.between(Duration(0), faults.latency_at_most);
  host.checks_for = milliseconds(dice, 0, 300);
  host.refuses = dice.chance(faults.host_refuses);
  host.spawn_takes = milliseconds(dice, 0, 20);
  host.sweep_takes = dice.chance(0.1) ? seconds(5) : milliseconds(dice, 0, 200);
  draw_attempts(host, dice, faults);
  draw_trouble(host, dice, faults);
  return host;
}

void draw_user(Scenario& world, Dice& dice, const Faults& faults) {
  const auto when = [&] { return dice.between(Duration(0), faults.fault_at_most); };
  constexpr std::int32_t kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  if (dice.chance(faults.user_signal)) world.signals.push_back({when(), SIGUSR1});
  if (dice.chance(faults.interrupted)) {
    world.signals.push_back({when(), kEnding[dice.between(0u, 3u)]});
    while (dice.chance(faults.interrupted_again)) {
      const UserAct last = world.signals.back();
      world.signals.push_back({last.at + milliseconds(dice, 0, 7000), last.signal});
    }
  }
  if (dice.chance(faults.suspended)) {
    world.signals.push_back({when(), SIGTSTP});
    world.sleeps = milliseconds(dice, 10, 30'000);
    world.tick_before_cont = dice.chance(0.5);
  }
  if (dice.chance(faults.output_closed)) world.output_closes = when();
  if (dice.chance(faults.head_killed)) world.head_killed = when();
  if (!dice.chance(faults.reader_pauses)) return;
  world.reader_pauses = when();
  world.reader_pause = milliseconds(dice, 10, 4000);
}

// Something must end what never ends by itself.
void draw_timeout(Scenario& world, Dice& dice, const Faults& faults) {
  bool endless = false;
  for (const TaskScript& task : world.tasks) endless = endless || !task.runs;
  if (endless || dice.chance(faults.timeout)) {
    world.timeout = milliseconds(dice, 1000, 25'000);
  }
}

// From dice of its own, so that seeds from before ranks could spawn stay what they were.
void draw_busy_hosts(Scenario& world, Dice dice, const Faults& faults) {
  for (HostScript& host : world.hosts) host.is_busy = host.stalls && dice.chance(faults.is_busy);
}

void draw_spawns(Scenario& world, Dice dice, const Faults& faults) {
  for (HostScript& host : world.hosts) host.declines = dice.chance(faults.host_declines);
  for (TaskScript& task : world.tasks) {
    if (!dice.chance(faults.task_spawns)) continue;
    task.spawn_ranks = dice.between(1u, 5u);
    do {
      task.spawns.push_back(dice.between(Duration(0), faults.runs_at_most));
    } while (dice.chance(faults.task_spawns_again));
  }
}

// Last of all, so that whoever spawns is known: some rank does.
void draw_idle_hosts(Scenario& world, Dice dice, const Faults& faults) {
  if (!dice.chance(faults.has_idle_hosts)) return;
  bool one_here = false;
  for (const HostScript& host : world.hosts) one_here |= host.carrier == model::kLocal;
  const std::uint32_t count = dice.between(1u, 3u);
  for (std::uint32_t i = 0; i < count; ++i) {
    HostScript host = draw_host(dice, faults);
    if (!one_here && dice.chance(faults.idle_host_is_here)) {
      host = HostScript{};
      host.carrier = model::kLocal;
      draw_trouble(host, dice, faults);
      one_here = true;
    }
    host.slots = dice.between(1u, 4u);
    host.ranks = 0;
    host.declines = dice.chance(faults.host_declines);
    world.hosts.push_back(host);
  }
  TaskScript& spawner =
      world.tasks[dice.between(0u, static_cast<std::uint32_t>(world.tasks.size()) - 1)];
  spawner.spawn_ranks = dice.between(1u, 5u);
  spawner.spawns.push_back(dice.between(Duration(0), faults.runs_at_most));
}

// From dice of its own, so that other seeds stay what they were.
void draw_holding(Scenario& world, Dice dice, const Faults& faults) {
  const bool has_idle = world.hosts.back().ranks == 0;
  world.holds = has_idle && dice.chance(faults.holds_idle_hosts);
}

void draw_joins(Scenario& world, Dice dice, const Faults& faults) {
  if (!dice.chance(faults.is_mpi)) return;
  for (TaskScript& task : world.tasks) {
    const Duration when = dice.between(Duration(0), faults.joins_at_most);
    if (!dice.chance(faults.task_never_joins)) task.joins = when;
  }
  if (dice.chance(faults.init_timeout)) world.init_timeout = milliseconds(dice, 200, 3000);
}

// Only ranks that call MPI_Init speak PMIx.
void draw_pmix(Scenario& world, Dice dice, const Faults& faults) {
  if (dice.chance(faults.is_pmix)) world.fences = dice.between(1u, 20u);
}

// From dice of its own, too.
void draw_pmi(Scenario& world, Dice dice, const Faults& faults) {
  if (world.fences == 0 && dice.chance(faults.is_pmi)) world.pmi_fences = dice.between(1u, 20u);
}

// From dice of its own, too.
void draw_gloo(Scenario& world, Dice dice, const Faults& faults) {
  const auto joins = [](const TaskScript& task) { return task.joins.has_value(); };
  if (world.fences != 0 || world.pmi_fences != 0) return;
  world.gloo = std::ranges::any_of(world.tasks, joins) && dice.chance(faults.is_gloo);
}

void draw_notice(Scenario& world, Dice dice, const Faults& faults) {
  if (!world.timeout || !dice.chance(faults.notice)) return;
  world.notice = dice.between(Duration(1), *world.timeout - Duration(1));
}

void draw_restarts(Scenario& world, Dice dice, const Faults& faults) {
  if (!dice.chance(faults.has_restarts)) return;
  world.max_restarts = dice.between(1u, 3u);
  for (TaskScript& task : world.tasks) {
    if (dice.chance(faults.task_heals)) task.heals = dice.between(1u, 3u);
  }
}

// From dice of its own, too. Ranks that wait for it end when they are told to.
void draw_reader(Scenario& world, Dice dice, const Faults& faults) {
  const auto ends = [](const UserAct& act) {
    return act.signal == SIGINT || act.signal == SIGTERM;
  };
  if (!world.timeout && std::ranges::none_of(world.signals, ends)) return;
  if (!world.others.empty()) return;  // nothing might end these
  if (!dice.chance(faults.reader_stays_away)) return;
  world.reader_pauses = dice.between(Duration(0), faults.fault_at_most);
  world.reader_pause = Duration(0);
}

// Each from dice of its own.
void draw_more(Scenario& world, std::uint64_t seed, const Faults& faults) {
  constexpr std::uint64_t kOfJoins = 0x701e;
  draw_joins(world, Dice(seed ^ (kOfJoins << 32)), faults);
  constexpr std::uint64_t kOfPmix = 0x0b1f;
  draw_pmix(world, Dice(seed ^ (kOfPmix << 32)), faults);
  constexpr std::uint64_t kOfPmi = 0x0b11;
  draw_pmi(world, Dice(seed ^ (kOfPmi << 32)), faults);
  constexpr std::uint64_t kOfGloo = 0x9100;
  draw_gloo(world, Dice(seed ^ (kOfGloo << 32)), faults);
  constexpr std::uint64_t kOfRestarts = 0x4e57;
  draw_restarts(world, Dice(seed ^ (kOfRestarts << 32)), faults);
  constexpr std::uint64_t kOfNotices = 0x0071;
  draw_notice(world, Dice(seed ^ (kOfNotices << 32)), faults);
}

// What a run does on a host that another has, too.
HostScript share_host(const HostScript& fleets, Dice& dice, const Faults& faults) {
  HostScript host = fleets;
  host.foreign = false;
  host.ranks = dice.between(1u, 3u);
  host.slots = 0;
  host.refuses = dice.chance(faults.host_refuses);
  host.declines = dice.chance(faults.host_declines);
  return host;
}

void draw_other_hosts(Scenario& world, OtherRun& other, Dice& dice, const Faults& faults) {
  for (HostScript& host : world.hosts) host.guard_of = dice.between(0u, 1u);
  if (dice.chance(faults.other_has_own_host)) {
    world.hosts.push_back(draw_host(dice, faults));
    world.hosts.back().foreign = true;
  }
  const auto count = static_cast<std::uint32_t>(world.hosts.size());
  const std::uint32_t certain = dice.between(0u, count - 1);
  std::vector<std::uint32_t> spare;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool shared = dice.chance(faults.other_shares_host) || i == certain;
    (shared ? other.hosts : spare).push_back(i);
  }
  if (!dice.chance(faults.has_idle_hosts)) spare.clear();
  other.hosts.insert(other.hosts.end(), spare.begin(), spare.end());
  for (const std::uint32_t i : other.hosts) {
    other.own.hosts.push_back(share_host(world.hosts[i], dice, faults));
  }
  for (std::size_t i = other.hosts.size() - spare.size(); i < other.hosts.size(); ++i) {
    other.own.hosts[i].slots = std::exchange(other.own.hosts[i].ranks, 0);
  }
}

void draw_other_run(Scenario& world, Dice dice, const Faults& faults) {
  if (!dice.chance(faults.has_other_run)) return;
  OtherRun other;
  other.begins = dice.between(Duration(0), faults.fault_at_most);
  other.within = dice.chance(faults.other_is_within);
  draw_other_hosts(world, other, dice, faults);
  Scenario& own = other.own;
  for (const HostScript& host : own.hosts) {
    for (std::uint32_t i = 0; i < host.ranks; ++i) own.tasks.push_back(draw_task(dice, faults));
  }
  own.grace = world.grace;
  own.lease = world.lease;
  own.patience = world.patience;
  own.parallel = world.parallel;
  own.sleeps = world.sleeps;
  draw_timeout(own, dice, faults);
  draw_spawns(own, Dice(dice.next()), faults);
  draw_more(own, dice.next(), faults);
  world.others.push_back(std::move(other));
}

}  // namespace

std::string host_name(std::size_t host) { return fmt::format("node{}", host + 1); }

Scenario draw(std::uint64_t seed, const Faults& faults) {
  Dice dice(seed);
  Scenario world;
  world.seed = seed;
  const std::uint32_t hosts = dice.between(1u, 6u);
  const bool one_here = dice.chance(0.4);
  for (std::uint32_t i = 0; i < hosts; ++i) {
    Dice own(dice.next());  // so that one host's faults do not change its neighbours
    world.hosts.emplace_back();
    world.hosts.back() = draw_host(own, faults);
    if (one_here && i == seed % hosts) {
      HostScript& here = world.hosts.back();
      here = HostScript{};
      here.carrier = model::kLocal;
      here.refuses = own.chance(faults.host_refuses);
      draw_trouble(here, own, faults);
    }
    for (std::uint32_t rank = 0; rank < world.hosts.back().ranks; ++rank) {
      world.tasks.push_back(draw_task(own, faults));
    }
  }
  world.grace = milliseconds(dice, 0, 6000);
  world.patience = milliseconds(dice, 2000, 15'000);
  world.parallel = dice.between(1u, 8u);
  draw_timeout(world, dice, faults);
  draw_user(world, dice, faults);
  if (dice.chance(faults.has_input)) {
    world.input_to = dice.chance(0.5) ? model::StdinTo::one : model::StdinTo::all;
    world.input_bytes = dice.between(0u, 1'000'000u);
  }
  constexpr std::uint64_t kOfBusyHosts = 0xb54;
  draw_busy_hosts(world, Dice(seed ^ (kOfBusyHosts << 32)), faults);
  constexpr std::uint64_t kOfSpawns = 0x5b0a;
  draw_spawns(world, Dice(seed ^ (kOfSpawns << 32)), faults);
  constexpr std::uint64_t kOfIdleHosts = 0x1d1e;
  draw_idle_hosts(world, Dice(seed ^ (kOfIdleHosts << 32)), faults);
  constexpr std::uint64_t kOfHolding = 0x401d;
  draw_holding(world, Dice(seed ^ (kOfHolding << 32)), faults);
  draw_more(world, seed, faults);
  constexpr std::uint64_t kOfOthers = 0x2e0d;
  draw_other_run(world, Dice(seed ^ (kOfOthers << 32)), faults);
  constexpr std::uint64_t kOfReaders = 0x4ead;
  draw_reader(world, Dice(seed ^ (kOfReaders << 32)), faults);
  return world;
}

}  // namespace muster::sim
