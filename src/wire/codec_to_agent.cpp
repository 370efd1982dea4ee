// Messages of the head to an agent: each is written by write(), read back by read().
#include <iterator>

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

template <class Numbers>
void write_numbers(Numbers& to, const std::vector<std::uint32_t>& numbers) {
  to.Add(numbers.begin(), numbers.end());
}

void write(proto::ToAgent& out, const World& world) { write_world(*out.mutable_world(), world); }

void write(proto::ToAgent& out, const Prepare& prepare) {
  auto& to = *out.mutable_prepare();
  to.set_world(prepare.world);
  to.set_node(prepare.node.value);
  write_numbers(*to.mutable_fed(), prepare.fed);
  for (const model::CpuSet& set : prepare.sets) to.add_sets(to_string(set));
  // Not bound is the largest number there is: one more is 0.
  for (const std::uint32_t set : prepare.bindings) to.add_bindings(set + 1);
  to.set_interface(prepare.interface);
  to.set_cpus(prepare.cpus.usable);
  to.set_cpus_limited(prepare.cpus.limited);
  to.set_rdma(prepare.rdma);
  write_devices(*to.mutable_devices(), prepare.devices);
  to.set_visible(prepare.visible);
  to.set_held_port(prepare.held_port);
  to.set_claims(to_string(prepare.claims));
  write_devices(*to.mutable_device_claims(), prepare.device_claims);
  for (const pmix::AddJob& job : prepare.earlier) write_pmix(*to.add_earlier(), job);
}

std::vector<std::uint32_t> read_fed(const proto::Prepare& in, Bounds& bounds) {
  std::vector<std::uint32_t> fed;
  if (bounds.at_most("number of fed ranks", in.fed_size(), model::kRanksMax) == 0) return fed;
  for (const std::uint32_t rank : in.fed()) fed.push_back(bounds.rank(rank).value);
  return fed;
}

std::vector<model::CpuSet> read_sets(const proto::Prepare& in, Bounds& bounds) {
  std::vector<model::CpuSet> sets;
  if (bounds.at_most("number of sets", in.sets_size(), model::kRanksMax) == 0) return sets;
  for (const std::string& set : in.sets()) sets.push_back(bounds.cpus(set));
  return sets;
}

std::vector<std::uint32_t> read_bindings(const proto::Prepare& in, Bounds& bounds) {
  std::vector<std::uint32_t> bindings;
  const auto count = bounds.at_most("number of bindings", in.bindings_size(), model::kRanksMax);
  if (count == 0) return bindings;
  const auto sets = static_cast<std::uint32_t>(in.sets_size());
  for (const std::uint32_t set : in.bindings()) {
    bindings.push_back(bounds.at_most("binding", set, sets) - 1);
  }
  return bindings;
}

std::vector<pmix::AddJob> read_earlier(proto::Prepare& in, Bounds& bounds) {
  std::vector<pmix::AddJob> jobs;
  for (proto::PmixAddJob& job : *in.mutable_earlier()) jobs.push_back(read_pmix(job, bounds));
  return jobs;
}

Prepare read(proto::Prepare& in, Bounds& bounds) {
  return {.world = bounds.world(in.world()),
          .node = base::NodeIndex(bounds.at_most("node", in.node(), model::kRanksMax - 1)),
          .fed = read_fed(in, bounds),
          .sets = read_sets(in, bounds),
          .bindings = read_bindings(in, bounds),
          .interface = std::move(*in.mutable_interface()),
          .cpus = {in.cpus(), in.cpus_limited()},
          .rdma = in.rdma(),
          .devices = read_devices(*in.mutable_devices()),
          .visible = std::move(*in.mutable_visible()),
          .held_port = bounds.port(in.held_port()),
          .claims = bounds.cpus(in.claims()),
          .device_claims = read_devices(*in.mutable_device_claims()),
          .earlier = read_earlier(in, bounds)};
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

void write(proto::ToAgent& out, const ToLauncher& to) {
  out.mutable_to_launcher()->set_connection(to.connection);
  out.mutable_to_launcher()->set_bytes(to.bytes);
}

ToLauncher read(proto::ToLauncher& in, Bounds& bounds) {
  return {in.connection(), bounds.launcher_bytes(*in.mutable_bytes())};
}

void write(proto::ToAgent& out, const Reach& reach) {
  auto& to = *out.mutable_reach();
  to.set_name(reach.name);
  to.set_user(reach.user);
  to.set_port(reach.port);
}

Reach read(proto::Reach& in, Bounds& bounds) {
  return {std::move(*in.mutable_name()), std::move(*in.mutable_user()), bounds.port(in.port())};
}

void write(proto::ToAgent& out, const Release&) { out.mutable_release(); }

template <class Texts>
std::vector<std::string> taken(Texts& texts) {
  return {std::move_iterator(texts.begin()), std::move_iterator(texts.end())};
}

void write(proto::ToAgent& out, const Contain& contain) {
  auto& to = *out.mutable_contain();
  const model::ContainerSpec& container = contain.container;
  to.set_image(container.image);
  to.set_runtime(static_cast<proto::ContainerRuntime>(container.runtime));
  for (const std::string& option : container.options) to.add_options(option);
  for (const model::ContainerMount& mount : container.mounts) {
    auto& one = *to.add_mounts();
    one.set_source(mount.source);
    one.set_target(mount.target);
    one.set_read_only(mount.read_only);
  }
  for (const std::string& device : container.devices) to.add_devices(device);
  to.set_shared_memory(container.shared_memory);
  to.set_name(contain.name);
  to.set_grace_ms(contain.grace_ms);
  for (const std::string& folder : contain.folders) to.add_folders(folder);
}

Contain read(proto::Contain& in, Bounds& bounds) {
  const auto runtime = bounds.at_most("runtime", in.runtime(), proto::RUNTIME_CHARLIECLOUD);
  model::ContainerSpec container;
  container.image = std::move(*in.mutable_image());
  container.runtime = static_cast<model::ContainerRuntime>(runtime);
  container.options = taken(*in.mutable_options());
  for (proto::ContainerMount& mount : *in.mutable_mounts()) {
    container.mounts.push_back({std::move(*mount.mutable_source()),
                                std::move(*mount.mutable_target()), mount.read_only()});
  }
  container.devices = taken(*in.mutable_devices());
  container.shared_memory = in.shared_memory();
  return {.container = std::move(container),
          .name = std::move(*in.mutable_name()),
          .grace_ms = in.grace_ms(),
          .folders = taken(*in.mutable_folders())};
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
    case proto::ToAgent::kWorld:
      return read_world(*in.mutable_world(), bounds);
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
    case proto::ToAgent::kToLauncher:
      return read(*in.mutable_to_launcher(), bounds);
    case proto::ToAgent::kReach:
      return read(*in.mutable_reach(), bounds);
    case proto::ToAgent::kRelease:
      return Release{};
    case proto::ToAgent::kSpawned:
      return read(*in.mutable_spawned(), bounds);
    case proto::ToAgent::kContain:
      return read(*in.mutable_contain(), bounds);
    case proto::ToAgent::MESSAGE_NOT_SET:
      break;
  }
  return std::nullopt;
}

}  // namespace muster::wire
