// Errands: muster itself as a job of one rank on each of some hosts, which reads what it needs from
// its stdin and answers on its stdout. So code and outputs travel over a job's links, with its
// credit, its pings and its causes of failure.
//
// A host is asked before it is sent anything:
//
//   code ROOT STEP MARK OWNER UNIT...
//       ROOT: the folder of a run's record; STEP: that of the step's below it, or ".". A host that
//       finds MARK in the file `mark` there sees the folder, and says so. Else it takes a parcel,
//       and lays each UNIT of it out below ROOT, or names the contents that it lacks. OWNER: the
//       head's host. Then the cache is trimmed, and folders of old runs go.
//   outputs FOLDER MARK
//       A host that does not see the record in FOLDER says what its ranks wrote there and it cannot
//       send (left_behind.hpp), and sends the rest in a parcel.
//   unpack FOLDER
//       Lays out a bundle (bundle.hpp) from its stdin in FOLDER, which must not be there.
//   begin FILE|/ FOLDER [NAME=VALUE...] COMMAND...
//       The same from FILE, or nothing for /; then becomes the command, with these variables.
//   program PATH
//       Copies this program to PATH, where it is whole from the moment that it is there.
//   tidy RECORDS OWNER [dry]
//       Removes folders that errands for OWNER have made in RECORDS, and trims the cache. Lines
//       "stay RUN" and "go RUN" on its stdin say what is known of runs, and kAllSaid ends them, or
//       nothing is removed; it answers what it removed.
//   image HOW RUNTIME IMAGE
//       Chooses the runtime, sees whether it has the image for this processor, and says so. Where
//       it does not, HOW says what to do: `pull` it, `load` it from stdin, or only `look`.
//   packages
//       Makes an environment of the packages that stdin names, unless the host has it (see
//       environments.hpp); its answer is that of readiness.hpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/report.hpp"

namespace muster::cli {

struct Errand {
  std::vector<std::string> words;   // after `muster errand`
  std::vector<model::Host> hosts;   // each once
  int input = -1;                   // what all read; -1: nothing
  std::string folder;               // of their answers: rank.N/stdout
  std::function<void()> tick = {};  // called a few times a second meanwhile
  // Variables of the job that the tools which they start may want: indexes, proxies, credentials.
  std::vector<model::EnvSetting> exports = {};
};

// A run in which an errand failed, as people are told of it: no rank of theirs did.
[[nodiscard]] model::RunReport as_muster_has_failed(const model::RunReport& report);

// Carries it out with the links of such a job.
[[nodiscard]] model::RunReport run_errand(const Errand& errand, const model::JobSpec& like,
                                          const Invocation& invocation);

// The file with the answer of one of so many hosts.
[[nodiscard]] std::string answer_file(const Errand& errand, std::size_t host);

// On a host: `muster errand WORDS`. Returns the exit code.
[[nodiscard]] int do_errand(const std::vector<std::string>& words, const Invocation& invocation);

inline constexpr std::string_view kSees = "sees\n";     // the head's folder
inline constexpr std::string_view kLaidOut = "has\n";   // the code
inline constexpr std::string_view kLacks = "lacks ";    // and a hash: one line for each content
inline constexpr std::string_view kAllSaid = "end\n";   // the last line that tidy is given
inline constexpr std::string_view kTidied = "tidied ";  // count, bytes: of folders, of contents
inline constexpr std::string_view kMarkFile = "mark";

}  // namespace muster::cli
