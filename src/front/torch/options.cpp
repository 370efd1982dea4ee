// torchrun's table: names, help, and what each option does.
#include "front/torch/options.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/nearest.hpp"
#include "base/words.hpp"
#include "front/call.hpp"
#include "front/late.hpp"
#include "front/lists.hpp"
#include "front/master_address.hpp"
#include "front/own_rows.hpp"
#include "front/table.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

constexpr spec::Span kAnyTime = {base::Duration(0), spec::kTimeout.most};

template <class To>
Result<void> count(const Typed& typed, spec::Bounds bounds, To& to) {
  return read_count(typed, bounds)
      .map([&](std::uint32_t number) { to = number; })
      .map_error([&](base::Error error) { return late_if_integer(typed, std::move(error)); });
}

Result<void> keep(const Typed& typed, std::string& to) {
  to = typed.value;
  return {};
}

// "2" or "2:2"; all nodes take part from beginning to end.
Result<void> set_nodes(TorchDraft& draft, const Typed& typed) {
  const std::size_t colon = std::min(typed.value.find(':'), typed.value.size());
  const std::string_view least = typed.value.substr(0, colon);
  const bool is_range = colon < typed.value.size() && typed.value.substr(colon + 1) != least;
  if (is_range) {
    return fail(kRefusedLate, "write one number: the nodes that take part",
                "{}: a job whose number of nodes may change is not supported: {}", typed.option,
                in_quotes(typed.value));
  }
  return count({typed.option, least}, {1, spec::kFakeNodesMax}, draft.nodes).map_error(found_late);
}

Result<void> set_per_node(TorchDraft& draft, const Typed& typed) {
  draft.counted.clear();
  const std::string word = base::lower(typed.value);
  if (word == "auto" || word == "cpu" || word == "gpu" || word == "xpu") {
    draft.counted = word;
    return {};
  }
  if (count(typed, {1, model::kRanksMax}, draft.per_node)) return {};
  return fail(kRefusedLate, "", "{} must be a number from 1 to {}, auto, gpu, cpu or xpu, not {}",
              typed.option, model::kRanksMax, in_quotes(typed.value));
}

Result<void> set_backend(TorchDraft& draft, const Typed& typed) {
  if (typed.value == "static") {
    draft.meeting.backend = TorchBackend::static_;
  } else if (typed.value == "c10d") {
    draft.meeting.backend = TorchBackend::c10d;
  } else if (typed.value == "etcd" || typed.value == "etcd-v2") {
    return fail(kRefusedLate, "write c10d: nodes then meet at the endpoint itself",
                "{}: muster needs no etcd, and does not ask one", typed.option);
  } else {
    return fail(kRefusedLate, "", "{} must be static or c10d, not {}", typed.option,
                in_quotes(typed.value));
  }
  return {};
}

// "join_timeout=60,read_timeout=5": torchrun has more keys, for the ways in which its nodes meet.
Result<void> set_conf(TorchDraft& draft, const Typed& typed) {
  const auto refuse = [&](std::string_view what) {
    return fail(kRefusedLate, "", "{} must be KEY=VALUE, with commas between, not {}", typed.option,
                in_quotes(what));
  };
  if (has_gap(typed.value)) return refuse(typed.value);
  for (const std::string& pair : base::split(typed.value, ",")) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals >= pair.size() - 1) return refuse(pair);
    const std::string key = pair.substr(0, equals);
    if (key != "join_timeout" && key != "timeout") continue;
    const auto limit = option::read_seconds(
        {typed.option, std::string_view(pair).substr(equals + 1)}, spec::kPatience);
    if (!limit) return tl::unexpected(found_late(limit.error()));
    draft.meeting.limit = *limit;
  }
  return {};
}

Result<void> set_local_ranks(TorchDraft& draft, const Typed& typed) {
  std::set<std::uint32_t> ranks;
  if (typed.value.empty()) {  // of a variable that is not set: all, as torchrun has it
    draft.logs.output.local_ranks_filter.clear();
    return {};
  }
  if (has_gap(typed.value)) {
    return fail(kRefusedLate, "", "{} must be local ranks such as 0,1, not {}", typed.option,
                in_quotes(typed.value));
  }
  for (const std::string& one : base::split(typed.value, ",")) {
    const auto rank = option::read_count({typed.option, one}, {0, model::kRanksMax - 1});
    if (!rank) return tl::unexpected(found_late(rank.error()));
    ranks.insert(*rank);
  }
  draft.logs.output.local_ranks_filter = std::move(ranks);
  return {};
}

Result<void> set_streams(const Typed& typed, TorchStreams& to) {
  return read_torch_streams(typed.option, typed.value)
      .map([&](TorchStreams read) { to = std::move(read); })
      .map_error(found_late);
}

// Torch's own way to keep logs has that name; others are plug-ins, objects of Python.
Result<void> set_logs_specs(TorchDraft&, const Typed& typed) {
  if (typed.value == "default") return {};
  return fail(kRefusedLate, "-r, -t, --log-dir and --local-ranks-filter say where output goes",
              "{}: {} is a plug-in of torch, and muster loads none", typed.option,
              in_quotes(typed.value));
}

// torch/distributed/elastic/events/handlers.py
Result<void> set_event_handler(TorchDraft& draft, const Typed& typed) {
  if (typed.value == "null") return {};
  if (typed.value == "console" || typed.value == "dynamic_rdzv") {
    add_once(draft.notices, fmt::format("{} {} has no effect here: torch's agent, whose events it "
                                        "logs, does not run",
                                        typed.option, typed.value));
    return {};
  }
  const std::vector<std::string> known = {"null", "console", "dynamic_rdzv"};
  return fail(kRefusedLate,
              base::did_you_mean(typed.value, known, "null, console and dynamic_rdzv are known"),
              "{}: {} is unknown", typed.option, in_quotes(typed.value));
}

Result<void> set_start_method(TorchDraft&, const Typed& typed) {
  if (typed.value == "spawn" || typed.value == "fork" || typed.value == "forkserver") return {};
  return fail(Fault::usage, "", "{} must be spawn, fork or forkserver, not {}", typed.option,
              in_quotes(typed.value));
}

Result<void> set_numa(TorchDraft& draft, const Typed& typed) {
  model::Mapping& mapping = draft.request.spec.mapping;
  constexpr std::tuple<std::string_view, model::NearGpu, model::Level> kModes[] = {
      {"node", model::NearGpu::node, model::Level::numa},
      {"socket", model::NearGpu::socket, model::Level::package},
      {"exclusive", model::NearGpu::cores, model::Level::core},
      {"core-complex", model::NearGpu::cache, model::Level::l3cache}};
  const auto* const mode = std::ranges::find_if(
      kModes, [&](const auto& one) { return std::get<0>(one) == typed.value; });
  if (mode == std::end(kModes)) {
    return fail(Fault::usage, "", "{} must be node, socket, exclusive or core-complex, not {}",
                typed.option, in_quotes(typed.value));
  }
  mapping.near_gpu = std::get<1>(*mode);
  mapping.bind_level = std::get<2>(*mode);
  mapping.bind_to = model::BindTo::object;
  mapping.bind_given = mapping.bind_overload = true;
  return {};
}

Result<void> check_interval(TorchDraft&, const Typed& typed) {
  return option::read_seconds(typed, kAnyTime).map([](base::Duration) {});
}

constexpr std::string_view kRanks = "Ranks and nodes";
constexpr std::string_view kMeet = "Rendezvous";
constexpr std::string_view kScript = "The script";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kEnd = "Failures and termination";
constexpr std::string_view kOther = "Without effect, or not supported";
constexpr std::string_view kHosts = "Hosts (not in torchrun)";
constexpr std::string_view kSee = "Information";

using Row = Option<TorchDraft>;

constexpr auto kRows = std::to_array<Row>({
    {{"--nproc-per-node",
      kRanks,
      Takes::choice,
      "N|auto|gpu|cpu|xpu",
      "Ranks on each node: a number, its gpus, its cpus, its xpus (GPUs of Intel), or auto: gpus "
      "where there are any (default: 1).",
      {.choices = "auto gpu cpu xpu"}},
     set_per_node},
    {{"--nnodes", kRanks, Takes::text, "N", "Nodes of the job (default: 1)."}, set_nodes},
    {{"--node-rank", kRanks, Takes::number, "K",
      "Which of the nodes this one is, from 0 (default: 0)."},
     [](TorchDraft& d, const Typed& t) {
       return count(t, {0, spec::kFakeNodesMax - 1}, d.meeting.node_rank);
     }},
    {{"--role", kRanks, Takes::text, "NAME",
      "Value of ROLE_NAME for the ranks (default: default)."},
     [](TorchDraft& d, const Typed& t) { return keep(t, d.request.spec.apps.front().role); }},
    {{"--standalone", kRanks, Takes::nothing, "",
      "One node; rendezvous options are ignored, and the job gets a unique name."},
     [](TorchDraft& d, const Typed&) { return raise(d.standalone); }},
    {{"--numa-binding",
      kRanks,
      Takes::choice,
      "node|socket|exclusive|core-complex",
      "Bind each rank to its GPU's NUMA node, the node's socket, its share of the node's cores, or "
      "a cache's cores there (default: ranks are not bound).",
      {.choices = "node socket exclusive core-complex"}},
     set_numa},
    {{"--virtual-local-rank", kRanks, Takes::nothing, "",
      "Every rank is local rank 0 and sees one device of its own."},
     [](TorchDraft& d, const Typed&) {
       d.request.spec.apps.front().exports.push_back({"LOCAL_RANK", "0", true});
       d.request.spec.gpus_per_rank = 1;
       return Result<void>();
     }},

    {{"--master-addr", kMeet, Takes::text, "ADDR",
      "Where node 0 is; ranks find it in MASTER_ADDR (default: an address of node 0)."},
     [](TorchDraft& d, const Typed& t) {
       return read_text(t)
           .and_then([&](const std::string&) { return read_master_address(t); })
           .map([&](std::string text) { d.meeting.address = std::move(text); });
     }},
    {{"--master-port", kMeet, Takes::number, "PORT",
      "The port in MASTER_PORT, where rank 0 will listen (default: a free one)."},
     [](TorchDraft& d, const Typed& t) {
       return count(t, {1, spec::kPortMax}, d.meeting.port);
     }},
    {{"--rdzv-backend",
      kMeet,
      Takes::choice,
      "static|c10d",
      "Node ranks are given on each node (static) or assigned as nodes join (c10d) (default: "
      "static).",
      {.choices = "static c10d"}},
     set_backend},
    {{"--rdzv-endpoint", kMeet, Takes::text, "HOST[:PORT]",
      "Rendezvous address (default: --master-addr and --master-port)."},
     [](TorchDraft& d, const Typed& t) { return keep(t, d.meeting.endpoint); }},
    {{"--rdzv-id", kMeet, Takes::text, "NAME",
      "The job's name; ranks find it in TORCHELASTIC_RUN_ID (default: none)."},
     [](TorchDraft& d, const Typed& t) {
       d.meeting.id = std::string(t.value);
       return Result<void>();
     }},

    {{"--rdzv-conf", kMeet, Takes::text, "KEY=VALUE,...",
      "Rendezvous settings of torchrun; only join_timeout or timeout is used: seconds within which "
      "all nodes must join (default: 600)."},
     set_conf},
    {{"--rdzv-secret-file", kMeet, Takes::file, "FILE",
      "Accept only nodes with the same contents in this file (default: the same --rdzv-id)."},
     [](TorchDraft& d, const Typed& t) { return keep(t, d.meeting.secret_file); }},

    {{"-m --module", kScript, Takes::nothing, "", "SCRIPT is a module: run it as python -m does."},
     [](TorchDraft& d, const Typed&) { return raise(d.script.module); }},
    {{"--no-python", kScript, Takes::nothing, "", "SCRIPT is a program: run it without python."},
     [](TorchDraft& d, const Typed&) { return raise(d.script.no_python); }},
    {{"--run-path", kScript, Takes::nothing, "",
      "SCRIPT is a file for python, whatever --no-python says."},
     [](TorchDraft& d, const Typed&) { return raise(d.script.run_path); }},

    {{"-r --redirects", kOutput, Takes::text, "STREAMS",
      "Write to files only: 0 nothing, 1 stdout, 2 stderr, 3 both; or per local rank: 0:3,1:1 "
      "(default: 0)."},
     [](TorchDraft& d, const Typed& t) { return set_streams(t, d.logs.output.redirects); }},
    {{"-t --tee", kOutput, Takes::text, "STREAMS",
      "Write to files and to the console, there with role and local rank on each line (default: "
      "0)."},
     [](TorchDraft& d, const Typed& t) { return set_streams(t, d.logs.output.tee); }},
    {{"--log-dir --logdir", kOutput, Takes::folder, "DIR",
      "Folder of those files (default: a new temporary folder)."},
     [](TorchDraft& d, const Typed& t) { return keep(t, d.logs.log_dir); }},
    {{"--local-ranks-filter", kOutput, Takes::text, "RANKS",
      "Print the output of these local ranks of each node only: 0,1."},
     set_local_ranks},

    {{"--max-restarts", kEnd, Takes::number, "N",
      "Restart all ranks after one has failed, at most N times (default: 0)."},
     [](TorchDraft& d, const Typed& t) {
       return count(t, {0, model::kRanksMax}, d.request.spec.torch->max_restarts);
     }},
    {{"--shutdown-timeout", kEnd, Takes::number, "SECONDS",
      "Time between the terminating signal and SIGKILL (default: that of "
      "TORCH_ELASTIC_SHUTDOWN_TIMEOUT, else 30)."},
     [](TorchDraft& d, const Typed& t) {
       return option::read_seconds(t, spec::kGrace).map([&](base::Duration time) {
         d.request.spec.grace = time;
       });
     }},

    {{"--monitor-interval", kOther, Takes::number, "SECONDS",
      "muster notices the end of a rank at once."},
     check_interval},
    {{"--start-method",
      kOther,
      Takes::choice,
      "spawn|fork|forkserver",
      "Scripts are always processes of their own.",
      {.choices = "spawn fork forkserver"}},
     set_start_method},
    {{"--local-addr",
      kOther,
      Takes::text,
      "ADDR",
      "muster finds the address of this node itself.",
      {.support = no_effect("muster finds this node's address by itself")}}},
    {{"--logs-specs", kOther, Takes::text, "NAME",
      "Only default: other names are plug-ins of torch, which muster does not load."},
     set_logs_specs},
    {{"--event-log-handler", kOther, Takes::text, "NAME",
      "Where torch's agent logs its events: null, console or dynamic_rdzv. muster has no such "
      "agent."},
     set_event_handler},
    {{"--signals-to-handle",
      kOther,
      Takes::text,
      "LIST",
      "Signals that end the job.",
      {.support = no_effect("SIGINT, SIGTERM, SIGHUP and SIGQUIT always reach the ranks")}}},
    {{"--duplicate-stdout-filters",
      kOther,
      Takes::text,
      "LIST",
      "Copies of some lines of stdout in another file.",
      {.support = no_effect("files hold every line")}}},
    {{"--duplicate-stderr-filters",
      kOther,
      Takes::text,
      "LIST",
      "Copies of some lines of stderr in another file.",
      {.support = no_effect("files hold every line")}}},

    {{"-H --host",
      kHosts,
      Takes::hosts,
      "LIST",
      "Start the job on these hosts through ssh, from this machine: node1,user@node2.",
      {.repeatable = true}},
     join_hosts<TorchDraft>},
    {{"--hostfile", kHosts, Takes::file, "FILE", "Likewise, with hosts from a file, one per line."},
     [](TorchDraft& d, const Typed& t) { return keep(t, d.hosts.file); }},

    {{"--verbose", kSee, Takes::nothing, "",
      "Print to stderr what muster does, and how long each phase takes."},
     [](TorchDraft& d, const Typed&) { return raise(d.request.spec.verbose); }},
    {{"--version", kSee, Takes::nothing, "", "Show muster's version.", {.ends = true}},
     [](TorchDraft& d, const Typed&) { return raise(d.version); }},
    {{"-h --help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
     [](TorchDraft& d, const Typed&) { return raise(d.help); }},
});

constexpr auto kUseEnv = std::to_array<Row>({
    {{"--use-env", kScript, Takes::nothing, "",
      "Do not pass --local_rank=N to the script; LOCAL_RANK is always set."},
     [](TorchDraft& d, const Typed&) {
       d.script.local_rank_word = false;
       return Result<void>();
     }},
});

constexpr auto kTorchrun = with_own_rows<TorchDraft, kRows>();
constexpr auto kOldRows = joined(kUseEnv, kRows);
constexpr auto kLaunch = with_own_rows<TorchDraft, kOldRows>();

}  // namespace

std::span<const Option<TorchDraft>> torchrun_table() { return kTorchrun; }
std::span<const Option<TorchDraft>> launch_table() { return kLaunch; }
OptionTexts torchrun_options() { return texts_of(torchrun_table()); }
OptionTexts launch_options() { return texts_of(launch_table()); }

}  // namespace muster::front
