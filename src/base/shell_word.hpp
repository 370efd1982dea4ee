// shell_word: words as a person would type them for a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::base {

// In single quotes where it needs them: 'it'\''s here'. They mean the same to sh, csh, fish and
// their kin.
[[nodiscard]] std::string shell_word(std::string_view word);

// With blanks between.
[[nodiscard]] std::string shell_words(std::span<const std::string> words);

}  // namespace muster::base
