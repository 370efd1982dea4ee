// A table of what runtimes say, as podman 3 to 5, docker 20 to 28, runc and crun write it.
#include "container/explain.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

#include "base/words.hpp"
#include "container/runtimes.hpp"
#include "spec/in_quotes.hpp"

namespace muster::container {
namespace {

using base::Error;
using base::Fault;
using model::ContainerRuntime;
using model::ContainerSpec;

constexpr std::size_t kLineMax = 300;

// What a runtime says, in lower case; what that means, or nothing: its own words; what to do. "{}"
// is the image.
struct Saying {
  std::string_view words;
  std::string_view what;
  std::string_view hint;
};

constexpr std::array kSayings = {
    Saying{"image not known", "the image {} is not there",
           "--image-from-here sends it; or pull it on that host"},
    Saying{"no such image", "the image {} is not there",
           "--image-from-here sends it; or pull it on that host"},
    Saying{"unable to find image", "the image {} is not there",
           "--image-from-here sends it; or pull it on that host"},
    Saying{"exec format error", "the image {} is for another processor",
           "choose an image that was built for this host's processor; see `podman image inspect`"},
    Saying{"rlimit_", "",
           "its containers want higher limits than it may set: --container-option "
           "--ulimit=nofile=4096:4096 --container-option --ulimit=nproc=4096:4096, or "
           "container_options: in muster.yml"},
    Saying{"cgroups in hybrid mode not supported", "",
           "another program can start containers there: --container-option --runtime=runc, or "
           "container_options: in muster.yml"},
    Saying{"permission denied while trying to connect to the docker", "",
           "docker lets in members of its group: `usermod -aG docker USER` there, or use podman "
           "with --container-runtime"},
    Saying{"cannot connect to the docker daemon", "",
           "start the daemon there, or choose another runtime with --container-runtime"},
    Saying{"newuidmap", "",
           "podman without root needs numbers of users: a line in /etc/subuid and in /etc/subgid "
           "(`usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER`), and the "
           "package uidmap"},
    Saying{"insufficient uids or gids", "",
           "podman without root needs numbers of users: a line in /etc/subuid and in /etc/subgid "
           "(`usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER`)"},
    Saying{"no subuid ranges found", "",
           "podman without root needs numbers of users: a line in /etc/subuid and in /etc/subgid "
           "(`usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER`)"},
    Saying{"unresolvable cdi devices", "",
           "that host describes no such device: see `nvidia-ctk cdi list` there"},
    Saying{"could not select device driver", "",
           "docker needs NVIDIA's container toolkit there, or use podman"},
    Saying{"unknown flag", "", "is a --container-option misspelled?"},
    Saying{"unknown shorthand flag", "", "is a --container-option misspelled?"},
    Saying{"no space left on device", "",
           "its storage is full: see `podman system df` or `docker system df` there"},
    Saying{"operation not permitted", "",
           "that host allows less than its runtime asks for: see --container-option, and try the "
           "runtime by hand there"},
};

bool is_error(std::string_view line) {
  const std::string low = base::lower(line.substr(0, 8));
  return low.starts_with("error") || low.starts_with("fatal") || low.starts_with("docker:");
}

std::vector<std::string> lines_of(const RuntimeEnd& end) {
  std::vector<std::string> lines = base::split(end.errors.empty() ? end.noise : end.errors, "\r\n");
  std::erase_if(lines, [](const std::string& line) {
    return line.find_first_not_of(" \t") == std::string::npos;
  });
  return lines;
}

// A line that is understood, and what it means.
struct Heard {
  const Saying* saying = nullptr;
  std::string line;
};

Heard understood(const std::vector<std::string>& lines) {
  for (const Saying& saying : kSayings) {
    for (const std::string& line : lines) {
      if (base::lower(line).find(saying.words) != std::string::npos) return {&saying, line};
    }
  }
  return {};
}

// Of others: the last that calls itself an error, else the last that is no advice.
std::string telling_line(const std::vector<std::string>& lines) {
  std::string last;
  std::string found;
  for (const std::string& line : lines) {
    if (is_error(line)) found = line;
    if (line.find("--help") == std::string::npos) last = line;
  }
  return found.empty() ? last : found;
}

std::string how(const RuntimeEnd& end) {
  if (end.signal != 0) return fmt::format("was killed by signal {}", end.signal);
  return fmt::format("ended with code {}", end.code);
}

}  // namespace

Error explain(const ContainerSpec& spec, const RuntimeEnd& end) {
  const std::string_view runtime = name_of(spec.runtime);
  const std::vector<std::string> lines = lines_of(end);
  const Heard heard = understood(lines);
  const bool known = heard.saying != nullptr;
  const std::string line = (known ? heard.line : telling_line(lines)).substr(0, kLineMax);
  Error error{Fault::cannot_start, {}, {}, {}};
  const std::string image = spec::in_quotes(spec.image);
  if (known) error.hint = heard.saying->hint;
  if (known && !heard.saying->what.empty()) {
    error.what =
        fmt::format("{}: {}", runtime, fmt::format(fmt::runtime(heard.saying->what), image));
    return error;
  }
  error.what = fmt::format("{} starts no container of {}: it {}{}{}", runtime, image, how(end),
                           line.empty() ? "" : ": ", line);
  if (error.hint.empty()) {
    error.hint = "try it there: " + trial_of(spec.runtime, spec.image);
  }
  return error;
}

Error no_runtime(ContainerRuntime wanted) {
  if (wanted != ContainerRuntime::automatic) {
    return {Fault::cannot_start,
            fmt::format("{} is not installed there", name_of(wanted)),
            "install it, or choose another one with --container-runtime",
            {}};
  }
  std::string names;
  for (const ContainerRuntime one : all_runtimes()) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(one));
  }
  return {Fault::cannot_start,
          "nothing there can start a container",
          fmt::format("install one of {}", names),
          {}};
}

}  // namespace muster::container
