// Turns a run configuration of Azure ML's SDK v1 into the keys of muster's own format.
#include "job/runconfig.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"

namespace muster::job {
namespace {

// Nothing, or the text of a key; "null" is what the SDK writes for nothing, too.
std::string said_text(const Node* map, std::string_view key) {
  const Entry* entry = map == nullptr ? nullptr : find(*map, key);
  if (entry == nullptr || entry->value->kind != Kind::text) return {};
  const Node& value = *entry->value;
  return !value.quoted && value.text == "null" ? "" : value.text;
}

const Node* said_map(const Node* map, std::string_view key) {
  const Entry* entry = map == nullptr ? nullptr : find(*map, key);
  return entry != nullptr && entry->value->kind == Kind::map ? entry->value.get() : nullptr;
}

bool says_true(const Node* map, std::string_view key) {
  const std::string text = said_text(map, key);
  return text == "true" || text == "True";
}

long said_number(const Node* map, std::string_view key) {
  const std::string text = said_text(map, key);
  long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// ---- words of the command ----

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_bare(char c) {
  return starts_name(c) || (c >= '0' && c <= '9') ||
         std::string_view("@%+=:,./-").find(c) != std::string_view::npos;
}

// "{NAME}".
bool is_braced(std::string_view word, std::size_t at) {
  const std::size_t end = word.find('}', at);
  if (at + 1 >= word.size() || word[at] != '{' || end == std::string_view::npos) return false;
  const std::string_view name = word.substr(at + 1, end - at - 1);
  return !name.empty() && starts_name(name.front()) &&
         std::ranges::all_of(name, [](char c) { return starts_name(c) || (c >= '0' && c <= '9'); });
}

// As a shell reads it; $NAME in it is each process's own variable.
std::string shell_text(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_bare)) return word;
  std::string text = "\"";
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char next = i + 1 < word.size() ? word[i + 1] : ' ';
    const bool is_variable = word[i] == '$' && (starts_name(next) || is_braced(word, i + 1));
    if (std::string_view("\\\"`").find(word[i]) != std::string_view::npos ||
        (word[i] == '$' && !is_variable)) {
      text += '\\';
    }
    text += word[i];
  }
  return text + "\"";
}

class Converter {
 public:
  Converter(const Node& root, const std::string& source, Complaints& complaints)
      : root_(root), source_(source), complaints_(complaints) {
    job_.kind = Kind::map;
    job_.begin = root.begin;
    job_.end = root.end;
  }

  SharedNode job() && {
    refuse_data();
    put(job_, "muster", "1", root_.begin);
    put(job_, "code", above_, root_.begin);
    add_command();
    put_known("compute", target(), "target");
    put_known("timeout", said_text(&root_, "maxRunDurationSeconds"), "maxRunDurationSeconds");
    add_environment();
    add_container();
    add_variables();
    add_distribution();
    return std::make_shared<const Node>(std::move(job_));
  }

 private:
  static void put(Node& map, std::string key, SharedNode value) {
    const Mark at = value->begin;
    map.entries.push_back({std::move(key), at, std::move(value)});
  }
  static void put(Node& map, std::string key, std::string text, Mark at) {
    Node value;
    value.kind = Kind::text;
    value.begin = value.end = at;
    value.text = std::move(text);
    put(map, std::move(key), std::make_shared<const Node>(std::move(value)));
  }

  static Node map_at(Mark at) {
    Node map;
    map.kind = Kind::map;
    map.begin = map.end = at;
    return map;
  }

  Mark mark_of(std::string_view key) const {
    const Entry* entry = find(root_, key);
    return entry == nullptr ? root_.begin : entry->mark;
  }

  void put_known(std::string key, std::string text, std::string_view from) {
    if (!text.empty()) put(job_, std::move(key), std::move(text), mark_of(from));
  }

  // The file lies in a folder of the SDK's own, below the one with the script, or beside it.
  static std::string folder_above(std::string_view source) {
    const std::size_t slash = source.rfind('/');
    if (slash == std::string_view::npos) return ".";
    const std::string_view folder = source.substr(0, slash);
    return folder.ends_with(".azureml") || folder.ends_with("aml_config") ? ".." : ".";
  }

  void refuse_data() {
    constexpr std::array kDataKeys = {"data", "dataReferences", "datacaches", "outputData"};
    for (const std::string_view key : kDataKeys) {
      const Entry* entry = find(root_, key);
      if (entry == nullptr || (entry->value->entries.empty() && entry->value->items.empty())) {
        continue;
      }
      complaints_.add(entry->mark,
                      fmt::format("{} names data in Azure, which muster cannot reach", key),
                      "remove the key, and pass files or folders of the hosts as arguments");
    }
  }

  std::string target() const {
    const std::string target = said_text(&root_, "target");
    return target == "local" ? "" : target;
  }

  void add_command() {
    std::string command = said_text(&root_, "command");
    const std::string script = said_text(&root_, "script");
    if (command.empty() && !script.empty()) command = with_arguments(script);
    if (command.empty()) {
      complaints_.add(mark_of("script"), "this run configuration names no script",
                      "add script: train.py, or command: COMMAND, for a shell");
    }
    put_known("command", std::move(command), script.empty() ? "command" : "script");
  }

  std::string with_arguments(const std::string& script) {
    const Node* python = said_map(said_map(&root_, "environment"), "python");
    const std::string interpreter = said_text(python, "interpreterPath");
    std::string text = interpreter.empty() || interpreter == "python" ? "python3" : interpreter;
    text += " " + shell_text(script);
    const Entry* arguments = find(root_, "arguments");
    if (arguments == nullptr) return text;
    if (arguments->value->kind == Kind::text) {
      complaints_.add(arguments->mark, "arguments must be a list, not text",
                      "write [" + arguments->value->text + "], with commas between the words");
    }
    for (const SharedNode& word : arguments->value->items) text += " " + shell_text(word->text);
    return text;
  }

  const Node* docker_of_environment() const {
    return said_map(said_map(&root_, "environment"), "docker");
  }

  bool is_contained() const {
    return !target().empty() || says_true(docker_of_environment(), "enabled") ||
           says_true(said_map(&root_, "docker"), "useDocker");
  }

  static std::string base_image(const Node* docker) {
    const std::string image = said_text(docker, "baseImage");
    const std::string registry = said_text(said_map(docker, "baseImageRegistry"), "address");
    const bool has_it = image.empty() || registry.empty() || image.starts_with(registry + "/");
    return has_it ? image : registry + "/" + image;
  }

  static constexpr std::string_view kUsualSize = "2g";

  // Older files have these beside the image, newer ones in both places. The SDK writes the usual
  // size where nobody asked for one: it does not replace another, nor does it mean anything without
  // an image.
  void add_container() {
    Node made = map_at(root_.begin);
    Node words = map_at(root_.begin);
    words.kind = Kind::list;
    const Entry* size = nullptr;
    for (const Node* docker : {docker_of_environment(), said_map(&root_, "docker")}) {
      const std::string said_size = said_text(docker, "shmSize");
      const bool is_default = said_size == kUsualSize && size != nullptr;
      if (!said_size.empty() && !is_default) size = find(*docker, "shmSize");
      const Entry* said = docker == nullptr ? nullptr : find(*docker, "arguments");
      if (said == nullptr) continue;
      const bool is_text = !said_text(docker, "arguments").empty();
      if (is_text) words.items.push_back(said->value);
      words.items.insert(words.items.end(), said->value->items.begin(), said->value->items.end());
    }
    const bool has_image = !base_image(docker_of_environment()).empty();
    const bool is_usual = size != nullptr && size->value->text == kUsualSize && !has_image;
    if (size != nullptr && is_contained() && !is_usual) put(made, "shm_size", size->value);
    if (!words.items.empty()) {
      words.begin = words.items.front()->begin;
      put(made, "docker_args", std::make_shared<const Node>(std::move(words)));
    }
    if (made.entries.empty()) return;
    put(job_, "resources", std::make_shared<const Node>(std::move(made)));
  }

  void refuse_login(const Node* registry) {
    for (const std::string_view key : {"username", "password"}) {
      if (said_text(registry, key).empty()) continue;
      complaints_.add(find(*registry, key)->mark,
                      fmt::format("environment.docker.baseImageRegistry.{} is not supported", key),
                      "leave it out, and log in where the image is pulled, with podman login " +
                          said_text(registry, "address"));
    }
  }

  void add_environment() {
    const Node* said = said_map(&root_, "environment");
    if (said == nullptr) return;
    Node made = map_at(mark_of("environment"));
    const Node* python = said_map(said, "python");
    const Node* docker = said_map(said, "docker");
    const std::string image = base_image(docker);
    if (!said_text(docker, "baseDockerfile").empty()) {
      complaints_.add(find(*docker, "baseDockerfile")->mark,
                      "environment.docker.baseDockerfile is not supported",
                      "build the image, and name it in environment.docker.baseImage");
    } else if (!image.empty() && is_contained()) {
      put(made, "image", image, find(*docker, "baseImage")->mark);
    }
    refuse_login(said_map(docker, "baseImageRegistry"));
    const std::string conda = said_text(python, "condaDependenciesFile");
    const bool is_managed = !says_true(python, "userManagedDependencies");
    if (!conda.empty() && is_managed) {
      put(made, "conda_file", conda.starts_with('/') ? conda : above_ + "/" + conda,
          find(*python, "condaDependenciesFile")->mark);
    } else if (said_map(python, "condaDependencies") != nullptr && is_managed) {
      put(made, "conda_file", find(*python, "condaDependencies")->value);
    }
    if (made.entries.empty()) return;
    const std::string name = said_text(said, "name");
    if (!name.empty()) put(made, "name", name, find(*said, "name")->mark);
    put(job_, "environment", std::make_shared<const Node>(std::move(made)));
  }

  void add_variables() {
    Node made = map_at(root_.begin);
    for (const Node* from : {said_map(&root_, "environmentVariables"),
                             said_map(said_map(&root_, "environment"), "environmentVariables")}) {
      if (from == nullptr) continue;
      for (const Entry& entry : from->entries) {
        if (find(made, entry.key) == nullptr) made.entries.push_back(entry);
      }
    }
    if (!made.entries.empty()) {
      put(job_, "environment_variables", std::make_shared<const Node>(std::move(made)));
    }
  }

  // Communicators of sections that say more than the SDK writes anyhow: one process.
  std::vector<std::string> of_sections() const {
    const Node* mpi = said_map(&root_, "mpi");
    const Node* torch = said_map(&root_, "pytorch");
    const Node* flow = said_map(&root_, "tensorflow");
    const auto says = [](const Node* section, std::string_view key) {
      return said_number(section, key) > 1;
    };
    std::vector<std::string> found;
    if (says(mpi, "processCountPerNode") || says(mpi, "nodeCount")) found.emplace_back("mpi");
    if (says(torch, "processCount") || says(torch, "nodeCount")) found.emplace_back("nccl");
    if (says(flow, "workerCount") || says(flow, "parameterServerCount")) {
      found.emplace_back("parameterserver");
    }
    return found;
  }

  // Where none is said, a section that was changed tells.
  std::string communicator() {
    std::string word = base::lower(said_text(&root_, "communicator"));
    if (!word.empty() && word != "none") return word;
    const std::vector<std::string> changed = of_sections();
    if (changed.size() == 1) return changed.front();
    if (changed.size() > 1) {
      complaints_.add(mark_of("communicator"),
                      fmt::format("{} sections say how processes are spread, and communicator says "
                                  "None",
                                  changed.size()),
                      "for example communicator: OpenMpi");
    }
    return word;
  }

  void add_distribution() {
    const std::string word = communicator();
    if (word.ends_with("mpi")) {
      spread("mpi", "mpi", {{"process_count_per_node", "processCountPerNode"}}, true);
    } else if (word == "nccl" || word == "gloo") {
      spread("pytorch", "pytorch", {{"process_count", "processCount"}}, true);
    } else if (word == "parameterserver") {
      spread("tensorflow", "tensorflow",
             {{"worker_count", "workerCount"}, {"parameter_server_count", "parameterServerCount"}},
             false);
    } else if (!word.empty() && word != "none") {
      complaints_.add(
          mark_of("communicator"),
          fmt::format("the communicator {} is not supported", said_text(&root_, "communicator")),
          "it may be OpenMpi, IntelMpi, Nccl, Gloo, ParameterServer or None");
    } else if (said_number(&root_, "nodeCount") > 1) {
      complaints_.add(mark_of("nodeCount"), "several nodes need a communicator",
                      "for example communicator: OpenMpi");
    }
  }

  struct Count {
    std::string_view key;
    std::string_view from;
  };

  void spread(std::string type, std::string_view section, std::initializer_list<Count> counts,
              bool has_nodes) {
    const Mark at = mark_of("communicator");
    const Node* said = said_map(&root_, section);
    Node made = map_at(at);
    put(made, "type", std::move(type), at);
    for (const Count& count : counts) {
      const std::string text = said_text(said, count.from);
      if (!text.empty()) put(made, std::string(count.key), text, find(*said, count.from)->mark);
    }
    if (has_nodes) {
      const long nodes =
          std::max({1L, said_number(&root_, "nodeCount"), said_number(said, "nodeCount")});
      put(made, "node_count", std::to_string(nodes), mark_of("nodeCount"));
    }
    put(job_, "distribution", std::make_shared<const Node>(std::move(made)));
  }

  const Node& root_;
  const std::string& source_;
  Complaints& complaints_;
  const std::string above_ = folder_above(source_);
  Node job_;
};

}  // namespace

bool is_runconfig(const Node& root) {
  return find(root, "framework") != nullptr && find(root, "communicator") != nullptr;
}

SharedNode from_runconfig(const Node& root, const std::string& source, Complaints& complaints) {
  return Converter(root, source, complaints).job();
}

}  // namespace muster::job
