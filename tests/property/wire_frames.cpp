// Property: any messages, in any pieces, come out as they went in; any bytes are an answer, no
// crash.
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "model/job_spec.hpp"
#include "unit/wire/reading.hpp"

namespace muster::wire {
namespace {

std::uint32_t number() { return *rc::gen::arbitrary<std::uint32_t>(); }
bool flag() { return *rc::gen::arbitrary<bool>(); }
// Sizes grow with the run; kinds and bounds are to be tried in full from the first.
int below(int end) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end)); }
std::string bytes() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }
base::Rank rank() { return base::Rank(static_cast<std::uint32_t>(below(model::kRanksMax))); }
Stream stream() { return flag() ? Stream::out : Stream::err; }

template <class Make>
auto some(Make make) {
  std::vector<decltype(make())> out;
  for (int left = below(6); left > 0; --left) out.push_back(make());
  return out;
}

std::vector<NameValue> variables() {
  return some([] { return NameValue{bytes(), bytes()}; });
}

model::CpuSet cpus() {
  model::CpuSet set;
  for (int left = below(4); left > 0; --left) set.add(number() % model::kCpusMax);
  return set;
}

std::uint32_t world() { return rank().value + 1; }

pmix::Proc proc() { return {bytes(), number()}; }

pmix::AddJob pmix_job() {
  const auto local = [] { return rank().value; };
  pmix::Job job;
  job.nspace = bytes();
  job.nodes = some([&] { return pmix::JobNode{bytes(), some(local)}; });
  job.nodes.push_back({bytes(), some(local)});
  job.universe = number();
  job.apps = {{bytes(), bytes(), rank().value}, {bytes(), bytes(), rank().value}};
  if (flag()) job.parent = proc();
  job.world = world();
  job.offset = rank().value;
  const auto node = static_cast<std::uint32_t>(job.nodes.size()) - 1;
  return {std::make_shared<const pmix::Job>(std::move(job)), node, bytes()};
}

std::int32_t status() { return *rc::gen::arbitrary<std::int32_t>(); }

std::vector<pmix::Datum> data() {
  return some([] { return pmix::Datum{proc(), bytes(), bytes()}; });
}

pmix::Event event() { return {status(), proc(), static_cast<std::uint8_t>(below(256)), bytes()}; }

pmix::Upcall upcall() {
  switch (below(8)) {
    case 0:
      return pmix::Fence{number(), some(proc), bytes()};
    case 1:
      return pmix::Aborted{number(), proc(), status(), bytes(), some(proc)};
    case 2:
      return pmix::ModexFound{number(), status(), bytes()};
    case 3:
      return pmix::Publish{number(), data(), flag()};
    case 4:
      return pmix::Lookup{number(), some(bytes), flag()};
    case 5:
      return pmix::Connect{number(), some(proc), flag()};
    case 6:
      return event();
    default:
      return pmix::Unpublish{number(), proc(), some(bytes)};
  }
}

pmix::Command command() {
  switch (below(5)) {
    case 0:
      return pmix_job();
    case 1:
      return pmix::Reply{number(), status(), bytes()};
    case 2:
      return pmix::Found{number(), status(), data()};
    case 3:
      return pmix::FetchModex{number(), proc()};
    default:
      return event();
  }
}

Prepare prepare() {
  Prepare own;
  own.world = world();
  own.node = base::NodeIndex(rank().value);
  own.fed = some([] { return rank().value; });
  own.sets = {cpus(), cpus()};
  own.bindings = some([] { return flag() ? model::kUnbound : number() % 2; });
  own.interface = bytes();
  own.cpus = {number(), flag()};
  own.rdma = flag();
  own.devices = some([] { return model::Devices{bytes(), some(bytes), some(number)}; });
  own.visible = bytes();
  own.claims = cpus();
  own.device_claims = some([] { return model::Devices{bytes(), some(bytes), some(number)}; });
  own.earlier = some(pmix_job);
  return own;
}

model::App app() {
  model::App made;
  made.command = {bytes(), bytes()};
  made.clean = flag();
  made.workdir = bytes();
  made.path = bytes();
  made.exports = some([] { return model::EnvSetting{bytes(), {}}; });
  made.tries_workdir = flag();
  made.role = bytes();
  made.local_rank_words = {number(), number()};
  return made;
}

// Ranks of two apps on any nodes.
model::Plan plan() {
  model::Plan made;
  made.nodes.resize(static_cast<std::size_t>(1 + below(4)));
  for (model::PlannedNode& node : made.nodes) node.host.name = bytes();
  if (flag()) made.nodes.front().host.slots = number();
  const int of_the_first = below(20);
  for (int i = 0, ranks = of_the_first + below(20); i < ranks; ++i) {
    const auto node = static_cast<std::uint32_t>(below(static_cast<int>(made.nodes.size())));
    auto& there = made.nodes[node].ranks;
    made.ranks.push_back({base::NodeIndex(node), static_cast<std::uint32_t>(there.size()),
                          i < of_the_first ? 0U : 1U});
    there.emplace_back(i);
  }
  made.universe = number();
  return made;
}

KeptIndexes kept(std::size_t variables) {
  KeptIndexes made;
  for (std::uint32_t i = 0; i < variables; ++i) {
    if (flag()) made.from_shell.push_back(i);
    if (flag()) made.added.push_back(i);
  }
  return made;
}

World whole_world() {
  World made;
  made.number = world();
  made.first = base::Rank(static_cast<std::uint32_t>(below(model::kRanksMax - 40)));
  made.job = bytes();
  made.plan = plan();
  made.spec.apps = {app(), app()};
  made.spec.environment = {some(bytes), {}};
  if (flag()) made.spec.environment.silent = {bytes()};
  made.spec.folders = some(bytes);
  made.spec.wireup = static_cast<model::Wireup>(below(5));
  if (flag()) {
    made.spec.mapping.memory = {static_cast<model::MemoryMode>(below(4)),
                                model::CpuSet::range(0, static_cast<std::uint32_t>(below(9))),
                                flag(), static_cast<model::IfRefused>(below(3))};
  }
  if (flag()) made.spec.torch = {bytes(), flag(), number()};
  made.variables = variables();
  made.kept = {kept(made.variables.size()), kept(made.variables.size())};
  const bool alike = flag();
  const std::string one = bytes();
  for (std::size_t i = 0; i < made.plan.nodes.size(); ++i) {
    made.point.addresses.push_back(alike ? one : bytes());
  }
  if (flag()) made.rank_ports.assign(made.plan.ranks.size(), static_cast<std::uint16_t>(number()));
  made.point.address = bytes();
  made.point.round = number();
  made.kvs = bytes();
  made.preput = variables();
  made.window = number();
  return made;
}

Contain contain() {
  const auto runtime = static_cast<model::ContainerRuntime>(below(6));
  return {{.image = bytes(),
           .runtime = runtime,
           .options = {bytes()},
           .mounts = some([] {
             return model::ContainerMount{bytes(), bytes(), flag()};
           }),
           .devices = {bytes(), bytes()},
           .shared_memory = number()},
          bytes(),
          number(),
          {bytes()}};
}

ToAgent to_agent() {
  switch (below(21)) {
    case 16:
      return whole_world();
    case 0:
      return Hello{number(), bytes(), base::NodeIndex(rank().value), number(), number()};
    case 1:
      return prepare();
    case 2:
      return Start{world()};
    case 3:
      return Signal{below(65)};
    case 4:
      return Stop{below(65), number()};
    case 5:
      return Input{rank(), bytes()};
    case 6:
      return InputEnd{rank()};
    case 7:
      return Credit{rank(), stream(), number()};
    case 8:
      return Suspend{flag()};
    case 9:
      return Ping{};
    case 10:
      return FenceOut{number(), bytes(), world()};
    case 11:
      return NameAnswer{number(), static_cast<NameVerdict>(below(3)), bytes()};
    case 12:
      return PmixDown{command()};
    case 13:
      return Drop{world()};
    case 14:
      return Spawned{number(), flag(), rank().value, bytes()};
    case 15:
      return ToLauncher{number(), bytes()};
    case 17:
      return Reach{bytes(), bytes(), static_cast<std::uint32_t>(below(65'536))};
    case 18:
      return Release{};
    case 19:
      return contain();
    default:
      return Bye{};
  }
}

Welcome welcome() {
  return {number(),
          bytes(),
          {bytes(),
           {number(), flag()},
           some([] {
             return model::Interface{bytes(), bytes()};
           }),
           bytes(),
           bytes(),
           *rc::gen::arbitrary<std::uint16_t>()}};
}

Refused refused() {
  return {{static_cast<base::Fault>(below(8)), bytes(), bytes(), {bytes(), number(), number()}}};
}

Spawn spawn() {
  const auto app = [] {
    return SpawnApp{{bytes(), bytes()}, variables(), rank().value, variables()};
  };
  return {number(), rank(), flag(), {app(), app()}, variables()};
}

ToHead to_head() {
  const auto pid = static_cast<std::int32_t>(number());
  switch (below(21)) {
    case 18:
      return FromLauncher{number(), bytes()};
    case 19:
      return Reached{};
    case 20:
      return Unreached{refused().error};
    case 17:
      return Taken{model::CpuSet::of(below(model::kCpusMax)), some([] {
                     return model::Devices{bytes(), some(bytes), some(number)};
                   })};
    case 0:
      return welcome();
    case 1:
      return Prepared{world()};
    case 2:
      return refused();
    case 3:
      return Started{rank(), pid};
    case 4:
      return Output{rank(), stream(), bytes()};
    case 5:
      return OutputEnd{rank(), stream()};
    case 6:
      return Exited{{rank(), pid, below(256), below(65), flag(), number() * 77'777ull},
                    {},
                    number() * 77'777ull,
                    {},
                    number() * 77'777ull};
    case 7:
      return InputCredit{rank(), number()};
    case 8:
      return Stopped{number(), some(bytes)};
    case 9:
      return FenceIn{number(), bytes(), world()};
    case 10:
      return Aborted{rank(), below(256), bytes()};
    case 12:
      return PmixUp{upcall()};
    case 11:
      return NameAsk{number(), static_cast<NameVerb>(below(3)), bytes(), bytes()};
    case 14:
      return Declined{world(), refused().error};
    case 15:
      return spawn();
    case 16:
      return Attendance{some(rank)};
    default:
      return Pong{number() * 77'777ull};
  }
}

RC_GTEST_PROP(WireFrames, MessagesToTheAgentRoundTrip, ()) {
  const std::vector<ToAgent> sent = some(to_agent);
  std::string frames;
  for (const ToAgent& message : sent) append(frames, message);
  const ReadByAgent read = read_as_agent(frames, static_cast<std::size_t>(1 + below(200)));
  RC_ASSERT(read.error == "");
  RC_ASSERT(read.messages == sent);
}

RC_GTEST_PROP(WireFrames, MessagesToTheHeadRoundTripInUnevenPieces, ()) {
  const std::vector<ToHead> sent = some(to_head);
  std::string frames;
  for (const ToHead& message : sent) append(frames, message);
  Read read;
  HeadReader reader;
  for (std::size_t at = 0; at < frames.size();) {
    const auto step = static_cast<std::size_t>(1 + below(40));
    read_on(reader, std::string_view(frames).substr(at, step), read);
    at += step;
  }
  RC_ASSERT(read.error == "");
  RC_ASSERT(read.messages == sent);
}

RC_GTEST_PROP(WireFrames, AFlippedBitMeansTheSameInAnyPieces, ()) {
  std::string frames;
  append(frames, to_head());
  for (const ToHead& message : some(to_head)) append(frames, message);
  const auto at = static_cast<std::size_t>(below(static_cast<int>(frames.size())));
  frames[at] = static_cast<char>(frames[at] ^ (1 << below(8)));
  // The same bytes mean the same, however they come.
  const Read whole = read_as_head(frames, frames.size());
  const Read torn = read_as_head(frames, 1);
  RC_ASSERT(whole.messages == torn.messages);
  RC_ASSERT(whole.error == torn.error);
  RC_ASSERT(whole.messages.size() * 11 <= frames.size());
}

RC_GTEST_PROP(WireFrames, NoiseBeforeTheMagicIsCutOff, ()) {
  std::string noise = bytes();
  std::erase(noise, kMagic.front());
  const std::string after = bytes();
  const std::string all = noise + std::string(kMagic) + after;
  NoiseFilter filter;
  std::string rest;
  NoiseFilter::State state = NoiseFilter::State::searching;
  for (std::size_t at = 0; at < all.size();) {
    const auto step = static_cast<std::size_t>(1 + below(20));
    state = filter.feed(std::string_view(all).substr(at, step), rest);
    at += step;
  }
  RC_ASSERT(state == NoiseFilter::State::found);
  RC_ASSERT(filter.noise() == noise);
  RC_ASSERT(rest == after);
}

}  // namespace
}  // namespace muster::wire
