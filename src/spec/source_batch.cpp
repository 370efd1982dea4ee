// Hosts of the job of PBS, LSF, Grid Engine or OAR that muster runs in, and how they are reached.
//
// Formats: Open MPI 4.1.4 orte/mca/ras/{tm,lsf,gridengine}, MPICH's Hydra *_query_node_list.c;
// OAR's manual of oarsub. Torque, Cobalt and LoadLeveler write the file of PBS.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/shell_word.hpp"
#include "base/words.hpp"
#include "model/head_above.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"
#include "spec/sources.hpp"

namespace muster::spec {
namespace {

using base::Result;
using model::HostEntry;
using Hosts = std::vector<HostEntry>;
using Words = std::vector<std::string>;

constexpr std::uint32_t kSlotsMax = 1 << 20;

// Adds the slots of a host up over all that is said of it; hosts stay in the order of their first.
class Tally {
 public:
  explicit Tally(std::string from) : from_(std::move(from)) {}

  void add(const std::string& name, std::uint32_t slots) {
    const auto [known, is_new] = index_.try_emplace(name, hosts_.size());
    if (is_new) {
      HostEntry& host = hosts_.emplace_back();
      host.name = name;
      host.slots = 0;
      host.place.source = from_;
    }
    *hosts_[known->second].slots += slots;
  }

  [[nodiscard]] Hosts take() { return std::move(hosts_); }

 private:
  std::string from_;
  std::unordered_map<std::string, std::size_t> index_;
  Hosts hosts_;
};

tl::unexpected<base::Error> odd_line(const std::string& name, std::string_view text) {
  return base::fail_at({name, 0, 0}, base::Fault::bad_file,
                       "the batch system writes it; you can name the hosts yourself",
                       "no host with its slots: {}", in_quotes(text));
}

Result<std::uint32_t> read_slots(const std::string& name, std::string_view text) {
  return read_number(name, text, {1, kSlotsMax}, base::Fault::bad_file);
}

// "node1", once for each slot.
Result<Hosts> read_repeated(const std::string& text, const std::string& name) {
  Tally tally(name);
  for (const std::string& word : base::split(text, " \t\r\n")) tally.add(word, 1);
  return tally.take();
}

// "node1 8 queue@node1 UNDEFINED"
Result<Hosts> read_grid_engine(const std::string& text, const std::string& name) {
  Tally tally(name);
  for (const std::string& line : base::split(text, "\r\n")) {
    const Words words = base::split(line, " \t");
    if (words.empty()) continue;
    if (words.size() < 2) return odd_line(name, line);
    const auto slots = read_slots(name, words[1]);
    if (!slots) return tl::unexpected(slots.error());
    tally.add(words[0], *slots);
  }
  return tally.take();
}

// "node1 8 node2 4"
Result<Hosts> read_pairs(const std::string& text, const std::string& name) {
  Tally tally(name);
  const Words words = base::split(text, " \t\r\n");
  if (words.size() % 2 != 0) return odd_line(name, text);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto slots = read_slots(name, words[i + 1]);
    if (!slots) return tl::unexpected(slots.error());
    tally.add(words[i], *slots);
  }
  return tally.take();
}

// One way in which a batch system tells hosts.
struct Manager {
  std::string_view word;  // as Hydra calls it
  std::string_view name;
  std::array<std::string_view, 2> marks;  // of a job of its; an empty one: no further
  std::string_view list;                  // the variable
  bool is_file;                           // it names a file, else it is the list
  Result<Hosts> (*read)(const std::string& text, const std::string& name);
  BatchReach (*reach)(const std::string& job, const BatchProgram& program);
};

// For /bin/sh -c: "exec" and the words, with those of the user.
std::string exec_words(const char* usual, const char* own, const BatchProgram& program) {
  std::string script = "exec ";
  script += program.words.empty() ? usual : base::shell_words(program.words);
  script += own;
  if (!program.extra.empty()) script += " " + base::shell_words(program.extra);
  return script;
}

BatchReach by_ssh(const std::string&, const BatchProgram&) { return {}; }

// What sshd starts is no part of the job until the mom is told. OpenPBS: src/cmds/pbs_attach.c,
// whose /etc/pbs.conf is shell text; Torque: src/cmds/pbs_track.c, which writes to stdout. The
// agent starts, too, where there is neither, or the mom refuses.
BatchReach by_ssh_within_pbs(const std::string& job, const BatchProgram&) {
  constexpr const char* kAttached =
      R"(j="$1"; shift; ([ -r /etc/pbs.conf ] && . /etc/pbs.conf; )"
      R"(PATH="$PATH:${PBS_EXEC:-/opt/pbs}/bin"; pbs_attach -j "$j" -p $$ || )"
      R"(pbs_track -j "$j" -a $$) </dev/null >/dev/null 2>&1; exec "$@")";
  return {{}, {"/bin/sh", "-c", kAttached, "pbs_attach", job}};
}

// Whether a shell reads the words there is not documented: so they are words, and no command line.
BatchReach blaunch(const std::string&, const BatchProgram& program) {
  return {{"/bin/sh", "-c",
           R"(PATH="${LSF_BINDIR:+$LSF_BINDIR:}$PATH"; h="$1"; eval "set -- ${2#exec }"; )" +
               exec_words("blaunch", "", program) + R"( "$h" "$@")",
           "blaunch"},
          {}};
}

// Before qdel or a limit ends a job that asked for -notify, all of its tasks get SIGUSR2 (and USR1
// before a suspension), which says nothing that the agent does not hear from its head.
BatchReach qrsh(const std::string&, const BatchProgram& program) {
  return {{"/bin/sh", "-c",
           R"(PATH="$SGE_ROOT/bin/$ARC:$PATH"; )" + exec_words("qrsh", " -inherit", program) +
               R"( "$1" "$2")",
           "qrsh -inherit"},
          {"/bin/sh", "-c", R"(trap '' USR1 USR2; exec "$@")", "agent"}};
}

BatchReach oarsh(const std::string&, const BatchProgram&) { return {{"oarsh"}, {}}; }

constexpr std::array kManagers = {
    Manager{"pbs", "PBS", {"PBS_JOBID"}, "PBS_NODEFILE", true, read_repeated, by_ssh_within_pbs},
    Manager{"cobalt", "Cobalt", {"COBALT_JOBID"}, "COBALT_NODEFILE", true, read_repeated, by_ssh},
    Manager{"lsf", "LSF", {"LSB_JOBID"}, "LSB_DJOB_HOSTFILE", true, read_repeated, blaunch},
    Manager{"lsf", "LSF", {"LSB_JOBID"}, "LSB_MCPU_HOSTS", false, read_pairs, blaunch},
    Manager{
        "sge", "Grid Engine", {"SGE_ROOT", "JOB_ID"}, "PE_HOSTFILE", true, read_grid_engine, qrsh},
    Manager{"oar", "OAR", {"OAR_JOB_ID"}, "OAR_NODEFILE", true, read_repeated, oarsh},
    Manager{"ll", "LoadLeveler", {"LOADL_STEP_ID"}, "LOADL_HOSTFILE", true, read_repeated, by_ssh}};

bool is_around(const Manager& one, const Variable& variable) {
  const auto is_set = [&](std::string_view name) {
    return name.empty() || !variable(name).value_or("").empty();
  };
  return is_set(one.list) && std::ranges::all_of(one.marks, is_set);
}

const Manager* manager_around(const Variable& variable, std::string_view only) {
  const auto found = std::ranges::find_if(kManagers, [&](const Manager& one) {
    return (only.empty() || one.word == only) && is_around(one, variable);
  });
  return found == kManagers.end() ? nullptr : &*found;
}

std::string job_of(const Manager& one, const Variable& variable) {
  return std::string(*variable(one.marks[1].empty() ? one.marks[0] : one.marks[1]));
}

Result<Hosts> hosts_of(const Manager& one, const HostQuery& asked) {
  const std::string value(*asked.variable(one.list));
  const std::string name = "$" + std::string(one.list);
  if (!one.is_file) return one.read(value, name);
  const auto& read_file = asked.read_around ? asked.read_around : asked.read_file;
  return read_file(value, kHostTextMax).and_then([&](const std::string& text) {
    return one.read(text, name);
  });
}

}  // namespace

Result<std::optional<HostsFound>> batch_job_around(const HostQuery& asked) {
  if (!asked.variable || asked.variable(model::kHeadAbove)) return std::nullopt;
  const Manager* const one = manager_around(asked.variable, asked.manager);
  if (one == nullptr) return std::nullopt;
  return hosts_of(*one, asked).and_then([&](Hosts hosts) -> Result<std::optional<HostsFound>> {
    if (hosts.empty()) return std::nullopt;
    return HostsFound{model::kHostsGranted,
                      fmt::format("{} job {}", one->name, job_of(*one, asked.variable)),
                      std::move(hosts)};
  });
}

std::optional<BatchReach> batch_job_reach(const Variable& variable, std::string_view manager,
                                          const BatchProgram& program) {
  const Manager* const one = manager_around(variable, manager);
  if (one == nullptr) return std::nullopt;
  return one->reach(job_of(*one, variable), program);
}

std::string_view batch_name(std::string_view manager) {
  const auto* const found = std::ranges::find(kManagers, manager, &Manager::word);
  return found == kManagers.end() ? std::string_view() : found->name;
}

}  // namespace muster::spec
