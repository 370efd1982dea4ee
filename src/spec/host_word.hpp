// One host as a word, the same in -H and in hostfiles: [user@]name[:slots]; or several that differ
// in numbers: node[1-3,7]:8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/job_spec.hpp"

namespace muster::spec {

struct HostWord {
  std::string user;
  std::string name;  // an IPv6 address has lost its brackets, as ssh wants it
  std::optional<std::uint32_t> slots;
  bool slots_are_cores = false;  // ":*" or ":auto", as Open MPI has it
};

// Complaints have the given fault and no place: only the caller knows where the word stands.
[[nodiscard]] base::Result<HostWord> read_host_word(std::string_view word, base::Fault fault);

// The same for a word that may name several hosts, in the brackets of Slurm, pdsh and Flux
// (names_in_hostlist(), widths as Slurm has them): each with that user and so many slots.
[[nodiscard]] base::Result<std::vector<HostWord>> read_host_words(std::string_view word,
                                                                  base::Fault fault);

// Where a host of a list ends that begins at `at`: at the next comma that is not in brackets.
[[nodiscard]] std::size_t end_of_host(std::string_view list, std::size_t at);

// Letters, digits and . _ - + @ \, since directory services hold names like these; no '-' first.
[[nodiscard]] base::Result<std::string> read_user(std::string_view text, base::Fault fault);

// As -H and hostfiles say it; `place`: of the word.
[[nodiscard]] model::HostEntry entry_of(const HostWord& host, base::Place place);

// Without the hosts that are given 0 slots: they are named to keep ranks off them. That none of
// these, of which there is at least one, is left is an error at the first.
[[nodiscard]] base::Result<std::vector<model::HostEntry>> without_idle(
    std::vector<model::HostEntry> hosts, base::Fault fault);

}  // namespace muster::spec
