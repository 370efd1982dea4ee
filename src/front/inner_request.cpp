// Lets the launcher's own front end read its words.
#include "front/inner_request.hpp"

#include <optional>
#include <utility>

#include "front/asked.hpp"
#include "front/standing.hpp"
#include "job/launcher_words.hpp"

namespace muster::front {
namespace {

// Stands for the file that only ranks can open.
constexpr std::string_view kHostfile = "AZUREML_MPI_HOSTFILE";

// A job's variables come before those of its shell.
std::vector<std::string> environment_of(const Asked& asked, const model::App& app) {
  std::vector<std::string> environment;
  for (const model::EnvSetting& one : app.exports) {
    if (one.value) environment.push_back(one.name + "=" + *one.value);
  }
  environment.push_back(fmt::format("{0}={0}", kHostfile));
  environment.insert(environment.end(), asked.environment.begin(), asked.environment.end());
  return environment;
}

std::optional<std::string> value_of(const Asked& asked, std::string_view name) {
  const auto found = variable(asked, name);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

// Of a list, its words; else those in the text for the shell.
std::vector<std::string> words_of(const Asked& asked, const model::App& app) {
  const std::vector<std::string>& command = app.command;
  const bool by_shell = command.size() == 3 && command[0] == "bash" && command[1] == "-c";
  if (!by_shell) return command;
  return job::launcher_words(command[2], names_of_launchers(),
                             [&](std::string_view name) { return value_of(asked, name); });
}

Asked inside(const Asked& asked, const model::JobSpec& spec) {
  const model::App& app = spec.apps.front();
  Asked inner = asked;
  inner.environment = environment_of(asked, app);
  if (!app.workdir.empty()) inner.current_folder = app.workdir;
  inner.record_folder.clear();
  inner.read_file = [read = asked.read_file, text = spec.hostfile](
                        const std::string& path, std::size_t most) -> base::Result<std::string> {
    return path.ends_with(kHostfile) ? base::Result<std::string>(text) : read(path, most);
  };
  inner.words = words_of(inner, app);
  return inner;
}

// "mpirun ...", or "muster run ...".
const Front* take_front(Asked& inner) {
  const std::size_t names = !inner.words.empty() && inner.words.front().ends_with("muster") ? 2 : 1;
  if (inner.words.size() < names) return nullptr;
  const std::string& last = inner.words[names - 1];
  inner.called = last.substr(last.rfind('/') + 1);
  inner.words.erase(inner.words.begin(), inner.words.begin() + std::ptrdiff_t(names));
  return front_of(inner.called);
}

}  // namespace

std::shared_ptr<const RunRequest> inner_request(const Asked& asked, const model::JobSpec& spec) {
  if (spec.hostfile.empty()) return nullptr;
  Asked inner = inside(asked, spec);
  const Front* front = take_front(inner);
  if (front == nullptr || front->takes_file) return nullptr;
  auto read = front->read(inner);
  if (!read || !read->request || read->request->meeting) return nullptr;
  if (!take_standing_reach(inner, read->request->spec)) return nullptr;
  return std::make_shared<const RunRequest>(std::move(*read->request));
}

}  // namespace muster::front
