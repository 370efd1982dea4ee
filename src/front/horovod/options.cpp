// horovodrun's table: names, help, and what each option does.
#include "front/horovod/options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/horovod/tuning_rows.hpp"
#include "front/late.hpp"
#include "front/own_rows.hpp"
#include "front/table.hpp"
#include "spec/in_quotes.hpp"
#include "spec/limits.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Draft = HorovodDraft;
using Row = Option<HorovodDraft>;

Result<void> set_ranks(const Typed& typed, std::optional<std::uint32_t>& to) {
  return store(read_count(typed, {1, model::kRanksMax}), to).map_error([&](base::Error error) {
    return late_if_integer(typed, std::move(error));
  });
}

template <Reach what>
Result<void> set_reach(Draft& draft, const Typed& typed) {
  return take_reach<Draft, what>(draft, typed).map_error([&](base::Error error) {
    return late_if_integer(typed, std::move(error));
  });
}

// The kernel's names are shorter than 16 bytes (IFNAMSIZ).
bool is_interface(std::string_view name) {
  constexpr std::size_t kMost = 15;
  const auto odd = [](char c) { return c <= ' ' || c >= 0x7F || c == '/'; };
  return name.size() <= kMost && std::ranges::none_of(name, odd);
}

Result<void> add_interfaces(Draft& draft, const Typed& typed) {
  for (const std::string& name : base::split(typed.value, ",")) {
    if (!is_interface(name)) {
      return fail(Fault::usage, "for example eth0,eth1", "{}: {} is not the name of an interface",
                  typed.option, spec::in_quotes(name));
    }
    add_once(draft.interfaces, name);
  }
  return read_text(typed).map([](const std::string&) {});
}

Result<void> add_mpi_words(Draft& draft, const Typed& typed) {
  return read_words(typed).map([&](std::vector<std::string> words) {
    draft.mpi_words.insert(draft.mpi_words.end(), std::make_move_iterator(words.begin()),
                           std::make_move_iterator(words.end()));
  });
}

constexpr std::string_view kRanks = "Ranks and hosts";
constexpr std::string_view kReach = "Connecting to hosts";
constexpr std::string_view kController = "How ranks find each other";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kElastic = "Elastic jobs";
constexpr std::string_view kSee = "Information";

constexpr std::string_view kNoElastic = "a job whose number of ranks may change is not supported";
constexpr Traits kRefusedElastic = {.support = refused(kNoElastic)};

constexpr auto kRows = std::to_array<Row>({
    {{"-np --num-proc", kRanks, Takes::number, "N", "How many ranks to start. Must be given."},
     [](Draft& d, const Typed& t) { return set_ranks(t, d.request.spec.apps.front().ranks); }},
    {{"-H --hosts", kRanks, Takes::hosts, "LIST",
      "Hosts with their slots: host1:2,host2:4 (default: this machine)."},
     [](Draft& d, const Typed& t) { return store(read_text(t), d.hosts.list.emplace()); }},
    {{"-hostfile --hostfile", kRanks, Takes::file, "FILE",
      "Hosts from a file, one per line: host1 slots=2."},
     take_hostfile<Draft>},

    {{"-p --ssh-port", kReach, Takes::number, "PORT",
      "The ssh port of every host (default: what the ssh configuration says)."},
     set_reach<Reach::ssh_port>},
    {{"-i --ssh-identity-file", kReach, Takes::file, "FILE",
      "The private key for ssh (default: what the ssh configuration says)."},
     take_reach<Draft, Reach::ssh_identity>},
    {{"--start-timeout", kReach, Takes::number, "SECONDS",
      "Time limit for one attempt to connect to a host (default: 30, or HOROVOD_START_TIMEOUT)."},
     set_reach<Reach::patience>},
    {{"--config-file", kRanks, Takes::file, "FILE",
      "Take controller and tuning from a YAML file; the command line takes precedence."},
     [](Draft& d, const Typed& t) { return store(read_text(t), d.config_file); }},
    {{"--disable-cache", kReach, Takes::nothing, "",
      "Check hosts again; muster always does, and keeps no cache."}},

    {{"--gloo", kController, Takes::nothing, "",
      "Ranks find each other through gloo: HOROVOD_CONTROLLER=gloo. Two names of one host are two "
      "hosts then."},
     [](Draft& d, const Typed&) {
       d.controller = HorovodController::gloo;
       return Result<void>();
     }},
    {{"--mpi", kController, Takes::nothing, "",
      "Ranks find each other through MPI; no port is opened (default: as Horovod has been built)."},
     [](Draft& d, const Typed&) {
       d.controller = HorovodController::mpi;
       return Result<void>();
     }},
    {{"--jsrun",
      kController,
      Takes::nothing,
      "",
      "Start through LSF's jsrun.",
      {.support = refused("muster starts the ranks through ssh")}}},
    {{"--network-interfaces --network-interface",
      kController,
      Takes::text,
      "NAMES",
      "Network interfaces for ranks, separated by commas (default: the one that ssh uses).",
      {.repeatable = true}},
     add_interfaces},
    {{"--tcp", kController, Takes::nothing, "", "Use TCP only: NCCL_IB_DISABLE=1."},
     [](Draft& d, const Typed&) { return raise(d.tcp_only); }},
    {{"--mpi-args", kController, Takes::text, "ARGS",
      "More options of mpirun, read as muster mpirun does: --mpi-args=\"-x NCCL_DEBUG=INFO\"."},
     add_mpi_words},
    {{"--init-timeout", kController, Takes::number, "SECONDS",
      "End the job when ranks wait in hvd.init() or MPI_Init for others longer than this (default: "
      "never)."},
     [](Draft& d, const Typed& t) {
       return store(read_seconds(t, spec::kTimeout), d.request.spec.init_timeout);
     }},
    {{"--binding-args", kController, Takes::text, "ARGS",
      "Options of mpirun that map and bind (default: ranks are not bound)."},
     add_mpi_words},

    {{"--output-filename", kOutput, Takes::folder, "DIR",
      "Also write each rank's output to DIR/rank.N/stdout and stderr; with 16 ranks, N is 00 to "
      "15."},
     [](Draft& d, const Typed& t) { return store(read_text(t), d.output.folder); }},
    {{"-prefix-timestamp --prefix-output-with-timestamp", kOutput, Takes::nothing, "",
      "Prefix each line of output with the time."},
     [](Draft& d, const Typed&) { return raise(d.output.timestamp); }},
    {{"--verbose", kOutput, Takes::nothing, "",
      "Print to stderr what muster does, and how long each phase takes."},
     [](Draft& d, const Typed&) { return raise(d.request.spec.verbose); }},

    {{"--min-np --min-num-proc", kElastic, Takes::number, "N",
      "The fewest ranks; as many as -np, since their number is fixed."},
     [](Draft& d, const Typed& t) { return set_ranks(t, d.least); }},
    {{"--max-np --max-num-proc", kElastic, Takes::number, "N",
      "The most ranks; as many as -np, since their number is fixed."},
     [](Draft& d, const Typed& t) { return set_ranks(t, d.most); }},
    {{"--host-discovery-script", kElastic, Takes::file, "FILE", "A program that lists hosts.",
      kRefusedElastic}},
    {{"--slots-per-host", kElastic, Takes::number, "N", "Slots of hosts that are discovered.",
      kRefusedElastic}},
    {{"--elastic-timeout", kElastic, Takes::number, "SECONDS", "How long to wait for hosts.",
      kRefusedElastic}},
    {{"--reset-limit", kElastic, Takes::number, "N", "How often the ranks may change.",
      kRefusedElastic}},
    {{"--blacklist-cooldown-range",
      kElastic,
      Takes::text,
      "LOW HIGH",
      "How long a failed host is avoided.",
      {.arity = Arity::two, .support = refused(kNoElastic)}}},

    {{"-cb --check-build",
      kSee,
      Takes::nothing,
      "",
      "Show what Horovod was built with.",
      {.support = refused("only Horovod itself can tell")}}},
    {{"-v --version", kSee, Takes::nothing, "", "Show the version.", {.ends = true}},
     [](Draft& d, const Typed&) { return raise(d.version); }},
    {{"-h --help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
     [](Draft& d, const Typed&) { return raise(d.help); }},
});

constexpr auto kOriginal = joined(kRows, kHorovodTuningRows);
constexpr auto kTable = with_own_rows<HorovodDraft, kOriginal>();

}  // namespace

std::span<const Option<HorovodDraft>> horovod_table() { return kTable; }

OptionTexts horovod_options() { return texts_of(horovod_table()); }

}  // namespace muster::front
