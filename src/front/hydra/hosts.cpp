// Hosts by Hydra's rules.
#include "front/hydra/hosts.hpp"

#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/hydra/rankmap.hpp"
#include "model/head_above.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::HostEntry;
using Hosts = std::vector<HostEntry>;

// A word that stands for this machine in place of a file (src/pm/hydra/mpiexec/options.c).
constexpr std::string_view kThisMachine = "HYDRA_USE_LOCALHOST";

Result<void> set_hosts(HydraDraft& draft, const Typed& typed, std::string& to) {
  if (!draft.hosts.empty()) {
    if (draft.from_file) return {};  // the line is stronger
    return fail(Fault::usage, "keep one of them", "{}: the hosts are given already", typed.option);
  }
  return read_text(typed).map([&](std::string text) { to = std::move(text); });
}

// Hydra's own variables are stronger than the hosts of a job around.
void take_hostfile_of_variables(HydraDraft& draft) {
  if (!draft.hosts.empty() || draft.request.spec.fake_nodes > 0) return;
  for (const char* name : {"HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"}) {
    if (const auto path = variable(*draft.call, name); path && !path->empty()) {
      draft.hosts.file = std::string(*path);
      return;
    }
  }
}

// A site may have set the variable for all its machines, so it is no more than a preference.
std::string_view preferred_manager(const Call& call) {
  for (const char* name : {"HYDRA_RMK", "I_MPI_HYDRA_RMK"}) {
    const std::string_view word = variable(call, name).value_or("");
    if (!word.empty()) return word;
  }
  return {};
}

Result<spec::HostsFound> hosts_from(const HydraDraft& draft, std::string_view manager) {
  return given_hosts(*draft.call, draft.request.spec, draft.hosts, {.list_option = "-hosts"},
                     manager);
}

// The hosts of a launcher within a rank of ours are those that its head has.
Result<spec::HostsFound> read_hosts(const HydraDraft& draft) {
  if (!draft.hosts.list && draft.hosts.file == kThisMachine) return spec::HostsFound{};
  if (variable(*draft.call, model::kHeadAbove)) return hosts_from(draft, {});
  const std::string& typed = draft.reach.manager;
  if (typed.empty()) {
    auto preferred = hosts_from(draft, preferred_manager(*draft.call));
    const bool is_there = !preferred || preferred->source.has_list;
    return is_there ? preferred : hosts_from(draft, {});
  }
  auto found = hosts_from(draft, typed);
  const bool is_missing = found && !found->source.has_list && typed != "user";
  if (!is_missing || draft.request.spec.fake_nodes > 0) return found;
  const std::string_view name = spec::batch_name(typed);
  return fail(Fault::usage, "name the hosts with -hosts or -f, or call it from a job script",
              "-rmk {} takes the hosts of a {} job, and none is around", typed,
              name.empty() ? "Slurm" : name);
}

// By the slots of a host in all its entries; equal hosts keep their order.
void sort_hosts(Hosts& hosts, bool ascending) {
  std::map<std::string, std::uint64_t> slots;
  for (const HostEntry& host : hosts) slots[host.name] += host.slots.value_or(1);
  std::ranges::stable_sort(hosts, [&](const HostEntry& a, const HostEntry& b) {
    const std::uint64_t left = slots[a.name];
    const std::uint64_t right = slots[b.name];
    return ascending ? left < right : left > right;
  });
}

}  // namespace

Result<void> set_hydra_hosts(HydraDraft& draft, const Typed& typed) {
  std::string list;
  auto done = set_hosts(draft, typed, list);
  if (done && !list.empty()) draft.hosts.list = std::move(list);
  return done;
}

Result<void> set_hydra_hostfile(HydraDraft& draft, const Typed& typed) {
  return set_hosts(draft, typed, draft.hosts.file);
}

Result<void> set_hydra_order(HydraDraft& draft, const Typed& typed) {
  const std::string word = base::lower(typed.value);
  if (word == "up" || word == "ascending") {
    draft.order = HydraDraft::Order::up;
  } else if (word == "down" || word == "descending") {
    draft.order = HydraDraft::Order::down;
  } else {
    return fail(Fault::usage, "", "{} must be UP or DOWN, not {}", typed.option,
                spec::in_quotes(typed.value));
  }
  return {};
}

Result<void> settle_hydra_hosts(HydraDraft& draft) {
  take_hostfile_of_variables(draft);
  auto found = read_hosts(draft);
  if (!found) return tl::unexpected(found.error());
  const bool all_alike = draft.request.spec.per_node.has_value();
  if (draft.order != HydraDraft::Order::written && !all_alike) {
    sort_hosts(found->hosts, draft.order == HydraDraft::Order::up);
  }
  spec::take_hosts(draft.request.spec, std::move(*found));
  return draft.rank_map.empty() ? apply_repeats(draft) : apply_rank_map(draft);
}

}  // namespace muster::front
