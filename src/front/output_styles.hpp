// How the launchers write output and name files, as values of OutputSpec. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/id.hpp"
#include "model/output_spec.hpp"

namespace muster::front {

// muster run.
struct MusterOutput {
  bool tag = false;        // "[03] "; "[2:03] " in a spawned world
  bool timestamp = false;  // "2026-11-21T10:00:00.123Z "
  std::string logs = {};   // DIR/rank.N/{stdout,stderr}, DIR/2/rank.N of a spawned world
  bool logs_only = false;
  bool merge = false;                  // stderr goes where stdout goes
  std::set<std::uint32_t> shown = {};  // ranks whose output is shown here; empty: all
  bool unbuffered = false;             // stdout is a terminal for the ranks: no part of OutputSpec
};
[[nodiscard]] model::OutputSpec muster_output(const MusterOutput& asked);

// Open MPI 4.1 and 5. The two differ in how a prefix looks and in what merging means.
struct OpenMpiOutput {
  enum class Tag : std::uint8_t { none, rank, job_and_rank, with_host } tag = Tag::none;
  bool timestamp = false;
  bool of_five = false;  // as --output of 5 writes it: "[Sat Nov 21 10:00:00 2026][1,0]<stdout>: "
  bool xml = false;
  bool merge_files = false;  // stderr is kept in stdout's file
  bool merge = false;        // and is shown on stdout
  std::string folder = {};   // DIR/1/rank.N/{stdout,stderr}
  bool job_folder = true;
  std::string file = {};  // 5: NAME.1.N.{out,err}
  bool pattern = false;   // NAME.{out,err} for all ranks
  bool copy = true;       // to the console too
};
[[nodiscard]] model::OutputSpec open_mpi_output(const OpenMpiOutput& asked);

// Hydra. A pattern knows %r rank, %h host, %g process group, %p proxy, %t (always 0) and %%.
struct HydraOutput {
  bool prepend_rank = false;
  std::optional<std::string> prepend_pattern = {};
  std::string outfile = {};  // patterns; empty: the console
  std::string errfile = {};
  std::optional<base::Rank> from = {};  // the only rank whose output counts
};
[[nodiscard]] base::Result<model::OutputSpec> hydra_output(const HydraOutput& asked);

// torchrun: 0 none, 1 stdout, 2 stderr, 3 both; for all local ranks, or by local rank.
struct TorchStreams {
  std::uint32_t others = 0;
  std::map<std::uint32_t, std::uint32_t> chosen = {};
  bool operator==(const TorchStreams&) const = default;
};
// "3" or "0:3,1:1". `option` is for the error message.
[[nodiscard]] base::Result<TorchStreams> read_torch_streams(std::string_view option,
                                                            std::string_view text);
struct TorchOutput {
  // <log_dir>/<run_id>_<random>; files are FOLDER/attempt_K/<local rank>/{stdout,stderr}.log, those
  // of host N below FOLDER_N but for the first. Empty: no files.
  std::string folder = {};
  TorchStreams redirects = {};  // to the file instead of the console
  TorchStreams tee = {};        // to both; on the console after "[<role><local rank>]:"
  std::set<std::uint32_t> local_ranks_filter = {};  // whose output is shown; empty: all
  bool in_job = false;  // all nodes share one console: "[<role><rank>]:" there
  // What stands before teed lines instead: ${role_name}, ${rank} and ${local_rank} as Python's
  // string.Template replaces them. Empty: as above.
  std::string prefix_template = {};
};
[[nodiscard]] model::OutputSpec torchrun_output(const TorchOutput& asked);

// horovodrun.
struct HorovodOutput {
  std::string folder = {};  // DIR/rank.N/{stdout,stderr}; empty: none
  bool timestamp = false;
  bool as_mpi = false;  // --mpi: as mpirun --tag-output --output-filename DIR
};
[[nodiscard]] model::OutputSpec horovod_output(const HorovodOutput& asked);

}  // namespace muster::front
