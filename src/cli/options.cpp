// The table of options, and what each does to the draft.
#include "cli/options.hpp"

namespace muster::cli {
namespace {

using base::Result;
using model::kRanksMax;

template <class From, class To>
Result<void> store(Result<From> from, To& to) {
  if (!from) return tl::unexpected(std::move(from.error()));
  to = std::move(*from);
  return {};
}

template <class From, class To>
Result<void> append(Result<From> from, std::vector<To>& to) {
  if (!from) return tl::unexpected(std::move(from.error()));
  to.push_back(std::move(*from));
  return {};
}

Result<void> raise(bool& flag) {
  flag = true;
  return {};
}

Result<void> join_hosts(Draft& draft, const Typed& typed) {
  if (draft.host_list) *draft.host_list += ",";
  draft.host_list = draft.host_list.value_or("") + std::string(typed.value);
  return {};
}

// Not normalised: "a/../b" may lead elsewhere than "b" where a is a link.
Result<void> set_workdir(Draft& draft, const Typed& typed) {
  auto folder = read_text(typed);
  if (folder && !folder->starts_with('/')) {
    *folder = *folder == "." ? draft.current_folder : draft.current_folder + "/" + *folder;
  }
  return store(std::move(folder), draft.request.spec.apps.front().workdir);
}

constexpr Option kOptions[] = {
    {{"-n", "-np", "--np", "--ranks"},
     Group::ranks,
     Takes::number,
     "N",
     "How many ranks to start (default: all slots of the given hosts, one per fake node, else 1).",
     [](Draft& d, const Typed& t) {
       return store(read_count(t, {1, kRanksMax}), d.request.spec.apps.front().ranks);
     }},
    {{"--per-node"},
     Group::ranks,
     Takes::number,
     "K",
     "At most K ranks on each host; without -n, K on every host.",
     [](Draft& d, const Typed& t) {
       return store(read_count(t, {1, kRanksMax}), d.request.spec.per_node);
     }},
    {{"--map-by"},
     Group::ranks,
     Takes::choice,
     "slot|node",
     "Fill one host after the other, or give each host one rank in turn (default: slot).",
     [](Draft& d, const Typed& t) { return store(read_map_by(t), d.request.spec.map_by); },
     false,
     "slot node"},
    {{"--oversubscribe"},
     Group::ranks,
     Takes::nothing,
     "",
     "Allow more ranks than slots on the given hosts.",
     [](Draft& d, const Typed&) { return raise(d.request.spec.oversubscribe); }},

    {{"-H", "--host"},
     Group::hosts,
     Takes::text,
     "LIST",
     "Hosts with their slots: node1:8,user@node2:8,[fe80::1]:4. Repeated lists join.",
     join_hosts,
     true},
    {{"--hostfile"},
     Group::hosts,
     Takes::file,
     "FILE",
     "Hosts from a file, one a line: node1 slots=8.",
     [](Draft& d, const Typed& t) { return store(read_text(t), d.hostfile); }},
    {{"--fake-nodes"},
     Group::hosts,
     Takes::number,
     "N",
     "Rehearse a job of N hosts on this machine, without ssh.",
     [](Draft& d, const Typed& t) {
       return store(read_count(t, {1, spec::kFakeNodesMax}), d.request.spec.fake_nodes);
     }},

    {{"--ssh-command"},
     Group::reach,
     Takes::text,
     "WORDS",
     "What to call instead of ssh, quoted as for a shell: 'ssh -J jump' (default: ssh).",
     [](Draft& d, const Typed& t) { return store(read_words(t), d.request.spec.carrier.command); }},
    {{"--ssh-port"},
     Group::reach,
     Takes::number,
     "PORT",
     "The ssh port of every host (default: what the ssh configuration says).",
     [](Draft& d, const Typed& t) {
       return store(read_count(t, {1, spec::kPortMax}), d.request.spec.carrier.port);
     }},
    {{"--ssh-identity"},
     Group::reach,
     Takes::file,
     "FILE",
     "The private key for ssh (default: what the ssh configuration says).",
     [](Draft& d, const Typed& t) { return store(read_text(t), d.request.spec.carrier.identity); }},
    {{"--agent-path"},
     Group::reach,
     Takes::text,
     "PATH",
     "Where muster is on the hosts (default: the path that it has here).",
     [](Draft& d, const Typed& t) {
       return store(read_text(t), d.request.spec.carrier.agent_path);
     }},
    {{"--start-timeout"},
     Group::reach,
     Takes::number,
     "SECONDS",
     "How long one attempt to reach a host may take (default: 15).",
     [](Draft& d, const Typed& t) {
       return store(read_seconds(t, spec::kPatience), d.request.spec.carrier.patience);
     }},
    {{"--max-open"},
     Group::reach,
     Takes::number,
     "N",
     "How many hosts are being reached at the same time (default: 32).",
     [](Draft& d, const Typed& t) {
       return store(read_count(t, {1, spec::kOpenMax}), d.request.spec.carrier.parallel);
     }},

    {{"-x"},
     Group::environment,
     Takes::text,
     "NAME[=VALUE]",
     "Give every rank this variable, with its value here or with VALUE. Repeatable.",
     [](Draft& d, const Typed& t) {
       return append(read_setting(t), d.request.spec.apps.front().exports);
     },
     true},
    {{"--clean-env"},
     Group::environment,
     Takes::nothing,
     "",
     "Pass on nothing of this shell's environment but what -x names.",
     [](Draft& d, const Typed&) { return raise(d.request.spec.clean_env); }},
    {{"--wireup"},
     Group::environment,
     Takes::choice,
     "auto|pmix|pmi1|pmi2|none",
     "What lets MPI ranks find each other: PMIx for Open MPI, PMI for MPICH, or none "
     "(default: auto, which is both).",
     [](Draft& d, const Typed& t) { return store(read_wireup(t), d.request.spec.wireup); },
     false,
     "auto pmix pmi1 pmi2 none"},
    {{"--workdir", "--wdir"},
     Group::environment,
     Takes::folder,
     "DIR",
     "The folder in which ranks start, on every host (default: this one).",
     set_workdir},

    {{"--tag"},
     Group::output,
     Takes::nothing,
     "",
     "Begin each line of output with its rank: [3].",
     [](Draft& d, const Typed&) { return raise(d.request.spec.output.tag); }},
    {{"--timestamp"},
     Group::output,
     Takes::nothing,
     "",
     "Begin each line of output with the time, in UTC.",
     [](Draft& d, const Typed&) { return raise(d.request.spec.output.timestamp); }},
    {{"--logs"},
     Group::output,
     Takes::folder,
     "DIR",
     "Also keep the output of each rank in DIR/rank.N/stdout and stderr.",
     [](Draft& d, const Typed& t) { return store(read_text(t), d.request.spec.output.logs); }},
    {{"--stdin"},
     Group::output,
     Takes::choice,
     "RANK|all|none",
     "Which rank reads this standard input (default: none, so a shell loop loses no lines).",
     [](Draft& d, const Typed& t) { return store(read_stdin_to(t), d.request.spec.input); },
     false,
     "0 all none"},

    {{"--grace"},
     Group::end,
     Takes::number,
     "SECONDS",
     "How long ranks have between the ending signal and SIGKILL (default: 5).",
     [](Draft& d, const Typed& t) {
       return store(read_seconds(t, spec::kGrace), d.request.spec.grace);
     }},
    {{"--timeout"},
     Group::end,
     Takes::number,
     "SECONDS",
     "End the job after this time, with exit code 246 (default: never).",
     [](Draft& d, const Typed& t) {
       return store(read_seconds(t, spec::kTimeout), d.request.spec.timeout);
     }},
    {{"--lease"},
     Group::end,
     Takes::number,
     "SECONDS",
     "How long a host may be silent before it counts as lost (default: 8).",
     [](Draft& d, const Typed& t) {
       return store(read_seconds(t, spec::kLease), d.request.spec.lease);
     }},

    {{"--dry-run"},
     Group::see,
     Takes::nothing,
     "",
     "Show which rank would run where, and why; start nothing.",
     [](Draft& d, const Typed&) { return raise(d.request.dry_run); }},
    {{"--env"},
     Group::see,
     Takes::nothing,
     "",
     "With --dry-run: show the environment of each rank too.",
     [](Draft& d, const Typed&) { return raise(d.request.show_environment); }},
    {{"--json"},
     Group::see,
     Takes::nothing,
     "",
     "With --dry-run: print the plan as JSON.",
     [](Draft& d, const Typed&) { return raise(d.request.json); }},
    {{"-v", "--verbose"},
     Group::see,
     Takes::nothing,
     "",
     "Tell on stderr what muster does, and how long each phase took.",
     [](Draft& d, const Typed&) { return raise(d.request.spec.verbose); }},
    {{"-h", "--help"},
     Group::see,
     Takes::nothing,
     "",
     "Show this help.",
     [](Draft& d, const Typed&) { return raise(d.help); }},
};

}  // namespace

std::string_view title(Group group) {
  constexpr std::array<std::string_view, kGroups> titles = {
      "Ranks", "Hosts", "Reaching hosts", "Environment", "Output and input", "The end", "See"};
  return titles[static_cast<std::size_t>(group)];
}

std::span<const Option> run_options() { return kOptions; }

std::string joined_names(const Option& option) {
  std::string joined;
  for (const std::string_view name : option.names) {
    if (name.empty()) break;
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const Option& option : kOptions) {
    for (const std::string_view name : option.names) {
      if (!name.empty()) names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace muster::cli
