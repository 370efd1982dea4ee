// OptionReader: reads arguments as long as they are options, one at a time. Knows nothing of
// drafts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "option/grammar.hpp"
#include "option/match.hpp"
#include "option/option.hpp"

namespace muster::option {

struct Found {
  std::size_t index = 0;  // of the table
  Typed typed;
  bool idle = false;  // has no effect; a notice says so
};

// The error about an option that may be given only once.
[[nodiscard]] tl::unexpected<base::Error> twice(const Typed& typed);

// The error about an option that says another thing of the same than before.
[[nodiscard]] tl::unexpected<base::Error> contradiction(const Typed& typed, const Typed& before);

// Table, grammar and arguments outlive it.
class OptionReader {
 public:
  // `later_block`: these arguments come after a ':', so that options for the whole job are late.
  OptionReader(OptionTexts options, const Grammar& grammar, std::span<const std::string> words,
               bool later_block = false)
      : matcher_(std::move(options), grammar),
        grammar_(grammar),
        words_(words),
        given_(matcher_.size()),
        later_block_(later_block) {}

  // The next option with its values; nothing at the end: at "--", at the first word that is none,
  // or after an option that ends reading. Complaints are Fault::usage, one line, with a hint; after
  // one, reading may go on, to find more of them: as far as it is certain what is an option.
  [[nodiscard]] base::Result<std::optional<Found>> next();

  // After a complaint: passes over a word that next() has stopped at, where options may follow it.
  [[nodiscard]] bool pass_word();

  // The index of the first word after the options: the program.
  [[nodiscard]] std::size_t at() const { return at_; }

  // What is to be said once, one line each.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  [[nodiscard]] base::Result<Found> take(const Match& match);
  void pass_value(std::string_view unknown);
  [[nodiscard]] base::Result<Typed> values_of(const Match& match);
  [[nodiscard]] base::Result<std::string_view> next_word(const Match& match);
  [[nodiscard]] base::Result<void> note(const Match& match, const Typed& typed);
  [[nodiscard]] base::Result<bool> is_effective(const Match& match);

  OptionMatcher matcher_;
  const Grammar& grammar_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;
  bool ended_ = false;
  std::vector<std::optional<Typed>> given_;  // index: that of the option
  std::vector<std::string> notices_;
  bool later_block_;
};

}  // namespace muster::option
