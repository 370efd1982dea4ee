// quoted: words that a person typed, made safe to show in one line of a complaint; likewise for a
// shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::spec {

// 'text' in single quotes; bytes that are not printable ASCII as \xNN; cut after 60 bytes.
[[nodiscard]] std::string quoted(std::string_view text);

// Words, with blanks between, that any shell reads back as they are: 'a' 'it'\''s'.
[[nodiscard]] std::string quoted_for_shell(std::span<const std::string> words);

}  // namespace muster::spec
