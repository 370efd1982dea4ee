// What Slurm says when it refuses, and the hint for each cause.
#include "batch/slurm_refusal.hpp"

#include <algorithm>
#include <array>

#include "base/words.hpp"

namespace muster::batch {
namespace {

using base::Fault;

// Those of getopt(3).
bool tells_of_option(std::string_view words) {
  constexpr std::array<std::string_view, 3> kBegins = {"unrecognized option ", "option '",
                                                       "invalid option "};
  return std::ranges::any_of(kBegins, [&](auto begin) { return words.starts_with(begin); });
}

// Without what goes before each time.
std::string_view without_begins(std::string_view line) {
  constexpr std::array<std::string_view, 4> kBegins = {
      "sbatch: ", "Batch job submission failed: ", "Job submit/allocate failed: ",
      "allocation failure: "};
  constexpr std::string_view kSalloc = "salloc: ";
  const std::size_t error = line.find("error: ");
  if (error != std::string_view::npos) line.remove_prefix(error + 7);
  for (const std::string_view begin : kBegins) {
    if (line.starts_with(begin)) line.remove_prefix(begin.size());
  }
  const bool is_option = line.starts_with(kSalloc) && tells_of_option(line.substr(kSalloc.size()));
  return is_option ? line.substr(kSalloc.size()) : line;
}

// What Slurm says without the names of its programs: "sbatch: error: ..." is ours to say.
std::string last_words(std::string_view said) {
  std::string words;
  for (const std::string& line : base::split(said, "\n")) {
    const std::string_view rest = without_begins(line);
    if (rest.starts_with("salloc: ")) continue;  // what it was about to do
    if (rest.starts_with("Try \"")) continue;    // "for more information"
    if (!words.empty() && words.find(rest) != std::string::npos) continue;
    words += (words.empty() ? "" : "; ") + std::string(rest);
  }
  return words.empty() ? "it does not say why" : words;
}

struct Known {
  std::string_view part;  // of what Slurm says
  Fault fault;
  std::string_view hint;
  bool lists_partitions = false;
};

constexpr std::array<Known, 21> kKnown = {{
    {"option '", Fault::cannot_start,
     "long names are in salloc(1), for muster run, and in sbatch(1), for options: of the target"},
    {"nvalid partition", Fault::cannot_start,
     "-p of muster run, or partition: of the target, names one", true},
    {"nvalid account", Fault::cannot_start,
     "-A and -p of muster run, or account: and partition: of the target; sacctmgr show "
     "associations user=$USER lists yours",
     true},
    {"nvalid qos", Fault::cannot_start,
     "--slurm-option qos= of muster run, or qos: of the target; sacctmgr show qos lists them"},
    {"ode count specification invalid", Fault::cannot_start,
     "the partition has fewer nodes; sinfo shows how many", true},
    {"equested node configuration is not available", Fault::cannot_start,
     "no node has as many processors, GPUs or as much memory; sinfo -N -l shows what they have",
     true},
    {"nvalid generic resource", Fault::cannot_start,
     "--slurm-option gres= and --gpus-per-rank of muster run, or gres: and gpus_per_node: of the "
     "target, where --without gpus asks for none; sinfo -o %G lists what nodes have"},
    {"nvalid feature", Fault::cannot_start,
     "--slurm-option constraint= of muster run, or constraint: of the target; sinfo -o %f lists "
     "them"},
    {"nvalid node name", Fault::cannot_start,
     "--slurm-option nodelist= and exclude= of muster run, or nodelist: and exclude: of the "
     "target; sinfo -N lists them"},
    {"nvalid license", Fault::cannot_start,
     "--slurm-option licenses= of muster run, or licenses: of the target; scontrol show licenses "
     "lists them"},
    {"nvalid --time", Fault::cannot_start,
     "-t of muster run, or time: of the target: minutes, H:MM:SS or D-HH:MM:SS"},
    {"nvalid --", Fault::cannot_start, "salloc(1) and sbatch(1) tell what that option may be"},
    {"time limit", Fault::cannot_start,
     "-t of muster run, or time: of the target; sinfo -o '%P %l' shows the limits"},
    {"eservation", Fault::cannot_start,
     "--slurm-option reservation= of muster run, or reservation: of the target; scontrol show "
     "reservation lists them"},
    {"ubmit limit", Fault::cannot_start, "the site allows no more jobs of yours at a time"},
    {"nable to contact slurm controller", Fault::unreachable, "scontrol ping; sinfo"},
    {"onnection", Fault::unreachable, "scontrol ping; sinfo"},
    {"ocket timed out", Fault::unreachable, "scontrol ping; sinfo"},
    {"nable to establish configuration source", Fault::unreachable,
     "this machine is not a login node of Slurm: there is no slurm.conf"},
    {"nable to process configuration file", Fault::unreachable,
     "this machine's slurm.conf, or that of SLURM_CONF, cannot be read: is this a login node?"},
    {"ould not establish a configuration source", Fault::unreachable,
     "this machine is not a login node of Slurm: there is no slurm.conf"},
}};

}  // namespace

Refusal slurm_refused(std::string_view said) {
  Refusal refusal;
  const std::string words = last_words(said);
  refusal.error = {Fault::cannot_start, "Slurm refuses: " + words, {}, {}};
  refusal.is_unknown_job = words.find("nvalid job id") != std::string::npos;
  for (const Known& known : kKnown) {
    if (words.find(known.part) == std::string::npos) continue;
    refusal.error.fault = known.fault;
    refusal.error.hint = known.hint;
    if (known.fault == Fault::unreachable) refusal.error.what = "Slurm does not answer: " + words;
    if (known.lists_partitions) {
      refusal.names = {"sinfo", "--noheader", "--format=%R"};
      refusal.names_are = "partitions here";
    }
    break;
  }
  return refusal;
}

}  // namespace muster::batch
