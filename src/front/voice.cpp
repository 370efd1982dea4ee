// Looks for the options of a voice before a command is read.
#include "front/voice.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "option/reader.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

void hear(const OptionText& option, const Typed& typed, Voice& heard) {
  if (option.names == kColorNames) heard.colour = typed.value;
  if (option.names == kQuietNames) heard.quiet = true;
  if (option.names == kVersionNames) heard.version = true;
}

// Returns the index behind the options that begin here; of all words where one cannot be read.
std::size_t hear_some(const OptionTexts& options, std::span<const std::string> words,
                      Voice& heard) {
  const Grammar grammar{.command = "muster", .glued = Glued::all};
  option::OptionReader reader(options, grammar, words);
  while (true) {
    const auto found = reader.next();
    if (!found) return words.size();
    if (!*found) return reader.at();
    hear(*options[(*found)->index], (*found)->typed, heard);
  }
}

}  // namespace

base::Result<void> check_colours(const Typed& typed) {
  const std::vector<std::string> known = base::split(kColours, " ");
  if (std::ranges::count(known, typed.value) > 0) return {};
  return base::fail(base::Fault::usage, base::did_you_mean(typed.value, known),
                    "{} must be auto, always or never, not {}", typed.option,
                    spec::in_quotes(typed.value));
}

Voice voice(const Front& front, std::span<const std::string> words) {
  Voice heard;
  const OptionTexts options = front.options();
  const auto speaks = [](const OptionText* option) { return option->names == kColorNames; };
  if (std::ranges::none_of(options, speaks)) return heard;
  while (!words.empty()) {
    const std::size_t end = hear_some(options, words, heard);
    const bool ended = end > 0 && words[end - 1] == "--";
    if (!front.takes_file || ended || end == words.size()) break;
    words = words.subspan(end + 1);
  }
  return heard;
}

}  // namespace muster::front
