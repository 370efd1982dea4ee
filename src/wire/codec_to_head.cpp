// Messages of an agent to the head: each is written by write(), read back by read().
#include "base/check.hpp"
#include "model/job_spec.hpp"
#include "model/topology_text.hpp"
#include "wire/codec.hpp"
#include "wire/codec_parts.hpp"

namespace muster::wire {
namespace {

constexpr std::uint32_t kExitCodeMax = 255;
constexpr auto kFaultMax = static_cast<std::uint32_t>(base::Fault::output);

void write(proto::SharedMemory& to, const model::SharedMemory& shared) {
  to.set_size(shared.size);
  to.set_free(shared.free);
  to.set_read_only(shared.read_only);
}

model::SharedMemory read(const proto::SharedMemory& in) {
  return {in.size(), in.free(), in.read_only()};
}

void write(proto::Circumstances& to, const model::Circumstances& around) {
  if (around.shared) write(*to.mutable_shared(), *around.shared);
  to.set_gpu(around.gpu);
  if (!around.memory) return;
  auto& memory = *to.mutable_memory();
  memory.set_killed(around.memory->killed);
  memory.set_group(around.memory->group);
  memory.set_limit(around.memory->limit);
  memory.set_whole_machine(around.memory->whole_machine);
}

model::Circumstances read(proto::Circumstances& in) {
  model::Circumstances around;
  if (in.has_shared()) around.shared = read(in.shared());
  around.gpu = std::move(*in.mutable_gpu());
  if (!in.has_memory()) return around;
  auto& memory = *in.mutable_memory();
  around.memory = {memory.killed(), std::move(*memory.mutable_group()), memory.limit(),
                   memory.whole_machine()};
  return around;
}

void write(proto::ToHead& out, const Welcome& welcome) {
  auto& to = *out.mutable_welcome();
  to.set_protocol(welcome.protocol);
  to.set_version(welcome.version);
  to.set_hostname(welcome.facts.hostname);
  to.set_cpus(welcome.facts.cpus.usable);
  to.set_cpus_limited(welcome.facts.cpus.limited);
  for (const model::Interface& interface : welcome.facts.interfaces) {
    auto& one = *to.add_interfaces();
    one.set_name(interface.name);
    one.set_address(interface.address);
  }
  to.set_reached_at(welcome.facts.reached_at);
  to.set_head_address(welcome.facts.head_address);
  to.set_port(welcome.facts.port);
  to.set_rdma(welcome.facts.rdma);
  to.set_identity(welcome.facts.identity);
  to.mutable_rank_ports()->Add(welcome.facts.rank_ports.begin(), welcome.facts.rank_ports.end());
  write_devices(*to.mutable_devices(), welcome.facts.devices);
  write_devices(*to.mutable_claimed(), welcome.facts.claimed);
  to.set_plans(welcome.plans);
  to.set_came_us(welcome.came_us);
  to.set_left_us(welcome.left_us);
  if (welcome.facts.topology) to.set_topology(model::encode(*welcome.facts.topology));
  if (welcome.shared) write(*to.mutable_shared(), *welcome.shared);
}

model::HostFacts read_facts(proto::Welcome& in, Bounds& bounds) {
  model::HostFacts facts{.hostname = std::move(*in.mutable_hostname()),
                         .cpus = {in.cpus(), in.cpus_limited()},
                         .interfaces = {},
                         .reached_at = std::move(*in.mutable_reached_at()),
                         .head_address = std::move(*in.mutable_head_address()),
                         .port = bounds.port(in.port()),
                         .rank_ports = bounds.ports(in.rank_ports()),
                         .rdma = in.rdma(),
                         .devices = {},
                         .claimed = {},
                         .topology = {},
                         .identity = std::move(*in.mutable_identity())};
  for (auto& one : *in.mutable_interfaces())
    facts.interfaces.push_back({std::move(*one.mutable_name()), std::move(*one.mutable_address())});
  facts.devices = read_devices(*in.mutable_devices());
  facts.claimed = read_devices(*in.mutable_claimed());
  facts.topology = bounds.topology(in.topology());
  return facts;
}

Welcome read(proto::Welcome& in, Bounds& bounds) {
  Welcome welcome{.protocol = in.protocol(),
                  .version = std::move(*in.mutable_version()),
                  .facts = read_facts(in, bounds),
                  .came_us = bounds.clock_time(in.came_us()),
                  .left_us = bounds.clock_time(in.left_us())};
  if (in.has_shared()) welcome.shared = read(in.shared());
  welcome.plans = in.plans();
  return welcome;
}

void write(proto::ToHead& out, const Prepared& prepared) {
  out.mutable_prepared()->set_world(prepared.world);
  out.mutable_prepared()->set_outside(prepared.outside);
  out.mutable_prepared()->set_no_memory(prepared.no_memory);
  out.mutable_prepared()->set_unanswered(prepared.unanswered);
}

Prepared read(proto::Prepared& in, Bounds& bounds) {
  const auto bytes = static_cast<std::int64_t>(in.outside().size());
  bounds.at_most("bytes of a program's path", bytes, kProgramPathMax);
  const auto why = static_cast<std::int64_t>(in.no_memory().size());
  bounds.at_most("bytes of why no memory is bound", why, kReasonMax);
  const auto program = static_cast<std::int64_t>(in.unanswered().size());
  bounds.at_most("bytes of which program does not answer", program, kReasonMax);
  return {bounds.world(in.world()), std::move(*in.mutable_outside()),
          std::move(*in.mutable_no_memory()), std::move(*in.mutable_unanswered())};
}

void write(proto::Refused& to, const base::Error& error) {
  to.set_fault(static_cast<proto::Fault>(error.fault));
  to.set_what(error.what);
  to.set_hint(error.hint);
  to.set_place_source(error.place.source);
  to.set_place_line(error.place.line);
  to.set_place_column(error.place.column);
}

void write(proto::ToHead& out, const Refused& refused) {
  write(*out.mutable_refused(), refused.error);
}

void write(proto::ToHead& out, const Traced& traced) {
  out.mutable_traced()->set_rank(traced.rank.value);
  out.mutable_traced()->set_state(traced.state);
  out.mutable_traced()->set_stack(traced.stack);
}

void write(proto::ToHead& out, const Declined& declined) {
  out.mutable_declined()->set_world(declined.world);
  write(*out.mutable_declined()->mutable_why(), declined.error);
}

Refused read(proto::Refused& in, Bounds& bounds) {
  const auto fault = static_cast<base::Fault>(bounds.at_most("fault", in.fault(), kFaultMax));
  return {base::Error{
      fault, std::move(*in.mutable_what()), std::move(*in.mutable_hint()),
      base::Place{std::move(*in.mutable_place_source()), in.place_line(), in.place_column()}}};
}

Traced read(proto::Traced& in, Bounds& bounds) {
  bounds.at_most("bytes of a stack", static_cast<std::int64_t>(in.stack().size()), kStackMax);
  return {bounds.rank(in.rank()), std::move(*in.mutable_state()), std::move(*in.mutable_stack())};
}

Declined read(proto::Declined& in, Bounds& bounds) {
  return {bounds.world(in.world()), read(*in.mutable_why(), bounds).error};
}

void write(proto::ToHead& out, const Started& started) {
  out.mutable_started()->set_rank(started.rank.value);
  out.mutable_started()->set_pid(started.pid);
}

Started read(const proto::Started& in, Bounds& bounds) {
  return {bounds.rank(in.rank()), in.pid()};
}

void write(proto::ToHead&, const Output&) { CHECK(!"output travels raw"); }

void write(proto::ToHead& out, const OutputEnd& end) {
  out.mutable_output_end()->set_rank(end.rank.value);
  out.mutable_output_end()->set_stream(to_proto(end.stream));
}

OutputEnd read(const proto::OutputEnd& in, Bounds& bounds) {
  return {bounds.rank(in.rank()), bounds.stream(in.stream())};
}

void write(proto::ToHead& out, const Exited& exited) {
  auto& to = *out.mutable_exited();
  to.set_rank(exited.exit.rank.value);
  to.set_pid(exited.exit.pid);
  to.set_code(exited.exit.code);
  to.set_signal(exited.exit.signal);
  to.set_core_dumped(exited.exit.core_dumped);
  to.set_max_rss_kib(exited.exit.max_rss_kib);
  to.set_error_file(exited.error_file);
  to.set_at_us(exited.at_us);
  to.set_told_us(exited.told_us);
  if (exited.around) write(*to.mutable_around(), *exited.around);
}

Exited read(proto::Exited& in, Bounds& bounds) {
  bounds.at_most("bytes of an error file", static_cast<std::int64_t>(in.error_file().size()),
                 kErrorFileMax);
  Exited exited{model::RankExit{.rank = bounds.rank(in.rank()),
                                .pid = in.pid(),
                                .code = bounds.small("exit code", in.code(), kExitCodeMax),
                                .signal = bounds.small("signal", in.signal(), kSignalMax),
                                .core_dumped = in.core_dumped(),
                                .max_rss_kib = in.max_rss_kib()},
                std::move(*in.mutable_error_file()),
                bounds.clock_time(in.at_us()),
                {},
                bounds.clock_time(in.told_us())};
  if (in.has_around()) exited.around = read(*in.mutable_around());
  return exited;
}

void write(proto::ToHead& out, const InputCredit& credit) {
  out.mutable_input_credit()->set_rank(credit.rank.value);
  out.mutable_input_credit()->set_bytes(credit.bytes);
}

InputCredit read(const proto::InputCredit& in, Bounds& bounds) {
  return {bounds.rank(in.rank()), in.bytes()};
}

void write(proto::ToHead& out, const FenceIn& fence) {
  out.mutable_fence_in()->set_sequence(fence.sequence);
  out.mutable_fence_in()->set_blob(fence.blob);
  out.mutable_fence_in()->set_world(fence.world);
}

FenceIn read(proto::FenceIn& in, Bounds& bounds) {
  return {in.sequence(), std::move(*in.mutable_blob()), bounds.world(in.world())};
}

void write(proto::ToHead& out, const Aborted& aborted) {
  auto& to = *out.mutable_aborted();
  to.set_rank(aborted.rank.value);
  to.set_code(aborted.code);
  to.set_message(aborted.message);
}

Aborted read(proto::Aborted& in, Bounds& bounds) {
  return {bounds.rank(in.rank()), in.code(), std::move(*in.mutable_message())};
}

void write(proto::ToHead& out, const NameAsk& ask) {
  auto& to = *out.mutable_name_ask();
  to.set_id(ask.id);
  to.set_verb(static_cast<proto::NameVerb>(ask.verb));
  to.set_service(ask.service);
  to.set_port(ask.port);
}

NameAsk read(proto::NameAsk& in, Bounds& bounds) {
  const auto verb = bounds.at_most("verb", in.verb(), proto::NAME_UNPUBLISH);
  return {in.id(), static_cast<NameVerb>(verb), std::move(*in.mutable_service()),
          std::move(*in.mutable_port())};
}

void write(proto::ToHead& out, const Taken& taken) {
  out.mutable_taken()->set_cpus(to_string(taken.cpus));
  write_devices(*out.mutable_taken()->mutable_devices(), taken.devices);
}

void write(proto::ToHead& out, const Attendance& attendance) {
  auto& to = *out.mutable_attendance();
  for (const base::Rank rank : attendance.ranks) to.add_ranks(rank.value);
  to.set_library(attendance.library);
}

Attendance read(proto::Attendance& in, Bounds& bounds) {
  Attendance made;
  made.ranks.reserve(static_cast<std::size_t>(in.ranks_size()));
  for (const std::uint32_t rank : in.ranks()) made.ranks.push_back(bounds.rank(rank));
  bounds.at_most("bytes of a library's name", static_cast<std::int64_t>(in.library().size()),
                 kLibraryMax);
  made.library = std::move(*in.mutable_library());
  return made;
}

void write(proto::SpawnApp& to, const SpawnApp& app) {
  for (const std::string& word : app.command) to.add_command(word);
  write_variables(*to.mutable_environment(), app.environment);
  to.set_ranks(app.ranks);
  write_variables(*to.mutable_info(), app.info);
}

SpawnApp read(proto::SpawnApp& in, Bounds& bounds) {
  bounds.at_least("words of a command", in.command_size(), 1);
  return {.command = read_texts(*in.mutable_command()),
          .environment = read_variables(*in.mutable_environment()),
          .ranks = bounds.at_most("number of ranks", in.ranks(), model::kRanksMax),
          .info = read_variables(*in.mutable_info())};
}

void write(proto::ToHead& out, const Spawn& spawn) {
  auto& to = *out.mutable_spawn();
  to.set_id(spawn.id);
  to.set_rank(spawn.rank.value);
  to.set_pmix(spawn.pmix);
  for (const SpawnApp& app : spawn.apps) write(*to.add_apps(), app);
  write_variables(*to.mutable_preput(), spawn.preput);
}

Spawn read(proto::Spawn& in, Bounds& bounds) {
  Spawn spawn{in.id(), bounds.rank(in.rank()), in.pmix(), {}, {}};
  for (proto::SpawnApp& app : *in.mutable_apps()) spawn.apps.push_back(read(app, bounds));
  spawn.preput = read_variables(*in.mutable_preput());
  return spawn;
}

void write(proto::ToHead& out, const PmixUp& up) { write_pmix(*out.mutable_pmix_up(), up); }

void write(proto::ToHead& out, const Stopped& stopped) {
  auto& to = *out.mutable_stopped();
  to.set_killed(stopped.killed);
  for (const std::string& leftover : stopped.leftovers) to.add_leftovers(leftover);
}

Stopped read(proto::Stopped& in, Bounds&) {
  return {in.killed(), read_texts(*in.mutable_leftovers())};
}

void write(proto::ToHead& out, const Pong& pong) { out.mutable_pong()->set_at_us(pong.at_us); }

void write(proto::ToHead& out, const FromLauncher& from) {
  out.mutable_from_launcher()->set_connection(from.connection);
  out.mutable_from_launcher()->set_bytes(from.bytes);
}

FromLauncher read(proto::FromLauncher& in, Bounds& bounds) {
  return {in.connection(), bounds.launcher_bytes(*in.mutable_bytes())};
}

void write(proto::ToHead& out, const Reached&) { out.mutable_reached(); }

void write(proto::ToHead& out, const Unreached& unreached) {
  write(*out.mutable_unreached()->mutable_why(), unreached.error);
}

}  // namespace

void write_message(proto::ToHead& out, const ToHead& message) {
  std::visit([&out](const auto& one) { write(out, one); }, message);
}

std::optional<ToHead> read(proto::ToHead& in, Bounds& bounds) {
  switch (in.message_case()) {
    case proto::ToHead::kWelcome:
      return read(*in.mutable_welcome(), bounds);
    case proto::ToHead::kPrepared:
      return read(*in.mutable_prepared(), bounds);
    case proto::ToHead::kRefused:
      return read(*in.mutable_refused(), bounds);
    case proto::ToHead::kStarted:
      return read(in.started(), bounds);
    case proto::ToHead::kOutputEnd:
      return read(in.output_end(), bounds);
    case proto::ToHead::kExited:
      return read(*in.mutable_exited(), bounds);
    case proto::ToHead::kInputCredit:
      return read(in.input_credit(), bounds);
    case proto::ToHead::kFenceIn:
      return read(*in.mutable_fence_in(), bounds);
    case proto::ToHead::kAborted:
      return read(*in.mutable_aborted(), bounds);
    case proto::ToHead::kNameAsk:
      return read(*in.mutable_name_ask(), bounds);
    case proto::ToHead::kPmixUp:
      return read_pmix(*in.mutable_pmix_up(), bounds);
    case proto::ToHead::kStopped:
      return read(*in.mutable_stopped(), bounds);
    case proto::ToHead::kPong:
      return Pong{bounds.clock_time(in.pong().at_us())};
    case proto::ToHead::kTraced:
      return read(*in.mutable_traced(), bounds);
    case proto::ToHead::kDeclined:
      return read(*in.mutable_declined(), bounds);
    case proto::ToHead::kSpawn:
      return read(*in.mutable_spawn(), bounds);
    case proto::ToHead::kAttendance:
      return read(*in.mutable_attendance(), bounds);
    case proto::ToHead::kTaken:
      return Taken{bounds.cpus(in.taken().cpus()),
                   read_devices(*in.mutable_taken()->mutable_devices())};
    case proto::ToHead::kFromLauncher:
      return read(*in.mutable_from_launcher(), bounds);
    case proto::ToHead::kReached:
      return Reached{};
    case proto::ToHead::kUnreached:
      return Unreached{read(*in.mutable_unreached()->mutable_why(), bounds).error};
    case proto::ToHead::MESSAGE_NOT_SET:
      break;
  }
  return std::nullopt;
}

}  // namespace muster::wire
