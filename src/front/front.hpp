// Front: a command line that muster understands: its own, or that of a launcher it replaces.
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
#include "front/request.hpp"
#include "front/table.hpp"
#include "model/checked_file.hpp"

namespace muster::front {

// The text of a file that the user named, or an error with its position. Reads at most `most` + 1
// bytes, so that the caller can tell a file that is too large.
using ReadFile =
    std::function<base::Result<std::string>(const std::string& path, std::size_t most)>;

// Whether there is such a file, or anything else of that name.
using HasFile = std::function<bool(const std::string& path)>;

// What this machine has, for counts such as torchrun's --nproc-per-node gpu.
struct Counts {
  std::function<std::uint32_t()> cpus = {};
  std::function<std::uint32_t()> gpus = {};
};

// All that a reader may know.
struct Asked {
  std::string called;                         // the name by which it was called: "mpirun"
  std::vector<std::string> words = {};        // after that name
  std::vector<std::string> environment = {};  // "NAME=VALUE"
  std::vector<std::string> given = {};  // names of what muster gave to the rank around; sorted
  std::string current_folder = {};      // absolute
  ReadFile read_file = {};
  Counts counts = {};
  std::string fresh = {};    // random letters and digits, for a name that must be new
  std::string version = {};  // of muster
  // Of the record of this request; it does not exist yet. Empty: unknown.
  std::string record_folder = {};
  HasFile has_file = {};
};

// A request of either kind, text to print (help, version) before an exit with 0, or errors.
struct Reading {
  std::optional<RunRequest> request = {};
  std::string text = {};
  std::vector<std::string> notices = {};     // each is printed once on stderr, as one line
  std::vector<base::Error> complaints = {};  // all about one file: nothing starts
  // That file, where the outcome is to be printed as JSON.
  std::optional<model::CheckedFile> checked = {};
  std::optional<RecordRequest> records = {};
};

struct Front {
  std::string_view names;     // with blanks between; the first is the one of help and manual
  std::string_view argument;  // what follows the name in the list of commands
  std::string_view help;      // one sentence
  bool drop_in;               // a symbolic link to muster with one of the names reaches it
  int usage_code;             // exit code for usage errors; 0: as base::exit_code()
  base::Result<Reading> (*read)(const Asked&);
  OptionTexts (*options)();
  bool takes_file = false;  // what follows the options is a file, no program
};

[[nodiscard]] std::span<const Front> fronts();

// Whatever launcher a job's command names is muster.
[[nodiscard]] std::vector<std::string> names_of_launchers();

// The front end of a command name, or null.
[[nodiscard]] const Front* front_of(std::string_view name);

}  // namespace muster::front
