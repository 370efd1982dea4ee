// The letters of PMI: a line, a spawn body or a PMI-2 frame, taken apart into named fields.
//
// PMI-1 line:   cmd=put kvsname=K key=k value=v          fields end at a blank
// PMI-1 body:   mcmd=spawn\nnprocs=2\n...\nendcmd\n      fields end at a newline
// PMI-2 frame:  cmd=kvs-put;key=k;value=v;               fields end at a ';', which is doubled
// inside
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::pmi {

inline constexpr std::size_t kFieldsMax = 10'000;  // of one command

// The first of several fields with the same name counts, as in Hydra.
using Fields = std::map<std::string, std::string, std::less<>>;

struct Command {
  std::string name;
  Fields fields;
  std::vector<Fields> parts;  // PMI-2's spawn: one for each subcmd
};

[[nodiscard]] base::Result<Command> parse_line(std::string_view line);
[[nodiscard]] base::Result<Command> parse_body(std::string_view body);
[[nodiscard]] base::Result<Command> parse_frame(std::string_view payload);

// An error about what a task sent; the text is quoted, cut and made printable.
[[nodiscard]] tl::unexpected<base::Error> malformed(std::string_view why, std::string_view text);

}  // namespace muster::pmi
