// The options that muster adds to the front ends of other launchers, the same in each.
#pragma once

#include <algorithm>
#include <array>

#include "front/environment_options.hpp"
#include "front/memory_words.hpp"
#include "front/reach_options.hpp"
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

  static base::Result<void> set_workdir(Draft& draft, const Typed& typed) {
    draft.request.said_reach.push_back(kWorkdir);
    return read_text(typed).map([&](const std::string& folder) {
      draft.request.spec.apps.front().workdir = absolute(*draft.call, folder);
    });
  }

  static base::Result<void> set_dry_run(Draft& draft, const Typed&) {
    draft.request.dry_run = true;
    return {};
  }

  static base::Result<void> set_no_python_errors(Draft& draft, const Typed&) {
    draft.request.spec.python_errors = false;
    return {};
  }

  static base::Result<void> set_unset(Draft& draft, const Typed& typed) {
    return add_unset(typed, draft.request.spec.environment);
  }

  static base::Result<void> set_dialects(Draft& draft, const Typed& typed) {
    return choose_dialects(typed, draft.request.spec.environment);
  }

  static base::Result<void> set_share_gpus(Draft& draft, const Typed&) {
    draft.request.spec.share_gpus = true;
    return {};
  }

  static base::Result<void> set_memory(Draft& draft, const Typed& typed) {
    return store(read_memory(typed), draft.request.spec.mapping.memory);
  }

  static constexpr std::string_view kGroup = "Options of muster (not in the original launcher)";
  static constexpr std::array<Option<Draft>, 15> kRows = {{
      {{"--fake-nodes", kGroup, Takes::number, "N",
        "Simulate N hosts on this machine, without ssh."},
       set_fake_nodes},
      reach_row<Draft, Reach::ssh_command>(kGroup),
      reach_row<Draft, Reach::ssh_port>(kGroup),
      reach_row<Draft, Reach::ssh_identity>(kGroup),
      reach_row<Draft, Reach::agent_path>(kGroup),
      reach_row<Draft, Reach::patience>(kGroup),
      reach_row<Draft, Reach::most_open>(kGroup),
      reach_row<Draft, Reach::lease>(kGroup),
      {{kWorkdir, kGroup, Takes::folder, "DIR",
        "The folder in which ranks start, on every host (default: this one)."},
       set_workdir},
      {{"--dry-run", kGroup, Takes::nothing, "",
        "Show which rank would run where, and why, without starting anything."},
       set_dry_run},
      {{"--no-python-errors", kGroup, Takes::nothing, "",
        "Do not capture the exception of a failed Python rank."},
       set_no_python_errors},
      {share_gpus_text(kGroup), set_share_gpus},
      {mem_bind_text(kGroup), set_memory},
      {unset_text(kGroup), set_unset},
      {dialects_text(kGroup), set_dialects},
  }};
};

// Whether one of the words stands in both, with blanks between words.
[[nodiscard]] constexpr bool share_a_word(std::string_view one, std::string_view other) {
  for (std::size_t at = 0; at < one.size();) {
    const std::size_t end = std::min(one.find(' ', at), one.size());
    const std::string_view word = one.substr(at, end - at);
    at = end + 1;
    for (std::size_t from = 0; from < other.size();) {
      const std::size_t to = std::min(other.find(' ', from), other.size());
      if (other.substr(from, to - from) == word) return true;
      from = to + 1;
    }
  }
  return false;
}

template <class Draft, std::size_t N>
[[nodiscard]] constexpr bool has_name_of(const std::array<Option<Draft>, N>& rows,
                                         const Option<Draft>& own) {
  return std::ranges::any_of(
      rows, [&](const auto& row) { return share_a_word(row.text.names, own.text.names); });
}

// The launcher's own table, then what muster adds: but for what the launcher has under that name.
template <class Draft, const auto& kRows>
[[nodiscard]] constexpr auto with_own_rows() {
  constexpr auto kOwn = OwnRows<Draft>::kRows;
  constexpr auto kNew = std::ranges::count_if(
      kOwn, [](const Option<Draft>& own) { return !has_name_of<Draft>(kRows, own); });
  std::array<Option<Draft>, kRows.size() + kNew> all{};
  auto end = std::ranges::copy(kRows, all.begin()).out;
  for (const Option<Draft>& own : kOwn) {
    if (!has_name_of<Draft>(kRows, own)) *end++ = own;
  }
  return all;
}

}  // namespace muster::front
