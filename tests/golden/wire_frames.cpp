// The bytes of one of each message: a change here is a change of the protocol.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "golden/golden.hpp"
#include "unit/wire/samples.hpp"
#include "wire/frame.hpp"

namespace muster::wire {
namespace {

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

template <class Message>
std::string entry(const std::string& name, const Message& message) {
  std::string bytes;
  append(bytes, message);
  return fmt::format("{}: length {}, kind {}\n{}\n", name, bytes.size() - 11, int{bytes[4]},
                     dump(bytes));
}

TEST(WireFrames, ToAgent) {
  const std::vector<std::string> names = {"Hello",      "Prepare",  "Start",  "Signal",  "Stop",
                                          "Input",      "InputEnd", "Credit", "Suspend", "FenceOut",
                                          "NameAnswer", "PmixDown", "Ping",   "Bye",     "Drop",
                                          "Spawned",    "Trace",    "World"};
  const std::vector<ToAgent> samples = samples_to_agent();
  ASSERT_EQ(names.size(), samples.size());
  std::string text = "one frame of each message to an agent\n\n";
  for (std::size_t i = 0; i < names.size(); ++i) text += entry(names[i], samples[i]);
  golden::expect_golden("wire/to_agent.txt", text);
}

TEST(WireFrames, ToHead) {
  const std::vector<std::string> names = {
      "Welcome",     "Prepared", "Refused",    "Started", "Output", "OutputEnd", "Exited",
      "InputCredit", "FenceIn",  "Aborted",    "NameAsk", "PmixUp", "Stopped",   "Pong",
      "Declined",    "Spawn",    "Attendance", "Traced",  "Taken"};
  const std::vector<ToHead> samples = samples_to_head();
  ASSERT_EQ(names.size(), samples.size());
  std::string text = "magic line\n" + dump(kMagic) + "\none frame of each message to the head\n\n";
  for (std::size_t i = 0; i < names.size(); ++i) text += entry(names[i], samples[i]);
  golden::expect_golden("wire/to_head.txt", text);
}

TEST(WireFrames, Pmix) {
  const std::vector<std::string> upcalls = {
      "Ready",      "Broken",  "Connected", "Finalized", "Aborted", "Fence", "Modex",
      "ModexFound", "Publish", "Lookup",    "Unpublish", "Connect", "Spawn", "Event"};
  const std::vector<std::string> commands = {"AddJob",  "Reply",      "Found",
                                             "Spawned", "FetchModex", "Event"};
  ASSERT_EQ(upcalls.size(), sample_upcalls().size());
  ASSERT_EQ(commands.size(), sample_commands().size());
  std::string text = "one PmixUp of each upcall, then one PmixDown of each command\n\n";
  for (std::size_t i = 0; i < upcalls.size(); ++i) {
    text += entry(upcalls[i], ToHead{PmixUp{sample_upcalls()[i]}});
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    text += entry(commands[i], ToAgent{PmixDown{sample_commands()[i]}});
  }
  golden::expect_golden("wire/pmix.txt", text);
}

}  // namespace
}  // namespace muster::wire
