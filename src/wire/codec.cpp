// The only file that knows protobuf: each message is written by write(), read back by read().
#include "wire/codec.hpp"

#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.hpp"
#include "model/job_spec.hpp"
#include "model/topology_text.hpp"
#include "wire.pb.h"
#include "wire/bounds.hpp"

namespace muster::wire {
namespace {

constexpr std::uint32_t kPortMax = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint32_t kExitCodeMax = 255;
constexpr auto kFaultMax = static_cast<std::uint32_t>(base::Fault::internal);

proto::Stream to_proto(Stream stream) {
  return stream == Stream::out ? proto::STREAM_OUT : proto::STREAM_ERR;
}

template <class Repeated>
void write_variables(Repeated& out, const std::vector<NameValue>& variables) {
  out.Reserve(static_cast<int>(variables.size()));
  for (const NameValue& variable : variables) {
    auto& one = *out.Add();
    one.set_name(variable.name);
    one.set_value(variable.value);
  }
}

template <class Repeated>
std::vector<NameValue> read_variables(Repeated& in) {
  std::vector<NameValue> variables;
  variables.reserve(static_cast<std::size_t>(in.size()));
  for (auto& one : in)
    variables.push_back({std::move(*one.mutable_name()), std::move(*one.mutable_value())});
  return variables;
}

template <class Repeated>
std::vector<std::string> read_texts(Repeated& in) {
  return {std::make_move_iterator(in.begin()), std::make_move_iterator(in.end())};
}

// ---- head to agent ------------------------------------------------------------------------------

void write(proto::ToAgent& out, const Hello& hello) {
  auto& to = *out.mutable_hello();
  to.set_protocol(hello.protocol);
  to.set_job(hello.job);
  to.set_node(hello.node.value);
  to.set_lease_ms(hello.lease_ms);
  to.set_grace_ms(hello.grace_ms);
  to.set_topology(hello.topology);
}

Hello read(proto::Hello& in, Bounds& bounds) {
  return {.protocol = in.protocol(),
          .job = std::move(*in.mutable_job()),
          .node = base::NodeIndex(bounds.at_most("node", in.node(), model::kRanksMax - 1)),
          .lease_ms = in.lease_ms(),
          .grace_ms = in.grace_ms(),
          .topology = in.topology()};
}

void write(proto::TaskOrder& to, const TaskOrder& task) {
  to.set_rank(task.rank.value);
  to.set_app(task.app);
  to.set_input(task.input);
  to.set_cpus(to_string(task.cpus));
  write_variables(*to.mutable_environment(), task.environment);
}

TaskOrder read(proto::TaskOrder& in, std::uint32_t apps, Bounds& bounds) {
  return {.rank = bounds.rank(in.rank()),
          .app = bounds.at_most("app", in.app(), apps - 1),
          .environment = read_variables(*in.mutable_environment()),
          .input = in.input(),
          .cpus = bounds.cpus(in.cpus())};
}

void write(proto::Wireup& to, const Wireup& wireup) {
  to.set_pmi(wireup.pmi);
  to.set_name(wireup.name);
  to.set_size(wireup.size);
  to.set_universe(wireup.universe);
  to.set_mapping(wireup.mapping);
  to.set_pmix_job(wireup.pmix_job);
  to.set_world(wireup.world);
  to.set_first(wireup.first.value);
  to.set_spawner(wireup.spawner);
  write_variables(*to.mutable_preput(), wireup.preput);
}

Wireup read(proto::Wireup& in, Bounds& bounds) {
  return {.pmi = in.pmi(),
          .name = std::move(*in.mutable_name()),
          .size = bounds.at_most("number of ranks", in.size(), model::kRanksMax),
          .universe = in.universe(),
          .mapping = std::move(*in.mutable_mapping()),
          .pmix_job = std::move(*in.mutable_pmix_job()),
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
}

AppOrder read(proto::AppOrder& in) {
  return {.command = read_texts(*in.mutable_command()),
          .workdir = std::move(*in.mutable_workdir()),
          .path = std::move(*in.mutable_path()),
          .environment = read_variables(*in.mutable_environment())};
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

Prepare read(proto::Prepare& in, Bounds& bounds) {
  return {.apps = read_apps(in, bounds),
          .clean = in.clean(),
          .hostfile = std::move(*in.mutable_hostfile()),
          .tasks = read_tasks(in, bounds),
          .window = in.window(),
          .wireup = read(*in.mutable_wireup(), bounds)};
}

void write(proto::ToAgent& out, const Start& start) { out.mutable_start()->set_world(start.world); }

void write(proto::ToAgent& out, const Drop& drop) { out.mutable_drop()->set_world(drop.world); }

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
  out.mutable_pmix_down()->set_frame(down.frame);
}

void write(proto::ToAgent& out, const Ping&) { out.mutable_ping(); }
void write(proto::ToAgent& out, const Bye&) { out.mutable_bye(); }

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
      return PmixDown{std::move(*in.mutable_pmix_down()->mutable_frame())};
    case proto::ToAgent::kPing:
      return Ping{};
    case proto::ToAgent::kBye:
      return Bye{};
    case proto::ToAgent::kDrop:
      return Drop{bounds.world(in.drop().world())};
    case proto::ToAgent::kSpawned:
      return read(*in.mutable_spawned(), bounds);
    case proto::ToAgent::MESSAGE_NOT_SET:
      break;
  }
  return std::nullopt;
}

// ---- agent to head ------------------------------------------------------------------------------

void write(proto::ToHead& out, const Welcome& welcome) {
  auto& to = *out.mutable_welcome();
  to.set_protocol(welcome.protocol);
  to.set_version(welcome.version);
  to.set_hostname(welcome.facts.hostname);
  to.set_cpus(welcome.facts.cpus);
  for (const model::Interface& interface : welcome.facts.interfaces) {
    auto& one = *to.add_interfaces();
    one.set_name(interface.name);
    one.set_address(interface.address);
  }
  to.set_reached_at(welcome.facts.reached_at);
  to.set_head_address(welcome.facts.head_address);
  to.set_port(welcome.facts.port);
  to.set_rdma(welcome.facts.rdma);
  for (const model::Devices& devices : welcome.facts.devices) {
    auto& one = *to.add_devices();
    one.set_variable(devices.variable);
    for (const std::string& id : devices.ids) one.add_ids(id);
  }
  if (welcome.facts.topology) to.set_topology(model::encode(*welcome.facts.topology));
}

model::HostFacts read_facts(proto::Welcome& in, Bounds& bounds) {
  model::HostFacts facts{
      .hostname = std::move(*in.mutable_hostname()),
      .cpus = in.cpus(),
      .interfaces = {},
      .reached_at = std::move(*in.mutable_reached_at()),
      .head_address = std::move(*in.mutable_head_address()),
      .port = static_cast<std::uint16_t>(bounds.at_most("port", in.port(), kPortMax)),
      .rdma = in.rdma(),
      .devices = {},
      .topology = {}};
  for (auto& one : *in.mutable_interfaces())
    facts.interfaces.push_back({std::move(*one.mutable_name()), std::move(*one.mutable_address())});
  for (auto& one : *in.mutable_devices()) {
    facts.devices.push_back({std::move(*one.mutable_variable()), {}});
    for (auto& id : *one.mutable_ids()) facts.devices.back().ids.push_back(std::move(id));
  }
  facts.topology = bounds.topology(in.topology());
  return facts;
}

Welcome read(proto::Welcome& in, Bounds& bounds) {
  return {.protocol = in.protocol(),
          .version = std::move(*in.mutable_version()),
          .facts = read_facts(in, bounds)};
}

void write(proto::ToHead& out, const Prepared& prepared) {
  out.mutable_prepared()->set_world(prepared.world);
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
}

Exited read(const proto::Exited& in, Bounds& bounds) {
  return {model::RankExit{.rank = bounds.rank(in.rank()),
                          .pid = in.pid(),
                          .code = bounds.small("exit code", in.code(), kExitCodeMax),
                          .signal = bounds.small("signal", in.signal(), kSignalMax),
                          .core_dumped = in.core_dumped(),
                          .max_rss_kib = in.max_rss_kib()}};
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

void write(proto::ToHead& out, const PmixUp& up) { out.mutable_pmix_up()->set_frame(up.frame); }

void write(proto::ToHead& out, const Stopped& stopped) {
  auto& to = *out.mutable_stopped();
  to.set_killed(stopped.killed);
  for (const std::string& leftover : stopped.leftovers) to.add_leftovers(leftover);
}

Stopped read(proto::Stopped& in, Bounds&) {
  return {in.killed(), read_texts(*in.mutable_leftovers())};
}

void write(proto::ToHead& out, const Pong&) { out.mutable_pong(); }

std::optional<ToHead> read(proto::ToHead& in, Bounds& bounds) {
  switch (in.message_case()) {
    case proto::ToHead::kWelcome:
      return read(*in.mutable_welcome(), bounds);
    case proto::ToHead::kPrepared:
      return Prepared{bounds.world(in.prepared().world())};
    case proto::ToHead::kRefused:
      return read(*in.mutable_refused(), bounds);
    case proto::ToHead::kStarted:
      return read(in.started(), bounds);
    case proto::ToHead::kOutputEnd:
      return read(in.output_end(), bounds);
    case proto::ToHead::kExited:
      return read(in.exited(), bounds);
    case proto::ToHead::kInputCredit:
      return read(in.input_credit(), bounds);
    case proto::ToHead::kFenceIn:
      return read(*in.mutable_fence_in(), bounds);
    case proto::ToHead::kAborted:
      return read(*in.mutable_aborted(), bounds);
    case proto::ToHead::kNameAsk:
      return read(*in.mutable_name_ask(), bounds);
    case proto::ToHead::kPmixUp:
      return PmixUp{std::move(*in.mutable_pmix_up()->mutable_frame())};
    case proto::ToHead::kStopped:
      return read(*in.mutable_stopped(), bounds);
    case proto::ToHead::kPong:
      return Pong{};
    case proto::ToHead::kDeclined:
      return read(*in.mutable_declined(), bounds);
    case proto::ToHead::kSpawn:
      return read(*in.mutable_spawn(), bounds);
    case proto::ToHead::MESSAGE_NOT_SET:
      break;
  }
  return std::nullopt;
}

// ---- both ---------------------------------------------------------------------------------------

constexpr const char* kHint = "is it the same muster on both hosts? compare `muster --version`";

bool parse(google::protobuf::MessageLite& message, std::string_view payload) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(payload.data()),
                                            static_cast<int>(payload.size()));
  in.SetRecursionLimit(kNestingMax);
  return message.ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

template <class Message, class Proto>
base::Result<Message> decode(std::string_view payload) {
  Proto in;
  if (!parse(in, payload))
    return base::fail(base::Fault::lost, kHint, "{} bytes do not decode as a message",
                      payload.size());
  Bounds bounds;
  std::optional<Message> message = read(in, bounds);
  if (!message) return base::fail(base::Fault::lost, kHint, "a message of an unknown kind came");
  if (bounds.complaint())
    return base::fail(base::Fault::lost, kHint, "a message breaks a bound: {}",
                      *bounds.complaint());
  return std::move(*message);
}

template <class Proto, class Message>
void encode_as(std::string& out, const Message& message) {
  Proto proto;
  std::visit([&proto](const auto& one) { write(proto, one); }, message);
  CHECK(proto.AppendToString(&out));
}

}  // namespace

void encode(std::string& out, const ToAgent& message) { encode_as<proto::ToAgent>(out, message); }
void encode(std::string& out, const ToHead& message) { encode_as<proto::ToHead>(out, message); }

base::Result<ToAgent> decode_to_agent(std::string_view payload) {
  return decode<ToAgent, proto::ToAgent>(payload);
}

base::Result<ToHead> decode_to_head(std::string_view payload) {
  return decode<ToHead, proto::ToHead>(payload);
}

}  // namespace muster::wire
