// read_options: the options at the front of some arguments, each applied to a draft.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "option/reader.hpp"

namespace muster::option {

struct OptionsRead {
  std::size_t program = 0;  // index of the first word after the options
  std::vector<std::string> notices;
};

// Whether an option is to be applied, or an error if it may not stand here.
template <class Draft>
using Admit = base::Result<bool> (*)(Draft&, const OptionText&, const Typed&);

// All errors are found, as far as it is certain what is an option, and told together; a value
// that is near to one of the option's choices gets that as its hint, one without a hint the
// option's help text. `admit` may be null: all options are carried out.
template <class Draft>
[[nodiscard]] base::Result<OptionsRead> read_options(std::span<const Option<Draft>> table,
                                                     const Grammar& grammar,
                                                     std::span<const std::string> words,
                                                     Draft& draft, bool later_block = false,
                                                     Admit<Draft> admit = nullptr) {
  OptionReader reader(texts_of(table), grammar, words, later_block);
  base::Errors errors;
  while (true) {
    const auto found = reader.next();
    if (!found) {
      errors.add(found.error());
      continue;
    }
    if (!*found) {
      if (!errors.empty() && reader.pass_word()) continue;
      break;
    }
    const Option<Draft>& option = table[(*found)->index];
    if ((*found)->idle || option.set == nullptr) continue;
    if (admit != nullptr) {
      const auto admitted = admit(draft, option.text, (*found)->typed);
      if (!admitted) errors.add(admitted.error());
      if (!admitted || !*admitted) continue;
    }
    if (auto done = option.set(draft, (*found)->typed); !done) {
      std::string near = near_choice(option.text, (*found)->typed.value);
      if (!near.empty()) {
        done.error().hint = std::move(near);  // a slip of the fingers comes first
      } else if (done.error().hint.empty()) {
        done.error().hint = usage_line(option.text);
      }
      errors.add(std::move(done.error()));
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors).together());
  return OptionsRead{reader.at(), reader.notices()};
}

}  // namespace muster::option
