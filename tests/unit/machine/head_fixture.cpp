// Words for effects, and the usual way up.
#include "unit/machine/head_fixture.hpp"

#include <algorithm>

#include "view/run_event_words.hpp"

namespace muster::machine {

using base::Instant;
using base::NodeIndex;
using base::Rank;

namespace {

const Instant kStart{std::chrono::seconds(100)};

using Told = std::map<std::uint32_t, wire::World>;

struct Message {
  const Told& told;

  std::string operator()(const wire::Hello&) const { return "Hello"; }
  std::string operator()(const wire::World&) const { return {}; }
  std::string operator()(const wire::ToLauncher& m) const {
    return fmt::format("ToLauncher {}", m.connection);
  }
  std::string operator()(const wire::Reach& m) const { return "Reach " + m.name; }
  std::string operator()(const wire::Release&) const { return "Release"; }
  std::string operator()(const wire::Contain&) const { return "Contain"; }
  std::string operator()(const wire::Prepare& m) const {
    return fmt::format("Prepare {}", ranks_of(told.at(m.world), m.node).size());
  }
  std::string operator()(const wire::Start& m) const {
    return m.world == 1 ? "Start" : fmt::format("Start world {}", m.world);
  }
  std::string operator()(const wire::Drop& m) const { return fmt::format("Drop {}", m.world); }
  std::string operator()(const wire::Spawned& m) const {
    return fmt::format("Spawned {} {}", m.id, m.world);
  }
  std::string operator()(const wire::Trace& m) const { return m.stacks ? "Trace all" : "Trace"; }
  std::string operator()(const wire::Signal& m) const { return fmt::format("Signal {}", m.number); }
  std::string operator()(const wire::Stop& m) const { return fmt::format("Stop {}", m.number); }
  std::string operator()(const wire::Input& m) const {
    return fmt::format("Input {} {}", m.rank.value, m.bytes.size());
  }
  std::string operator()(const wire::InputEnd& m) const {
    return fmt::format("InputEnd {}", m.rank.value);
  }
  std::string operator()(const wire::Credit&) const { return "Credit"; }
  std::string operator()(const wire::FenceOut& m) const {
    return fmt::format("FenceOut {} {}", m.sequence, m.blob);
  }
  std::string operator()(const wire::PmixDown& m) const {
    if (const auto* add = std::get_if<pmix::AddJob>(&m.command)) {
      return "AddJob " + add->job->nspace;
    }
    const auto* reply = std::get_if<pmix::Reply>(&m.command);
    if (reply == nullptr) return fmt::format("PmixDown {}", m.command.index());
    return fmt::format("Reply {} {} {}", reply->ticket, reply->status, reply->blob);
  }
  std::string operator()(const wire::NameAnswer& m) const {
    return fmt::format("NameAnswer {} {}", m.id,
                       m.verdict == wire::NameVerdict::found  ? m.port
                       : m.verdict == wire::NameVerdict::done ? "done"
                                                              : "not found");
  }
  std::string operator()(const wire::Suspend& m) const {
    return m.suspended ? "Suspend" : "Suspend over";
  }
  std::string operator()(const wire::Ping&) const { return "Ping"; }
  std::string operator()(const wire::Bye&) const { return "Bye"; }
};

std::string name(NodeIndex node) { return {static_cast<char>('a' + node.value)}; }

struct Effect {
  const Told& told;

  std::string operator()(const OpenLink& e) const { return "open " + name(e.node); }
  std::string operator()(const AddHost& e) const { return e.host.name + " joins"; }
  std::string operator()(const CloseLink& e) const { return "close " + name(e.node); }
  std::string operator()(const KeepLink& e) const {
    return fmt::format("keep {} with run {}", name(e.node), e.run.value);
  }
  std::string operator()(const LookForHost& e) const {
    return fmt::format("look for {} at '{}'", name(e.node), e.address);
  }
  std::string operator()(const ToNode& e) const {
    return name(e.node) + " " + std::visit(Message{told}, e.message);
  }
  std::string operator()(const ToNodes&) const { return {}; }
  std::string operator()(const AddWorld& e) const {
    return fmt::format("world {} of {}", e.world.number, e.world.size);
  }
  std::string operator()(const ServeGloo& e) const {
    return fmt::format("serve gloo on '{}' at '{}' for {} scopes of {}", e.interface, e.address,
                       e.members.size(), fmt::join(e.hosts, " "));
  }
  std::string operator()(const NewRound&) const { return "new round"; }
  std::string operator()(const Tell& e) const {
    const std::string text = view::words(e.event);
    return text.empty() ? text : "say " + text;
  }
  std::string operator()(const RunOver&) const { return {}; }
  std::string operator()(const Say& e) const { return "say " + e.text; }
  std::string operator()(const ReadInput& e) const { return e.on ? "read on" : "read off"; }
  std::string operator()(const SuspendSelf&) const { return "sleep"; }
  std::string operator()(const Finish&) const { return "finish"; }
};

}  // namespace

// World goes without saying: every Prepare comes after one.
Words HeadFixture::words(const HeadEffects& effects) {
  Words all;
  for (const HeadEffect& effect : effects) {
    if (const auto* many = std::get_if<ToNodes>(&effect)) {
      const auto* world = std::get_if<wire::World>(&many->message);
      if (world != nullptr) told_[world->number] = *world;
      for (const NodeIndex node : many->nodes) {
        if (world == nullptr) all.push_back(Effect{told_}(ToNode{node, many->message}));
      }
      continue;
    }
    std::string text = std::visit(Effect{told_}, effect);
    if (!text.empty()) all.push_back(std::move(text));
  }
  return all;
}

HostOrders orders_in(const HeadEffects& effects, NodeIndex node) {
  std::optional<wire::World> world;
  for (const HeadEffect& effect : effects) {
    if (const auto* many = std::get_if<ToNodes>(&effect)) {
      const bool is_for_it = std::ranges::count(many->nodes, node) > 0;
      const auto* told = std::get_if<wire::World>(&many->message);
      if (is_for_it && told != nullptr) world = *told;
    }
    const auto* one = std::get_if<ToNode>(&effect);
    if (one == nullptr || one->node != node) continue;
    const auto* own = std::get_if<wire::Prepare>(&one->message);
    if (own != nullptr && world) return host_orders(*world, *own).value();
  }
  ADD_FAILURE() << "nothing was ordered";
  return {};
}

// Of PMIx are tests of its own.
HeadFixture::HeadFixture() { spec_.wireup = model::Wireup::pmi2; }

void HeadFixture::make(std::vector<model::Carrier> hosts, std::uint32_t ranks_each) {
  RunInput input;
  input.spec = spec_;
  input.survey = survey_;
  input.holds_spare = holds_spare_;
  input.keeps_links = keeps_links_;
  input.number = number_;
  input.secret = "secret";
  input.kept = {{{}}, {{}}};
  input.spec.apps.front().command = {"program"};
  for (std::uint32_t i = 0; i < hosts.size(); ++i) {
    model::PlannedNode node;
    node.host.name = name(NodeIndex(i));
    node.host.carrier = hosts[i];
    for (std::uint32_t local = 0; local < ranks_each; ++local) {
      node.ranks.emplace_back(input.plan.ranks.size());
      input.plan.ranks.push_back({NodeIndex(i), local});
    }
    input.plan.nodes.push_back(std::move(node));
  }
  for (const model::Carrier& carrier : spare_) {
    model::Host& host = input.plan.spare.emplace_back();
    host.name = name(NodeIndex(hosts.size() + input.plan.spare.size() - 1));
    host.carrier = carrier;
  }
  if (servers_ > 0) {
    input.spec.apps.push_back(input.spec.apps.front());
    input.spec.apps.back().serves = true;
    input.kept = {{{}, {}}, {{}, {}}};
    for (std::size_t i = input.plan.ranks.size() - servers_; i < input.plan.ranks.size(); ++i) {
      input.plan.ranks[i].app = 1;
    }
  }
  hosts_ = hosts.size();
  ranks_each_ = ranks_each;
  ranks_ = static_cast<std::uint32_t>(input.plan.ranks.size());
  if (shape_ != nullptr) shape_(input.plan);
  machine_ = std::make_unique<HeadMachine>(std::move(input));
}

Words HeadFixture::start() {
  HeadEffects effects;
  now_ = kStart;
  machine_->start(now_, effects);
  return words(effects);
}

Words HeadFixture::at(int milliseconds, HeadEvent event) {
  now_ = kStart + std::chrono::milliseconds(milliseconds);
  return now(std::move(event));
}

Words HeadFixture::now(HeadEvent event) {
  HeadEffects effects;
  machine_->step(now_, std::move(event), effects);
  machine_->check();
  return words(effects);
}

Words HeadFixture::hear(NodeIndex node, wire::ToHead message) {
  return now(Heard{node, std::move(message), number_});
}

void HeadFixture::run_all() {
  start();
  for (std::uint32_t i = 0; i < hosts_; ++i) now(LinkUp{NodeIndex(i)});
  for (std::uint32_t i = 0; i < hosts_; ++i) hear(NodeIndex(i), wire::Welcome{});
  for (std::uint32_t i = 0; i < hosts_; ++i) hear(NodeIndex(i), wire::Prepared{});
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    hear(NodeIndex(rank / ranks_each_), wire::Started{Rank(rank), 100});
  }
}

std::string HeadFixture::cause() const {
  const model::RunReport report = machine_->report();
  switch (report.cause) {
    case model::Cause::completed:
      return "completed";
    case model::Cause::rank_failed:
      return fmt::format("rank {} on {}", report.first.rank.value, report.host);
    case model::Cause::fault:
      return report.error.what;
    case model::Cause::interrupted:
      return fmt::format("signal {}", report.signal);
  }
  return {};
}

std::int64_t HeadFixture::deadline() const {
  const auto deadline = machine_->deadline();
  if (!deadline) return -1;
  return std::chrono::duration_cast<base::Duration>(*deadline - kStart).count();
}

wire::Exited HeadFixture::exited(std::uint32_t rank, int code, int signal) {
  wire::Exited message;
  message.exit.rank = Rank(rank);
  message.exit.code = code;
  message.exit.signal = signal;
  return message;
}

base::Error HeadFixture::lost(const std::string& what) { return {base::Fault::lost, what, {}, {}}; }

}  // namespace muster::machine
