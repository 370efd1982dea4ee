// The two ends of a link over real pipes: messages, noise, ends, and what may happen in callbacks.
#include "link/link.hpp"

#include <asio/post.hpp>

#include "unit/link/pair.hpp"
#include "unit/wire/samples.hpp"

namespace muster::link {
namespace {

template <class Message>
std::string framed(const Message& message) {
  std::string bytes;
  wire::append(bytes, message, kAddress);
  return bytes;
}

const std::string kPong = framed(wire::ToHead{wire::Pong{}});

TEST_F(LinkTest, EveryMessageBothWays) {
  open_head();
  open_agent();
  const auto to_agent_all = wire::samples_to_agent();
  for (const auto& message : to_agent_all) link->send(kRun, message);
  const auto to_head_all = wire::samples_to_head();
  for (const auto& message : to_head_all) agent->send(kRun, message);
  // Output comes another way than the messages.
  run_until(
      [&] { return told.size() == to_agent_all.size() && heard.size() == to_head_all.size() - 1; });
  EXPECT_EQ(told, to_agent_all);
  EXPECT_EQ(ups, 1);
  EXPECT_EQ(output, std::string("to\0rn\xff\n", 7));
  EXPECT_EQ(heard.back(), to_head_all.back());
}

TEST_F(LinkTest, AnAgentSpeaksForItsOwnHostAlone) {
  open_head();
  std::string foreign;
  wire::append(foreign, wire::ToHead{wire::Pong{}}, {kRun, wire::HostSet(base::NodeIndex(4))});
  put(from_agent.write, std::string(wire::kMagic) + kPong + foreign + kPong);
  run_until([&] { return !broken.empty(); });
  EXPECT_EQ(heard.size(), 1U);
  EXPECT_EQ(broken.front().what, "its agent spoke for another host");
}

TEST_F(LinkTest, AnAgentHearsWhatIsForItsOwnHostAlone) {
  open_agent();
  const std::string ours = framed(wire::ToAgent{wire::Ping{}});
  wire::Address both = kAddress;
  both.hosts.add(base::NodeIndex(9));
  std::string shared, foreign;
  wire::append(shared, wire::ToAgent{wire::Ping{}}, both);
  wire::append(foreign, wire::ToAgent{wire::Ping{}}, {kRun, wire::HostSet(base::NodeIndex(9))});
  put(to_agent.write, ours + shared + foreign + ours);
  run_until([&] { return !agent_broken.empty(); });
  EXPECT_EQ(told.size(), 2U);
}

TEST_F(LinkTest, NoiseIsSkippedAndKept) {
  open_head();
  put(from_agent.write, "Welcome to node1\n\x1dmuster-ag");
  run_ready();
  EXPECT_EQ(ups, 0);
  put(from_agent.write, "ent 4\n" + kPong);
  run_until([&] { return heard.size() == 1; });
  EXPECT_EQ(ups, 1);
  EXPECT_EQ(link->noise(), "Welcome to node1\n");
}

TEST_F(LinkTest, TooMuchNoiseBreaksTheLink) {
  open_head();
  // A pipe holds less than the bound and a line: the loop takes the first part in between.
  put(from_agent.write, "news of the day\n" + std::string(30'000, 'n'));
  run_ready();
  put(from_agent.write, std::string(40'000, 'n'));
  run_until([&] { return !broken.empty(); });
  EXPECT_EQ(broken.front().fault, base::Fault::unreachable);
  EXPECT_NE(broken.front().what.find("\"news of the day\""), std::string::npos);
}

TEST_F(LinkTest, AnotherProtocolIsToldAtOnce) {
  open_head();
  put(from_agent.write, "motd\n\x1dmuster-agent 5\n");
  run_until([&] { return !broken.empty(); });
  EXPECT_EQ(broken.front().what, "the agent speaks protocol 5, this muster speaks 4");
  EXPECT_EQ(ups, 0);
}

TEST_F(LinkTest, ATerminalInBetweenIsTold) {
  open_head();
  put(from_agent.write, "\x1dmuster-agent 4\r\n");
  run_until([&] { return !broken.empty(); });
  EXPECT_NE(broken.front().what.find("terminal"), std::string::npos);
}

TEST_F(LinkTest, BadBytesBreakTheLinkOnce) {
  open_head();
  put(from_agent.write, std::string(wire::kMagic) + kPong + std::string(20, '\x7f'));
  run_until([&] { return !broken.empty(); });
  run_ready();
  EXPECT_EQ(heard.size(), 1u);
  EXPECT_EQ(broken.size(), 1u);
  EXPECT_EQ(closes, 0);
  // Closed by then: the agent finds the end of its stdin.
  char byte = 0;
  EXPECT_EQ(::read(to_agent.read.get(), &byte, 1), 0);
}

TEST_F(LinkTest, BadBytesFromTheHeadBreakTheAgentsEnd) {
  open_agent();
  put(to_agent.write, std::string(20, '\x7f'));
  run_until([&] { return !agent_broken.empty(); });
  EXPECT_EQ(agent_broken.front().fault, base::Fault::lost);
  EXPECT_EQ(agent_closes, 0);
}

TEST_F(LinkTest, EndOfFileComesAfterAllMessages) {
  open_head();
  put(from_agent.write, std::string(wire::kMagic) + kPong + kPong + kPong.substr(0, 3));
  from_agent.write.reset();
  run_until([&] { return closes == 1; });
  run_ready();
  EXPECT_EQ(heard.size(), 2u);
  EXPECT_EQ(closes, 1);
  EXPECT_TRUE(broken.empty());
}

TEST_F(LinkTest, TheAgentSeesTheHeadClose) {
  open_head();
  open_agent();
  link->send(kRun, wire::ToAgent{wire::Bye{}});
  link->close();  // what was sent before still arrives
  run_until([&] { return agent_closes == 1; });
  EXPECT_EQ(told, std::vector<wire::ToAgent>{wire::Bye{}});
  link->send(kRun, wire::ToAgent{wire::Ping{}});
  link->close();
  run_ready();
  EXPECT_EQ(closes, 0);
}

TEST_F(LinkTest, TheHeadSeesTheAgentEnd) {
  open_head();
  open_agent();
  agent->send(kRun, wire::ToHead{wire::Stopped{}});
  run_ready();
  agent.reset();
  run_until([&] { return closes == 1; });
  EXPECT_EQ(heard.size(), 1u);
  link->send(kRun, wire::ToAgent{wire::Ping{}});  // to nobody: no harm
  run_ready();
}

TEST_F(LinkTest, ErrorsAreThereAsSoonAsTheyAreAsked) {
  open_head();
  put(errors.write, "ssh: connect to host node1 port 22: Connection refused\n");
  EXPECT_EQ(link->errors(), "ssh: connect to host node1 port 22: Connection refused\n");
  put(errors.write, "more\n");
  link->close();
  EXPECT_TRUE(link->errors().ends_with("refused\nmore\n"));
}

TEST_F(LinkTest, OfLongErrorsTheEndIsKept) {
  open_head();
  for (int i = 0; i < 20; ++i) {
    put(errors.write, std::string(2048, static_cast<char>('a' + i)));
    run_ready();
  }
  put(errors.write, "the end");
  const std::string kept = link->errors();
  EXPECT_EQ(kept.size(), 16u << 10);
  EXPECT_TRUE(kept.ends_with("tthe end"));
}

TEST_F(LinkTest, ClosingInsideACallbackStopsAllOthers) {
  events.message = [this](base::RunIndex, wire::ToHead message) {
    heard.push_back(std::move(message));
    link->close();
  };
  open_head();
  put(from_agent.write, std::string(wire::kMagic) + kPong + kPong + kPong);
  from_agent.write.reset();
  run_until([&] { return heard.size() == 1; });
  run_ready();
  EXPECT_EQ(heard.size(), 1u);
  EXPECT_EQ(closes, 0);
}

// Run under the address sanitizer these show any touch of freed memory.
TEST_F(LinkTest, DestroyingInsideEachCallback) {
  const std::string magic(wire::kMagic);
  std::string one_output;
  wire::append_output(one_output, base::Rank(0), wire::Stream::out, "bytes", kAddress);
  for (const std::string& bytes :
       {magic, magic + kPong, magic + one_output, magic + "\x7f???????????", std::string()}) {
    to_agent = make_pipe(), from_agent = make_pipe(), errors = make_pipe();
    int calls = 0;
    const bool at_up = bytes == magic;
    const auto destroy = [&] {
      ++calls;
      link.reset();
    };
    events = {at_up ? std::function<void()>(destroy) : [] {},
              [&](base::RunIndex, const wire::ToHead&) { destroy(); },
              [&](base::RunIndex, const wire::OutputView&) { destroy(); },
              [&](const base::Error&) { destroy(); }, destroy};
    open_head();
    put(from_agent.write, bytes);
    from_agent.write.reset();
    run_until([&] { return calls > 0; });
    run_ready();
    EXPECT_EQ(calls, 1);
  }
}

TEST_F(LinkTest, DestroyingTheAgentsEndInsideItsCallbacks) {
  for (const std::string& bytes :
       {framed(wire::ToAgent{wire::Ping{}}), std::string("\x7f???????????"), std::string()}) {
    to_agent = make_pipe(), from_agent = make_pipe();
    int calls = 0;
    const auto destroy = [&] {
      ++calls;
      agent.reset();
    };
    agent_events = {[&](base::RunIndex, const wire::ToAgent&) { destroy(); }, nullptr,
                    [&](const base::Error&) { destroy(); }, destroy};
    open_agent();
    put(to_agent.write, bytes + bytes);
    to_agent.write.reset();
    run_until([&] { return calls > 0; });
    run_ready();
    EXPECT_EQ(calls, 1);
  }
}

TEST_F(LinkTest, ALoopThatEndsFirstIsNoHarm) {
  open_head();
  open_agent();
  link->send(kRun, wire::ToAgent{wire::Ping{}});
  agent->drain([] { FAIL() << "after the end"; });
  link.reset();
  agent.reset();
  run_ready();
}

TEST_F(LinkTest, BigOutputsArriveWholeAndInOrder) {
  std::size_t bytes = 0;
  std::uint32_t next = 0;
  events.output = [&](base::RunIndex, const wire::OutputView& view) {
    ASSERT_EQ(view.rank, base::Rank(next++));
    bytes += view.bytes.size();
    ASSERT_EQ(view.bytes.find_first_not_of('o'), std::string_view::npos);
  };
  open_head();
  open_agent();
  const std::string text(200'000, 'o');
  for (std::uint32_t i = 0; i < 200; ++i)
    agent->send_output(kRun, base::Rank(i), wire::Stream::out, text);
  bool drained = false;
  agent->drain([&] { drained = true; });
  run_until([&] { return drained && bytes == 200 * text.size(); });
  EXPECT_EQ(next, 200u);
}

TEST_F(LinkTest, BigInputsArriveWhole) {
  std::size_t bytes = 0;
  agent_events.message = [&](base::RunIndex, wire::ToAgent message) {
    bytes += std::get<wire::Input>(message).bytes.size();
  };
  open_head();
  open_agent();
  link->send(kRun, wire::Input{base::Rank(1), std::string(5u << 20, 'i')});
  run_until([&] { return bytes == 5u << 20; });
}

TEST_F(LinkTest, ASlowReaderHoldsNobodyUp) {
  open_agent();
  agent->send_output(kRun, base::Rank(0), wire::Stream::out, std::string(1u << 20, 's'));
  run_ready();  // the pipe is full, nobody reads, and the loop is free
  int turns = 0;
  asio::post(loop, [&] { ++turns; });
  run_until([&] { return turns == 1; });
  put(to_agent.write, framed(wire::ToAgent{wire::Ping{}}));
  run_until([&] { return told.size() == 1; });
  // The reader wakes up: all bytes come.
  open_head();
  run_until([&] { return output.size() == 1u << 20; });
}

TEST_F(LinkTest, DrainCallsBackWhenTheHeadHasGone) {
  open_agent();
  from_agent.read.reset();
  agent->send_output(kRun, base::Rank(0), wire::Stream::out, std::string(1u << 20, 's'));
  int drained = 0;
  agent->drain([&] { ++drained; });
  run_until([&] { return drained == 1; });
  agent->send(kRun, wire::ToHead{wire::Pong{}});
  agent->drain([&] { ++drained; });
  run_until([&] { return drained == 2; });
}

TEST_F(LinkTest, DrainCallbackMayDestroyTheLink) {
  open_agent();
  int drained = 0;
  agent->drain([&] {
    ++drained;
    agent.reset();
  });
  agent->drain([&] { ++drained; });
  run_until([&] { return drained == 1; });
  run_ready();
  EXPECT_EQ(drained, 1);
}

}  // namespace
}  // namespace muster::link
