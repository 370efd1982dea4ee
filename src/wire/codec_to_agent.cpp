// Messages of the head to an agent: each is written by write(), read back by read().
#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "model/job_spec.hpp"
#include "wire/codec.hpp"
#include "wire/codec_parts.hpp"

namespace muster::wire {
namespace {

void write(proto::ToAgent& out, const Hello& hello) {
  auto& to = *out.mutable_hello();
  to.set_protocol(hello.protocol);
  to.set_job(hello.job);
  to.set_node(hello.node.value);
  to.set_lease_ms(hello.lease_ms);
  to.set_grace_ms(hello.grace_ms);
  to.set_topology(hello.topology);
  to.set_ports(hello.ports);
}

Hello read(proto::Hello& in, Bounds& bounds) {
  return {.protocol = in.protocol(),
          .job = std::move(*in.mutable_job()),
          .node = base::NodeIndex(bounds.at_most("node", in.node(), model::kRanksMax - 1)),
          .lease_ms = in.lease_ms(),
          .grace_ms = in.grace_ms(),
          .topology = in.topology(),
          .ports = bounds.at_most("ports", in.ports(), model::kRolesRanksMax)};
}

void write(proto::TaskOrder& to, const TaskOrder& task) {
  to.set_rank(task.rank.value);
  to.set_app(task.app);
  to.set_input(task.input);
  to.set_cpus(to_string(task.cpus));
  for (const std::string& word : task.command) to.add_command(word);
  write_variables(*to.mutable_environment(), task.environment);
}

TaskOrder read(proto::TaskOrder& in, std::uint32_t apps, Bounds& bounds) {
  return {.rank = bounds.rank(in.rank()),
          .app = bounds.at_most("app", in.app(), apps - 1),
          .environment = read_variables(*in.mutable_environment()),
          .input = in.input(),
          .cpus = bounds.cpus(in.cpus()),
          .command = read_texts(*in.mutable_command())};
}

void write(proto::Wireup& to, const Wireup& wireup) {
  to.set_pmi(wireup.pmi);
  to.set_name(wireup.name);
  to.set_size(wireup.size);
  to.set_universe(wireup.universe);
  to.set_mapping(wireup.mapping);
  for (const pmix::AddJob& job : wireup.pmix_jobs) write_pmix(*to.add_pmix_jobs(), job);
  to.set_world(wireup.world);
  to.set_first(wireup.first.value);
  to.set_spawner(wireup.spawner);
  write_variables(*to.mutable_preput(), wireup.preput);
}

std::vector<pmix::AddJob> read_jobs(proto::Wireup& in, Bounds& bounds) {
  std::vector<pmix::AddJob> jobs;
  for (proto::PmixAddJob& job : *in.mutable_pmix_jobs()) jobs.push_back(read_pmix(job, bounds));
  return jobs;
}

Wireup read(proto::Wireup& in, Bounds& bounds) {
  return {.pmi = in.pmi(),
          .name = std::move(*in.mutable_name()),
          .size = bounds.at_most("number of ranks", in.size(), model::kRanksMax),
          .universe = in.universe(),
          .mapping = std::move(*in.mutable_mapping()),
          .pmix_jobs = read_jobs(in, bounds),
          .world = bounds.world(in.world()),
          .first = bounds.rank(in.first()),
          .spawner = std::move(*in.mutable_spawner()),
          .preput = read_variables(*in.mutable_preput())};
}

void write(proto::AppOrder& to, const AppOrder& app) {
  for (const std::string& word : app.command) to.add_command(word);
  to.set_workdir(app.workdir);
  to.set_path(app.path);
  write_variables(*to.mutable_environment(), app.environment);
  to.set_tries_workdir(app.tries_workdir);
}

AppOrder read(proto::AppOrder& in) {
  return {.command = read_texts(*in.mutable_command()),
          .workdir = std::move(*in.mutable_workdir()),
          .path = std::move(*in.mutable_path()),
          .environment = read_variables(*in.mutable_environment()),
          .tries_workdir = in.tries_workdir()};
}

void write(proto::ToAgent& out, const Prepare& prepare) {
  auto& to = *out.mutable_prepare();
  for (const AppOrder& app : prepare.apps) write(*to.add_apps(), app);
  to.set_clean(prepare.clean);
  to.set_hostfile(prepare.hostfile);
  to.mutable_tasks()->Reserve(static_cast<int>(prepare.tasks.size()));
  for (const TaskOrder& task : prepare.tasks) write(*to.add_tasks(), task);
  to.set_window(prepare.window);
  write(*to.mutable_wireup(), prepare.wireup);
  to.set_error_files(prepare.error_files);
  to.set_python_hook(prepare.python_hook);
  for (const std::string& name : prepare.launchers) to.add_launchers(name);
  for (const std::string& folder : prepare.folders) to.add_folders(folder);
  to.set_held_port(prepare.held_port);
  to.set_claims(to_string(prepare.claims));
  if (!prepare.terminal) return;
  to.mutable_terminal()->set_columns(prepare.terminal->columns);
  to.mutable_terminal()->set_rows(prepare.terminal->rows);
}

std::vector<TaskOrder> read_tasks(proto::Prepare& in, Bounds& bounds) {
  std::vector<TaskOrder> tasks;
  tasks.reserve(bounds.at_most("number of tasks", in.tasks_size(), model::kRanksMax));
  if (bounds.complaint()) return tasks;
  if (in.tasks_size() > 0) bounds.at_least("number of apps", in.apps_size(), 1);
  const auto apps = static_cast<std::uint32_t>(std::max(1, in.apps_size()));
  for (proto::TaskOrder& task : *in.mutable_tasks()) tasks.push_back(read(task, apps, bounds));
  return tasks;
}

std::vector<AppOrder> read_apps(proto::Prepare& in, Bounds& bounds) {
  std::vector<AppOrder> apps;
  for (proto::AppOrder& app : *in.mutable_apps()) {
    bounds.at_least("words of a command", app.command_size(), 1);
    apps.push_back(read(app));
  }
  return apps;
}

std::optional<model::TerminalSize> read_terminal(const proto::Prepare& in, Bounds& bounds) {
  if (!in.has_terminal()) return std::nullopt;
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  const auto side = [&](const char* name, std::uint32_t value) {
    return static_cast<std::uint16_t>(bounds.at_most(name, value, kMost));
  };
  return model::TerminalSize{side("columns of a terminal", in.terminal().columns()),
                             side("rows of a terminal", in.terminal().rows())};
}

Prepare read(proto::Prepare& in, Bounds& bounds) {
  return {.apps = read_apps(in, bounds),
          .clean = in.clean(),
          .hostfile = std::move(*in.mutable_hostfile()),
          .tasks = read_tasks(in, bounds),
          .window = in.window(),
          .wireup = read(*in.mutable_wireup(), bounds),
          .error_files = in.error_files(),
          .python_hook = in.python_hook(),
          .launchers = read_texts(*in.mutable_launchers()),
          .folders = read_texts(*in.mutable_folders()),
          .held_port = bounds.port(in.held_port()),
          .terminal = read_terminal(in, bounds),
          .claims = bounds.cpus(in.claims())};
}

void write(proto::ToAgent& out, const Start& start) { out.mutable_start()->set_world(start.world); }

void write(proto::ToAgent& out, const Drop& drop) { out.mutable_drop()->set_world(drop.world); }

void write(proto::ToAgent& out, const Trace& trace) {
  out.mutable_trace()->set_stacks(trace.stacks);
}

void write(proto::ToAgent& out, const Signal& signal) {
  out.mutable_signal()->set_number(signal.number);
}

Signal read(const proto::Signal& in, Bounds& bounds) {
  return {bounds.small("signal", in.number(), kSignalMax)};
}

void write(proto::ToAgent& out, const Stop& stop) {
  out.mutable_stop()->set_number(stop.number);
  out.mutable_stop()->set_grace_ms(stop.grace_ms);
}

Stop read(const proto::Stop& in, Bounds& bounds) {
  return {bounds.small("signal", in.number(), kSignalMax), in.grace_ms()};
}

void write(proto::ToAgent&, const Input&) { CHECK(!"input travels raw"); }

void write(proto::ToAgent& out, const InputEnd& end) {
  out.mutable_input_end()->set_rank(end.rank.value);
}

InputEnd read(const proto::InputEnd& in, Bounds& bounds) { return {bounds.rank(in.rank())}; }

void write(proto::ToAgent& out, const Credit& credit) {
  auto& to = *out.mutable_credit();
  to.set_rank(credit.rank.value);
  to.set_stream(to_proto(credit.stream));
  to.set_bytes(credit.bytes);
}

Credit read(const proto::Credit& in, Bounds& bounds) {
  return {bounds.rank(in.rank()), bounds.stream(in.stream()), in.bytes()};
}

void write(proto::ToAgent& out, const Suspend& suspend) {
  out.mutable_suspend()->set_suspended(suspend.suspended);
}

void write(proto::ToAgent& out, const FenceOut& fence) {
  out.mutable_fence_out()->set_sequence(fence.sequence);
  out.mutable_fence_out()->set_blob(fence.blob);
  out.mutable_fence_out()->set_world(fence.world);
}

FenceOut read(proto::FenceOut& in, Bounds& bounds) {
  return {in.sequence(), std::move(*in.mutable_blob()), bounds.world(in.world())};
}

void write(proto::ToAgent& out, const Spawned& spawned) {
  auto& to = *out.mutable_spawned();
  to.set_id(spawned.id);
  to.set_pmix(spawned.pmix);
  to.set_world(spawned.world);
  to.set_name(spawned.name);
}

Spawned read(proto::Spawned& in, Bounds& bounds) {
  return {in.id(), in.pmix(), bounds.at_most("world", in.world(), model::kRanksMax),
          std::move(*in.mutable_name())};
}

void write(proto::ToAgent& out, const NameAnswer& answer) {
  auto& to = *out.mutable_name_answer();
  to.set_id(answer.id);
  to.set_verdict(static_cast<proto::NameVerdict>(answer.verdict));
  to.set_port(answer.port);
}

NameAnswer read(proto::NameAnswer& in, Bounds& bounds) {
  const auto verdict = bounds.at_most("verdict", in.verdict(), proto::NAME_NOT_FOUND);
  return {in.id(), static_cast<NameVerdict>(verdict), std::move(*in.mutable_port())};
}

void write(proto::ToAgent& out, const PmixDown& down) {
  write_pmix(*out.mutable_pmix_down(), down);
}

void write(proto::ToAgent& out, const Ping&) { out.mutable_ping(); }
void write(proto::ToAgent& out, const Bye& bye) {
  out.mutable_bye()->set_report(bye.report);
  out.mutable_bye()->set_code(bye.code);
}

Bye read(proto::Bye& in, Bounds& bounds) {
  return {std::move(*in.mutable_report()), bounds.at_most("exit code", in.code(), kExitCodeMax)};
}

}  // namespace

void write_message(proto::ToAgent& out, const ToAgent& message) {
  std::visit([&out](const auto& one) { write(out, one); }, message);
}

std::optional<ToAgent> read(proto::ToAgent& in, Bounds& bounds) {
  switch (in.message_case()) {
    case proto::ToAgent::kHello:
      return read(*in.mutable_hello(), bounds);
    case proto::ToAgent::kPrepare:
      return read(*in.mutable_prepare(), bounds);
    case proto::ToAgent::kStart:
      return Start{bounds.world(in.start().world())};
    case proto::ToAgent::kSignal:
      return read(in.signal(), bounds);
    case proto::ToAgent::kStop:
      return read(in.stop(), bounds);
    case proto::ToAgent::kInputEnd:
      return read(in.input_end(), bounds);
    case proto::ToAgent::kCredit:
      return read(in.credit(), bounds);
    case proto::ToAgent::kSuspend:
      return Suspend{in.suspend().suspended()};
    case proto::ToAgent::kFenceOut:
      return read(*in.mutable_fence_out(), bounds);
    case proto::ToAgent::kNameAnswer:
      return read(*in.mutable_name_answer(), bounds);
    case proto::ToAgent::kPmixDown:
      return read_pmix(*in.mutable_pmix_down(), bounds);
    case proto::ToAgent::kPing:
      return Ping{};
    case proto::ToAgent::kBye:
      return read(*in.mutable_bye(), bounds);
    case proto::ToAgent::kTrace:
      return Trace{in.trace().stacks()};
    case proto::ToAgent::kDrop:
      return Drop{bounds.world(in.drop().world())};
    case proto::ToAgent::kSpawned:
      return read(*in.mutable_spawned(), bounds);
    case proto::ToAgent::MESSAGE_NOT_SET:
      break;
  }
  return std::nullopt;
}

}  // namespace muster::wire
