// One file for each message: the bytes of a frame, what reading it gives, and what the reader says
// just below, at, and just above each limit. A change here is a change of the protocol.
#include <array>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "golden/golden.hpp"
#include "golden/limits.hpp"
#include "golden/raw_frames.hpp"
#include "sim/frame_words.hpp"
#include "sim/words.hpp"
#include "unit/wire/reading.hpp"
#include "unit/wire/samples.hpp"

namespace muster::wire {
namespace {

// A message that is not named here does not compile; one that is named needs its file.
constexpr std::array kToAgentNames = {
    "Hello",   "Prepare",  "Start",      "Signal",   "Stop",    "Input",  "InputEnd", "Credit",
    "Suspend", "FenceOut", "NameAnswer", "PmixDown", "Ping",    "Bye",    "Drop",     "Spawned",
    "Trace",   "World",    "ToLauncher", "Reach",    "Release", "Contain"};
constexpr std::array kToHeadNames = {
    "Welcome", "Prepared",     "Refused",  "Started",  "Output",     "OutputEnd",
    "Exited",  "InputCredit",  "FenceIn",  "Aborted",  "NameAsk",    "PmixUp",
    "Stopped", "Pong",         "Declined", "Spawn",    "Attendance", "Traced",
    "Taken",   "FromLauncher", "Reached",  "Unreached"};
constexpr std::array kUpcallNames = {"Ready",     "Broken",  "Connected",  "Finalized", "Aborted",
                                     "Fence",     "Modex",   "ModexFound", "Publish",   "Lookup",
                                     "Unpublish", "Connect", "Spawn",      "Event"};
constexpr std::array kCommandNames = {"AddJob", "Reply", "Found", "Spawned", "FetchModex", "Event"};
static_assert(kToAgentNames.size() == std::variant_size_v<ToAgent>);
static_assert(kToHeadNames.size() == std::variant_size_v<ToHead>);
static_assert(kUpcallNames.size() == std::variant_size_v<pmix::Upcall>);
static_assert(kCommandNames.size() == std::variant_size_v<pmix::Command>);

constexpr std::string_view kRefused = "refused";

// 16 bytes a line: offset, hex, and the bytes that can be printed.
std::string dump(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const std::string_view row = bytes.substr(at, 16);
    std::string hex, text;
    for (const char byte : row) {
      hex += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
      text += byte >= 0x20 && byte < 0x7f ? byte : '.';
    }
    out += fmt::format("  {:04x} {:<48}  |{}|\n", at, hex, text);
  }
  return out;
}

// What the reader at the other end says to a frame.
template <class Read>
std::string said(const Read& read) {
  if (!read.error.empty()) return fmt::format("{}: {}", kRefused, read.error);
  return read.messages.empty() ? "waits for more" : "taken";
}

using Reader = std::function<std::string(const std::string&)>;
std::string said_by_agent(const std::string& bytes) {
  return said(read_as_agent(bytes, bytes.size()));
}
std::string said_by_head(const std::string& bytes) {
  return said(read_as_head(bytes, bytes.size()));
}

std::string text_of(const Limit& limit, const Reader& reader) {
  std::string text = "\n" + limit.name + "\n";
  std::size_t taken = 0;
  for (const Tried& tried : limit.tried) {
    const std::string answer = reader(tried.frame);
    taken += answer.starts_with(kRefused) ? 0 : 1;
    text += fmt::format("  {:<17} in {:>9} bytes: {}\n", tried.value, tried.frame.size(), answer);
  }
  EXPECT_TRUE(taken > 0 && taken < limit.tried.size()) << "no limit: " << text;
  return text;
}

std::string text_of(const Limits& limits, const Reader& reader) {
  std::string text;
  for (const Limit& limit : limits) text += text_of(limit, reader);
  return limits.empty() ? "\nno limits but those of every frame\n" : text;
}

void expect_file(const std::string& name, const std::string& text) {
  golden::expect_golden("protocol/messages/" + name + ".txt", name + "\n" + text);
}

template <class Message>
std::string text_of_message(const Message& message, const Message& back, const Reader& reader) {
  EXPECT_EQ(back, message);
  const std::string bytes = framed(message);
  return fmt::format("{}\n{}\nreading gives: {}\n{}", sim::header_words(bytes), dump(bytes),
                     sim::words(back), text_of(limits_of(message), reader));
}

void expect_message(const std::string& name, const ToAgent& message) {
  const auto read = read_as_agent(framed(message), kControlMax);
  ASSERT_EQ(read.messages.size(), 1u);
  expect_file(name, text_of_message(message, read.messages.front(), said_by_agent));
}

void expect_message(const std::string& name, const ToHead& message) {
  const auto read = read_as_head(framed(message), kControlMax);
  ASSERT_EQ(read.messages.size(), 1u);
  expect_file(name, text_of_message(message, read.messages.front(), said_by_head));
}

class ProtocolToAgent : public testing::TestWithParam<std::size_t> {};
class ProtocolToHead : public testing::TestWithParam<std::size_t> {};
class ProtocolUpcalls : public testing::TestWithParam<std::size_t> {};
class ProtocolCommands : public testing::TestWithParam<std::size_t> {};

TEST_P(ProtocolToAgent, IsTheSame) {
  expect_message(kToAgentNames[GetParam()], samples_to_agent().at(GetParam()));
}
TEST_P(ProtocolToHead, IsTheSame) {
  expect_message(kToHeadNames[GetParam()], samples_to_head().at(GetParam()));
}
TEST_P(ProtocolUpcalls, IsTheSame) {
  expect_message(std::string("PmixUp_") + kUpcallNames[GetParam()],
                 ToHead{PmixUp{sample_upcalls().at(GetParam())}});
}
TEST_P(ProtocolCommands, IsTheSame) {
  expect_message(std::string("PmixDown_") + kCommandNames[GetParam()],
                 ToAgent{PmixDown{sample_commands().at(GetParam())}});
}

const auto kNamed = [](const auto& names) {
  return [&names](const auto& one) { return std::string(names[one.param]); };
};
INSTANTIATE_TEST_SUITE_P(Of, ProtocolToAgent, testing::Range<std::size_t>(0, kToAgentNames.size()),
                         kNamed(kToAgentNames));
INSTANTIATE_TEST_SUITE_P(Of, ProtocolToHead, testing::Range<std::size_t>(0, kToHeadNames.size()),
                         kNamed(kToHeadNames));
INSTANTIATE_TEST_SUITE_P(Of, ProtocolUpcalls, testing::Range<std::size_t>(0, kUpcallNames.size()),
                         kNamed(kUpcallNames));
INSTANTIATE_TEST_SUITE_P(Of, ProtocolCommands, testing::Range<std::size_t>(0, kCommandNames.size()),
                         kNamed(kCommandNames));

TEST(Protocol, FramesToTheAgent) {
  constexpr int kContain = 22;
  expect_file("frames_to_agent", text_of(limits_of_frames(kInputKind, kContain), said_by_agent));
}

TEST(Protocol, FramesToTheHead) {
  constexpr int kUnreached = 22;
  expect_file("frames_to_head", text_of(limits_of_frames(kOutputKind, kUnreached), said_by_head));
}

TEST(Protocol, MagicLine) {
  const auto said_by_filter = [](const std::string& bytes) {
    NoiseFilter filter;
    std::string rest;
    return filter.feed(bytes, rest) == NoiseFilter::State::found ? "taken" : "refused: too much";
  };
  expect_file("magic_line", dump(kMagic) + text_of(limits_of_noise(), said_by_filter));
}

}  // namespace
}  // namespace muster::wire
