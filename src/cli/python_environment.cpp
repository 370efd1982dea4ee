// Looks for programs here as each host will.
#include "cli/python_environment.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "host/program.hpp"
#include "job/launcher_words.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

std::string passed_on(const plan::Forwarded& shell, std::string_view name) {
  const auto found = std::ranges::find(shell.kept, name, &model::Variable::name);
  return found == shell.kept.end() ? std::string() : found->value;
}

// Where its ranks look, on each host.
std::string path_of(const model::App& app, const plan::Forwarded& shell) {
  const std::string path = passed_on(shell, "PATH");
  return app.path.empty() ? path : fmt::format("{}:{}", app.path, path);
}

// Of an environment.
std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code wrong;
  for (fs::directory_iterator at(folder, wrong), end; !wrong && at != end; at.increment(wrong)) {
    names.push_back(at->path().filename());
  }
  return names;
}

// What the app looks for on PATH: by a shell's text, as soon as that calls a program of the
// environment. Empty: nothing, or what cannot be found here either.
std::string sought_by(const model::App& app, const std::string& folder, const std::string& path) {
  const auto& command = app.command;
  const bool by_shell = command.size() == 3 && command[1] == "-c" && command[0].ends_with("sh");
  if (by_shell) {
    const auto unknown = [](std::string_view) { return std::optional<std::string>(); };
    const auto words = job::launcher_words(command[2], programs_in(folder + "/bin"), unknown).words;
    return words.empty() || words[0].find('/') != words[0].npos ? std::string() : words[0];
  }
  const auto found = host::find_program(command.front(), app.workdir, path);
  return found ? host::sought_on_path(command.front(), *found) : std::string();
}

}  // namespace

void note_python_environments(Prospect& job) {
  // A container has programs of its own.
  if (job.spec.container) return;
  for (std::size_t i = 0; i < job.spec.apps.size(); ++i) {
    model::App& app = job.spec.apps[i];
    const plan::Forwarded& shell = job.kept.elsewhere[i];
    const std::string path = path_of(app, shell);
    for (const std::string_view name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      const std::string folder = passed_on(shell, name);
      if (folder.empty()) continue;
      const std::string sought = sought_by(app, folder, path);
      const auto found = host::find_program(sought, app.workdir, path);
      if (sought.empty() || !found || !found->starts_with(folder + "/")) continue;
      app.python_program = sought;
      app.python_environment = folder;
    }
  }
}

}  // namespace muster::cli
