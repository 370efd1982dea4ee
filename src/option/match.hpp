// OptionMatcher: which option of a table a word is, by the grammar of a launcher.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "option/grammar.hpp"
#include "option/option.hpp"

namespace muster::option {

struct Match {
  std::size_t index = 0;                  // of the table
  std::string_view name;                  // as typed
  std::optional<std::string_view> value;  // glued on, as --opt=value or -n4
};

// Table and grammar outlive it.
class OptionMatcher {
 public:
  OptionMatcher(OptionTexts options, const Grammar& grammar)
      : options_(std::move(options)), grammar_(grammar) {}

  // Nothing for a word that is no option of the table. Fault::usage for an abbreviation of several
  // options and for a refused '='.
  [[nodiscard]] base::Result<std::optional<Match>> match(std::string_view word) const;

  // Whether this word, up to any '=', is the full name of an option.
  [[nodiscard]] bool is_name(std::string_view word) const;

  // The option that such a word is nearest to, if it is near to one.
  [[nodiscard]] std::optional<Match> near(std::string_view word) const;

  // The error about an argument that starts with a dash and is not in the table.
  [[nodiscard]] base::Error unknown(std::string_view word) const;

  [[nodiscard]] const OptionText& text(std::size_t index) const { return *options_[index]; }
  [[nodiscard]] std::size_t size() const { return options_.size(); }

 private:
  [[nodiscard]] std::optional<Match> by_name(std::string_view name) const;
  [[nodiscard]] std::optional<Match> by_glued(std::string_view word) const;
  [[nodiscard]] base::Result<std::optional<Match>> by_abbreviation(std::string_view name) const;
  [[nodiscard]] std::string key(std::string_view name) const;
  [[nodiscard]] bool same(std::string_view typed, std::string_view known) const;
  [[nodiscard]] std::string instead(std::string_view name) const;

  OptionTexts options_;
  const Grammar& grammar_;
};

// Word processors turn "-" into longer ones.
[[nodiscard]] bool starts_with_long_dash(std::string_view word);

}  // namespace muster::option
