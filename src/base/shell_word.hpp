// shell_word: words as a person would type them for a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::base {

// In single quotes where it needs them: 'it'\''s here'. They mean the same to sh, csh, fish and
// their kin.
[[nodiscard]] std::string shell_word(std::string_view word);

// The same of a path; "~/" at its beginning stays outside the quotes, so that a shell expands it.
[[nodiscard]] std::string shell_path(std::string_view path);

// With blanks between.
[[nodiscard]] std::string shell_words(std::span<const std::string> words);

}  // namespace muster::base
