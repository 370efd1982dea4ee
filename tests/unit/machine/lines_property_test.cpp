// Lines against a naive twin: whatever the chunks, every whole line comes out once, and the lines
// of a rank in their order.
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "machine/lines.hpp"
#include "unit/machine/speaking.hpp"

namespace muster::machine {
namespace {

using base::Rank;
using model::Stream;

class Texts final : public LineSink {
 public:
  void write(SinkId sink, std::string_view bytes) override {
    (sink == 0 ? out : err).append(bytes);
  }
  std::string out;
  std::string err;
};

// Text of a rank that says whose it is in each line: "3:17:xxx".
std::string text_of(std::uint32_t rank, std::mt19937_64& dice) {
  std::string text;
  const std::size_t lines = dice() % 30;
  for (std::size_t i = 0; i < lines; ++i) {
    const bool huge = dice() % 60 == 0;
    const std::size_t length = huge ? Lines::kLineMax + dice() % 100'000 : dice() % 200;
    text += std::to_string(rank) + ":" + std::to_string(i) + ":" + std::string(length, 'x');
    text += dice() % 8 == 0 ? "\r\n" : "\n";
  }
  if (!text.empty() && dice() % 3 == 0) text.pop_back();
  return text;
}

// The lines of a text by the rank that each names; the twin.
std::map<std::string, std::string> by_rank(const std::string& text) {
  std::map<std::string, std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    lines[line.substr(0, line.find(':'))] += line;
    at = end;
  }
  return lines;
}

void play(std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  const auto ranks = static_cast<std::uint32_t>(2 + dice() % 4);
  const model::OutputSpec plain;
  const Speaking who(ranks);
  Lines lines(plain, who.speakers, false);
  for (std::uint32_t lane = 0; lane < 2 * ranks; ++lane) lines.add(lane % 2, false);
  Texts sink;
  std::vector<std::string> texts;
  std::vector<std::size_t> given(ranks);
  std::map<std::string, std::string> expected;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    texts.push_back(text_of(rank, dice));
    std::string whole = texts.back();
    if (!whole.empty() && whole.back() != '\n') whole += '\n';
    if (!whole.empty()) expected[std::to_string(rank)] = whole;
  }
  const LineTime time{base::Instant(std::chrono::seconds(100))};
  for (std::uint32_t open = ranks; open > 0;) {
    const auto rank = static_cast<std::uint32_t>(dice() % ranks);
    if (given[rank] > texts[rank].size()) continue;
    const std::size_t size = dice() % 10 == 0 ? 1'500'000 : 1 + dice() % 300;
    const std::string chunk = texts[rank].substr(given[rank], size);
    if (chunk.empty()) {
      given[rank] = texts[rank].size() + 1;
      lines.end(Rank(rank), Stream::out, time, sink);
      --open;
      continue;
    }
    given[rank] += chunk.size();
    lines.take(Rank(rank), Stream::out, chunk, time, sink);
  }
  EXPECT_TRUE(by_rank(sink.out) == expected) << "seed " << seed;
  EXPECT_EQ(sink.err, "");
  EXPECT_FALSE(lines.deadline()) << "seed " << seed;
}

TEST(LinesProperty, EveryLineComesOutWholeOnceAndInOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) play(seed);
}

}  // namespace
}  // namespace muster::machine
