// Draws the steps of a pipeline in layers.
#include "view/graph_drawing.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "view/utf8.hpp"

namespace muster::view {
namespace {

using model::StepState;

struct Paint {
  StepState state;
  std::string_view fill;
};

constexpr std::array<Paint, 8> kPaints = {{{StepState::waiting, "#f5f5f5"},
                                           {StepState::running, "#bbdefb"},
                                           {StepState::completed, "#c8e6c9"},
                                           {StepState::reused, "#dcedc8"},
                                           {StepState::failed, "#ffcdd2"},
                                           {StepState::stopped, "#ffe0b2"},
                                           {StepState::left_out, "#eeeeee"},
                                           {StepState::blocked, "#e0e0e0"}}};

std::string_view fill_of(StepState state) { return kPaints[std::size_t(state)].fill; }

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : utf8(text)) {
    constexpr std::string_view kSpecial = "&<>\"'";
    const bool special = kSpecial.find(c) != std::string_view::npos;
    safe += special ? fmt::format("&#{};", int(c)) : std::string(1, c);
  }
  return safe;
}

// ---- layers ----

constexpr int kWidth = 180;  // of a box, and below its height; in pixels
constexpr int kHeight = 44;
constexpr int kGapX = 24;
constexpr int kGapY = 36;

struct Spot {
  int layer = 0;
  int place = 0;  // in it
  [[nodiscard]] int left() const { return kGapX + place * (kWidth + kGapX); }
  [[nodiscard]] int top() const { return kGapY + layer * (kHeight + kGapY); }
  [[nodiscard]] int middle() const { return left() + kWidth / 2; }
};

std::vector<Spot> spots_of(const std::vector<DrawnStep>& steps) {
  std::vector<Spot> spots(steps.size());
  std::vector<int> counts;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const std::size_t before : steps[i].after) {
      spots[i].layer = std::max(spots[i].layer, spots[before].layer + 1);
    }
    counts.resize(std::max(counts.size(), std::size_t(spots[i].layer) + 1));
    spots[i].place = counts[std::size_t(spots[i].layer)]++;
  }
  return spots;
}

std::string edge(const Spot& from, const Spot& to) {
  const int begin = from.top() + kHeight;
  const int bend = (begin + to.top()) / 2;
  return fmt::format(R"(<path d="M{} {} C{} {} {} {} {} {}" fill="none" stroke="#90a4ae"/>)",
                     from.middle(), begin, from.middle(), bend, to.middle(), bend, to.middle(),
                     to.top()) +
         "\n";
}

std::string box(const DrawnStep& step, const Spot& spot) {
  constexpr std::string_view kForm =
      R"(<g><title>{0}</title><rect x="{1}" y="{2}" width="{3}" height="{4}" rx="6" fill="{5}" )"
      R"(stroke="#607d8b"/><text x="{6}" y="{7}" text-anchor="middle">{8}</text>)"
      R"(<text x="{6}" y="{9}" text-anchor="middle" fill="#546e7a">{10}</text></g>)";
  constexpr std::size_t kMost = 24;  // characters that fit into a box
  const std::string shown =
      step.name.size() > kMost ? step.name.substr(0, kMost - 3) + "..." : step.name;
  return fmt::format(kForm, escaped(step.name), spot.left(), spot.top(), kWidth, kHeight,
                     fill_of(step.state), spot.middle(), spot.top() + 19, escaped(shown),
                     spot.top() + 35, escaped(step.note)) +
         "\n";
}

std::pair<int, int> size_of(const std::vector<Spot>& spots) {
  int right = kGapX;
  int bottom = kGapY;
  for (const Spot& spot : spots) {
    right = std::max(right, spot.left() + kWidth + kGapX);
    bottom = std::max(bottom, spot.top() + kHeight + kGapY);
  }
  return {right, bottom};
}

}  // namespace

std::string mermaid(const std::vector<DrawnStep>& steps) {
  std::string text = "flowchart TD\n";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string note = steps[i].note.empty() ? "" : "<br>" + escaped(steps[i].note);
    text += fmt::format("  s{}[\"{}{}\"]\n", i, escaped(steps[i].name), note);
    for (const std::size_t before : steps[i].after)
      text += fmt::format("  s{} --> s{}\n", before, i);
    text += fmt::format("  style s{} fill:{}\n", i, fill_of(steps[i].state));
  }
  return text;
}

std::string svg(const std::vector<DrawnStep>& steps) {
  const std::vector<Spot> spots = spots_of(steps);
  const auto [width, height] = size_of(spots);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"sans-serif\" font-size=\"12\">\n",
      width, height);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const std::size_t before : steps[i].after) text += edge(spots[before], spots[i]);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) text += box(steps[i], spots[i]);
  return text + "</svg>\n";
}

}  // namespace muster::view
