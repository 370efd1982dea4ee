// NamedHosts: the hosts that a command line names, as a list or as a file, and how they are
// read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "front/front.hpp"
#include "option/values.hpp"
#include "spec/sources.hpp"

namespace muster::front {

struct NamedHosts {
  std::optional<std::string> list = {};  // all lists, joined by commas
  std::string file = {};                 // the path of a hostfile

  [[nodiscard]] bool empty() const { return !list && file.empty(); }
};

// The value of an option that names a file of hosts.
[[nodiscard]] base::Result<std::string> read_hostfile_name(const Typed& typed);

// Lists given several times are joined: -H a -H b is -H a,b. The draft has a member `hosts`.
template <class Draft>
base::Result<void> join_hosts(Draft& draft, const Typed& typed) {
  std::optional<std::string>& list = draft.hosts.list;
  if (typed.value.empty()) {
    return base::fail(base::Fault::usage, "is a shell variable empty?", "{} has an empty value",
                      typed.option);
  }
  if (list && list->ends_with(',')) list->pop_back();
  list = (list ? *list + "," : "") + std::string(typed.value);
  return {};
}

template <class Draft>
base::Result<void> take_hostfile(Draft& draft, const Typed& typed) {
  return store(read_hostfile_name(typed), draft.hosts.file);
}

// Fault::usage when both a list and a file are given.
[[nodiscard]] base::Result<void> check_one_source(const NamedHosts& hosts,
                                                  std::string_view hint = "keep one of them");

// What is wrong with a line's options, and what is wrong with the hosts that it names, as one
// error.
[[nodiscard]] base::Error with_wrong_hosts(base::Error error, const Call& call,
                                           const NamedHosts& hosts,
                                           const spec::HostForm& form = {});

// The hosts of a file.
[[nodiscard]] base::Result<spec::HostsFound> hosts_in_file(const Call& call,
                                                           const std::string& path);

// Those that are named.
[[nodiscard]] base::Result<spec::HostsFound> named_hosts(const Call& call, const NamedHosts& hosts,
                                                         const spec::HostForm& form = {});

// Likewise; where none are named, and `spec` simulates no nodes, the hosts of the job whose command
// called muster, if there is one. `manager`: as in spec::HostQuery.
[[nodiscard]] base::Result<spec::HostsFound> given_hosts(const Call& call,
                                                         const model::JobSpec& spec,
                                                         const NamedHosts& hosts,
                                                         const spec::HostForm& form = {},
                                                         std::string_view manager = {});

}  // namespace muster::front
