// Host lists as people write them, -H and hostfiles, in; checked entries out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/job_spec.hpp"
#include "spec/host_form.hpp"

namespace muster::spec {

inline constexpr std::size_t kHostTextMax = std::size_t{16} << 20;  // bytes of a list or a file
inline constexpr std::size_t kHostsMax = 1'000'000;                 // entries

// "node1:8,user@node2:8,10.0.0.3,[fe80::1]:4" as after -H. Every complaint has place "-H" and says
// which entry. A bare host has no slots (plan decides); one with 0 slots is left out, and so is
// nothing after a last comma: lists made by `tr "\n" ","` end so.
[[nodiscard]] base::Result<std::vector<model::HostEntry>> read_host_list(
    std::string_view text, EmptyEntry empty_entry = EmptyEntry::mistake);

// The text of a hostfile; `name` is its path, used in places. One host a line:
//   [user@]host [slots=N] [max_slots=N]   Open MPI's keys with all their spellings,
//                                         blanks around '=' allowed, username=, port=
//   [user@]host:N                         Hydra's
// Comments: '#', '//', '/* */'; blank lines; CRLF; a UTF-8 byte order mark.
// A host with slots=0 is left out: that keeps ranks off it.
// Errors have file:line:column: unknown key (with the nearest one), numbers too large,
// max_slots below slots (max_slots alone gives the slots too, as in Open MPI), a count given twice
// on a line, a name that starts with '-' or holds odd characters, bytes that are not text, no host
// at all. Bounds: 16 MiB, 1,000,000 hosts.
[[nodiscard]] base::Result<std::vector<model::HostEntry>> read_hostfile(std::string_view text,
                                                                        const std::string& name);

}  // namespace muster::spec
