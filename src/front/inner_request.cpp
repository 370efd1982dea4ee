// Lets the launcher's own front end read its words.
#include "front/inner_request.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/loopback.hpp"
#include "front/call.hpp"
#include "front/inherited.hpp"
#include "job/launcher_words.hpp"
#include "spec/sources.hpp"

namespace muster::front {
namespace {

// As the first rank of the job finds it: the job's variables come before those of its shell.
std::vector<std::string> environment_of(const Call& call, const model::App& app) {
  const std::uint32_t ranks = app.ranks.value_or(1);
  std::vector<std::string> environment = {"RANK=0",
                                          "NODE_RANK=0",
                                          "OMPI_COMM_WORLD_RANK=0",
                                          fmt::format("WORLD_SIZE={}", ranks),
                                          fmt::format("OMPI_COMM_WORLD_SIZE={}", ranks),
                                          "MASTER_ADDR=node0",
                                          "MASTER_PORT=29500",
                                          fmt::format("{0}={0}", spec::kHostfile)};
  for (const model::EnvSetting& one : app.exports) {
    if (one.value) environment.push_back(one.name + "=" + *one.value);
  }
  environment.insert(environment.end(), call.environment.begin(), call.environment.end());
  return environment;
}

// Of a list, its words; else those of each launcher in the text for the shell.
std::vector<job::LauncherWords> calls_in(const Call& call, const model::App& app) {
  const std::vector<std::string>& command = app.command;
  const bool by_shell = command.size() == 3 && command[0] == "bash" && command[1] == "-c";
  if (!by_shell) return {{command, true, 0, true}};
  const auto calling = [&](const std::vector<std::string>& names) {
    return job::all_launcher_words(command[2], names, [&](std::string_view name) {
      const auto found = variable(call, name);
      return found ? std::optional<std::string>(*found) : std::nullopt;
    });
  };
  std::vector<job::LauncherWords> found = calling(names_of_launchers());
  return found.empty() ? calling({"python", "python3"}) : found;
}

// Its words are for the caller to find.
Call inside(const Call& call, const model::JobSpec& spec) {
  const model::App& app = spec.apps.front();
  Call inner = call;
  inner.environment = environment_of(call, app);
  if (!app.workdir.empty()) inner.current_folder = app.workdir;
  inner.record_folder.clear();
  inner.read_file = [read = call.read_file, text = spec.hostfile](
                        const std::string& path, std::size_t most) -> base::Result<std::string> {
    return path.ends_with(spec::kHostfile) ? base::Result<std::string>(text) : read(path, most);
  };
  return inner;
}

// How many words name the launcher: "mpirun", "muster run", "python -m torch.distributed.launch".
std::size_t names_in(const std::vector<std::string>& words) {
  const std::string name = words.front().substr(words.front().rfind('/') + 1);
  if (name == "muster") return 2;
  if (!name.starts_with("python")) return 1;
  const auto module = std::ranges::find_if(
      words, [](const std::string& word) { return word.starts_with("torch.distributed."); });
  return static_cast<std::size_t>(module - words.begin()) + 1;
}

// Takes them off, and finds whose they are.
const Front* take_front(Call& inner) {
  const std::size_t names = inner.words.empty() ? 1 : names_in(inner.words);
  if (inner.words.size() < names) return nullptr;
  const std::string last = inner.words[names - 1];
  inner.called = last.substr(last.rfind('/') + 1);
  if (last == "torch.distributed.launch") inner.called = "launch";
  if (last == "torch.distributed.run") inner.called = "torchrun";
  inner.words.erase(inner.words.begin(), inner.words.begin() + std::ptrdiff_t(names));
  return front_of(inner.called);
}

// Launchers on all nodes of the job that meet: together they start what one would start that could
// reach all nodes.
bool take_all_nodes(RunRequest& request, const model::JobSpec& spec) {
  const bool one_each = request.meeting && spec.per_node == 1U;
  if (!one_each) return false;
  request.meeting.reset();
  request.spec.hosts = spec.hosts;
  for (model::HostEntry& host : request.spec.hosts) host.slots = request.spec.per_node;
  request.spec.fake_nodes = spec.fake_nodes;
  request.spec.source = spec.source;
  request.spec.source_name = spec.source_name;
  return true;
}

bool is_left_to_shell(const std::string& word) {
  return word.find_first_of("$`") != std::string::npos;
}

// Whether the launcher is called, and is muster under that name.
bool would_be_called(const job::LauncherWords& launcher) {
  const auto& words = launcher.words;
  const bool is_named = !words.empty() && !words.front().empty();
  return launcher.is_sure && is_named && words.front().find('/') == std::string::npos;
}

// And no shell has to expand its words, and nothing stands by for its failure: then what is wrong
// with them is the user's mistake.
bool would_be_told(const job::LauncherWords& launcher) {
  return would_be_called(launcher) && !launcher.may_fail &&
         std::ranges::none_of(launcher.words, is_left_to_shell);
}

// A hostfile that the command itself may make: what lies there now may be that of an earlier run.
bool may_be_made(std::string_view hostfile) {
  const bool is_file = !hostfile.empty() && !hostfile.starts_with('-');
  return is_file && !hostfile.ends_with(spec::kHostfile);
}

// And not about such a file; torchrun refuses some words late.
bool is_about_words(const base::Error& error) {
  const bool is_of_words =
      error.fault == base::Fault::usage || error.fault == base::Fault::cannot_start;
  return is_of_words && !may_be_made(error.place.source);
}

// "mpirun", "muster run"
std::string spoken_name(const Call& inner, const job::LauncherWords& launcher) {
  return launcher.words.front() == "muster" ? "muster " + inner.called : inner.called;
}

base::Error mistake_of(const Call& inner, const job::LauncherWords& launcher, base::Error error) {
  error.what = fmt::format("{} would not start: {}", spoken_name(inner, launcher), error.what);
  return error;
}

struct LauncherReading {
  std::optional<Reading> read;  // nothing: it is not a launcher that muster knows, or is refused
  std::optional<base::Error> mistake;
  std::string unforeseen = {};  // why it is refused, if that is no mistake for sure
};

// `inner`: inside(); gets the launcher's words.
LauncherReading read_launcher(Call& inner, const job::LauncherWords& launcher) {
  inner.words = launcher.words;
  const Front* front = take_front(inner);
  if (front == nullptr || front->takes_file) return {};
  auto read = front->read(inner);
  if (read) return {std::move(*read), {}};
  if (would_be_told(launcher) && is_about_words(read.error())) {
    return {{}, std::move(read.error())};
  }
  if (std::ranges::any_of(launcher.words, is_left_to_shell)) {
    return {{}, {}, "only a shell can expand its words"};
  }
  return {{}, {}, std::move(read.error().what)};
}

// Words that a shell expands may be options, unless a program stands in front of them.
bool has_open_options(const Call& inner) {
  const auto open = std::ranges::find_if(inner.words, is_left_to_shell);
  if (open == inner.words.end()) return false;
  Call before = inner;
  before.words.assign(inner.words.begin(), open);
  return !front_of(inner.called)->read(before);
}

// Where all are this machine, its own name leads there.
bool is_on_hosts(const model::JobSpec& spec) {
  return std::ranges::any_of(spec.hosts, [&](const model::HostEntry& host) {
    return host.name != spec.hosts.front().name;
  });
}

// Nodes of the job that call the launcher must be all that it waits for, at a place that they know.
base::Result<void> check_meeting(const RunRequest& request, const model::JobSpec& spec) {
  const std::uint64_t nodes = model::ranks_given(spec);
  const bool one_each = request.meeting && spec.per_node == 1U && nodes > 1;
  if (!one_each) return {};
  if (is_on_hosts(spec) && base::is_loopback(request.meeting->host)) {
    return base::fail(base::Fault::usage, "write $MASTER_ADDR there",
                      "the job's nodes cannot meet at {}: each would wait for itself",
                      request.meeting->host);
  }
  if (request.meeting->nodes == nodes) return {};
  return base::fail(base::Fault::usage, fmt::format("write --nnodes {}", nodes),
                    "--nnodes {}, but the job has {} nodes, each of which calls it",
                    request.meeting->nodes, nodes);
}

bool reads_own_hostfile(const model::JobSpec& own) {
  return own.source.is_file && may_be_made(own.source_name);
}

// Of the hosts on which the launcher starts ranks.
bool knows_slots(const RunRequest& request, const model::JobSpec& spec, CountsKnown known) {
  const model::JobSpec& own = request.spec;
  if (request.meeting || request.allocation || reads_own_hostfile(own)) return false;
  if (own.hosts.empty()) {
    const bool is_alone = spec.hosts.empty() && spec.fake_nodes == 0 && spec.hostfile.empty();
    return known.cores && is_alone && own.fake_nodes == 0;
  }
  return spec.hostfile.empty() ? known.others && !own.source.of_batch_job : known.slots;
}

// What the launcher would find out once its words are read. Variables that the command sets may
// let it have more ranks than slots.
base::Result<void> check_counts(const Call& inner, const job::LauncherWords& launcher,
                                const RunRequest& request, const model::JobSpec& spec,
                                CountsKnown known) {
  if (!would_be_called(launcher) || launcher.may_fail || has_open_options(inner)) return {};
  if (known.nodes) {
    if (auto fine = check_meeting(request, spec); !fine) return fine;
  }
  const bool is_known = knows_slots(request, spec, known);
  if (!is_known || !launcher.keeps_variables || !inner.check_room) return {};
  return inner.check_room(request.spec);
}

// What has no room on the hosts of such a file is not what will be started.
void check_own_hostfile(const Call& inner, LauncherReading& launcher) {
  if (!launcher.read || !launcher.read->request || !inner.check_room) return;
  const model::JobSpec& own = launcher.read->request->spec;
  if (!reads_own_hostfile(own)) return;
  auto fits = inner.check_room(own);
  if (fits) return;
  launcher.unforeseen = std::move(fits.error().what);
  launcher.read.reset();
}

base::Place place_in(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
  return {{},
          static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
          static_cast<std::uint32_t>(at - line + 1)};
}

std::shared_ptr<const RunRequest> request_of(const Call& inner, const model::JobSpec& spec,
                                             Reading read) {
  if (!read.request) return {};
  RunRequest& request = *read.request;
  const bool starts_all = !spec.hostfile.empty() && !request.meeting;
  if (!starts_all && !take_all_nodes(request, spec)) return {};
  if (!take_inherited_settings(inner, request.said_reach, request.spec)) return {};
  return std::make_shared<const RunRequest>(std::move(request));
}

}  // namespace

InnerReading inner_request(const Call& call, const model::JobSpec& spec, CountsKnown known) {
  InnerReading all;
  bool is_first = true;
  for (const job::LauncherWords& one : calls_in(inside(call, spec), spec.apps.front())) {
    Call inner = inside(call, spec);
    LauncherReading launcher = read_launcher(inner, one);
    if (launcher.read && launcher.read->request) {
      const auto fine = check_counts(inner, one, *launcher.read->request, spec, known);
      if (!fine) launcher.mistake = fine.error();
    }
    check_own_hostfile(inner, launcher);
    if (launcher.mistake) {
      return {{},
              mistake_of(inner, one, *std::move(launcher.mistake)),
              one.words.front(),
              job::times_before(spec.apps.front().command.back(), one)};
    }
    if (!launcher.unforeseen.empty()) {
      all.unforeseen.push_back({spoken_name(inner, one), std::move(launcher.unforeseen)});
    }
    if (is_first && launcher.read) all.request = request_of(inner, spec, *std::move(launcher.read));
    is_first = false;
  }
  return all;
}

ScriptLauncher launcher_in(const Call& call, const model::JobSpec& spec, std::string_view script) {
  const job::ValueOf unknown = [](std::string_view) { return std::optional<std::string>(); };
  ScriptLauncher first;
  for (const job::LauncherWords& one :
       job::all_launcher_words(script, names_of_launchers(), unknown)) {
    Call inner = inside(call, spec);
    LauncherReading launcher = read_launcher(inner, one);
    const Front* front = front_of(inner.called);
    if (front == nullptr || front->takes_file) continue;
    if (launcher.mistake) {
      std::string why = launcher.mistake->what;
      base::Error mistake = mistake_of(inner, one, *std::move(launcher.mistake));
      mistake.place = place_in(script, one.at);
      return {spoken_name(inner, one), std::move(why), std::move(mistake)};
    }
    if (!first.name.empty()) continue;
    const bool is_open = launcher.read || std::ranges::any_of(one.words, is_left_to_shell);
    first = {spoken_name(inner, one),
             is_open ? "only a shell can follow a script" : std::move(launcher.unforeseen)};
  }
  return first;
}

std::vector<model::App> apps_of_launcher(const Call& call, const model::JobSpec& spec,
                                         std::vector<std::string> words) {
  Call inner = inside(call, spec);
  const LauncherReading launcher = read_launcher(inner, {std::move(words)});
  const bool starts = launcher.read && launcher.read->request;
  return starts ? launcher.read->request->spec.apps : std::vector<model::App>();
}

}  // namespace muster::front
