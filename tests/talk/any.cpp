// Draws messages.
#include "talk/any.hpp"

#include <algorithm>
#include <array>

#include "pmix/codec.hpp"

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

model::HostFacts Any::facts() {
  model::HostFacts facts;
  facts.hostname = text();
  facts.cpus = dice_.chance(0.8) ? 2 : number();
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
  facts.cpus_limited = dice_.chance(0.2);
  if (dice_.chance(0.2)) facts.devices.push_back({text(), texts()});
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

std::string Any::pmix_upcall() {
  std::string frame;
  switch (dice_.between(0, 3)) {
    case 0:
      return text();
    case 1:
      pmix::append(frame, pmix::Upcall(pmix::Aborted{}));
      break;
    case 2:
      pmix::append(frame, pmix::Upcall(pmix::Fence{}));
      break;
    default:
      pmix::append(frame, pmix::Upcall(pmix::Spawn{}));
  }
  return dice_.chance(0.3) ? damaged(dice_, frame, false) : frame;
}

std::string Any::pmix_command() {
  std::string frame;
  pmix::AddJob add;
  add.job.world = world();
  add.job.node = dice_.between(0, 2);
  add.job.ranks.resize(dice_.between(0, 3));
  add.job.hosts.resize(dice_.between(0, 3));
  if (dice_.chance(0.7)) pmix::append(frame, pmix::Command(std::move(add)));
  if (frame.empty()) return text();
  return dice_.chance(0.3) ? damaged(dice_, frame, false) : frame;
}

wire::ToHead Any::of_start() {
  switch (dice_.between(0, 4)) {
    case 0:
      return wire::Welcome{dice_.chance(0.8) ? wire::kProtocol : number(), text(), facts()};
    case 1:
      return wire::Prepared{world()};
    case 2:
      return wire::Refused{error()};
    case 3:
      return wire::Declined{world(), error()};
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
      return exited;
    }
    case 2:
      return wire::InputCredit{rank(), number()};
    case 3:
      return wire::Stopped{number(), texts()};
    case 4:
      return wire::Traced{rank(), text(), text()};
    default:
      return wire::Pong{};
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

wire::ToHead Any::to_head() {
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
