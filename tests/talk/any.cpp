// Draws messages.
#include "talk/any.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace muster::talk {

using base::Rank;

Rank Any::rank() {
  if (!ranks_.empty() && dice_.chance(0.9)) {
    return ranks_[dice_.between(0, static_cast<std::uint32_t>(ranks_.size()) - 1)];
  }
  return Rank(dice_.chance(0.8) ? dice_.between(0, 8) : model::kRanksMax - 1);
}

std::uint32_t Any::world() {
  if (dice_.chance(0.9)) return dice_.between(1, worlds_);
  return dice_.between(1, worlds_ + 3);
}

std::uint32_t Any::number() {
  constexpr std::array<std::uint32_t, 6> kOdd = {0, 1, 127, 65535, 0x7fffffff, 0xffffffff};
  if (dice_.chance(0.8)) return dice_.between(0, 300);
  return kOdd[dice_.between(0, kOdd.size() - 1)];
}

std::uint64_t Any::id() {
  return dice_.chance(0.7) ? last_id_ : std::uint64_t{number()} << dice_.between(0, 32);
}

// As a rule later than the last one, sometimes earlier, or one of the odd ones.
std::uint64_t Any::clock() {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 52;
  constexpr std::array<std::uint64_t, 4> kOdd = {0, 1, kMost, kMost / 2};
  if (dice_.chance(0.2)) return kOdd[dice_.between(0, kOdd.size() - 1)];
  const std::uint64_t step = std::uint64_t{number()} << (dice_.chance(0.7) ? 0 : 12);
  clock_ = dice_.chance(0.8) ? (clock_ + step) % kMost : clock_ - std::min(clock_, step);
  return clock_;
}

// Of memory and its parts, of which one may be larger than the whole.
std::uint64_t Any::size() { return std::uint64_t{number()} << dice_.between(0, 40); }

model::Circumstances Any::circumstances() {
  model::Circumstances around;
  if (dice_.chance(0.5)) around.shared = model::SharedMemory{size(), size(), dice_.chance(0.1)};
  if (dice_.chance(0.5)) around.memory = {size(), text(), size(), dice_.chance(0.3)};
  if (dice_.chance(0.2)) around.gpu = text();
  return around;
}

std::string Any::text() {
  switch (dice_.between(0, 9)) {
    case 0:
      return {};
    case 1:
      return std::string(dice_.between(1, 100'000), 'x');
    case 2:
      return std::string("a\0\n\xff\x1b[2J", 8);
    case 3:
      return "127.0.0.1";
    default:
      return "word" + std::to_string(dice_.between(0, 9));
  }
}

std::vector<std::string> Any::texts() {
  std::vector<std::string> texts(dice_.between(0, 3));
  for (std::string& one : texts) one = text();
  return texts;
}

model::Stream Any::stream() { return dice_.chance(0.5) ? model::Stream::out : model::Stream::err; }

base::Error Any::error() {
  constexpr std::array kFaults = {base::Fault::usage, base::Fault::unreachable, base::Fault::lost,
                                  base::Fault::cannot_start, base::Fault::internal};
  return {kFaults[dice_.between(0, kFaults.size() - 1)], text(), text(), {}};
}

// Of a host of four, as a rule.
model::CpuSet Any::cpus() {
  switch (dice_.between(0, 5)) {
    case 0:
      return {};
    case 1:
      return model::CpuSet::of(model::kCpusMax - 1);
    case 2:
      return model::CpuSet::range(dice_.between(0, 3), dice_.between(3, 9));
    default:
      return model::CpuSet::of(dice_.between(0, 3));
  }
}

std::vector<model::Devices> Any::devices() {
  std::vector<model::Devices> devices(dice_.between(0, 2));
  for (model::Devices& one : devices) {
    one.variable = dice_.chance(0.7) ? "CUDA_VISIBLE_DEVICES" : text();
    one.ids = dice_.chance(0.7) ? std::vector<std::string>{"0", "1"} : texts();
    if (dice_.chance(0.3)) one.holders = {1000, number()};
  }
  return devices;
}

wire::Taken Any::taken() { return {cpus(), devices()}; }

void Any::contradict(model::Topology& topology) {
  using model::Level;
  switch (dice_.between(0, 6)) {
    case 0:
      topology.at(Level::machine).clear();
      return;
    case 1:
      topology.at(Level::machine).push_back(cpus());
      return;
    case 2:
      topology.allowed = cpus();
      return;
    case 3:
      topology.claimed = cpus();
      return;
    case 4:
      topology.numa_bytes.push_back(size());
      return;
    case 5:
      topology.devices.push_back({text(), text(), cpus(), {number(), number(), number()}});
      return;
    default:
      topology.at(static_cast<Level>(dice_.between(0, model::kLevels - 1))).push_back(cpus());
  }
}

// Two packages of two cores each, some of which others may have.
model::SharedTopology Any::topology() {
  using model::CpuSet;
  using model::Level;
  model::Topology topology;
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) {
    topology.at(Level::hwthread).push_back(CpuSet::of(cpu));
    topology.at(Level::core).push_back(CpuSet::of(cpu));
  }
  topology.at(Level::package) = {CpuSet::range(0, 1), CpuSet::range(2, 3)};
  topology.at(Level::machine) = {CpuSet::range(0, 3)};
  topology.allowed = dice_.chance(0.7) ? CpuSet::range(0, 3) : CpuSet::of(dice_.between(0, 3));
  if (dice_.chance(0.3)) topology.claimed = CpuSet::of(dice_.between(0, 3));
  if (dice_.chance(0.5)) {
    topology.at(Level::numa) = {CpuSet::range(0, 3), CpuSet()};
    topology.numa_bytes = {size(), size()};
  }
  if (dice_.chance(0.2)) topology.devices.push_back({"eth0", "net", CpuSet::of(0), {}});
  if (dice_.chance(0.3)) contradict(topology);
  return {std::make_shared<const model::Topology>(std::move(topology))};
}

model::HostFacts Any::facts() {
  model::HostFacts facts;
  facts.hostname = text();
  facts.cpus.usable = dice_.chance(0.8) ? 2 : number();
  for (std::uint32_t i = dice_.between(0, 3); i > 0; --i) {
    facts.interfaces.push_back({text(), dice_.chance(0.5) ? "10.0.0.1" : text()});
  }
  facts.reached_at = dice_.chance(0.5) ? "10.0.0.1" : text();
  facts.head_address = dice_.chance(0.5) ? "127.0.0.1" : text();
  facts.port = static_cast<std::uint16_t>(number());
  for (std::uint32_t i = dice_.between(0, 4); i > 0; --i) {
    facts.rank_ports.push_back(static_cast<std::uint16_t>(number()));
  }
  facts.rdma = dice_.chance(0.3);
  facts.cpus.limited = dice_.chance(0.2);
  if (dice_.chance(0.2)) facts.devices.push_back({text(), texts()});
  if (dice_.chance(0.2)) facts.claimed = devices();
  if (dice_.chance(0.3)) facts.topology = topology();
  if (dice_.chance(0.2)) facts.identity = text();
  return facts;
}

wire::Spawn Any::spawn() {
  wire::Spawn spawn{id(), rank(), dice_.chance(0.3), {}, {}};
  for (std::uint32_t i = dice_.between(0, 2); i > 0; --i) {
    wire::SpawnApp& app = spawn.apps.emplace_back();
    app.command = dice_.chance(0.8) ? std::vector<std::string>{"true"} : texts();
    app.ranks = dice_.chance(0.9) ? dice_.between(0, 3) : number();
    if (dice_.chance(0.3)) app.info.push_back({dice_.chance(0.5) ? "host" : text(), text()});
    if (dice_.chance(0.3)) app.environment.push_back({text(), text()});
  }
  if (dice_.chance(0.3)) spawn.preput.push_back({text(), text()});
  return spawn;
}

wire::pmix::Proc Any::proc() {
  return {dice_.chance(0.9) ? nspace_ : text(), dice_.chance(0.5)   ? wire::pmix::kAllRanks
                                                : dice_.chance(0.9) ? rank().value
                                                                    : number()};
}

std::vector<wire::pmix::Proc> Any::procs() {
  std::vector<wire::pmix::Proc> procs(dice_.between(0, 3));
  for (wire::pmix::Proc& one : procs) one = proc();
  return procs;
}

std::vector<wire::pmix::Datum> Any::data() {
  std::vector<wire::pmix::Datum> data(dice_.between(0, 2));
  for (wire::pmix::Datum& one : data) one = {proc(), text(), text()};
  return data;
}

// What an agent hands on.
wire::pmix::Upcall Any::pmix_question() {
  switch (dice_.between(0, 7)) {
    case 0:
      return wire::pmix::Fence{id(), procs(), text()};
    case 1:
      return wire::pmix::Fence{id(), {{nspace_, wire::pmix::kAllRanks}}, text()};
    case 2:
      return wire::pmix::Modex{id(), proc()};
    case 3:
      return wire::pmix::ModexFound{dice_.between(0, 5), status(), text()};
    case 4:
      return wire::pmix::Publish{id(), data(), dice_.chance(0.3)};
    case 5:
      return wire::pmix::Lookup{id(), texts(), dice_.chance(0.5)};
    case 6:
      return wire::pmix::Unpublish{id(), proc(), texts()};
    default:
      return wire::pmix::Connect{id(), procs(), dice_.chance(0.5)};
  }
}

// And what it should not.
wire::pmix::Upcall Any::pmix_upcall() {
  if (dice_.chance(0.7)) return pmix_question();
  switch (dice_.between(0, 6)) {
    case 0:
      return wire::pmix::Ready{};
    case 1:
      return wire::pmix::Broken{text(), text()};
    case 2:
      return wire::pmix::Connected{proc()};
    case 3:
      return wire::pmix::Finalized{id(), proc()};
    case 4:
      return wire::pmix::Aborted{id(), proc(), status(), text(), procs()};
    case 5:
      return wire::pmix::Spawn{id(), proc(), {{text(), texts(), texts(), 1, {{text(), text()}}}}};
    default:
      return wire::pmix::Event{status(), proc(), 5, text()};
  }
}

std::int32_t Any::status() { return -static_cast<std::int32_t>(dice_.between(0, 60)); }

wire::pmix::AddJob Any::pmix_job() {
  wire::pmix::Job job;
  job.nspace = dice_.chance(0.8) ? nspace_ : text();
  job.world = world();
  job.offset = dice_.chance(0.8) ? dice_.between(0, 8) : rank().value;
  job.nodes.resize(dice_.chance(0.95) ? dice_.between(1, 3) : 0);
  for (wire::pmix::JobNode& node : job.nodes) {
    node.host = text();
    for (std::uint32_t i = dice_.between(0, 3); i > 0; --i) node.ranks.push_back(rank().value);
  }
  job.apps.resize(dice_.chance(0.95) ? dice_.between(1, 2) : 0);
  if (dice_.chance(0.2)) job.parent = proc();
  const std::uint32_t node = dice_.chance(0.95) ? 0 : dice_.between(0, 3);
  return {std::make_shared<const wire::pmix::Job>(std::move(job)), node, text()};
}

wire::pmix::Command Any::pmix_command() {
  switch (dice_.between(0, 5)) {
    case 0:
      return wire::pmix::Reply{id(), status(), text()};
    case 1:
      return wire::pmix::Found{id(), status(), data()};
    case 2:
      return wire::pmix::Spawned{id(), status(), text()};
    case 3:
      return wire::pmix::FetchModex{id(), proc()};
    case 4:
      return wire::pmix::Event{status(), proc(), 5, text()};
    default:
      return pmix_job();
  }
}

wire::Welcome Any::welcome() {
  wire::Welcome made{dice_.chance(0.8) ? wire::kProtocol : number(), text(), facts()};
  if (dice_.chance(0.5)) {
    made.came_us = clock();
    made.left_us = clock();
  }
  if (dice_.chance(0.3)) made.shared = model::SharedMemory{size(), size(), dice_.chance(0.1)};
  return made;
}

wire::ToHead Any::of_start() {
  switch (dice_.between(0, 7)) {
    case 0:
      return welcome();
    case 1:
      return wire::Prepared{world(), dice_.chance(0.8) ? "" : text()};
    case 2:
      return wire::Refused{error()};
    case 3:
      return wire::Declined{world(), error()};
    case 4:
      return taken();
    case 5:
      return wire::Reached{};
    case 6:
      return wire::Unreached{error()};
    default:
      return wire::Started{rank(), static_cast<std::int32_t>(number())};
  }
}

wire::ToHead Any::of_tasks() {
  switch (dice_.between(0, 5)) {
    case 0:
      return wire::OutputEnd{rank(), stream()};
    case 1: {
      wire::Exited exited{{rank()}, text()};
      exited.exit.code = static_cast<std::int32_t>(dice_.between(0, 3));
      exited.exit.signal = dice_.chance(0.3) ? static_cast<std::int32_t>(dice_.between(0, 70)) : 0;
      exited.exit.max_rss_kib = size();
      exited.at_us = clock();
      exited.told_us = clock();
      if (dice_.chance(0.5)) exited.around = circumstances();
      return exited;
    }
    case 2:
      return wire::InputCredit{rank(), number()};
    case 3:
      return wire::Stopped{number(), texts()};
    case 4:
      return wire::Traced{rank(), text(), text()};
    default:
      return wire::Pong{dice_.chance(0.8) ? clock() : 0};
  }
}

wire::ToHead Any::of_wireup() {
  switch (dice_.between(0, 5)) {
    case 0:
      return wire::FenceIn{dice_.between(0, 2), text(), world()};
    case 1:
      return wire::Aborted{rank(), static_cast<std::int32_t>(number()), text()};
    case 2:
      return wire::NameAsk{id(), static_cast<wire::NameVerb>(dice_.between(0, 2)), text(), text()};
    case 3:
      return wire::PmixUp{pmix_upcall()};
    case 4:
      return spawn();
    default:
      return wire::Attendance{{rank(), rank()}};
  }
}

// The launcher itself may say anything.
wire::FromLauncher Any::of_launcher() {
  wire::FromLauncher from{dice_.between(1, 3), {}};
  if (dice_.chance(0.05)) return from;
  for (std::uint32_t i = dice_.between(1, 4); i > 0; --i) {
    const base::NodeIndex host(dice_.between(0, 3));
    const wire::Address to{base::RunIndex(dice_.chance(0.95) ? 1 : number()), wire::HostSet(host)};
    const std::string name = fmt::format("host{}", dice_.between(0, 2));
    const bool reaches = dice_.chance(0.4);
    wire::append(from.bytes, reaches ? wire::ToAgent(wire::Reach{name, {}, 0}) : to_agent(), to);
  }
  if (dice_.chance(0.1)) from.bytes = damaged(dice_, from.bytes, false);
  return from;
}

wire::ToAgent Any::for_launchers() {
  switch (dice_.between(0, 2)) {
    case 0:
      return wire::ToLauncher{dice_.between(0, 3), text()};
    case 1:
      return wire::Reach{text(), text(), dice_.between(0, 65'535)};
    default:
      return wire::Release{};
  }
}

// No agent that runs starts one: there is no such folder.
wire::Contain Any::contain() {
  wire::Contain contain;
  contain.container.image = text();
  contain.container.runtime = static_cast<model::ContainerRuntime>(dice_.between(0, 5));
  contain.container.options = texts();
  contain.container.mounts = {{"/no/such/folder", "/no/such/folder", dice_.chance(0.5)}};
  contain.container.devices = texts();
  contain.container.shared_memory = size();
  contain.container.from_here = dice_.chance(0.2);
  contain.name = text();
  contain.grace_ms = number();
  return contain;
}

wire::ToHead Any::to_head() {
  if (dice_.chance(0.1)) return of_launcher();
  switch (dice_.between(0, 2)) {
    case 0:
      return of_start();
    case 1:
      return of_tasks();
    default:
      return of_wireup();
  }
}

wire::ToAgent Any::of_run() {
  switch (dice_.between(0, 7)) {
    case 0:
      return wire::Start{world()};
    case 1:
      return wire::Drop{world()};
    case 2:
      return wire::Signal{static_cast<std::int32_t>(dice_.between(0, 70))};
    case 3:
      return wire::Trace{false};
    case 4:
      return wire::Stop{static_cast<std::int32_t>(dice_.between(0, 20)), dice_.between(0, 100)};
    case 5:
      return wire::Input{rank(), text()};
    case 6:
      return wire::InputEnd{rank()};
    default:
      return wire::Credit{rank(), stream(), number()};
  }
}

wire::ToAgent Any::of_answers() {
  switch (dice_.between(0, 5)) {
    case 0:
      return wire::Suspend{dice_.chance(0.3)};
    case 1:
      return wire::FenceOut{dice_.between(0, 2), text(), world()};
    case 2:
      return wire::Spawned{id(), dice_.chance(0.3), dice_.between(0, 3), text()};
    case 3:
      return wire::PmixDown{pmix_command()};
    case 4:
      return wire::NameAnswer{id(), static_cast<wire::NameVerdict>(dice_.between(0, 2)), text()};
    default:
      return wire::Ping{};
  }
}

// Of a world that may not be known.
wire::Prepare Any::prepare() {
  wire::Prepare own;
  own.world = world();
  own.node = base::NodeIndex(dice_.between(0, 2));
  own.fed = {dice_.between(0, 5)};
  own.sets = {model::CpuSet::of(dice_.between(0, 5))};
  own.bindings.assign(dice_.between(0, 3), dice_.chance(0.5) ? model::kUnbound : 0);
  own.interface = text();
  own.cpus.usable = number();
  own.visible = dice_.chance(0.2) ? "0" : "";
  return own;
}

wire::ToAgent Any::to_agent() {
  if (dice_.chance(0.1)) {
    return wire::Hello{dice_.chance(0.8) ? wire::kProtocol : number(),
                       text(),
                       base::NodeIndex(dice_.between(0, 3)),
                       dice_.between(0, 3000),
                       dice_.between(0, 200),
                       dice_.chance(0.1),
                       dice_.between(0, 4)};
  }
  if (dice_.chance(0.03)) return wire::Bye{text(), number()};
  if (dice_.chance(0.05)) return for_launchers();
  if (dice_.chance(0.03)) return contain();
  if (dice_.chance(0.1)) return prepare();
  return dice_.chance(0.6) ? of_run() : of_answers();
}

std::string damaged(Dice& dice, std::string frame, bool keep_payload) {
  constexpr std::size_t kHead = 5;
  const auto last = static_cast<std::uint32_t>(frame.size()) - 1;
  switch (dice.between(0, keep_payload ? 3 : 5)) {
    case 0:
      frame.resize(dice.between(0, last));
      break;
    case 1:
      frame[4] = static_cast<char>(dice.between(0, 255));
      break;
    case 2:
      frame[dice.between(0, 3)] = static_cast<char>(dice.between(0, 255));
      break;
    case 3:
      frame.insert(0, dice.between(1, 9), static_cast<char>(dice.between(0, 255)));
      break;
    default:
      for (std::uint32_t i = dice.between(1, 4); i > 0 && frame.size() > kHead; --i) {
        frame[dice.between(kHead, last)] ^= static_cast<char>(1U << dice.between(0, 7));
      }
  }
  return frame;
}

}  // namespace muster::talk
