// Call: a command line with all that surrounds it, and what readers ask of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "job/names.hpp"
#include "model/job_spec.hpp"

namespace muster::front {

// The text of a file that a person named, or a complaint with its place. Reads at most `most` + 1
// bytes, so that the caller can tell a file that is too large.
using ReadFile =
    std::function<base::Result<std::string>(const std::string& path, std::size_t most)>;

// What a program says on its stdout once it has ended well, or why it has not. Called at once.
using AskProgram = std::function<base::Result<std::string>(const std::vector<std::string>& words)>;

// Whether there is such a file, or anything else of that name.
using HasFile = std::function<bool(const std::string& path)>;

// Files with one of these endings (".yml") in a folder and below it, as paths in order: those of
// hidden folders and behind links left out, and of very many only the first.
struct FilesBelow {
  std::vector<std::string> paths;
  bool are_all = true;
};
using ListFiles = std::function<FilesBelow(const std::string& folder,
                                           const std::vector<std::string_view>& endings)>;

// The path of what a run that is on record has put out.
using FindOutput = std::function<base::Result<std::string>(const job::RunOutput& output)>;

// Whether the hosts that a job lists have room for its ranks, as far as the list tells; without a
// list, whether this machine has.
using CheckRoom = std::function<base::Result<void>(const model::JobSpec& spec)>;

// What this machine has, for counts such as torchrun's --nproc-per-node gpu.
struct Counts {
  std::function<std::uint32_t()> cpus = {};
  std::function<std::uint32_t()> gpus = {};  // of the maker with the most
  std::function<std::uint32_t()> xpus = {};  // Intel's alone
  // By which a process is limited to some of `gpus`: "CUDA_VISIBLE_DEVICES".
  std::function<std::string()> gpu_variable = {};
};

// A setting of how hosts are reached, and by which option it was typed.
struct ReachWish {
  std::string_view option;  // of kReachSettings
  std::string value;
};

// A call of muster, or of a launcher that it stands in for: all that a reader may know.
struct Call {
  std::string called;                         // "mpirun"
  std::vector<std::string> words = {};        // after that name
  std::vector<std::string> environment = {};  // "NAME=VALUE"
  std::vector<std::string> given = {};  // names of what muster gave to the rank around; sorted
  std::string current_folder = {};      // absolute
  ReadFile read_file = {};
  Counts counts = {};
  std::string fresh = {};    // random letters and digits, for a name that must be new
  std::string version = {};  // of muster
  // Of the record of what is asked for now; it is not there yet. Empty: nobody knows where.
  std::string record_folder = {};
  HasFile has_file = {};
  HasFile is_file = {};       // false for folders and other kinds; empty: unknown
  bool is_explained = false;  // its words are of a line that is only shown, whatever they say
  // It is what a batch job has been handed over for: a target that is a batch system is the job
  // around.
  bool is_queued_run = false;
  // Files that a variable of a batch system names: never those of a record. Empty: as read_file.
  ReadFile read_around = {};
  AskProgram ask = {};  // empty: none is asked
  // Files that the user did not name but whose place is known, such as muster.yml: reads only
  // what cannot block. Empty: as read_file.
  ReadFile read_found = {};
  // Why a found file may say what another user chose; empty: it cannot, or that is unknown.
  std::function<std::string(const std::string& path)> why_others = {};
  // To look for files, and into them: nothing that is only looked at is remembered. Empty: none are
  // looked for.
  ListFiles list_files = {};
  ReadFile look_into = {};
  FindOutput find_output = {};  // empty: no runs are known
  CheckRoom check_room = {};    // empty: nobody looks
  // Of a run that is started again: they win over what the words of then say.
  std::vector<ReachWish> reach_wishes = {};
  std::size_t columns = 80;  // of the terminal that a help text is for
  // What calls this muster in a script that people keep: a path, where PATH does not find it.
  std::string own_name = "muster";
  // What stands in for Azure ML's SDK in a job's processes, as a folder for PYTHONPATH; empty: it
  // is not installed.
  std::string stand_ins = {};
};

[[nodiscard]] inline const ReadFile& reads_found(const Call& call) {
  return call.read_found ? call.read_found : call.read_file;
}

// The value of a variable of the launching environment, or nothing.
[[nodiscard]] std::optional<std::string_view> variable(const Call& call, std::string_view name);

// The folder that a path's ~/ stands for; empty: none is known.
[[nodiscard]] std::string home_of(const Call& call);

// The run's name; where no record is kept, "run".
[[nodiscard]] std::string run_of(const Call& call);

// Whether muster gives such a variable to each rank, and the one found here was the rank's around.
[[nodiscard]] bool is_given(const Call& call, std::string_view name);

// A path as the current folder makes it absolute; not normalised: "a/../b" may lead elsewhere than
// "b" where a is a link.
[[nodiscard]] std::string absolute(const Call& call, std::string_view path);

// The words between two ':'; an empty block is kept, to be complained about.
[[nodiscard]] std::vector<std::span<const std::string>> blocks_of(
    std::span<const std::string> words);

// Adds a line unless it is there.
void add_once(std::vector<std::string>& lines, std::string line);

}  // namespace muster::front
