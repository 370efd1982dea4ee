// The options of muster lead and of muster join.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "front/called_request.hpp"
#include "front/hosts.hpp"
#include "front/table.hpp"

namespace muster::front {

struct CalledDraft {
  CalledRequest request;
  NamedHosts hosts;        // to be opened
  std::string listen;      // ADDRESS:PORT
  std::string names_file;  // of hosts, one a line
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> node;
  bool help = false;
};

[[nodiscard]] std::span<const Option<CalledDraft>> lead_table();
[[nodiscard]] std::span<const Option<CalledDraft>> join_table();
[[nodiscard]] OptionTexts lead_options();
[[nodiscard]] OptionTexts join_options();

}  // namespace muster::front
