// LeftBehind: what a host has to say of files that it cannot send home; stands before its parcel.
//
//   lost COUNT\n      files, and folders that cannot be read; the first follow, a line each
//   others COUNT\n    what is no file, folder or link; the same
//   bytes COUNT\n     of the contents that follow
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/survey.hpp"

namespace muster::cli {

struct LeftBehind {
  struct Part {
    std::uint64_t count = 0;
    std::vector<std::string> names = {};  // "outputs/model/pipe (a fifo)", of the first
    void add(const Part& more, const std::string& host);
    // "node1: outputs/model/pipe (a fifo) and 3 more".
    [[nodiscard]] std::string words() const;
    bool operator==(const Part&) const = default;
  };
  Part lost;
  Part others;
  std::uint64_t coming = 0;  // bytes
  bool operator==(const LeftBehind&) const = default;
};

[[nodiscard]] LeftBehind left_behind(const std::vector<blobs::LeftOut>& left_out,
                                     std::uint64_t coming = 0);

[[nodiscard]] std::string to_text(const LeftBehind& left);

// Reads it off the front of what a host sent, and trusts no word of it.
[[nodiscard]] std::optional<LeftBehind> take_left_behind(std::string_view& text);

// More bytes than to_text() ever has.
inline constexpr std::size_t kLeftBehindMax = std::size_t{64} << 10;

}  // namespace muster::cli
