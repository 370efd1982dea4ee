// Paths below a folder that cannot lead out of it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::snapshot {

inline constexpr std::size_t kPathMax = 4000;  // the folder's own path comes before it
inline constexpr std::size_t kNameMax = 255;

// A line break in a name would be one in a manifest; an escape sequence one on a terminal.
[[nodiscard]] bool is_plain(std::string_view text);

// Relative, of plain names, none of which is "", "." or "..".
[[nodiscard]] bool is_inside(std::string_view path);

// Whether a link at `path` with this target stays below the folder, wherever other links lead that
// stay there too: what the name before a ".." leads to, and so what lies above that, is not known
// from words. So "a/../b" does not count as staying.
[[nodiscard]] bool link_stays(std::string_view path, std::string_view target);

// "a/b" of "a/b/c"; "" of "a".
[[nodiscard]] std::string_view parent_of(std::string_view path);

// From the folder of what lies at `path` up to where the path begins: "../../" of "a/b/c".
[[nodiscard]] std::string way_up(std::string_view path);

}  // namespace muster::snapshot
