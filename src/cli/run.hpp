// Runs the command line of a front end: from arguments to exit code.
#pragma once

#include <cstddef>
#include <string>

#include "cli/cli.hpp"
#include "front/front.hpp"

namespace muster::cli {

// What the run shall be called; for whoever has a record of it elsewhere.
inline constexpr const char* kRunName = "MUSTER_RUN_NAME";

// "mpirun" of "/usr/bin/mpirun".
[[nodiscard]] std::string base_name(const std::string& path);

// `name` is the index of the word by which the front end was called: 0 through a symbolic link, 1
// behind "muster".
[[nodiscard]] int run(const front::Front& front, const Invocation& invocation, std::size_t name);

// What is left of a run that is run again.
struct Earlier {
  std::string record = {};  // folder of the record that was named
  std::string folder = {};  // of the pipeline's record; empty: it is no pipeline
  std::string step = {};    // the only one to run; empty: all that did not complete
};

// Runs a recorded request again, with the same files and code; the wish may detach it.
[[nodiscard]] int run_again(const model::TypedCommand& before, const front::RecordRequest& wish,
                            const Earlier& earlier, const Invocation& invocation);

}  // namespace muster::cli
