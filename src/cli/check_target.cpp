// Asks the cluster, and prints a line, or an item of JSON, for each question.
#include "cli/check_target.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "cli/speak.hpp"
#include "cluster/examination.hpp"
#include "front/cluster_request.hpp"
#include "view/complaints.hpp"

namespace muster::cli {
namespace {

// In the words of Kubernetes, which are those of Go.
std::string own_processor() {
  utsname names{};
  ::uname(&names);
  const std::string machine = names.machine;
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : machine;
}

std::vector<cluster::Finding> ask(const front::ClusterRequest& request,
                                  const Invocation& invocation) {
  const job::Cluster& place = request.run.cluster;
  const cluster::Kubectl kubectl(
      {place.context ? place.context->text : "", place.name_space ? place.name_space->text : ""},
      invocation.environment);
  return cluster::examine(kubectl, {request.run, request.operated, own_processor()});
}

int code_of(const std::vector<cluster::Finding>& found) {
  for (const cluster::Finding& one : found) {
    if (one.is_fine == false) return base::exit_code(one.told.fault);
  }
  return 0;
}

int print_json(const front::Reading& reading, const std::vector<cluster::Finding>& found) {
  model::CheckedFile file = *reading.checked;
  for (const cluster::Finding& one : found) {
    file.asked.push_back({one.about, one.is_fine, one.told.what, one.told.hint});
  }
  return print(view::complaints_json(file, {}, reading.notices));
}

int print_lines(const front::Reading& reading, const std::vector<cluster::Finding>& found) {
  for (const std::string& notice : reading.notices) note(notice);
  std::string text = code_of(found) == 0 ? reading.text : "";
  for (const cluster::Finding& one : found) {
    if (one.is_fine == false) continue;
    text += fmt::format("{}{}: {}\n", one.is_fine ? "" : "not known: ", one.about, one.told.what);
  }
  const int code = print(text);
  for (const cluster::Finding& one : found) {
    if (one.is_fine == false) (void)complain(one.told);
  }
  return code;
}

}  // namespace

int check_target(const front::Reading& reading, const Invocation& invocation) {
  const std::vector<cluster::Finding> found = ask(*reading.cluster, invocation);
  const int told = reading.checked ? print_json(reading, found) : print_lines(reading, found);
  return first_code(code_of(found), told);
}

}  // namespace muster::cli
