// Gives orders and follows what becomes of them.
#include "talk/head_part.hpp"

#include <array>

namespace muster::talk {
namespace {

constexpr int kTurnsOfHead = 100;  // at the end

// All that tasks do: they touch nothing outside of themselves.
constexpr std::array<const char*, 14> kDeeds = {
    "exit 0",
    "exit 3",
    "sleep 0.05",
    "sleep 30",
    "cat",
    "head -c 3000000 /dev/zero",
    "echo out; echo err >&2",
    "kill -KILL $$",
    "trap '' TERM; sleep 1",
    "(sleep 30 &); exit 0",
    R"(printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&3; read a <&3; exit 0)",
    R"(printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&3; read a <&3
       printf 'cmd=barrier_in\n' >&3; read a <&3; printf 'cmd=finalize\n' >&3; read a <&3)",
    R"(printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&3; read a <&3
       printf 'cmd=lookup_name service=x\n' >&3; read a <&3
       printf 'mcmd=spawn\nnprocs=1\nexecname=true\ntotspawns=1\nspawnssofar=1\nendcmd\n' >&3
       read a <&3; printf 'cmd=abort exitcode=3\n' >&3; read a <&3)",
    R"(head -c 5000 /dev/zero >&3; read a <&3)",
};

}  // namespace

void HeadPart::say(const wire::ToAgent& message) {
  std::string frame;
  wire::append(frame, message, about());
  line_.send(frame);
}

// As a rule of the first run, for one and the same host.
wire::Address HeadPart::about() {
  wire::Address address{base::kFirstRun, wire::HostSet(base::NodeIndex(0))};
  if (dice_.chance(0.1)) address.run = base::RunIndex(dice_.between(0, 3));
  if (dice_.chance(0.01)) address.hosts.add(base::NodeIndex(5));
  return address;
}

void HeadPart::hello() {
  say(wire::Hello{wire::kProtocol, "talk", base::NodeIndex(0), dice_.between(300, 3000),
                  dice_.between(0, 100), false, dice_.between(0, 2)});
}

void HeadPart::play() {
  const Mood mood = draw_mood(dice_);
  if (dice_.chance(0.95)) hello();
  for (std::uint32_t i = 0; i < mood.steps && !line_.ended(); ++i) step(mood);
  if (!mood.patient) return;
  say(wire::Stop{15, 50});
  for (int i = 0; i < kTurnsOfHead && !line_.ended(); ++i) obey(kTurn);
}

void HeadPart::step(const Mood& mood) {
  if (dice_.chance(mood.obeys)) return obey(kTurn);
  wander(dice_.chance(mood.harms / (mood.harms + mood.wanders)));
}

// The bytes of a World are never changed: it says what programs are run and which folders made.
void HeadPart::wander(bool harms) {
  std::string frame;
  const bool prepares = dice_.chance(0.1);
  wire::ToAgent message = any_.to_agent();
  if (prepares) {
    wire::World told = world(dice_.between(1, worlds_ + 2));
    if (harms) told.spec.folders.clear();
    message = std::move(told);
  }
  wire::append(frame, message, about());
  if (harms) frame = damaged(dice_, std::move(frame), prepares);
  line_.send(frame);
}

void HeadPart::obey(int milliseconds) {
  std::string bytes = line_.take(milliseconds);
  if (!greeted_ && bytes.starts_with(wire::kMagic)) {
    greeted_ = true;
    bytes.erase(0, wire::kMagic.size());
  }
  reader_.feed(bytes);
  for (auto item = reader_.next(); item && *item; item = reader_.next()) {
    if (const auto* view = std::get_if<wire::OutputView>(&**item)) {
      const auto size = static_cast<std::uint32_t>(view->bytes.size());
      if (dice_.chance(0.8)) say(wire::Credit{view->rank, view->stream, size});
      continue;
    }
    std::visit([this](const auto& one) { answer(one); }, std::get<wire::ToHead>(**item));
  }
}

model::App HeadPart::app() {
  model::App app;
  app.command = {"sh", "-c", kDeeds[dice_.between(0, kDeeds.size() - 1)]};
  if (dice_.chance(0.05)) app.command = {"/no/such/program"};
  if (dice_.chance(0.2)) app.workdir = dice_.chance(0.8) ? folder_ : "/no/such/folder";
  if (dice_.chance(0.2)) app.path = folder_;
  return app;
}

// Some are of other nodes.
void HeadPart::add_ranks(wire::World& world) {
  const auto apps = static_cast<std::uint32_t>(world.spec.apps.size());
  world.plan.nodes.resize(dice_.between(1, 2));
  world.point.addresses.assign(world.plan.nodes.size(), any_.text());
  const std::uint32_t count = dice_.between(0, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const base::NodeIndex node(dice_.chance(0.8) ? 0 : world.plan.nodes.size() - 1);
    auto& there = world.plan.nodes[node.value].ranks;
    world.plan.ranks.push_back({node, static_cast<std::uint32_t>(there.size()), i * apps / count});
    there.emplace_back(i);
    any_.know(base::Rank(world.first.value + i));
  }
}

wire::World HeadPart::world(std::uint32_t number) {
  wire::World world;
  for (std::uint32_t i = dice_.between(1, 2); i > 0; --i) world.spec.apps.push_back(app());
  world.kept.resize(world.spec.apps.size());
  if (dice_.chance(0.3)) {
    world.variables.push_back({"NAME", any_.text().substr(0, 200)});
    world.kept.back().from_shell = {0};
  }
  world.number = number;
  const std::uint32_t first = number == 1 ? 0 : ranks_;
  world.first = base::Rank(dice_.chance(0.95) ? first : any_.number() % 1000);
  add_ranks(world);
  world.spec.apps.back().clean = dice_.chance(0.1);
  if (dice_.chance(0.1)) world.spec.environment.unset = {"PATH", any_.text()};
  world.spec.hostfile = any_.text();
  world.window = dice_.chance(0.9) ? 65536 : any_.number();
  world.spec.wireup = dice_.chance(0.6) ? model::Wireup::automatic : model::Wireup::none;
  world.kvs = "kvs_" + std::to_string(number);
  if (dice_.chance(0.4)) world.nspace = any_.text();
  if (dice_.chance(0.2)) world.spec.torch.emplace();
  if (dice_.chance(0.1)) world.spec.launchers = {"mpirun"};
  if (dice_.chance(0.2)) world.spec.folders = {folder_ + "/made/below"};
  ranks_ = std::max(ranks_, first + static_cast<std::uint32_t>(world.plan.ranks.size()));
  worlds_ = std::max(worlds_, number);
  any_.know_world(number);
  return world;
}

wire::Prepare HeadPart::own_part(const wire::World& world) {
  wire::Prepare own;
  own.world = dice_.chance(0.97) ? world.number : any_.world();
  own.node = base::NodeIndex(dice_.chance(0.9) ? 0 : dice_.between(0, 3));
  if (dice_.chance(0.4)) own.fed = {dice_.between(0, 3)};
  if (dice_.chance(0.1)) {
    own.sets = {model::CpuSet::of(dice_.between(0, 3))};
    const auto& nodes = world.plan.nodes;
    const std::size_t ranks =
        own.node.value < nodes.size() ? nodes[own.node.value].ranks.size() : 1;
    own.bindings.assign(ranks, 0);
  }
  if (dice_.chance(0.2)) own.earlier.push_back(any_.pmix_job());
  return own;
}

void HeadPart::order(std::uint32_t number) {
  const wire::World told = world(number);
  say(told);
  if (dice_.chance(0.99)) say(own_part(told));
}

void HeadPart::answer(const wire::Welcome&) { order(1); }

void HeadPart::answer(const wire::Prepared& prepared) {
  if (dice_.chance(0.9)) return say(wire::Start{prepared.world});
  say(wire::Drop{prepared.world});
}

void HeadPart::answer(const wire::Exited& exited) {
  if (exited.exit.failed() && dice_.chance(0.5)) say(wire::Stop{15, 50});
}

void HeadPart::answer(const wire::FenceIn& fence) {
  if (dice_.chance(0.9)) say(wire::FenceOut{fence.sequence, fence.blob, fence.world});
}

void HeadPart::answer(const wire::NameAsk& ask) {
  any_.know_id(ask.id);
  say(wire::NameAnswer{ask.id, wire::NameVerdict::found, any_.text()});
}

void HeadPart::answer(const wire::Spawn& spawn) {
  any_.know_id(spawn.id);
  if (dice_.chance(0.5)) return say(wire::Spawned{spawn.id, spawn.pmix, 0, {}});
  const std::uint32_t number = worlds_ + 1;
  order(number);
  say(wire::Spawned{spawn.id, spawn.pmix, number, "kvs_" + std::to_string(number)});
}

void HeadPart::answer(const wire::Stopped&) {
  if (dice_.chance(0.3)) return hello();
  say(wire::Bye{});
}

}  // namespace muster::talk
