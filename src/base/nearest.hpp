// nearest: the known word that a mistyped word was most likely meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::base {

// The word with the smallest edit distance, if that is at most a third of the typed letters, at
// most 3, and 1 of up to five letters, and leaves a letter as it is: "q" is not near "n", but "N"
// is.
// '-' and '_' are no letters. Ties go to the earlier word. Else the only one that it begins, up to
// a '-' or '_' in it: "--secret" of
// "--secret-file".
[[nodiscard]] std::optional<std::string> nearest(std::string_view typed,
                                                 std::span<const std::string> known);

// "did you mean WORD?" with the nearest word; `otherwise` when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> known,
                                       std::string otherwise = {});

}  // namespace muster::base
