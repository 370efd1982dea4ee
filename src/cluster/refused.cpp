// What kubectl's words mean. They were collected from kubectl 1.20 and 1.32.
#include <fmt/format.h>

#include "cluster/kubectl.hpp"

namespace muster::cluster {
namespace {

using base::Fault;

struct Words {
  std::string_view part;  // of what kubectl has said
  Refusal kind;
};

// The first that is found counts.
constexpr Words kKnown[] = {
    {"(Forbidden)", Refusal::forbidden},
    {"is forbidden: ", Refusal::forbidden},
    {"(Unauthorized)", Refusal::forbidden},
    {"must be logged in to the server", Refusal::forbidden},
    {"(NotFound)", Refusal::absent},
    {"(AlreadyExists)", Refusal::exists},
    {"(Invalid)", Refusal::invalid},
    {" is invalid: ", Refusal::invalid},
    {"(BadRequest)", Refusal::invalid},
    {"error validating data", Refusal::invalid},
    {"was refused", Refusal::unreachable},
    {"Unable to connect to the server", Refusal::unreachable},
    {"(ServiceUnavailable)", Refusal::unreachable},
    {"(Timeout)", Refusal::unreachable},
    {"i/o timeout", Refusal::unreachable},
    {"connection reset", Refusal::unreachable},
    {"unexpected EOF", Refusal::unreachable},
    {"http2: ", Refusal::unreachable},
    {"etcdserver: ", Refusal::unreachable},
    {"TLS handshake timeout", Refusal::unreachable},
};

// The last line that is not empty, without "error: " and the like.
std::string line_of(std::string_view said) {
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.remove_suffix(1);
  std::string line(said.substr(said.rfind('\n') + 1));
  for (const std::string_view prefix : {"Error from server ", "error: ", "Error: "}) {
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
  }
  // "(Forbidden): error when creating "STDIN": pods ..."
  const std::size_t reason = line.starts_with('(') ? line.find("): ") : std::string::npos;
  if (reason != std::string::npos) line.erase(0, reason + 3);
  constexpr std::string_view kWhile = "error when creating \"STDIN\": ";
  if (line.starts_with(kWhile)) line.erase(0, kWhile.size());
  return line;
}

std::string in_space(const Place& place) {
  return place.space.empty() ? "" : " in the namespace " + place.space;
}

// The words between two others, or nothing.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  return std::string(text.substr(0, text.find(after)));
}

// secrets is forbidden: User "ann" cannot create resource "secrets" in API group "" in the
// namespace "team"
Refused forbidden(const std::string& line) {
  const std::string user = between(line, "User \"", "\"");
  const std::string verb = between(line, "cannot ", " ");
  const std::string resource = between(line, "resource \"", "\"");
  const std::string space = between(line, "in the namespace \"", "\"");
  const std::string hint =
      "the role that muster needs is in docs/kubernetes/role.yaml; ask the cluster's owner for it";
  if (user.empty() || verb.empty() || resource.empty()) {
    return {Refusal::forbidden, {Fault::cannot_start, "the cluster refuses it: " + line, {}, {}}};
  }
  return {Refusal::forbidden,
          {Fault::cannot_start,
           fmt::format("the user {} may not {} {}{}", user, verb, resource,
                       space.empty() ? "" : " in the namespace " + space),
           hint,
           {}}};
}

Refused unreachable(const std::string& line) {
  const bool no_configuration = line.find("localhost:8080") != std::string::npos;
  return {Refusal::unreachable,
          {Fault::unreachable,
           "the cluster does not answer: " + line,
           no_configuration ? "kubectl has no configuration: set KUBECONFIG, or make ~/.kube/config"
                            : "kubectl cluster-info asks it as well",
           {}}};
}

Refused with(Refusal kind, const std::string& line, const Place& place) {
  if (kind == Refusal::forbidden && line.find("exceeded quota") != std::string::npos) {
    return {Refusal::quota,
            {Fault::no_slots,
             "the quota is exceeded: " + line,
             "kubectl describe quota" + (place.space.empty() ? "" : " -n " + place.space),
             {}}};
  }
  if (kind == Refusal::forbidden) return forbidden(line);
  if (kind == Refusal::unreachable) return unreachable(line);
  if (kind == Refusal::absent && line.find("namespaces \"") != std::string::npos) {
    return {kind,
            {Fault::usage,
             "there is no such namespace: " + line,
             "kubectl get namespaces lists them",
             {}}};
  }
  if (kind == Refusal::exists) {
    return {kind,
            {Fault::cannot_start,
             "another run has the name: " + line,
             "submit it again: names are made anew",
             {}}};
  }
  if (kind == Refusal::invalid) {
    return {
        kind,
        {Fault::bad_file, "the cluster does not take it" + in_space(place) + ": " + line, {}, {}}};
  }
  return {kind, {Fault::cannot_start, "kubectl: " + line, {}, {}}};
}

}  // namespace

Refused refused(std::string_view said, const Place& place) {
  const std::string line = line_of(said);
  if (line.find("does not exist") != std::string::npos && line.starts_with("context ")) {
    return {Refusal::other,
            {Fault::usage, "kubectl: " + line, "kubectl config get-contexts lists them", {}}};
  }
  for (const Words& known : kKnown) {
    if (said.find(known.part) != std::string_view::npos) return with(known.kind, line, place);
  }
  return with(Refusal::other, line.empty() ? "it failed and said nothing" : line, place);
}

}  // namespace muster::cluster
