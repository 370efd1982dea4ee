// CondaPackages: what a conda file asks for, and its text for conda. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/complaints.hpp"
#include "job/node.hpp"
#include "job/text.hpp"

namespace muster::job {

// What a job says of its packages: a file, or what would stand in it.
struct Conda {
  std::optional<Text> file;
  SharedNode map;
  Mark begin;
};

struct CondaPackages {
  std::vector<std::string> channels;
  std::vector<std::string> packages;  // of conda: "python=3.8"
  std::vector<std::string> pip;       // lines as in a file of requirements
  std::vector<Mark> pip_at = {};      // where each of them stands
};

// Name and prefix of the file say nothing here: the environment has a place of its own.
[[nodiscard]] CondaPackages read_conda(const Node& root, Complaints& complaints);

// What conda reads: JSON, which is YAML, too. The same packages have the same text.
[[nodiscard]] std::string conda_text(const CondaPackages& packages);
// The other way; nothing: it is no such text.
[[nodiscard]] std::optional<CondaPackages> parse_conda_text(std::string_view text);

// "python" of "conda-forge::python>=3.8".
[[nodiscard]] std::string package_name(std::string_view package);
// "=3.8" of "python = 3.8 *_cpython"; "" for any version.
[[nodiscard]] std::string version_wanted(std::string_view package);

// Whether a version ("3.11.2") is one that is wanted: "=3.8", "==3.8.1", ">=3.7,<3.12", "3.8.*".
[[nodiscard]] bool is_wanted(std::string_view version, std::string_view wanted);

// Packages that only conda has, by their names: all but Python, and what a virtual environment
// begins with.
[[nodiscard]] std::vector<std::string> only_conda(const CondaPackages& packages);

// The lines of a file of requirements, without comments.
[[nodiscard]] std::vector<std::string> requirement_lines(std::string_view text);
// The file that a line of pip's list takes in: "-r FILE"; or nothing.
[[nodiscard]] std::optional<std::string> required_file(std::string_view line);

}  // namespace muster::job
