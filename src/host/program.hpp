// Finds the program of a task and checks its folder, on the host where it will run.
#pragma once

#include <string>

#include "base/error.hpp"
#include "view/program_file.hpp"

namespace muster::host {

// Whether ranks can start in their folder. Fault::cannot_start when it is missing or closed; the
// hint speaks of `code:` when the job comes from a job file.
[[nodiscard]] base::Result<void> check_workdir(const std::string& workdir, bool of_job_file);

// The path to execute. A word with a slash is taken from `workdir`; any other is looked up in
// `path` (the ranks' PATH, after folders of their app's own). Fault::cannot_start when the program
// is missing or not executable.
[[nodiscard]] base::Result<std::string> find_program(const std::string& word,
                                                     const std::string& workdir,
                                                     const std::string& path);

// What is looked for on PATH when `word`, which was found at `program`, is started: the
// interpreter, where a script leaves it to env(1) to find one, else the word; empty: nothing, it
// has a slash.
[[nodiscard]] std::string sought_on_path(const std::string& word, const std::string& program);

// What can be said of a program that was found at `program`, before it is started and afterwards.
// `workdir` and `path` as above; the result refers to nothing of the caller's.
[[nodiscard]] view::ProgramFile program_file(const std::string& word, const std::string& program,
                                             const std::string& workdir, const std::string& path);

}  // namespace muster::host
