// Reads a line of horovodrun and settles what its words mean together.
#include "front/horovod/front.hpp"

#include <fmt/ranges.h>

#include "front/call.hpp"
#include "front/elsewhere.hpp"
#include "front/environment_options.hpp"
#include "front/horovod/config.hpp"
#include "front/horovod/knobs.hpp"
#include "front/horovod/options.hpp"
#include "front/late.hpp"
#include "front/output_styles.hpp"
#include "front/own_rows.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "option/values.hpp"
#include "spec/check.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Words = std::span<const std::string>;

constexpr Grammar kGrammar = {.command = "muster horovodrun",
                              .abbreviations = true,
                              .glued = Glued::all,
                              .again = Again::last_wins,
                              .elsewhere = elsewhere_of<Launcher::horovod>};

constexpr spec::HostForm kHostForm = {.slots = spec::HostSlots::required};

constexpr std::string_view kHead =
    R"(muster horovodrun: starts programs as Horovod's horovodrun does.

Usage: muster horovodrun -np N [OPTIONS] PROGRAM [ARGS...]
       horovodrun ...   where horovodrun is a symbolic link to muster
Options end at PROGRAM; all words after it are the program's own.

Examples:
  Four ranks on this machine:
    horovodrun -np 4 python train.py
  Sixteen ranks on the hosts of a file, as Azure ML gives it:
    horovodrun -np 16 --hostfile $AZUREML_MPI_HOSTFILE python train.py
  Two hosts, through gloo, over one interface, with a config file:
    horovodrun -np 8 -H host1:4,host2:4 --gloo --network-interface eth0 --config-file hvd.yaml
      python train.py
)";

constexpr std::string_view kExitCodes = R"(
Exit codes: 0; that of the rank that failed first; 2 for usage errors; 1 for what
horovodrun refuses after reading its words; 241 to 248 as of muster run.
)";

// Of each of these, one may stand on a line, as often as one likes: argparse's groups in
// horovod/runner/launch.py.
constexpr std::string_view kExclusive[] = {
    "--gloo --mpi",
    "-H -hostfile",
    "--hierarchical-allreduce --no-hierarchical-allreduce",
    "--hierarchical-allgather --no-hierarchical-allgather",
    "--torus-allreduce --no-torus-allreduce",
    "--autotune --no-autotune",
    "--timeline-mark-cycles --no-timeline-mark-cycles",
    "--no-stall-check --stall-check",
    "--mpi-threads-disable --no-mpi-threads-disable",
    "--log-with-timestamp --log-without-timestamp -prefix-timestamp"};

using Chosen = HorovodDraft::Chosen;

Result<bool> admit(HorovodDraft& draft, const OptionText& option, const Typed& typed) {
  for (const std::string_view group : kExclusive) {
    if (!share_a_word(group, option.names)) continue;
    const auto [before, is_first] =
        draft.chosen.try_emplace(group, Chosen{option.names, std::string(typed.option)});
    if (is_first || before->second.names == option.names) return true;
    return fail(Fault::usage, "keep one of them", "{} and {} cannot be combined", typed.option,
                before->second.typed);
  }
  return true;
}

std::vector<model::EnvSetting>& exports(HorovodDraft& draft) {
  return draft.request.spec.apps.front().exports;
}

Result<void> settle_command(HorovodDraft& draft, Words words) {
  model::App& app = draft.request.spec.apps.front();
  if (words.empty()) {
    return fail(Fault::usage, "for example: horovodrun -np 2 python train.py", "no program given");
  }
  if (!app.ranks) {
    return fail(Fault::usage, "for example: horovodrun -np 2 python train.py",
                "-np is missing: horovodrun does not count slots");
  }
  app.command.assign(words.begin(), words.end());
  if (app.workdir.empty()) app.workdir = draft.call->current_folder;
  return {};
}

Result<void> check_elastic(const HorovodDraft& draft) {
  const model::App& app = draft.request.spec.apps.front();
  for (const auto& [option, count] :
       {std::pair{"--min-np", draft.least}, {"--max-np", draft.most}}) {
    if (!count || *count == *app.ranks) continue;
    return fail(Fault::usage, fmt::format("{} {} is the same as -np", option, *app.ranks),
                "{} {}: a job whose number of ranks may change is not supported", option, *count);
  }
  return {};
}

// What they say of mapping, binding and variables is read as mpirun reads it; what they say of
// hosts and counts is not asked for.
Result<void> settle_mpi_words(HorovodDraft& draft) {
  if (draft.mpi_words.empty()) return {};
  Call call = *draft.call;
  call.called = "mpirun";
  call.words = {"-H", "localhost"};  // without hosts mpirun would share cores unasked
  call.words.insert(call.words.end(), draft.mpi_words.begin(), draft.mpi_words.end());
  call.words.insert(call.words.end(), {"--", "program"});
  auto read = front_of(call.called)->read(call);
  if (!read) return tl::unexpected(std::move(read.error()));
  if (!read->request) {
    return fail(Fault::usage, "leave it out",
                "--mpi-args contains an option that only prints text, such as --help or --version");
  }
  const model::JobSpec& mpi = read->request->spec;
  model::JobSpec& spec = draft.request.spec;
  spec.mapping = mpi.mapping;
  spec.oversubscribe = mpi.oversubscribe;
  const auto& more = mpi.apps.front().exports;
  exports(draft).insert(exports(draft).end(), more.begin(), more.end());
  for (std::string& notice : read->notices) add_once(draft.notices, std::move(notice));
  return {};
}

// Each host must tell its slots.
Result<void> settle_hosts(HorovodDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  return check_one_source(draft.hosts)
      .and_then([&] { return given_hosts(*draft.call, spec, draft.hosts, kHostForm); })
      .map([&](auto found) {
        spec::take_hosts(spec, std::move(found));
        // gloo_run.py counts by names; mpirun looks what they mean.
        spec.names_are_hosts = draft.controller == HorovodController::gloo;
      });
}

// It has no option to share cores, but mpirun's may be given to it.
Result<void> check_slots(const HorovodDraft& draft) {
  const model::JobSpec& spec = draft.request.spec;
  const std::uint32_t ranks = spec.apps.front().ranks.value_or(0);
  std::uint64_t slots = 0;
  for (const model::HostEntry& host : spec.hosts) slots += host.slots.value_or(0);
  if (spec.hosts.empty() || spec.oversubscribe || slots == 0 || ranks <= slots) return {};
  base::Place place = spec.hosts.front().place;
  place.line = place.column = 0;
  return base::fail_at(std::move(place), Fault::usage,
                       fmt::format("use -np {}, or give the hosts more slots", slots),
                       "-np asks for {} ranks, but the hosts have {} slot{}", ranks, slots,
                       slots == 1 ? "" : "s");
}

void set_unless_set(HorovodDraft& draft, const char* name, const std::string& value) {
  if (!variable(*draft.call, name)) exports(draft).push_back({name, value, true});
}

// mpi_run.py gives Open MPI these; whoever has set them knows better.
void settle_mpi(HorovodDraft& draft) {
  if (draft.controller == HorovodController::gloo) return;
  set_unless_set(draft, "OMPI_MCA_pml", "ob1");
  set_unless_set(draft, "OMPI_MCA_btl", "^openib");
}

void settle_network(HorovodDraft& draft) {
  if (draft.tcp_only) exports(draft).push_back({"NCCL_IB_DISABLE", "1"});
  if (draft.controller != HorovodController::mpi) {
    auto& gloo = draft.request.spec.gloo.emplace();
    gloo.only = draft.controller == HorovodController::gloo;
    if (!draft.interfaces.empty()) gloo.interface = draft.interfaces.front();
  }
  if (draft.interfaces.empty()) return;
  const std::string all = fmt::format("{}", fmt::join(draft.interfaces, ","));
  exports(draft).push_back({"NCCL_SOCKET_IFNAME", all});
  exports(draft).push_back({"OMPI_MCA_btl_tcp_if_include", all});
}

void settle_knobs(HorovodDraft& draft) {
  drop_idle_knobs(draft);
  for (const auto& [name, value] : draft.knobs) {
    exports(draft).push_back({std::string(name), value});
  }
}

void settle_output(HorovodDraft& draft) {
  HorovodOutput& output = draft.output;
  if (!output.folder.empty()) output.folder = absolute(*draft.call, output.folder);
  output.as_mpi = draft.controller == HorovodController::mpi;
  draft.request.spec.output = horovod_output(output);
}

Result<Reading> finish(HorovodDraft draft) {
  const auto settled = check_elastic(draft)
                           .and_then([&] { return settle_horovod_config(draft); })
                           .and_then([&] { return settle_hosts(draft); })
                           .and_then([&] { return settle_mpi_words(draft); })
                           .and_then([&] { return check_slots(draft); });
  if (!settled) return tl::unexpected(settled.error());
  settle_mpi(draft);
  settle_network(draft);
  settle_knobs(draft);
  settle_output(draft);
  tell_threads(*draft.call, "horovodrun", draft.request, draft.notices);
  return spec::check(draft.request.spec).map([&] {
    return Reading{std::move(draft.request), {}, std::move(draft.notices)};
  });
}

// HOROVOD_START_TIMEOUT is the default of --start-timeout.
Result<void> apply_environment(HorovodDraft& draft) {
  draft.request.spec.carrier.patience = std::chrono::seconds(30);
  draft.request.spec.input.to = model::StdinTo::inherited;
  const auto limit = variable(*draft.call, "HOROVOD_START_TIMEOUT");
  if (!limit) return {};
  return option::read_seconds({"HOROVOD_START_TIMEOUT", *limit}, spec::kPatience)
      .map([&](base::Duration time) { draft.request.spec.carrier.patience = time; });
}

}  // namespace

Result<Reading> read_horovodrun(const Call& call) {
  HorovodDraft draft;
  draft.call = &call;
  const Words words(call.words);
  if (auto done = apply_environment(draft); !done) {
    return tl::unexpected(found_late(std::move(done.error())));
  }
  const auto read = read_options(horovod_table(), kGrammar, words, draft, false, &admit);
  if (!read) return tl::unexpected(with_wrong_hosts(read.error(), call, draft.hosts, kHostForm));
  if (draft.help) {
    return Reading{.text = option::help_text(kHead, horovod_options(), kExitCodes, call.columns)};
  }
  if (draft.version) {
    return Reading{.text = fmt::format("muster {}, standing in for horovodrun\n", call.version)};
  }
  draft.notices = read->notices;
  return settle_command(draft, words.subspan(read->program)).and_then([&] {
    return finish(std::move(draft)).map_error(found_late);
  });
}

}  // namespace muster::front
