// Every stated bound is kept on the way in: the frame that breaks one is an error, the one at it
// not.
#include <functional>
#include <gtest/gtest.h>

#include "model/job_spec.hpp"
#include "unit/wire/reading.hpp"
#include "unit/wire/samples.hpp"

namespace muster::wire {
namespace {

constexpr std::uint32_t kFirstBad = model::kRanksMax;

std::string header(std::size_t length, int kind) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xff);
  return bytes + static_cast<char>(kind);
}

// Run 1, and no hosts.
const std::string kOfFirstRun("\1\0\0\0\0\0", 6);

std::string number(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// A Pong from these ranges of hosts.
std::string pong_from(const std::vector<HostSet::Range>& ranges) {
  std::string bytes =
      header(2, 1) + number(1, 4) + number(static_cast<std::uint32_t>(ranges.size()), 2);
  for (const HostSet::Range& one : ranges) bytes += number(one.first, 4) + number(one.last, 4);
  return bytes + std::string("\x52\0", 2);
}

std::string frame(int kind, const std::string& payload) {
  return header(payload.size(), kind) + kOfFirstRun + payload;
}

template <class Message>
std::string framed(const Message& message) {
  std::string bytes;
  append(bytes, message);
  return bytes;
}

std::string head_error(const std::string& bytes) { return read_as_head(bytes, 4096).error; }
std::string agent_error(const std::string& bytes) { return read_as_agent(bytes, 4096).error; }

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "in: " << text;
}

TEST(Limits, LengthIsCheckedBeforeThePayloadCame) {
  EXPECT_EQ(head_error(header(kControlMax, 1)), "");
  EXPECT_EQ(head_error(header(kRawMax, 2)), "");
  EXPECT_EQ(agent_error(header(kRawMax, 3)), "");
  expect_has(head_error(header(kControlMax + 1, 1)), "67108865");
  expect_has(head_error(header(kRawMax + 1, 2)), "1048593");
  expect_has(agent_error(header(kRawMax + 1, 3)), "1048593");
  expect_has(agent_error(header(0xffff'ffff, 1)), "4294967295");
}

TEST(Limits, ALargestControlFrameIsTaken) {
  World world;
  world.spec.hostfile.assign(kControlMax - 100, 'h');
  const ReadByAgent read = read_as_agent(framed(ToAgent{world}), 1 << 20);
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.messages.size(), 1u);
  EXPECT_TRUE(std::get<World>(read.messages.front()) == world);
}

TEST(Limits, HostsOfAFrameAscendAndDoNotTouch) {
  for (const auto& good : std::vector<std::vector<HostSet::Range>>{
           {}, {{0, 0}}, {{0, 999'999}}, {{0, 3}, {5, 5}, {7, 9}}}) {
    EXPECT_EQ(head_error(pong_from(good)), "");
  }
  for (const auto& bad : std::vector<std::vector<HostSet::Range>>{{{1, 0}},
                                                                  {{0, 1'000'000}},
                                                                  {{0xffffffff, 0xffffffff}},
                                                                  {{0, 3}, {4, 5}},
                                                                  {{5, 5}, {0, 3}},
                                                                  {{0, 3}, {2, 9}}}) {
    expect_has(head_error(pong_from(bad)), "out of order");
  }
}

TEST(Limits, RangesOfHostsAreCounted) {
  std::vector<HostSet::Range> many;
  for (std::uint32_t i = 0; i < kRangesMax; ++i) many.push_back({2 * i, 2 * i});
  EXPECT_EQ(head_error(pong_from(many)), "");
  many.push_back({900'000, 900'000});
  expect_has(head_error(pong_from(many)), "4097 ranges");
}

TEST(Limits, UnknownKindsOfFrames) {
  for (const int kind : {0, 4, 255}) {
    expect_has(head_error(header(0, kind)), "unknown kind " + std::to_string(kind));
    expect_has(agent_error(header(0, kind)), "unknown kind " + std::to_string(kind));
  }
  expect_has(head_error(frame(3, "....")), "unknown kind 3");    // input is for agents
  expect_has(agent_error(frame(2, ".....")), "unknown kind 2");  // output is for heads
}

TEST(Limits, UnknownKindsOfMessages) {
  expect_has(head_error(frame(1, "")), "unknown kind");
  expect_has(agent_error(frame(1, "")), "unknown kind");
  expect_has(head_error(frame(1, std::string("\xba\x06\0", 3))), "unknown kind");  // field 103
  expect_has(agent_error(frame(1, std::string("\xba\x06\0", 3))), "unknown kind");
}

TEST(Limits, BytesThatDoNotDecode) {
  expect_has(head_error(frame(1, "\xff\xff\xff")), "do not decode");
  expect_has(agent_error(frame(1, "GET / HTTP/1.1\r\n")), "do not decode");
  const std::string whole = framed(ToAgent{sample_prepare()}).substr(11);
  expect_has(agent_error(frame(1, whole.substr(0, whole.size() - 1))), "do not decode");
  expect_has(agent_error(frame(1, whole + "\x0a")), "do not decode");
}

TEST(Limits, Nesting) {
  // Groups of unknown fields inside each other; 0x9b 0x06 begins group 99, 0x9c 0x06 ends it.
  const auto nested = [](int depth) {
    std::string begin, end;
    for (int i = 0; i < depth; ++i) begin += "\x9b\x06", end += "\x9c\x06";
    return frame(1, std::string("\x52\0", 2) + begin + end);
  };
  EXPECT_EQ(agent_error(nested(8)), "");
  expect_has(agent_error(nested(9)), "do not decode");
  expect_has(agent_error(nested(100'000)), "do not decode");
}

TEST(Limits, RawFramesThatAreTooShort) {
  expect_has(head_error(frame(2, "\1\0\0\0")), "only");
  expect_has(agent_error(frame(3, "\1\0\0")), "only");
}

std::string world_error(const std::function<void(World&)>& change) {
  World world = sample_world();
  change(world);
  return agent_error(framed(ToAgent{world}));
}

TEST(Limits, AppsAndTheirVariables) {
  EXPECT_EQ(world_error([](World&) {}), "");
  expect_has(world_error([](World& world) { world.spec.apps[1].command.clear(); }),
             "words of a command 0 is below 1");
  expect_has(world_error([](World& world) { world.kept[0].from_shell = {3}; }),
             "number of variables 3 is not 4");
  expect_has(world_error([](World& world) {
               world.kept[0].added = {1, 1};
             }),
             "index of a variable 1 is below 2");
  expect_has(world_error([](World& world) {
               world.variables[1].value.assign(kControlMax / 4, 'v');
               world.kept[0].from_shell = {1};
               world.kept.resize(9, {{1}, {}});
               world.spec.apps.resize(9, world.spec.apps[1]);
             }),
             "bytes of the apps' variables");
}

TEST(Limits, NodesAndRanksOfAWorld) {
  expect_has(world_error([](World& world) { world.plan.ranks[0].node = base::NodeIndex(2); }),
             "node of ranks 2 is not within 0 to 1");
  expect_has(world_error([](World& world) { world.point.addresses.resize(3, "10.0.0.3"); }),
             "column of addresses 3 is not 2");
  expect_has(world_error([](World& world) { world.rank_ports.pop_back(); }),
             "number of ports 3 is not 4");
  expect_has(world_error([](World& world) { world.first = base::Rank(kFirstBad - 4); }), "");
  expect_has(world_error([](World& world) { world.first = base::Rank(kFirstBad - 3); }),
             "number of the last rank 1000001");
}

// World is field 18 of ToAgent.
std::string world_frame(const std::string& world) {
  std::string payload = "\x92\x01";
  for (std::size_t rest = world.size(); rest != 0; rest >>= 7)
    payload += static_cast<char>((rest & 0x7f) | (rest >> 7 != 0 ? 0x80 : 0));
  return frame(1, payload + world);
}

// A million ranks in five bytes, and one more; an app with as many; one host; its slots.
TEST(Limits, NumberOfRanksOfAWorld) {
  const auto ranks = [](char last) {
    const std::string count = std::string("\xc0\x84", 2) + last;
    const std::string app = std::string("\x22\x07\x0a\x01p\x28", 6) + count;
    return world_frame(app + std::string("\x32\x01h\x3a\x01\x01\x42\x01\x02\x4a\x03", 11) + count +
                       std::string("\x6a\x01x", 3));
  };
  EXPECT_EQ(agent_error(ranks(0x3d)), "");
  expect_has(agent_error(ranks(0x3e)), "number of ranks 1016384");
}

TEST(Limits, RanksOfRunsAreThoseOfApps) {
  const std::string none =
      world_frame(std::string("\x32\x01h\x3a\x01\x01\x42\x01\x02\x4a\x01\x01", 12));
  expect_has(agent_error(none), "number of the apps' ranks 0 is not 1");
  expect_has(agent_error(world_frame(std::string("\x42\x01\x02\x4a\x01\x01", 6))),
             "number of nodes 0 is below 1");
  expect_has(agent_error(world_frame(std::string("\x42\x01\x02", 3))), "number of runs 0 is not 1");
}

TEST(Limits, AColumnStandsForNoMoreThanAFrameHolds) {
  const std::string address(kControlMax / 1000, 'a');
  const auto alike = [&](std::size_t nodes) {
    return world_error([&](World& world) {
      world.plan.nodes.resize(nodes);
      world.point.addresses.assign(nodes, address);
    });
  };
  EXPECT_EQ(alike(900), "");
  expect_has(alike(1001), "column of addresses");
}

TEST(Limits, Cpus) {
  Prepare prepare;
  prepare.sets = {model::CpuSet::of(model::kCpusMax - 1)};
  const std::string good = framed(ToAgent{prepare});
  EXPECT_EQ(agent_error(good), "");
  std::string bad = good;
  bad.replace(bad.find("16383"), 5, "16384");
  expect_has(agent_error(bad), "16384");
  prepare.bindings = {0, model::kUnbound};
  EXPECT_EQ(agent_error(framed(ToAgent{prepare})), "");
  prepare.bindings = {1};
  expect_has(agent_error(framed(ToAgent{prepare})), "binding 2 is not within 0 to 1");
}

TEST(Limits, Ranks) {
  const base::Rank good(kFirstBad - 1), bad(kFirstBad);
  EXPECT_EQ(agent_error(framed(ToAgent{InputEnd{good}})), "");
  EXPECT_EQ(head_error(framed(ToHead{Output{good, Stream::out, "x"}})), "");
  for (const ToAgent& message : std::vector<ToAgent>{
           Input{bad, "x"}, InputEnd{bad}, Credit{bad, Stream::out, 1},
           Hello{1, "j", base::NodeIndex(kFirstBad), 1, 1}, Prepare{1, base::NodeIndex(kFirstBad)},
           Prepare{1, base::NodeIndex(0), {kFirstBad}}})
    expect_has(agent_error(framed(message)), "1000000");
  for (const ToHead& message : std::vector<ToHead>{
           Output{bad, Stream::out, "x"}, OutputEnd{bad, Stream::out}, Started{bad, 1},
           Exited{{bad, 1, 0, 0, false, 0}}, InputCredit{bad, 1}, Aborted{bad, 1, {}}})
    expect_has(head_error(framed(message)), "1000000");
}

TEST(Limits, Streams) {
  for (const int stream : {0, 3, 200}) {
    const std::string raw = std::string(4, '\0') + static_cast<char>(stream);
    expect_has(head_error(frame(2, raw)), "stream " + std::to_string(stream));
  }
  expect_has(head_error(frame(1, std::string("\x32\x02\x08\x01", 4))), "no stream 0");
  expect_has(agent_error(frame(1, std::string("\x42\x02\x10\x03", 4))), "no stream 3");
}

TEST(Limits, NumbersOfSignalsCodesPortsAndFaults) {
  EXPECT_EQ(agent_error(framed(ToAgent{Signal{64}})), "");
  expect_has(agent_error(framed(ToAgent{Signal{65}})), "signal 65");
  expect_has(agent_error(framed(ToAgent{Signal{-1}})), "signal -1");
  expect_has(agent_error(framed(ToAgent{Stop{65, 0}})), "signal 65");
  EXPECT_EQ(head_error(framed(ToHead{Exited{{base::Rank(0), 1, 255, 0, false, 0}}})), "");
  expect_has(head_error(framed(ToHead{Exited{{base::Rank(0), 1, 256, 0, false, 0}}})), "256");
  expect_has(head_error(framed(ToHead{Pong{std::uint64_t{1} << 53}})), "clock");
  expect_has(head_error(framed(ToHead{Exited{{base::Rank(0), 1, -1, 0, false, 0}}})), "code -1");
  expect_has(head_error(framed(ToHead{Exited{{base::Rank(0), 1, 0, 65, false, 0}}})), "65");
  expect_has(head_error(frame(1, std::string("\x0a\x04\x40\x80\x80\x04", 6))), "port 65536");
  expect_has(head_error(frame(1, std::string("\x1a\x02\x08\x09", 4))), "fault 9");
}

std::string job_error(const std::function<void(pmix::Job&, pmix::AddJob&)>& change) {
  pmix::AddJob add = sample_job();
  pmix::Job job = *add.job;
  change(job, add);
  add.job = std::make_shared<const pmix::Job>(std::move(job));
  Prepare prepare;
  prepare.earlier = {add};
  const std::string ordered = agent_error(framed(ToAgent{prepare}));
  EXPECT_EQ(ordered, agent_error(framed(ToAgent{PmixDown{add}})));
  return ordered;
}

TEST(Limits, JobsOfPmix) {
  using Job = pmix::Job;
  using Add = pmix::AddJob;
  EXPECT_EQ(job_error([](Job&, Add& add) { add.node = 2; }), "");
  expect_has(job_error([](Job&, Add& add) { add.node = 3; }), "node 3 is not within 0 to 2");
  expect_has(job_error([](Job& job, Add&) { job.nodes.clear(); }), "number of nodes 0");
  expect_has(job_error([](Job& job, Add&) { job.apps.clear(); }), "number of apps 0");
  expect_has(job_error([](Job& job, Add&) { job.nodes[2].ranks = {kFirstBad}; }), "1000000");
  expect_has(job_error([](Job& job, Add&) { job.apps[0].size = kFirstBad + 1; }), "1000001");
  expect_has(job_error([](Job& job, Add&) { job.offset = kFirstBad; }), "1000000");
  expect_has(job_error([](Job& job, Add&) { job.nodes[0].ranks.resize(kFirstBad); }),
             "number of ranks 1000002");
}

TEST(Limits, ListsOfPmix) {
  expect_has(head_error(framed(ToHead{PmixUp{pmix::Fence{1, {kFirstBad + 1, pmix::Proc{}}, ""}}})),
             "number of processes 1000001");
  // An upcall that holds none, and an event whose range is no byte.
  expect_has(head_error(frame(1, std::string("\x72\0", 2))), "unknown kind");
  expect_has(head_error(frame(1, std::string("\x72\x05\x7a\x03\x18\x80\x02", 7))), "range 256");
}

TEST(Limits, ErrorsSayWhatToDo) {
  HeadReader reader;
  reader.feed(header(kRawMax + 1, 2));
  const auto item = reader.next();
  ASSERT_FALSE(item.has_value());
  EXPECT_EQ(item.error().fault, base::Fault::lost);
  expect_has(item.error().hint, "muster --version");
}

}  // namespace
}  // namespace muster::wire
