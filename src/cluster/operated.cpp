// Asks kubectl for objects of kinds that operators have brought.
#include "cluster/operated.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "base/words.hpp"
#include "cluster/creation.hpp"
#include "cluster/listing.hpp"
#include "cluster/pod_lines.hpp"
#include "cluster/sight.hpp"
#include "kubernetes/state.hpp"
#include "kubernetes/text.hpp"

namespace muster::cluster {
namespace {

using base::Fault;
using kubernetes::text_at;
using kubernetes::Value;

tl::unexpected<Refused> refuse(Refusal kind, std::string what, std::string hint) {
  return tl::unexpected(Refused{kind, {Fault::cannot_start, std::move(what), std::move(hint), {}}});
}

std::string words_of(const Value& object) {
  return fmt::format("{} ({})", text_at(object, "kind"), text_at(object, "apiVersion"));
}

tl::unexpected<Refused> no_operator(const Value& object) {
  const bool is_gang = text_at(object, "kind") == "PodGroup";
  return refuse(Refusal::absent, fmt::format("this cluster has no {}", words_of(object)),
                fmt::format("ask for {} to be installed there, or remove {}: from the target",
                            kubernetes::operator_of(object), is_gang ? "gang" : "operator"));
}

Answered<void> compare(const Kubectl& kubectl, const Value& sent, const std::string& stored) {
  const auto read = kubernetes::read_json(stored);
  if (!read) return refuse(Refusal::other, read.error().what, "");
  const std::vector<std::string> dropped = kubernetes::dropped_fields(sent, *read);
  if (dropped.empty()) return {};
  const auto server = ask_server(kubectl);
  return refuse(Refusal::invalid,
                fmt::format("{} has dropped {} of {}: its definition there is older",
                            server ? "Kubernetes " + server->version : "this server",
                            fmt::join(dropped, ", "), words_of(sent)),
                "ask for a newer operator, or do without what needs the field");
}

// By the server alone: kubectl would refuse some fields and let others be dropped.
Answered<void> create_one(const Kubectl& kubectl, const Value& object) {
  return kubectl
      .ask({"create", "--filename=-", "--validate=false", "--output=json"}, to_json(object))
      .and_then([&](const std::string& stored) { return compare(kubectl, object, stored); });
}

// With the labels of all that muster makes.
std::string labels_of(const std::string& id) { return "--selector=" + selector_of(name_in(id)); }

}  // namespace

std::string operated_id(const std::vector<Value>& objects) {
  const Value& object = kubernetes::carried_out(objects);
  return fmt::format("{}/{}", kubernetes::resource_of(object), text_at(object, "metadata.name"));
}

bool is_operated(const std::string& id) { return id.find('/') != std::string::npos; }

std::string name_in(const std::string& id) { return id.substr(id.find('/') + 1); }

std::vector<Right> operated_rights(const std::string& resource) {
  return {{resource, "create"},  {resource, "get"},      {resource, "delete"},
          {"secrets", "create"}, {"secrets", "list"},    {"secrets", "delete"},
          {"pods", "list"},      {"jobs.batch", "list"}, {"pods/log", "get"}};
}

Answered<void> look_for_operator(const Kubectl& kubectl, const Value& object) {
  const std::string kinds = "/apis/" + text_at(object, "apiVersion");
  const auto answer = kubectl.ask({"get", "--raw", kinds});
  if (!answer && answer.error().kind == Refusal::absent) return no_operator(object);
  if (!answer) return tl::unexpected(answer.error());
  const std::string wanted = fmt::format("\"kind\":\"{}\"", text_at(object, "kind"));
  if (answer->find(wanted) == std::string::npos) return no_operator(object);
  return {};
}

Answered<void> create_operated(const Kubectl& kubectl, const Value& secret,
                               const std::vector<Value>& objects) {
  auto made = look_for_operator(kubectl, kubernetes::carried_out(objects));
  if (!made) return made;
  made = kubectl.ask({"create", "--filename=-", "--output=name"}, to_json(secret))
             .map([](const std::string&) {});
  // kubectl may have been ended after the server had made it.
  const bool may_be_there = made || made.error().kind == Refusal::unreachable;
  for (auto object = objects.begin(); made && object != objects.end(); ++object) {
    made = create_one(kubectl, *object);
  }
  if (!made && may_be_there) (void)remove_operated(kubectl, operated_id(objects));
  return made;
}

Answered<kubernetes::OperatedState> look_at_operated(const Kubectl& kubectl,
                                                     const std::string& id) {
  return kubectl.ask({"get", id, "--output=json"})
      .and_then([](const std::string& text) -> Answered<kubernetes::OperatedState> {
        const auto read = kubernetes::read_json(text);
        if (!read) return refuse(Refusal::other, read.error().what, "");
        return kubernetes::read_operated(*read);
      });
}

std::vector<std::string> words_of_logs(const std::string& id, std::size_t followed,
                                       const LogBegin& begin) {
  const std::string lines = begin.tail ? std::to_string(*begin.tail) : "-1";
  std::vector<std::string> words = {
      "logs", labels_of(id), "--tail=" + lines, "--ignore-errors", "--timestamps", "--prefix"};
  if (!begin.since.empty()) words.push_back("--since-time=" + begin.since);
  if (followed == 0) return words;
  words.emplace_back("--follow");
  words.push_back(fmt::format("--max-log-requests={}", followed));
  return words;
}

Answered<void> operated_log(const Kubectl& kubectl, const std::string& id, const LogBegin& begin,
                            const std::function<bool(std::string_view)>& heard) {
  return look(kubectl, name_in(id)).and_then([&](const Sight& sight) {
    const bool tagged = sight.state.pods.size() > 1;
    PodLines lines;
    return kubectl.stream(words_of_logs(id, 0, begin),
                          [&](std::string_view bytes) { return heard(lines.take(bytes, tagged)); });
  });
}

int operated_code(const Kubectl& kubectl, const std::string& id) {
  constexpr const char* kCodes =
      "--output=jsonpath={.items[*].status.containerStatuses[*].state.terminated.exitCode}";
  const auto codes = kubectl.ask({"get", "pods", labels_of(id), kCodes});
  if (!codes) return 1;
  for (const std::string& word : base::split(*codes, " ")) {
    if (word != "0") return std::atoi(word.c_str());
  }
  return 1;
}

Answered<void> delete_operated(const Kubectl& kubectl, const std::string& id) {
  return kubectl.order({"delete", id, "--ignore-not-found", "--wait=false"});
}

Answered<void> remove_operated(const Kubectl& kubectl, const std::string& id) {
  return delete_operated(kubectl, id).and_then([&] {
    return kubectl.order(
        {"delete", "pods,secrets,configmaps", labels_of(id), "--ignore-not-found", "--wait=false"});
  });
}

}  // namespace muster::cluster
