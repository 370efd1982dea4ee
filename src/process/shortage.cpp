// Names limits of the shell (getrlimit(2)) and of control groups (pids.max).
#include "process/shortage.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "process/control_group.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {
namespace {

constexpr std::uint64_t kGroupFileMax = 4096;  // bytes; they hold a number or a few lines

// Nothing is allocated before it is known to fit: memory may be what is short.
std::string small_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kGroupFileMax> text;
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

// 0 for "max", and for what is not there.
std::uint64_t number_in(const std::string& path) {
  const std::string text = small_file(path);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::uint64_t value_of(rlim_t limit) { return limit == RLIM_INFINITY ? 0 : limit; }

// One that has no room for another process.
void find_full_group(Limits& limits) {
  for (std::string& folder :
       group_folders(small_file("/proc/self/cgroup"), "pids", "/sys/fs/cgroup")) {
    const std::uint64_t most = number_in(folder + "/pids.max");
    if (most == 0 || number_in(folder + "/pids.current") + 1 < most) continue;
    limits.group = std::move(folder);
    limits.group_processes = most;
    return;
  }
}

constexpr std::uint64_t kManyFiles = 4096;

std::string files_hint(const Limits& limits) {
  const bool may_raise = limits.files < limits.files_max && limits.files_max >= kManyFiles;
  if (limits.files_max == 0 || may_raise) {
    return "`ulimit -n 4096` before muster starts allows more";
  }
  return fmt::format(
      "`ulimit -Hn` is {}: limits.conf, a service's LimitNOFILE or a container's --ulimit nofile "
      "raises it",
      limits.files_max);
}

std::string processes_hint(const Limits& limits) {
  if (!limits.group.empty()) {
    return fmt::format(
        "{}/pids.max allows {} processes and threads: give the container, service or batch job "
        "more",
        limits.group, limits.group_processes);
  }
  if (limits.processes != 0) {
    return fmt::format(
        "`ulimit -u` allows this user {} processes and threads in all: limits.conf or a service's "
        "LimitNPROC raises it",
        limits.processes);
  }
  return "a limit of processes is reached: see `ulimit -u`, pids.max of the control group, and "
         "sysctl kernel.pid_max";
}

std::string memory_hint(const Limits& limits) {
  if (limits.memory == 0) return "see `free -m`; a container's own memory limit counts too";
  return fmt::format("`ulimit -v` allows {} MiB: raise it, or `ulimit -v unlimited`",
                     limits.memory >> 20);
}

std::string hint_for(int error, const Limits& limits) {
  switch (error) {
    case EMFILE:
      return files_hint(limits);
    case ENFILE:
      return "the whole machine has no file handle left: see sysctl fs.file-max";
    case EAGAIN:
      return processes_hint(limits);
    case ENOMEM:
      return memory_hint(limits);
    default:
      return {};
  }
}

std::string words_for(int error, const Limits& limits) {
  std::string words = std::strerror(error);
  if (error == EMFILE) words += fmt::format(" (at most {})", limits.files);
  if (error == EAGAIN) words = "no more processes are allowed";
  return words;
}

}  // namespace

Limits own_limits() {
  Limits limits;
  rlimit one{};
  if (::getrlimit(RLIMIT_NOFILE, &one) == 0) {
    limits.files = value_of(one.rlim_cur);
    limits.files_max = value_of(one.rlim_max);
  }
  // The kernel lets root have more of them.
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &one) == 0) {
    limits.processes = value_of(one.rlim_cur);
  }
  if (::getrlimit(RLIMIT_AS, &one) == 0) limits.memory = value_of(one.rlim_cur);
  find_full_group(limits);
  return limits;
}

bool is_shortage(int error) { return !hint_for(error, {}).empty(); }

bool lacks_room(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

base::Error system_error(std::string_view what, int error, const Limits& limits) {
  return {base::Fault::internal,
          fmt::format("{}: {}", what, words_for(error, limits)),
          hint_for(error, limits),
          {}};
}

base::Error system_error(std::string_view what, int error) {
  return system_error(what, error, is_shortage(error) ? own_limits() : Limits{});
}

base::Error too_few_descriptors(std::size_t ranks, std::size_t fit, const Limits& limits) {
  return {base::Fault::internal,
          fmt::format("{} of {} ranks here fit into the limit of {} open files (ulimit -n)", fit,
                      ranks, limits.files),
          files_hint(limits) + "; or start fewer ranks on this host",
          {}};
}

int required(int given) {
  if (given < 0) throw std::system_error(errno, std::system_category());
  return given;
}

base::Error thrown_error(const std::exception& thrown) {
  constexpr std::string_view kWhat = "muster cannot go on";
  if (const auto* system = dynamic_cast<const std::system_error*>(&thrown)) {
    return system_error(kWhat, system->code().value());
  }
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) return system_error(kWhat, ENOMEM);
  return base::Error{base::Fault::internal, fmt::format("{}: {}", kWhat, thrown.what()), {}, {}};
}

}  // namespace muster::process
