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

// The bytes of a Prepare are never changed: it says what programs are run and which folders made.
void HeadPart::wander(bool harms) {
  std::string frame;
  const bool prepares = dice_.chance(0.1);
  wire::ToAgent message = any_.to_agent();
  if (prepares) {
    wire::Prepare prepare = orders(dice_.between(1, worlds_ + 2));
    if (harms) prepare.folders.clear();
    message = std::move(prepare);
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

wire::AppOrder HeadPart::app() {
  wire::AppOrder app;
  app.command = {"sh", "-c", kDeeds[dice_.between(0, kDeeds.size() - 1)]};
  if (dice_.chance(0.05)) app.command = {"/no/such/program"};
  if (dice_.chance(0.2)) app.workdir = dice_.chance(0.8) ? folder_ : "/no/such/folder";
  if (dice_.chance(0.2)) app.path = folder_;
  if (dice_.chance(0.3)) app.environment.push_back({"NAME", any_.text().substr(0, 200)});
  return app;
}

wire::Prepare HeadPart::orders(std::uint32_t world) {
  wire::Prepare orders;
  for (std::uint32_t i = dice_.between(1, 2); i > 0; --i) orders.apps.push_back(app());
  const auto first = world == 1 ? 0 : ranks_;
  const std::uint32_t count = dice_.between(0, 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    wire::TaskOrder& task = orders.tasks.emplace_back();
    task.rank = dice_.chance(0.97) ? base::Rank(first + i) : any_.rank();
    task.app = dice_.between(0, static_cast<std::uint32_t>(orders.apps.size()) - 1);
    task.input = dice_.chance(0.4);
    if (dice_.chance(0.1)) task.cpus = model::CpuSet::of(dice_.between(0, 3));
    if (dice_.chance(0.2)) task.environment.push_back({"RANK", "0"});
    any_.know(task.rank);
  }
  orders.clean = dice_.chance(0.1);
  orders.hostfile = any_.text();
  orders.window = dice_.chance(0.9) ? 65536 : any_.number();
  orders.wireup.pmi = dice_.chance(0.6);
  orders.wireup.name = "kvs_" + std::to_string(world);
  orders.wireup.size = dice_.chance(0.9) ? std::max(1U, count) : dice_.between(1, 9);
  orders.wireup.world = world;
  orders.wireup.first = base::Rank(dice_.chance(0.95) ? first : any_.number() % 1000);
  for (std::uint32_t i = dice_.chance(0.4) ? dice_.between(1, 2) : 0; i > 0; --i) {
    orders.wireup.pmix_jobs.push_back(any_.pmix_job());
  }
  orders.error_files = dice_.chance(0.2);
  if (dice_.chance(0.1)) orders.launchers = {"mpirun"};
  if (dice_.chance(0.2)) orders.folders = {folder_ + "/made/below"};
  ranks_ = std::max(ranks_, first + count);
  worlds_ = std::max(worlds_, world);
  any_.know_world(world);
  return orders;
}

void HeadPart::answer(const wire::Welcome&) { say(orders(1)); }

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
  const std::uint32_t world = worlds_ + 1;
  say(orders(world));
  say(wire::Spawned{spawn.id, spawn.pmix, world, "kvs_" + std::to_string(world)});
}

void HeadPart::answer(const wire::Stopped&) {
  if (dice_.chance(0.3)) return hello();
  say(wire::Bye{});
}

}  // namespace muster::talk
