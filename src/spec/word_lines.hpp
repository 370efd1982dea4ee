// Files whose lines are words, as on a command line: Open MPI's appfiles and tune files. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muster::spec {

struct WordLine {
  std::vector<std::string> words;  // never empty
  base::Place place;               // of the first word
};

// Whose files: their comments and ends of lines differ.
enum class LinesOf {
  open_mpi,  // "//" begins a comment, too
  hydra,     // a backslash at a line's end joins the next one to it, as the MPI standard has it for
             // mpiexec -configfile
};

// One program a line, words parted by blanks and tabs; '#' in front of a word begins a comment.
// From ompi v4.1.4 orte/orted/orted_submit.c and mpich 4.0 src/pm/hydra/mpiexec/options.c, to which
// a quote is one more character of a word, and so it is here. But '...' and "..." at the beginning
// of a word, or behind its '=', that have blanks between them hold these together. Fault::bad_file
// with file:line:column for a quote without an end there, bytes that are no text, and a file
// without any line.
[[nodiscard]] base::Result<std::vector<WordLine>> read_appfile(std::string_view text,
                                                               const std::string& name,
                                                               LinesOf whose = LinesOf::open_mpi);

// A setting for all programs.
struct TuneSetting {
  bool parameter = true;  // an MCA parameter; otherwise a variable, as after -x
  std::string name;       // of a variable: NAME or NAME=VALUE
  std::string value;      // of a parameter
  base::Place place;
};

// Lines "-x V=v", "-mca k v", "--mca k \"v\"", several on one line, and "k = v". From ompi v4.1.4
// opal/mca/base/mca_base_parse_paramfile.c. Fault::bad_file with file:line:column.
[[nodiscard]] base::Result<std::vector<TuneSetting>> read_tune_file(std::string_view text,
                                                                    const std::string& name);

}  // namespace muster::spec
