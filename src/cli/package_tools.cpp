// Commands as a person would type them: settings, indexes and proxies are those of their users.
#include "cli/package_tools.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

#include "base/variables.hpp"
#include "base/words.hpp"
#include "cli/tool_call.hpp"
#include "process/converse.hpp"
#include "store/files.hpp"
#include "view/first_few.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

using base::Fault;
using base::Result;

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string on_path(const std::string& name, const std::vector<std::string>& environment) {
  for (const std::string& folder : base::split(base::value_of(environment, "PATH"), ":")) {
    std::string path = folder;
    path += "/";
    path += name;
    if (folder.starts_with('/') && is_program(path)) return path;
  }
  return "";
}

// A shell that ssh starts has seldom read what conda's installer wrote for people's shells.
std::string conda_of(const std::vector<std::string>& environment) {
  for (const std::string_view name : {"MAMBA_EXE", "CONDA_EXE"}) {
    std::string path = base::value_of(environment, name);
    if (path.starts_with('/') && is_program(path)) return path;
  }
  for (const char* name : {"mamba", "micromamba", "conda"}) {
    if (std::string path = on_path(name, environment); !path.empty()) return path;
  }
  std::vector<std::string> places = {"/opt/conda"};
  const std::string home = base::value_of(environment, "HOME");
  for (const char* name : {"miniforge3", "mambaforge", "miniconda3", "anaconda3", "micromamba"}) {
    if (home.starts_with('/')) places.push_back(home + "/" + name);
  }
  for (const std::string& place : places) {
    for (const char* name : {"mamba", "micromamba", "conda"}) {
      std::string path = fmt::format("{}/bin/{}", place, name);
      if (is_program(path)) return path;
    }
  }
  return "";
}

// "3.11.2", and where it is; "" twice: there is no such Python.
struct Python {
  std::string program;
  std::string version;
};

Python python_at(const std::string& program, const std::vector<std::string>& environment) {
  constexpr base::Duration kPatience = std::chrono::seconds(20);
  const auto asked = process::converse(
      {{program, "-I", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"},
       environment,
       -1,
       kPatience});
  if (!asked || !asked->ended_well()) return {};
  const std::vector<std::string> words = base::split(asked->out, " \n");
  return words.empty() ? Python{} : Python{program, words.front()};
}

// Programs called python3.8 are asked before python3 when 3.8 is wanted.
Python python_for(const std::string& wanted, const std::vector<std::string>& environment) {
  std::vector<std::string> names;
  const std::size_t digit = wanted.find_first_of("0123456789");
  if (digit != std::string::npos) {
    const std::vector<std::string> parts = base::split(
        wanted.substr(digit, wanted.find_first_not_of("0123456789.", digit) - digit), ".");
    if (parts.size() > 1) names.push_back(fmt::format("python{}.{}", parts[0], parts[1]));
  }
  for (const char* usual : {"python3", "python"}) names.emplace_back(usual);
  for (const std::string& name : names) {
    const std::string path = on_path(name, environment);
    Python python = path.empty() ? Python{} : python_at(path, environment);
    if (!python.program.empty() && job::is_wanted(python.version, wanted)) return python;
  }
  return {};
}

std::string python_wanted(const job::CondaPackages& packages) {
  for (const std::string& package : packages.packages) {
    if (job::package_name(package) == "python") return job::version_wanted(package);
  }
  return "";
}

constexpr std::string_view kWithoutConda =
    "install conda, mamba or micromamba there, or say that the host has the software: "
    "--without environment";

constexpr std::string_view kIndexes =
    "indexes and proxies are those of pip's and conda's settings there and of this shell "
    "(PIP_INDEX_URL, PIP_FIND_LINKS, https_proxy)";

// Unless there is no room: then that decides.
std::string hint_for(const std::string& why, std::string_view usual) {
  return std::string(tells_of_no_room(why)
                         ? "`muster gc -H HOST` makes room there, or set XDG_CACHE_HOME"
                         : usual);
}

Result<void> write_list(const std::string& file, const std::string& text) {
  if (store::replace_file(file, text)) return {};
  const std::string why = std::strerror(errno);
  return base::fail(Fault::cannot_start, hint_for(why, ""), "cannot write {}: {}", file, why);
}

Result<void> call(std::string_view name, std::vector<std::string> words,
                  const std::vector<std::string>& environment, const Doing& doing) {
  ToolCall call(std::move(words), environment, doing);
  const auto well = call.ends_well();
  if (!well) return tl::unexpected(well.error());
  if (*well) return {};
  const std::string why = call.why();
  return base::fail(Fault::cannot_start, hint_for(why, kIndexes),
                    "{} could not make the environment: {}", name, why);
}

Result<void> fill_by_conda(const std::string& folder, const job::CondaPackages& packages,
                           const std::string& program, const std::vector<std::string>& environment,
                           const Doing& doing) {
  const std::string file = folder + ".yml";
  if (auto written = write_list(file, job::conda_text(packages)); !written) return written;
  const std::string name = program.substr(program.rfind('/') + 1);
  std::vector<std::string> words = {program, "env", "create", "-q", "-p", folder, "-f", file};
  if (name == "micromamba") words = {program, "create", "-y", "-p", folder, "-f", file};
  auto made = call(name, std::move(words), environment, doing);
  (void)::unlink(file.c_str());
  return made;
}

// Debian's Python may come without what a virtual environment gets its pip from; the pip of the
// host does then.
Result<std::vector<std::string>> make_venv(const std::string& folder, const std::string& python,
                                           const std::vector<std::string>& environment,
                                           const Doing& doing) {
  const std::string inside = folder + "/bin/python";
  ToolCall usual({python, "-I", "-m", "venv", folder}, environment, doing);
  const auto well = usual.ends_well();
  if (!well) return tl::unexpected(well.error());
  if (*well) return std::vector<std::string>{inside, "-I", "-m", "pip"};
  ToolCall bare({python, "-I", "-m", "venv", "--clear", "--without-pip", folder}, environment,
                doing);
  ToolCall pip({python, "-I", "-m", "pip", "--python", inside, "--version"}, environment, doing);
  if (bare.ends_well().value_or(false) && pip.ends_well().value_or(false)) {
    return std::vector<std::string>{python, "-I", "-m", "pip", "--python", inside};
  }
  // Python keeps to itself what its installer of pip has said.
  const std::string why = tells_of_no_room(bare.why()) ? bare.why() : usual.why();
  return base::fail(Fault::cannot_start,
                    hint_for(why, "install python3-venv there, or conda, mamba or micromamba"),
                    "{} cannot make a virtual environment in {}: {}", python, folder, why);
}

Result<void> fill_by_pip(const std::string& folder, const job::CondaPackages& packages,
                         const std::string& python, const std::vector<std::string>& environment,
                         const Doing& doing) {
  auto words = make_venv(folder, python, environment, doing);
  if (!words) return tl::unexpected(std::move(words.error()));
  if (packages.pip.empty()) return {};
  const std::string file = folder + "/requirements.txt";
  const std::string lines = fmt::format("{}\n", fmt::join(packages.pip, "\n"));
  if (auto written = write_list(file, lines); !written) return written;
  for (const char* word : {"--disable-pip-version-check", "--no-input", "install", "-r"}) {
    words->emplace_back(word);
  }
  words->push_back(file);
  return call("pip", std::move(*words), environment, doing);
}

}  // namespace

std::string python_program(const std::vector<std::string>& environment) {
  for (const char* name : {"python3", "python"}) {
    if (std::string path = on_path(name, environment); !path.empty()) return path;
  }
  const std::string usual = "/usr/bin/python3";
  return is_program(usual) ? usual : "";
}

Result<PackageTool> package_tool(const job::CondaPackages& packages,
                                 const std::vector<std::string>& environment) {
  if (std::string conda = conda_of(environment); !conda.empty()) {
    std::string identity = "conda";
    return PackageTool{"conda", std::move(conda), std::move(identity)};
  }
  const std::vector<std::string> lacking = job::only_conda(packages);
  if (!lacking.empty()) {
    const auto name = [&](std::size_t i) { return view::one_line(lacking[i]); };
    return base::fail(Fault::cannot_start, std::string(kWithoutConda),
                      "there is no conda, and these packages cannot be had without it: {}",
                      view::first_few(lacking.size(), name));
  }
  const std::string wanted = python_wanted(packages);
  Python python = python_for(wanted, environment);
  if (python.program.empty()) {
    return base::fail(Fault::cannot_start, std::string(kWithoutConda),
                      "there is neither conda nor a Python {}",
                      wanted.empty() ? "3" : view::one_line(wanted));
  }
  std::string identity = fmt::format("venv {} {}", python.program, python.version);
  return PackageTool{"venv", std::move(python.program), std::move(identity)};
}

Result<void> fill_environment(const std::string& folder, const job::CondaPackages& packages,
                              const PackageTool& tool, const std::vector<std::string>& environment,
                              const Doing& doing) {
  doing(fmt::format("{} makes {}", tool.program, folder));
  if (tool.word == "conda") {
    return fill_by_conda(folder, packages, tool.program, environment, doing);
  }
  return fill_by_pip(folder, packages, tool.program, environment, doing);
}

}  // namespace muster::cli
