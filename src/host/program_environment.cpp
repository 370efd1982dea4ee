// Lays the account, what goes along, and what muster gives, over one another.
#include "host/program_environment.hpp"

#include <string_view>

#include "model/head_above.hpp"
#include "plan/environment.hpp"
#include "plan/software.hpp"
#include "plan/surroundings.hpp"
#include "process/helper_outside.hpp"
#include "process/usual_path.hpp"

namespace muster::host {
namespace {

class Making {
 public:
  explicit Making(const ProgramGround& ground) : ground_(ground) {}

  ProgramEnvironment made() {
    begin();
    name_hostfile();
    set_path();
    add_to_python_path();
    point_to_helpers();
    for (const model::Variable& one : ground_.app.given) give(one.name, one.value);
    variables()[std::string(plan::kGave)] += plan::fingerprints(ours_) + batch_jobs();
    return std::move(result_);
  }

 private:
  std::map<std::string, std::string>& variables() { return result_.variables; }

  // A launcher in the rank can tell it from what the user has set.
  void give(const std::string& name, const std::string& value) {
    variables()[name] = value;
    ours_.push_back(entry(name, value));
  }

  void begin() {
    for (const std::string& one :
         plan::account(ground_.agents_own, ground_.app.clean, ground_.rule)) {
      const std::size_t equals = one.find('=');
      if (equals != std::string::npos) variables()[one.substr(0, equals)] = one.substr(equals + 1);
    }
    for (const wire::NameValue& one : ground_.app.kept) variables()[one.name] = one.value;
    // A PWD of the launching shell would be wrong in another folder; the guard adds the right one.
    if (!ground_.app.workdir.empty()) variables().erase("PWD");
  }

  void name_hostfile() {
    constexpr const char* kName = "AZUREML_MPI_HOSTFILE";
    if (!plan::gives_hostfile(ground_.rule)) return;
    variables().try_emplace(kName, ground_.hostfile);
    ours_.push_back(entry(kName, ground_.hostfile));
  }

  void set_path() {
    const auto given = variables().find("PATH");
    result_.path = given == variables().end() ? process::kUsualPath : given->second;
    const auto software = variables().find(std::string(plan::kSoftware));
    if (software != variables().end()) put_first(software->second + "/bin");
    if (ground_.launchers.empty()) return;
    put_first(ground_.launchers);
    variables()["MUSTER_LAUNCHERS"] = ground_.launchers;
  }

  // What the user has there counts first. A launcher in the rank hands all of it on.
  void add_to_python_path() {
    const std::string& more = ground_.app.python_path;
    if (more.empty()) return;
    std::string& path = variables()["PYTHONPATH"];
    path += (path.empty() ? "" : ":") + more;
  }

  void put_first(const std::string& folder) {
    result_.path = folder + ":" + result_.path;
    give("PATH", result_.path);
  }

  void point_to_helpers() {
    const std::string head_above(model::kHeadAbove);
    variables().erase(head_above);
    if (!ground_.head_above.empty()) variables()[head_above] = ground_.head_above;
    if (process::outside().empty()) return;
    variables()[std::string(process::kOutside)] = process::outside();
  }

  // A step that the rank starts is in the agent's job, whatever the rank's own variables say.
  std::string batch_jobs() {
    std::vector<std::string> entries = ground_.agents_own;
    for (const auto& [name, value] : variables()) entries.push_back(entry(name, value));
    return plan::batch_job_marks(entries);
  }

  const ProgramGround& ground_;
  ProgramEnvironment result_;
  std::vector<std::string> ours_;
};

}  // namespace

ProgramEnvironment program_environment(const ProgramGround& ground) {
  return Making(ground).made();
}

std::string entry(std::string_view name, std::string_view value) {
  std::string made;
  made.reserve(name.size() + 1 + value.size());
  return made.append(name).append(1, '=').append(value);
}

}  // namespace muster::host
