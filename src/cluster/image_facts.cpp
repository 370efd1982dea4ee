// Asks the nodes, then the registry.
#include "cluster/image_facts.hpp"

#include <algorithm>
#include <chrono>

#include "base/words.hpp"
#include "kubernetes/state.hpp"
#include "process/converse.hpp"

namespace muster::cluster {
namespace {

constexpr base::Duration kRegistryWithin = std::chrono::seconds(30);
constexpr const char* kNodesForm =
    R"(--output=jsonpath={range .items[*]}{.status.nodeInfo.architecture}{" "})"
    R"({.status.images[*].names[*]}{"\n"}{end})";

// "busybox" is docker.io/library/busybox:latest for nodes.
std::string whole_name(std::string image) {
  const std::size_t slash = image.find('/');
  const std::string first = image.substr(0, slash);
  const bool has_host = slash != std::string::npos &&
                        (first.find_first_of(".:") != std::string::npos || first == "localhost");
  if (!has_host) {
    image.insert(0, slash == std::string::npos ? "docker.io/library/" : "docker.io/");
  }
  const bool has_tag = image.find(':', image.rfind('/')) != std::string::npos;
  return has_tag ? image : image + ":latest";
}

base::Result<process::Answer> ask_registry(const Kubectl& kubectl, const char* how,
                                           const std::string& image) {
  return process::converse({.words = {"skopeo", "inspect", how, "docker://" + image},
                            .environment = kubectl.environment(),
                            .limit = kRegistryWithin});
}

// The last line that is not empty.
std::string last_of(std::string_view said) {
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.remove_suffix(1);
  return std::string(said.substr(said.rfind('\n') + 1));
}

ImageFacts refused_by_registry(const process::Answer& answer) {
  const std::string said = last_of(answer.err);
  const bool is_absent = said.find("manifest unknown") != std::string::npos ||
                         said.find("name unknown") != std::string::npos;
  if (is_absent) return {false, {}, "its registry does not know it"};
  return {std::nullopt, {}, answer.is_cut ? "its registry does not answer" : "skopeo: " + said};
}

ImageFacts facts_of_registry(const Kubectl& kubectl, const std::string& image) {
  const auto raw = ask_registry(kubectl, "--raw", image);
  if (!raw) return {std::nullopt, {}, "only its registry knows, and there is no skopeo to ask it"};
  if (!raw->ended_well()) return refused_by_registry(*raw);
  ImageFacts facts{true, processors_of_list(raw->out), {}};
  if (!facts.processors.empty()) return facts;
  const auto config = ask_registry(kubectl, "--config", image);
  const auto read = config ? kubernetes::read_json(config->out) : kubernetes::read_json("{}");
  const std::string processor = read ? kubernetes::text_at(*read, "architecture") : "";
  if (processor.empty()) return {std::nullopt, {}, "its registry does not tell its processor"};
  facts.processors = {processor};
  return facts;
}

}  // namespace

std::set<std::string> processors_of_list(std::string_view json) {
  std::set<std::string> processors;
  const auto read = kubernetes::read_json(json);
  const kubernetes::Value* const all = read ? read->at("manifests") : nullptr;
  if (all == nullptr) return processors;
  for (const kubernetes::Value& one : all->items) {
    processors.insert(kubernetes::text_at(one, "platform.architecture"));
  }
  processors.erase("");
  processors.erase("unknown");  // what was noted when it was built
  return processors;
}

std::set<std::string> processors_of_nodes(std::string_view lines, const std::string& image) {
  std::set<std::string> processors;
  const std::string name = whole_name(image);
  for (const std::string& line : base::split(std::string(lines), "\n")) {
    const auto words = base::split(line, " ");
    if (words.size() > 1 && std::ranges::count(words, name) > 0) processors.insert(words.front());
  }
  return processors;
}

ImageFacts image_facts(const Kubectl& kubectl, const std::string& image) {
  const auto lines = kubectl.ask({"get", "nodes", kNodesForm});
  ImageFacts facts;
  if (lines) facts.processors = processors_of_nodes(*lines, image);
  if (facts.processors.empty()) return facts_of_registry(kubectl, image);
  facts.is_there = true;
  return facts;
}

}  // namespace muster::cluster
