// Hosts by Hydra's rules.
#include "front/hydra/hosts.hpp"

#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/hydra/binding.hpp"
#include "front/hydra/rankmap.hpp"
#include "model/head_above.hpp"
#include "option/reader.hpp"
#include "option/values.hpp"
#include "spec/hosts.hpp"
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

bool has_own_hosts(const HydraDraft& draft) {
  const auto names = [](const HydraBlock& block) { return !block.hosts.empty(); };
  return names(draft.block) || std::ranges::any_of(draft.blocks, names);
}

Result<void> set_hosts(HydraDraft& draft, const Typed& typed, std::string& to) {
  if (!draft.hosts.empty() || has_own_hosts(draft)) {
    if (draft.from_file) return {};  // the line is stronger
    return fail(Fault::usage, "keep one of them", "{}: the hosts are given already", typed.option);
  }
  return read_hostfile_name(typed).map([&](std::string text) { to = std::move(text); });
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

// "node1:8 binding=user:0,1" of a hostfile; not a word that other launchers know.
constexpr std::string_view kBinding = "binding=";

struct FileBinding {
  std::string value;
  base::Place place;
};

// Takes these words off a hostfile; what is left keeps its lines and columns.
std::vector<FileBinding> take_bindings(std::string& text, const std::string& path) {
  std::vector<FileBinding> found;
  for (std::size_t at = text.find(kBinding); at != std::string::npos;
       at = text.find(kBinding, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const bool is_word = at > line && (text[at - 1] == ' ' || text[at - 1] == '\t');
    const bool is_comment = text.substr(line, at - line).find('#') != std::string::npos;
    if (!is_word || is_comment) continue;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    const std::size_t begin = at + kBinding.size();
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    found.push_back(
        {text.substr(begin, end - begin),
         {path, static_cast<std::uint32_t>(lines + 1), static_cast<std::uint32_t>(at - line + 1)}});
    text.replace(at, end - at, end - at, ' ');
  }
  return found;
}

// All hosts bind their ranks alike, and -bind-to is stronger.
Result<void> apply_bindings(HydraDraft& draft, const std::vector<FileBinding>& bindings) {
  if (bindings.empty()) return {};
  const FileBinding& first = bindings.front();
  for (const FileBinding& one : bindings) {
    if (one.value == first.value) continue;
    return base::fail_at(one.place, Fault::bad_file, "give all hosts the same one",
                         "binding={} here and binding={} in line {}: ranks are bound alike on all "
                         "hosts",
                         one.value, first.value, first.place.line);
  }
  if (draft.request.spec.mapping.bind_given) return {};
  return set_hydra_bind_to(draft, {"binding", first.value}).map_error([&](base::Error error) {
    error.place = first.place;
    return error;
  });
}

Result<spec::HostsFound> hosts_from(HydraDraft& draft, std::string_view manager) {
  Call call = *draft.call;
  std::vector<FileBinding> bindings;
  if (call.read_file) {
    call.read_file = [&](const std::string& path, std::size_t most) {
      auto text = draft.call->read_file(path, most);
      if (text) bindings = take_bindings(*text, path);
      return text;
    };
  }
  auto found = given_hosts(call, draft.request.spec, draft.hosts, kHydraHostForm, manager);
  if (!found) return found;
  return apply_bindings(draft, bindings).map([&] { return std::move(*found); });
}

// The hosts of a launcher within a rank of ours are those that its head has.
Result<spec::HostsFound> read_hosts(HydraDraft& draft) {
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

// One list of hosts on the line is for all programs, as in MPICH; several are each program's own,
// as in Intel MPI.
Result<void> settle_program_hosts(HydraDraft& draft) {
  std::vector<HydraBlock*> with_hosts;
  for (HydraBlock& block : draft.blocks) {
    if (!block.hosts.empty()) with_hosts.push_back(&block);
  }
  if (with_hosts.empty()) return {};
  if (!draft.hosts.empty()) {
    return fail(Fault::usage, "keep one of them", "-host: the hosts are given already");
  }
  if (with_hosts.size() == 1) {
    draft.hosts.list = with_hosts.front()->hosts;
    return {};
  }
  std::string all;
  std::vector<std::string> lists;
  for (HydraBlock* block : with_hosts) {
    auto named = spec::read_host_list(block->hosts, kHydraHostForm.empty_entry);
    if (!named) return tl::unexpected(named.error());
    for (const HostEntry& host : *named) block->app.hosts.push_back(host.name);
    if (std::ranges::find(lists, block->hosts) != lists.end()) continue;
    lists.push_back(block->hosts);
    all += (all.empty() ? "" : ",") + block->hosts;
  }
  draft.hosts.list = std::move(all);
  return {};
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

Result<void> set_hydra_program_hosts(HydraDraft& draft, const Typed& typed) {
  if (!draft.hosts.empty() && draft.from_file) return {};  // the line is stronger
  if (!draft.block.hosts.empty()) return option::twice(typed);
  return read_text(typed).map([&](std::string text) { draft.block.hosts = std::move(text); });
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
  if (auto done = settle_program_hosts(draft); !done) return done;
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
