// JSON around a traceback, and the traceback's lines.
#include "view/python_error.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "view/tail.hpp"

namespace muster::view {
namespace {

using PlainJson = nlohmann::json;

constexpr std::size_t kFrames = 3;
constexpr std::size_t kWhatMax = 300;  // bytes

constexpr std::array kForeign = {std::string_view("/site-packages/"),
                                 std::string_view("/dist-packages/"),
                                 std::string_view("/lib/python"), std::string_view("<frozen")};

std::string text_of(const PlainJson& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : std::string();
}

// "  File \"train.py\", line 40, in step" and the source line below it.
struct Frame {
  std::string_view file;
  std::string_view line;
  std::string_view function;
  std::string_view source;
};

std::string_view cut(std::string_view& text, std::string_view end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return part;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

// Of the last traceback in the text: of several that cause each other the last is the one that
// ended the program.
std::vector<Frame> frames_of(std::string_view stack) {
  std::vector<Frame> frames;
  while (!stack.empty()) {
    std::string_view line = cut(stack, "\n");
    if (line.starts_with("Traceback (")) frames.clear();
    if (!line.starts_with("  File \"")) continue;
    cut(line, "\"");
    Frame frame{cut(line, "\", line "), cut(line, ", in "), line, {}};
    if (stack.starts_with("    ")) frame.source = trimmed(cut(stack, "\n"));
    frames.push_back(frame);
  }
  return frames;
}

bool is_own(const Frame& frame) {
  return std::ranges::none_of(kForeign, [&](std::string_view part) {
    return frame.file.find(part) != std::string_view::npos;
  });
}

std::string words_of(const Frame& frame) {
  std::string words = fmt::format("{}:{}", frame.file, frame.line);
  if (!frame.function.empty()) words += fmt::format(" in {}", frame.function);
  if (!frame.source.empty()) words += fmt::format(": {}", frame.source);
  return printable(words);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.emplace_back(cut(text, "\n"));
  return lines;
}

// The first line of what was raised, or its kind and what NCCL said last.
std::string what_of(const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  const auto last = last_error(lines);
  if (!last) return printable(lines.front(), kWhatMax);
  const std::string kind = lines.front().substr(0, lines.front().find(": "));
  return printable(fmt::format("{}: {}", kind, *last), kWhatMax);
}

}  // namespace

PythonError python_error(std::string_view text) {
  PythonError error;
  const PlainJson file = PlainJson::parse(text, nullptr, false);
  if (!file.is_object() || !file.contains("message")) return error;
  const PlainJson& message = file["message"];
  const std::vector<std::string> lines =
      lines_of(message.is_string() ? message.get<std::string>() : text_of(message, "message"));
  error.what = what_of(lines);
  error.absent = absent_tasks(lines);
  const std::string stack =
      message.contains("extraInfo") ? text_of(message["extraInfo"], "py_callstack") : "";
  auto frames = frames_of(stack);
  std::erase_if(frames, [](const Frame& frame) { return !is_own(frame); });
  std::ranges::reverse(frames);
  if (frames.size() > kFrames) frames.resize(kFrames);
  for (const Frame& frame : frames) error.frames.push_back(words_of(frame));
  return error;
}

}  // namespace muster::view
