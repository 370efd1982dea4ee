// A function for each runtime; podman and docker share nearly all words.
#include "container/words.hpp"

#include <fmt/format.h>
#include <string_view>

#include "container/runtimes.hpp"

namespace muster::container {
namespace {

using base::Fault;
using base::Result;
using model::ContainerMount;
using model::ContainerRuntime;
using model::ContainerSpec;
using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
}

// All that the container sees of the host, muster first.
std::vector<ContainerMount> mounts_of(const ContainerSpec& spec, const Facts& facts) {
  std::vector<ContainerMount> mounts;
  if (facts.inside != facts.muster) mounts.push_back({facts.muster, facts.inside, true});
  mounts.push_back({facts.folder, facts.folder, false});
  mounts.insert(mounts.end(), spec.mounts.begin(), spec.mounts.end());
  return mounts;
}

// ---- podman and docker --------------------------------------------------------------------------

bool is_podman(const ContainerSpec& spec) { return spec.runtime == ContainerRuntime::podman; }

// With a daemon of the user's own, root in there is the user; a podman without root keeps the
// user's number instead, so that files and MPI's checks of users are as they are outside.
void add_user(Words& words, const ContainerSpec& spec, const Facts& facts) {
  if (is_podman(spec) && facts.uid != 0) words.emplace_back("--userns=keep-id");
  const bool is_root = !is_podman(spec) && facts.own_daemon;
  add(words, {"--user", is_root ? "0:0" : fmt::format("{}:{}", facts.uid, facts.gid)});
}

// podman has GPUs described to it, docker asks NVIDIA's own hook.
void add_gpus(Words& words, const ContainerSpec& spec, const Facts& facts) {
  if (facts.cdi && is_podman(spec)) {
    if (facts.nvidia) add(words, {"--device", "nvidia.com/gpu=all"});
    if (facts.amd) add(words, {"--device", "amd.com/gpu=all"});
  } else if (facts.nvidia && !is_podman(spec)) {
    add(words, {"--gpus", "all"});
  }
  for (const std::string& device : facts.devices) add(words, {"--device", device});
  for (const std::string& device : spec.devices) add(words, {"--device", device});
}

// A podman without root can share the host's IPC only where that has message queues.
Words shared_words(const ContainerSpec& spec, const Facts& facts) {
  if (spec.shared_memory != 0) return {"--shm-size", std::to_string(spec.shared_memory)};
  if (facts.queues || !is_podman(spec) || facts.uid == 0) return {"--ipc", "host"};
  return {"--ipc", "private", "--mount", "type=bind,source=/dev/shm,target=/dev/shm"};
}

// Its output is muster's protocol: nobody shall log it. Health checks would run beside the ranks.
Command like_docker(const ContainerSpec& spec, const Facts& facts) {
  Command command;
  Words& words = command.words;
  add(words, {facts.program, "run", "--rm", "--interactive", "--name", facts.name});
  add(words, {"--pull", "never", "--log-driver", "none", "--no-healthcheck", "--entrypoint", ""});
  // podman looks for these in all input, not only a terminal's: it would keep a lone Ctrl-P back
  // until more comes, and let go of the container when a lone Ctrl-Q does.
  if (is_podman(spec)) add(words, {"--detach-keys", ""});
  add(words, {"--network", "host", "--uts", "host"});
  for (std::string& word : shared_words(spec, facts)) words.push_back(std::move(word));
  add_user(words, spec, facts);
  add(words, {"--workdir", "/", "--stop-timeout", "1", "--security-opt", "label=disable"});
  for (const ContainerMount& mount : mounts_of(spec, facts)) {
    add(words, {"--mount", fmt::format("type=bind,source={},target={}{}", mount.source,
                                       mount.target, mount.read_only ? ",readonly" : "")});
  }
  for (const auto& [name, value] : facts.variables) {
    add(words, {"--env", name});
    command.environment.push_back(fmt::format("{}={}", name, value));
  }
  add_gpus(words, spec, facts);
  words.insert(words.end(), spec.options.begin(), spec.options.end());
  add(words, {spec.image, facts.inside, "agent"});
  return command;
}

// ---- runtimes for clusters ----------------------------------------------------------------------

Result<void> without_own_memory(const ContainerSpec& spec) {
  if (spec.shared_memory == 0) return {};
  return base::fail(Fault::usage, "leave --shm-size out: its containers have that of the host",
                    "{} gives containers no /dev/shm of their own", name_of(spec.runtime));
}

Result<void> without_devices(const ContainerSpec& spec) {
  if (spec.devices.empty()) return {};
  return base::fail(Fault::usage,
                    "leave --device out: its containers have the devices of the host, and GPUs by "
                    "--container-option",
                    "{} takes no --device", name_of(spec.runtime));
}

Result<void> as_on_the_host(const ContainerSpec& spec) {
  return without_own_memory(spec).and_then([&] { return without_devices(spec); });
}

// An image's file or folder, or an address with its protocol; any other name is one of docker's.
std::string apptainer_image(const std::string& image) {
  const bool is_own = image.starts_with('/') || image.starts_with('.') ||
                      image.find("://") != std::string::npos || image.ends_with(".sif");
  return is_own ? image : "docker://" + image;
}

// --no-init: muster is the first process of the PID namespace.
Result<Command> apptainer(const ContainerSpec& spec, const Facts& facts) {
  if (auto fine = as_on_the_host(spec); !fine) return tl::unexpected(fine.error());
  Command command;
  Words& words = command.words;
  add(words, {facts.program, "exec", "--cleanenv", "--no-home", "--pid", "--no-init"});
  add(words, {"--pwd", "/"});
  for (const ContainerMount& mount : mounts_of(spec, facts)) {
    add(words, {"--mount", fmt::format("type=bind,source={},destination={}{}", mount.source,
                                       mount.target, mount.read_only ? ",ro" : "")});
  }
  if (facts.nvidia) words.emplace_back("--nv");
  if (facts.amd) words.emplace_back("--rocm");
  for (const auto& [name, value] : facts.variables) {
    command.environment.push_back(fmt::format("APPTAINERENV_{}={}", name, value));
    command.environment.push_back(fmt::format("SINGULARITYENV_{}={}", name, value));
  }
  words.insert(words.end(), spec.options.begin(), spec.options.end());
  add(words, {apptainer_image(spec.image), facts.inside, "agent"});
  return command;
}

// Its hooks bring the GPUs, as these variables say. It has no PID namespaces: all that runs in the
// container is found as muster's descendants.
Result<Command> enroot(const ContainerSpec& spec, const Facts& facts) {
  if (auto fine = as_on_the_host(spec); !fine) return tl::unexpected(fine.error());
  Command command;
  Words& words = command.words;
  add(words, {facts.program, "start", "--rw"});
  for (const ContainerMount& mount : mounts_of(spec, facts)) {
    add(words, {"--mount", fmt::format("{}:{}:none:x-create=auto,rbind,{}", mount.source,
                                       mount.target, mount.read_only ? "ro" : "rw")});
  }
  for (const auto& [name, value] : facts.variables) {
    add(words, {"--env", name});
    command.environment.push_back(fmt::format("{}={}", name, value));
  }
  if (facts.nvidia) {
    add(words, {"--env", "NVIDIA_VISIBLE_DEVICES=all"});
    add(words, {"--env", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"});
  }
  words.insert(words.end(), spec.options.begin(), spec.options.end());
  add(words, {spec.image, facts.inside, "agent"});
  return command;
}

// The image is a folder (or a squashfs file), which is read-only: --write-fake lays a layer over it
// in which mounts find their places.
Result<Command> charliecloud(const ContainerSpec& spec, const Facts& facts) {
  if (auto fine = as_on_the_host(spec); !fine) return tl::unexpected(fine.error());
  Command command;
  Words& words = command.words;
  add(words, {facts.program, "--unset-env=*", "--set-env", "--cd", "/"});
  for (const ContainerMount& mount : mounts_of(spec, facts)) {
    if (mount.source == facts.folder) continue;  // below /dev, which it has from the host
    add(words, {"--bind", fmt::format("{}:{}", mount.source, mount.target)});
  }
  for (const auto& [name, value] : facts.variables) {
    words.push_back(fmt::format("--set-env={}={}", name, value));
  }
  words.insert(words.end(), spec.options.begin(), spec.options.end());
  add(words, {spec.image, "--", facts.inside, "agent"});
  return command;
}

}  // namespace

Result<Command> container_words(const ContainerSpec& spec, const Facts& facts) {
  switch (spec.runtime) {
    case ContainerRuntime::podman:
    case ContainerRuntime::docker:
      return like_docker(spec, facts);
    case ContainerRuntime::apptainer:
      return apptainer(spec, facts);
    case ContainerRuntime::enroot:
      return enroot(spec, facts);
    case ContainerRuntime::charliecloud:
      return charliecloud(spec, facts);
    case ContainerRuntime::automatic:
      break;
  }
  return base::fail(Fault::internal, {}, "no container runtime was chosen");
}

// podman has said since version 2 that one that is not there is no error; docker does not know the
// word, and complains to nobody.
std::vector<std::string> removal_words(const ContainerSpec& spec, const Facts& facts) {
  if (is_podman(spec)) return {facts.program, "rm", "--force", "--ignore", facts.name};
  if (spec.runtime == ContainerRuntime::docker) return {facts.program, "rm", "--force", facts.name};
  return {};
}

}  // namespace muster::container
