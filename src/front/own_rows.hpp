// The options that muster adds to the front ends of other launchers, the same in each.
#pragma once

#include <array>

#include "front/request.hpp"
#include "front/table.hpp"
#include "option/values.hpp"
#include "spec/limits.hpp"

namespace muster::front {

// A draft has a member `request` and a member `notices`.
template <class Draft>
struct OwnRows {
  static base::Result<void> set_fake_nodes(Draft& draft, const Typed& typed) {
    return read_count(typed, {1, spec::kFakeNodesMax}).map([&](std::uint32_t count) {
      draft.request.spec.fake_nodes = count;
    });
  }

  static base::Result<void> set_agent_path(Draft& draft, const Typed& typed) {
    return read_text(typed).map(
        [&](const std::string& path) { draft.request.spec.carrier.agent_path = path; });
  }

  static base::Result<void> set_dry_run(Draft& draft, const Typed&) {
    draft.request.dry_run = true;
    return {};
  }

  static base::Result<void> set_no_python_errors(Draft& draft, const Typed&) {
    draft.request.spec.python_errors = false;
    return {};
  }

  static constexpr std::string_view kGroup = "Options of muster (not in the original launcher)";
  static constexpr std::array<Option<Draft>, 4> kRows = {{
      {{"--fake-nodes", kGroup, Takes::number, "N",
        "Simulate N hosts on this machine, without ssh."},
       set_fake_nodes},
      {{"--agent-path", kGroup, Takes::text, "PATH",
        "Path of muster on the hosts (default: its path on this machine)."},
       set_agent_path},
      {{"--dry-run", kGroup, Takes::nothing, "",
        "Show which rank would run where, and why, without starting anything."},
       set_dry_run},
      {{"--no-python-errors", kGroup, Takes::nothing, "",
        "Do not capture the exception of a failed Python rank."},
       set_no_python_errors},
  }};
};

// The two tables as one.
template <class Draft, std::size_t N>
[[nodiscard]] constexpr auto with_own_rows(const std::array<Option<Draft>, N>& rows) {
  constexpr std::size_t kOwn = OwnRows<Draft>::kRows.size();
  std::array<Option<Draft>, N + kOwn> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = rows[i];
  for (std::size_t i = 0; i < kOwn; ++i) all[N + i] = OwnRows<Draft>::kRows[i];
  return all;
}

}  // namespace muster::front
