// Greets, starts and ends tasks that are not there.
#include "talk/agent_part.hpp"

#include "machine/host_orders.hpp"

namespace muster::talk {
namespace {

constexpr int kTurnsOfAgent = 200;  // at the end
constexpr int kTakingsMax = 2;      // the head does not ask for ever

}  // namespace

void AgentPart::say(const wire::ToHead& message) {
  std::string frame;
  wire::append(frame, message, about_);
  line_.send(frame);
}

void AgentPart::introduce() {
  if (dice_.chance(0.1)) line_.send("Welcome to this host\n" + any_.text() + "\n");
  if (dice_.chance(0.97)) return line_.send(wire::kMagic);
  line_.send(dice_.chance(0.5) ? "\x1dmuster-agent 9\n" : any_.text());
}

void AgentPart::play() {
  const Mood mood = draw_mood(dice_);
  introduce();
  for (std::uint32_t i = 0; i < mood.steps && !line_.ended(); ++i) step(mood);
  for (int i = 0; mood.patient && i < kTurnsOfAgent && !line_.ended(); ++i) obey(kTurn);
}

void AgentPart::step(const Mood& mood) {
  if (dice_.chance(mood.obeys)) return obey(kTurn);
  std::string frame;
  wire::append(frame, any_.to_head(), about());
  if (dice_.chance(mood.harms / (mood.harms + mood.wanders))) {
    frame = damaged(dice_, std::move(frame), false);
  }
  if (dice_.chance(0.3)) wire::append(frame, any_.to_head(), about());
  line_.send(frame);
  if (dice_.chance(0.2)) print(any_.rank());
}

// As a rule of the run and host that the head has named.
wire::Address AgentPart::about() {
  wire::Address address = about_;
  if (dice_.chance(0.05)) address.run = base::RunIndex(dice_.between(0, 3));
  if (dice_.chance(0.02)) address.hosts.add(base::NodeIndex(1000));
  return address;
}

void AgentPart::obey(int milliseconds) {
  reader_.feed(line_.take(milliseconds));
  for (auto message = reader_.next(); message && *message; message = reader_.next()) {
    about_ = reader_.address();
    std::visit([this](const auto& one) { answer(one); }, **message);
  }
  if (!running_.empty() && dice_.chance(0.3)) {
    print(running_.front());
    if (dice_.chance(0.3)) end(running_.front(), dice_.chance(0.8) ? 0 : 3);
  }
}

void AgentPart::answer(const wire::Hello& hello) {
  worlds_.clear();
  running_.clear();
  wire::Welcome welcome{wire::kProtocol, "0", {}};
  welcome.facts.hostname = "played";
  welcome.facts.cpus.usable = 4;
  welcome.facts.interfaces = {{"eth0", "10.0.0.1"}};
  welcome.facts.reached_at = "10.0.0.1";
  welcome.facts.head_address = "127.0.0.1";
  welcome.facts.port = 12345;
  welcome.facts.rank_ports.assign(hello.ports, 12346);
  if (hello.topology || dice_.chance(0.1)) welcome.facts.topology = any_.topology();
  if (dice_.chance(0.1)) welcome.facts.claimed = any_.devices();
  // Two hosts of the same are one, and nothing starts.
  if (dice_.chance(0.03)) welcome.facts.identity = "one host";
  if (dice_.chance(0.5)) {
    welcome.came_us = any_.clock();
    welcome.left_us = any_.clock();
  }
  say(welcome);
}

void AgentPart::answer(const wire::Prepare& own) {
  const std::uint32_t world = own.world;
  if (world == 1 && takings_ < kTakingsMax && dice_.chance(0.1)) {
    ++takings_;
    return say(any_.taken());
  }
  worlds_[world] = machine::ranks_of(told_, own.node);
  for (const base::Rank rank : worlds_[world]) any_.know(rank);
  any_.know_world(world);
  if (!told_.nspace.empty()) any_.know_nspace(told_.nspace);
  for (const auto& add : own.earlier) any_.know_nspace(add.job->nspace);
  if (world > 1 && dice_.chance(0.3)) return say(wire::Declined{world, any_.error()});
  say(wire::Prepared{world});
}

void AgentPart::answer(const wire::Start& start) {
  for (const base::Rank rank : worlds_[start.world]) {
    say(wire::Started{rank, 4000 + static_cast<std::int32_t>(rank.value % 1000)});
    running_.push_back(rank);
  }
}

void AgentPart::answer(const wire::Ping&) { say(wire::Pong{any_.clock()}); }

void AgentPart::answer(const wire::Stop&) {
  while (!running_.empty()) end(running_.back(), 1);
  say(wire::Stopped{});
}

void AgentPart::answer(const wire::PmixDown& down) {
  if (const auto* fetch = std::get_if<wire::pmix::FetchModex>(&down.command)) {
    say(wire::PmixUp{wire::pmix::ModexFound{fetch->ticket, 0, any_.text()}});
  }
  if (const auto* add = std::get_if<wire::pmix::AddJob>(&down.command)) {
    any_.know_nspace(add->job->nspace);
  }
}

void AgentPart::answer(const wire::Trace&) {
  for (const base::Rank rank : running_) say(wire::Traced{rank, "asleep", {}});
}

void AgentPart::end(base::Rank rank, std::int32_t code) {
  wire::Exited exited;
  exited.exit.rank = rank;
  exited.exit.code = code;
  exited.at_us = any_.clock();
  say(wire::OutputEnd{rank, wire::Stream::out});
  say(exited);
  say(wire::OutputEnd{rank, wire::Stream::err});
  std::erase(running_, rank);
}

void AgentPart::print(base::Rank rank) {
  std::string frame;
  const auto stream = dice_.chance(0.7) ? wire::Stream::out : wire::Stream::err;
  wire::append_output(frame, rank, stream, any_.text() + "\n", about_);
  line_.send(frame);
}

}  // namespace muster::talk
