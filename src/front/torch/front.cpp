// Reads a torchrun line: PET_ variables, then words, then settles what they mean together.
#include "front/torch/front.hpp"

#include <algorithm>

#include "base/loopback.hpp"
#include "front/call.hpp"
#include "front/elsewhere.hpp"
#include "front/late.hpp"
#include "front/torch/endpoint.hpp"
#include "front/torch/options.hpp"
#include "front/torch/output.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "option/values.hpp"
#include "spec/check.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Words = std::span<const std::string>;
using Table = std::span<const Option<TorchDraft>>;

constexpr Grammar grammar(std::string_view command) {
  return {.command = command,
          .equal_underscore = true,
          .abbreviations = true,
          .glued = Glued::all,
          .again = Again::last_wins,
          .elsewhere = elsewhere_of<Launcher::torch>};
}

constexpr std::string_view kTorchrunHead =
    R"(muster torchrun: starts scripts as PyTorch's torchrun does.

Usage: muster torchrun [OPTIONS] SCRIPT [ARGS...]
       torchrun ...   where torchrun is a symbolic link to muster
Options end at SCRIPT; all words after it are its own. A dash within a name may be an underscore, a
name may be cut short where only one option begins so, and the variable PET_NAME is the default of
--name.

Examples:
  Four ranks on this machine:
    torchrun --nproc_per_node 4 train.py --epochs 2
  Two nodes, typed on each of them, in any order; K is 0 on node1 and 1 on the other:
    torchrun --nnodes 2 --node_rank K --master_addr node1 --master_port 29500 train.py
  The same two nodes from here, through ssh:
    torchrun -H node1,node2 --nproc_per_node 8 train.py
)";

constexpr std::string_view kLaunchHead =
    R"(muster launch: starts scripts as python -m torch.distributed.launch does.

Usage: muster launch [OPTIONS] SCRIPT [ARGS...]
Options end at SCRIPT; all words after it are its own. Without --use_env the script's first word is
--local_rank=N. A dash within a name may be an underscore, a name may be cut short where only one
option begins so, and the variable PET_NAME is the default of --name.

Examples:
  Four ranks on this machine:
    muster launch --nproc_per_node 4 train.py --epochs 2
  Two nodes, typed on each of them, in any order; K is 0 on node1 and 1 on the other:
    muster launch --nnodes 2 --node_rank K --master_addr node1 --master_port 1234 train.py
)";

constexpr std::string_view kExitCodes = R"(
Exit codes: 0; 1 when a rank failed, a value makes no sense, the job could not be carried out, or
its output could not be written; 2 for options that do not exist, and for words where numbers must
be; 248 for help that could not be printed.
)";

// PET_NPROC_PER_NODE of --nproc-per-node (torch/distributed/argparse_util.py).
std::string variable_of(const OptionText& option) {
  for (const std::string_view name : names_of(option)) {
    if (!name.starts_with("--")) continue;
    std::string variable = "PET_" + std::string(name.substr(2));
    for (char& c : variable) {
      if (c == '-') c = '_';
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return variable;
  }
  return {};
}

Result<bool> is_raised(const std::string& variable, std::string_view value) {
  return spec::read_number(variable, value, {0, 1'000}, Fault::usage)
      .map([](std::uint32_t number) { return number != 0; })
      .map_error([&](base::Error error) {
        error.what = fmt::format("{} must be 0 or 1, not {}", variable, spec::in_quotes(value));
        error.hint = "unset it, or set it to 1";
        return error;
      });
}

Result<void> apply_variable(TorchDraft& draft, const Option<TorchDraft>& option) {
  if (option.text.traits.ends) return {};  // argparse has no variable for what only prints text
  const std::string name = variable_of(option.text);
  const auto value = variable(*draft.call, name);
  if (!value) return {};
  if (!option.text.traits.support.works()) {
    add_once(draft.notices, table::told(name, option.text.traits.support));
    return {};
  }
  if (option.set == nullptr) return {};
  if (option.text.takes == Takes::nothing) {
    const auto raised = is_raised(name, *value);
    if (!raised) return tl::unexpected(raised.error());
    if (!*raised) return {};
  }
  auto done = option.set(draft, {name, *value});
  if (!done && done.error().hint.empty()) {
    done.error().hint = fmt::format("unset it, or set it to {}", option.text.argument);
  }
  return done;
}

Result<void> apply_environment(TorchDraft& draft, Table table) {
  if (const auto limit = variable(*draft.call, "TORCH_ELASTIC_SHUTDOWN_TIMEOUT")) {
    const auto time =
        option::read_seconds({"TORCH_ELASTIC_SHUTDOWN_TIMEOUT", *limit}, spec::kGrace);
    if (!time) return tl::unexpected(time.error());
    draft.request.spec.grace = *time;
  }
  for (const Option<TorchDraft>& option : table) {
    if (auto done = apply_variable(draft, option); !done) return done;
  }
  return {};
}

// Several nodes that meet nowhere: nobody starts the others, unless a batch job has hosts for them.
bool wants_hosts(const TorchDraft& draft) {
  const TorchMeeting& meeting = draft.meeting;
  const bool meets = !meeting.endpoint.empty() || meeting.address;
  return draft.hosts.empty() && draft.nodes.value_or(1) > 1 && !meets && !draft.standalone;
}

// As many as there are to be nodes.
Result<void> take_allocation(TorchDraft& draft) {
  model::JobSpec& job = draft.request.spec;
  auto found = given_hosts(*draft.call, job, draft.hosts);
  if (!found) return tl::unexpected(std::move(found.error()));
  if (!found->source.of_batch_job) return {};
  if (*draft.nodes > found->hosts.size()) {
    return fail(Fault::usage, "ask for a job of more nodes", "--nnodes {}, but {} has {}",
                *draft.nodes, found->name, found->hosts.size());
  }
  found->hosts.resize(*draft.nodes);
  spec::take_hosts(job, std::move(*found));
  return {};
}

Result<void> settle_hosts(TorchDraft& draft) {
  if (wants_hosts(draft)) return take_allocation(draft);
  return check_one_source(draft.hosts)
      .and_then([&] { return named_hosts(*draft.call, draft.hosts); })
      .map([&](auto found) { spec::take_hosts(draft.request.spec, std::move(found)); });
}

// Nodes that this command starts by itself.
std::uint32_t own_nodes(const model::JobSpec& job) {
  if (job.fake_nodes > 0) return job.fake_nodes;
  std::vector<std::string_view> names;
  names.reserve(job.hosts.size());
  for (const model::HostEntry& host : job.hosts) names.push_back(host.name);
  std::ranges::sort(names);
  return static_cast<std::uint32_t>(std::unique(names.begin(), names.end()) - names.begin());
}

Result<void> settle_nodes(TorchDraft& draft) {
  const std::uint32_t own = own_nodes(draft.request.spec);
  if (draft.standalone) {
    const std::uint32_t asked = draft.nodes.value_or(std::max(1U, own));
    if (asked > 1) {
      return fail(Fault::usage, "remove --standalone, or ask for one node",
                  "--standalone is a job of one node, not of {}", asked);
    }
    draft.nodes = 1;
    draft.meeting = {.backend = TorchBackend::c10d};
  }
  const std::uint32_t nodes = draft.nodes.value_or(std::max(1U, own));
  if (own > 0 && nodes != own) {
    return fail(Fault::usage, "remove --nnodes: each of these is a node",
                "--nnodes {}, but the hosts given are {}", nodes, own);
  }
  if (draft.meeting.node_rank >= nodes) {
    return fail(Fault::usage, "nodes are numbered from 0", "there is no node {} among {}",
                draft.meeting.node_rank, nodes);
  }
  return {};
}

// torch counts CUDA's devices; `auto` without any means cpus.
Result<void> settle_ranks(TorchDraft& draft) {
  model::JobSpec& job = draft.request.spec;
  if (!draft.counted.empty()) {
    if (!job.hosts.empty()) {
      return fail(Fault::usage, "write the number of ranks",
                  "--nproc-per-node {} counts what is here, but hosts are listed", draft.counted);
    }
    const Counts& counts = draft.call->counts;
    const bool is_xpu = draft.counted == "xpu";
    const std::uint32_t found =
        draft.counted == "cpu" ? 0 : (is_xpu ? counts.xpus() : counts.gpus());
    if (found == 0 && (is_xpu || draft.counted == "gpu")) {
      return fail(Fault::usage, "write a number, cpu or auto",
                  "--nproc-per-node {}: no GPU{} found on this machine", draft.counted,
                  is_xpu ? " of Intel" : "");
    }
    draft.per_node = found > 0 ? found : counts.cpus();
  }
  job.per_node = draft.per_node;
  return {};
}

// What all nodes of the job know: a file that others cannot read, or the job's name.
Result<std::string> read_secret(const TorchDraft& draft) {
  constexpr std::size_t kSecretMax = 4096;
  const std::string& path = draft.meeting.secret_file;
  if (path.empty()) return "rdzv-id " + draft.meeting.id.value_or("none");
  auto text = draft.call->read_file(path, kSecretMax);
  if (!text) return text;
  if (!text->empty() && text->size() <= kSecretMax) return "file " + *text;
  return base::fail_at({path, 0, 0}, Fault::bad_file,
                       "for example: head -c 32 /dev/urandom | base64 > FILE",
                       "a secret has 1 to {} bytes", kSecretMax);
}

// In a task of a step on several hosts, each would wait for itself. Elsewhere all nodes may be on
// one machine.
Result<void> check_reachable(const Call& call, const std::string& host) {
  const auto nodes = variable(call, "SLURM_STEP_NUM_NODES");
  const bool on_several =
      variable(call, "SLURM_PROCID") && nodes && *nodes != "1" && !nodes->empty();
  if (!base::is_loopback(host) || !on_several) return {};
  return fail(Fault::usage,
              "give the first host of the job: $(scontrol show hostnames $SLURM_JOB_NODELIST | "
              "head -n 1)",
              "nodes cannot meet at {}: this Slurm step has {} hosts, and each would wait for "
              "itself",
              host, *nodes);
}

// Each node is started by itself: where they meet, and which this is.
Result<void> settle_meeting(TorchDraft& draft) {
  if (own_nodes(draft.request.spec) > 0 || draft.nodes.value_or(1) == 1) return {};
  const TorchMeeting& call = draft.meeting;
  const bool by_endpoint = !call.endpoint.empty();
  if (!by_endpoint && (call.backend == TorchBackend::c10d || !call.address)) {
    return fail(Fault::usage, "or name the hosts, as in -H node1,node2, to start all from here",
                "--nnodes {} needs {}, the same on every node", *draft.nodes,
                call.backend == TorchBackend::c10d ? "--rdzv-endpoint HOST:PORT"
                                                   : "--master-addr of node 0");
  }
  TorchEndpoint at{call.address.value_or(""), call.port};
  if (by_endpoint) {
    auto endpoint = read_torch_endpoint({"--rdzv-endpoint", call.endpoint});
    if (!endpoint) return tl::unexpected(endpoint.error());
    at = std::move(*endpoint);
  }
  if (at.port == 0U) {
    return fail(Fault::usage, "write one that is free on node 0",
                "{} nodes cannot meet at port 0: no node knows which port another one takes",
                *draft.nodes);
  }
  if (auto fine = check_reachable(*draft.call, at.host); !fine) return fine;
  constexpr std::uint32_t kStaticPort = 29500;  // torchrun's defaults
  constexpr std::uint32_t kC10dPort = 29400;
  model::Meeting& meeting = draft.request.meeting.emplace();
  meeting.host = std::move(at.host);
  const bool is_static = call.backend == TorchBackend::static_;
  meeting.port = at.port.value_or(is_static ? kStaticPort : kC10dPort);
  meeting.nodes = *draft.nodes;
  if (is_static) meeting.node = call.node_rank;
  if (call.limit) meeting.limit = *call.limit;
  meeting.is_guessable = call.secret_file.empty();
  return read_secret(draft).map([&](std::string secret) { meeting.secret = std::move(secret); });
}

// Where all nodes are ours, MASTER_ADDR and MASTER_PORT are no more than what ranks are told. With
// c10d torchrun takes a free port of node 0, and so do we.
Result<void> settle_master(TorchDraft& draft) {
  TorchMeeting& meeting = draft.meeting;
  if (draft.standalone) return {};  // torchrun does not look at an endpoint then
  if (!meeting.endpoint.empty()) {
    auto endpoint = read_torch_endpoint({"--rdzv-endpoint", meeting.endpoint});
    if (!endpoint) return tl::unexpected(endpoint.error());
    meeting.address = std::move(endpoint->host);
    meeting.port = endpoint->port;
  }
  if (meeting.backend == TorchBackend::c10d) return {};
  auto& exports = draft.request.spec.apps.front().exports;
  if (meeting.address) exports.push_back({"MASTER_ADDR", *meeting.address});
  const bool is_chosen = meeting.port.value_or(0) != 0;  // 0: a free one
  if (is_chosen) exports.push_back({"MASTER_PORT", std::to_string(*meeting.port)});
  return {};
}

// "python train.py" in the script's place names the interpreter too; torch would look for a script
// called python.
bool is_interpreter(std::string_view word) {
  const std::string_view name = word.substr(word.rfind('/') + 1);
  return name == "python" || name == "python3";
}

std::string interpreter(const TorchDraft& draft, Words& words) {
  if (words.size() > 1 && is_interpreter(words.front())) {
    const std::string& named = words.front();
    words = words.subspan(1);
    return named;
  }
  const auto given = variable(*draft.call, "PYTHON_EXEC");
  return std::string(given && !given->empty() ? *given : "python3");
}

// "${local_rank}" is replaced in each rank's words, as torchrun does.
Result<void> settle_command(TorchDraft& draft, Words words) {
  const TorchScript& script = draft.script;
  if (script.no_python && script.module) {
    return fail(Fault::usage, "keep one of them", "--no-python and --module cannot be combined");
  }
  if (script.no_python && script.local_rank_word) {
    return fail(Fault::usage, "add --use-env", "--no-python needs --use-env");
  }
  model::App& app = draft.request.spec.apps.front();
  if (!script.no_python || script.run_path) {
    app.command = {interpreter(draft, words), "-u"};
    if (script.module && !script.run_path) app.command.emplace_back("-m");
  }
  app.command.push_back(words.front());
  if (script.local_rank_word) app.command.emplace_back("--local_rank=${local_rank}");
  app.command.insert(app.command.end(), words.begin() + 1, words.end());
  app.local_rank_words = {.first = 1, .count = std::string::npos};
  if (app.workdir.empty()) app.workdir = draft.call->current_folder;
  return {};
}

void settle_identity(TorchDraft& draft) {
  draft.request.spec.torch_store = true;
  draft.request.spec.wireup = model::Wireup::none;
  model::TorchSpec& torch = *draft.request.spec.torch;
  torch.run_id = draft.meeting.id.value_or("none");
  torch.own_id = draft.standalone;
  draft.request.spec.max_restarts = torch.max_restarts;
  const bool sets_threads = draft.per_node > 1 && !variable(*draft.call, "OMP_NUM_THREADS");
  if (!sets_threads) return;
  draft.notices.emplace_back(
      "OMP_NUM_THREADS=1 for each rank, as torchrun has it; set it to what suits the program");
}

Result<Reading> finish(TorchDraft draft, Words words) {
  const auto settled = settle_hosts(draft)
                           .and_then([&] { return settle_nodes(draft); })
                           .and_then([&] { return settle_ranks(draft); })
                           .and_then([&] { return settle_command(draft, words); })
                           .and_then([&] { return settle_meeting(draft); })
                           .and_then([&] { return settle_master(draft); });
  if (!settled) return tl::unexpected(settled.error());
  settle_identity(draft);
  settle_torch_output(draft);
  return spec::check(draft.request.spec).map([&] {
    return Reading{std::move(draft.request), {}, std::move(draft.notices)};
  });
}

struct Dialect {
  Table table;
  Grammar grammar;
  std::string_view head;
  std::string_view launcher;
  bool local_rank_word;
};

Result<Reading> read(const Call& call, const Dialect& dialect) {
  TorchDraft draft;
  draft.call = &call;
  draft.script.local_rank_word = dialect.local_rank_word;
  model::JobSpec& job = draft.request.spec;
  job.torch.emplace();
  job.slot_rule = model::SlotRule::hydra;  // so many on each node, whatever its slots
  job.grace = std::chrono::seconds(30);
  job.input.to = model::StdinTo::inherited;
  job.failure.code = model::ExitStyle::torch;
  job.apps.front().role = "default";
  const Words words(call.words);
  if (const auto done = apply_environment(draft, dialect.table); !done) {
    return tl::unexpected(done.error());
  }
  const auto read = read_options(dialect.table, dialect.grammar, words, draft);
  if (!read) return tl::unexpected(with_wrong_hosts(read.error(), call, draft.hosts));
  if (draft.help) {
    return Reading{
        .text = option::help_text(dialect.head, texts_of(dialect.table), kExitCodes, call.columns)};
  }
  if (draft.version) {
    return Reading{
        .text = fmt::format("muster {}, standing in for {}\n", call.version, dialect.launcher)};
  }
  for (const std::string& line : read->notices) add_once(draft.notices, line);
  const Words script = words.subspan(read->program);
  if (script.empty()) {
    return fail(Fault::usage, "for example: torchrun --nproc_per_node 2 train.py",
                "no script given");
  }
  return finish(std::move(draft), script).map_error(found_late);
}

}  // namespace

Result<Reading> read_torchrun(const Call& call) {
  return read(call,
              {torchrun_table(), grammar("muster torchrun"), kTorchrunHead, "torchrun", false});
}

Result<Reading> read_launch(const Call& call) {
  return read(call, {launch_table(), grammar("muster launch"), kLaunchHead,
                     "torch.distributed.launch", true});
}

}  // namespace muster::front
