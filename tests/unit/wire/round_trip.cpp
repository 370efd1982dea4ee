// Every message comes out of the wire as it went in, however the bytes are torn.
#include <gtest/gtest.h>

#include "unit/wire/reading.hpp"
#include "unit/wire/samples.hpp"

namespace muster::wire {
namespace {

template <class Message>
std::string framed(const std::vector<Message>& messages) {
  std::string bytes;
  for (const Message& message : messages) append(bytes, message);
  return bytes;
}

TEST(RoundTrip, SamplesHoldEveryMessage) {
  EXPECT_EQ(samples_to_agent().size(), std::variant_size_v<ToAgent>);
  EXPECT_EQ(samples_to_head().size(), std::variant_size_v<ToHead>);
  for (std::size_t i = 0; i < samples_to_agent().size(); ++i)
    EXPECT_EQ(samples_to_agent()[i].index(), i);
  for (std::size_t i = 0; i < samples_to_head().size(); ++i)
    EXPECT_EQ(samples_to_head()[i].index(), i);
}

TEST(RoundTrip, ToAgentInAnyPieces) {
  const std::string bytes = framed(samples_to_agent());
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{7}, bytes.size()}) {
    const ReadByAgent read = read_as_agent(bytes, step);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.messages, samples_to_agent()) << "in pieces of " << step;
  }
}

TEST(RoundTrip, ToHeadInAnyPieces) {
  const std::string bytes = framed(samples_to_head());
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{11}, bytes.size()}) {
    const Read read = read_as_head(bytes, step);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.messages, samples_to_head()) << "in pieces of " << step;
  }
}

TEST(RoundTrip, EmptyValuesStayEmpty) {
  const std::vector<ToHead> sent = {Welcome{0, "", {"", {0}, {}, "", "", 0}},
                                    Output{base::Rank(0), Stream::out, ""}, Stopped{}};
  EXPECT_EQ(read_as_head(framed(sent), 4).messages, sent);
  const std::vector<ToAgent> told = {Hello{0, "", base::NodeIndex(0), 0, 0}, Prepare{}, World{},
                                     Input{base::Rank(0), ""}, Stop{}};
  EXPECT_EQ(read_as_agent(framed(told), 4).messages, told);
}

// Ranks in a row cost no more than a few, and what all nodes have costs no more than of one.
TEST(RoundTrip, AWorldOfManyNodesIsShort) {
  World world;
  world.spec.apps = {{}};
  world.spec.apps.front().command = {"program"};
  world.kept = {{}};
  for (std::uint32_t node = 0; node < 1000; ++node) {
    auto& there = world.plan.nodes.emplace_back();
    there.host.slots = 300;
    for (std::uint32_t local = 0; local < 300; ++local) {
      there.ranks.emplace_back(world.plan.ranks.size());
      world.plan.ranks.push_back({base::NodeIndex(node), local});
    }
  }
  world.point.addresses.assign(1000, "10.100.200.300");
  const std::string bytes = framed(std::vector<ToAgent>{world});
  EXPECT_LT(bytes.size(), 1000 * 5 + 200);
  EXPECT_TRUE(std::get<World>(read_as_agent(bytes, bytes.size()).messages.front()) == world);
}

TEST(RoundTrip, EveryUpcallAndEveryCommandOfPmix) {
  const auto upcalls = sample_upcalls();
  const auto commands = sample_commands();
  ASSERT_EQ(upcalls.size(), std::variant_size_v<pmix::Upcall>);
  ASSERT_EQ(commands.size(), std::variant_size_v<pmix::Command>);
  std::vector<ToHead> up;
  for (std::size_t i = 0; i < upcalls.size(); ++i) {
    EXPECT_EQ(upcalls[i].index(), i);
    up.emplace_back(PmixUp{upcalls[i]});
  }
  std::vector<ToAgent> down;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(commands[i].index(), i);
    down.emplace_back(PmixDown{commands[i]});
  }
  EXPECT_EQ(read_as_head(framed(up), 5).messages, up);
  EXPECT_EQ(read_as_agent(framed(down), 5).messages, down);
}

TEST(RoundTrip, FramesTellTheirRunAndHosts) {
  Address some{base::RunIndex(7), {}};
  for (const std::uint32_t host : {0U, 1U, 2U, 9U, 11U, 12U}) some.hosts.add(base::NodeIndex(host));
  const Address one{base::RunIndex(1), HostSet(base::NodeIndex(999'999))};
  std::string bytes;
  append(bytes, ToHead{Pong{}}, some);
  append_output(bytes, base::Rank(1), Stream::out, "x", one);
  append(bytes, ToHead{Pong{}});
  HeadReader reader;
  reader.feed(bytes);
  for (const Address& expected : {some, one, Address{}}) {
    const auto item = reader.next();
    ASSERT_TRUE(item && *item);
    EXPECT_EQ(reader.address(), expected);
  }
}

TEST(RoundTrip, LongOutputTravelsInSeveralFrames) {
  const std::string text(3 * kRawMax + 17, 'x');
  std::string bytes;
  append_output(bytes, base::Rank(9), Stream::err, text);
  std::string joined;
  const Read read = read_as_head(bytes, 65'536);
  ASSERT_GT(read.messages.size(), 1u);
  for (const ToHead& message : read.messages) {
    const auto& output = std::get<Output>(message);
    EXPECT_EQ(output.rank, base::Rank(9));
    EXPECT_EQ(output.stream, Stream::err);
    joined += output.bytes;
  }
  EXPECT_TRUE(joined == text);
}

TEST(RoundTrip, LongInputTravelsInSeveralFrames) {
  const std::string text(kRawMax + 1, 'i');
  std::string bytes;
  append(bytes, ToAgent{Input{base::Rank(1), text}});
  std::string joined;
  for (const ToAgent& message : read_as_agent(bytes, 100'000).messages)
    joined += std::get<Input>(message).bytes;
  EXPECT_TRUE(joined == text);
}

TEST(RoundTrip, ALongStreamThroughOneReader) {
  // Long enough for the reader to move and to give back its buffer many times.
  const std::string text(10'007, 'l');
  HeadReader reader;
  std::string bytes;
  std::size_t frames = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    append_output(bytes, base::Rank(i), Stream::out, text);
    reader.feed(std::string_view(bytes).substr(0, 9'999));
    bytes.erase(0, 9'999);
    for (auto item = reader.next(); item && *item; item = reader.next(), ++frames) {
      const OutputView view = std::get<OutputView>(**item);
      ASSERT_EQ(view.rank, base::Rank(frames));
      ASSERT_TRUE(view.bytes == text);
    }
  }
  EXPECT_GT(frames, 1990u);
}

TEST(RoundTrip, FieldsOfANewerProgramAreSkipped) {
  // ToHead.started (4) with rank 1 and an unknown field 99 of 1 byte.
  const std::string payload("\x22\x06\x08\x01\x9a\x06\x01!", 8);
  const std::string frame = std::string("\x08\0\0\0\x01\1\0\0\0\0\0", 11) + payload;
  const Read read = read_as_head(frame, frame.size());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.messages, std::vector<ToHead>{(Started{base::Rank(1), 0})});
}

}  // namespace
}  // namespace muster::wire
