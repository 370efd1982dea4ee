// Turns exit codes, signals and last words into advice.
#include "view/failure.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>

#include "view/known_messages.hpp"
#include "view/rank_name.hpp"
#include "view/signals.hpp"
#include "view/tail.hpp"

namespace muster::view {
namespace {

constexpr int kSignalBase = 128;  // a shell reports 128 + N for a program that signal N killed
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

constexpr std::string_view kOutOfMemory =
    "dmesg -T on {} tells whether memory ran out; in a container or batch job its own memory limit "
    "counts";

struct SignalAdvice {
  int signal;
  std::string_view step;
};

constexpr std::array kBySignal{
    SignalAdvice{SIGSEGV,
                 "PYTHONFAULTHANDLER=1 shows where a Python program was; a debugger on "
                 "the core file shows it for others"},
    SignalAdvice{SIGBUS,
                 "often /dev/shm on {} is full (df -h /dev/shm), or a mapped file was cut "
                 "short"},
    SignalAdvice{SIGILL, "the program was built for another processor than that of {}"},
    SignalAdvice{SIGXCPU, "ulimit -t on {} shows the limit"},
    SignalAdvice{SIGXFSZ, "ulimit -f on {} shows the limit"},
};

[[nodiscard]] std::string with_host(std::string_view text, std::string_view host) {
  return fmt::format(fmt::runtime(text), host.empty() ? "its host" : host);
}

// Python's input(), at the end of stdin.
constexpr std::string_view kNoInput = "EOFError: EOF when reading a line";

constexpr std::uint64_t kMiB = 1U << 20U;

[[nodiscard]] std::string processes(std::uint64_t count) {
  return fmt::format("{} process{}", count, count == 1 ? "" : "es");
}

// Who was killed for want of memory, and whose limit it was.
[[nodiscard]] std::string memory_step(const model::MemoryKills& kills, std::string_view host) {
  const std::string ended =
      fmt::format("{} of this job {} killed this way on {}", processes(kills.killed),
                  kills.killed == 1 ? "was" : "were", host);
  if (kills.whole_machine) {
    return fmt::format("{} killed this way on {} since the start: dmesg -T there shows which",
                       processes(kills.killed), host);
  }
  if (kills.limit != 0) {
    return fmt::format(
        "{}: control group {} may use {} MiB; give the container or batch job more, "
        "or use less for each rank",
        ended, printable(kills.group), kills.limit / kMiB);
  }
  return fmt::format(
      "{}: its memory, or that of a container around it, ran out; run fewer ranks "
      "there, or use less for each",
      ended);
}

[[nodiscard]] bool starved(const model::Circumstances& around) {
  return around.memory && around.memory->killed != 0;
}

[[nodiscard]] std::string kill_step(const model::RunReport& report, std::string_view host) {
  if (starved(report.around)) return memory_step(*report.around.memory, host);
  if (!report.around.memory) return with_host(kOutOfMemory, host);
  return fmt::format(
      "a person, a batch system or a container's runtime sends SIGKILL, or the program itself: see "
      "their logs on {}",
      host);
}

// Empty when it is large and has room.
[[nodiscard]] std::string shared_step(const model::Circumstances& around, std::string_view host) {
  constexpr std::uint64_t kSmall = 256 * kMiB;
  constexpr std::uint64_t kFull = 16 * kMiB;
  if (!around.shared) return {};
  const model::SharedMemory& shared = *around.shared;
  if (shared.read_only)
    return fmt::format("/dev/shm on {} is read-only: mount a tmpfs there", host);
  if (shared.size >= kSmall && shared.free >= kFull) return {};
  return fmt::format(
      "/dev/shm on {} has {} MiB, {} of them free now: a container gets more with --shm-size=1g, "
      "in "
      "Kubernetes with an emptyDir of medium: Memory",
      host, shared.size / kMiB, shared.free / kMiB);
}

[[nodiscard]] bool has_any(std::string_view telling, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](auto word) { return telling.find(word) != std::string_view::npos; });
}

// Words of programs that share memory through files there.
[[nodiscard]] bool tells_of_shared_memory(std::string_view telling) {
  constexpr std::array<std::string_view, 5> kWords{"/dev/shm", "Bus error", "shared memory", "shm_",
                                                   "torch_shm"};
  return has_any(telling, kWords);
}

// "139.80 GiB" of "GPU 0 has a total capacity of 139.80 GiB of which", as torch says it since 2.1,
// or of "(GPU 0; 23.69 GiB total capacity;", as it said it before. Its number is of no use: it
// counts what the rank may use.
[[nodiscard]] std::string gpu_size(std::string_view telling) {
  constexpr std::string_view kNow = "total capacity of ";
  constexpr std::string_view kBefore = " total capacity;";
  constexpr std::string_view kUnit = "iB";
  std::size_t begin = std::string_view::npos;
  if (const std::size_t now = telling.find(kNow); now != std::string_view::npos) {
    begin = now + kNow.size();
  } else if (const std::size_t before = telling.find(kBefore); before != std::string_view::npos) {
    const std::size_t gap = telling.rfind("; ", before);
    if (gap != std::string_view::npos) begin = gap + 2;
  }
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = telling.substr(begin);
  const std::size_t unit = rest.find(kUnit);
  constexpr std::size_t kLongest = 16;
  if (unit > kLongest) return {};  // also where there is none
  return std::string(rest.substr(0, unit + kUnit.size()));
}

// Words of programs whose GPU's memory is full: torch's, CUDA's own, XLA's, CuPy's,
// TensorFlow's.
[[nodiscard]] bool tells_of_full_gpu(std::string_view telling) {
  constexpr std::array<std::string_view, 8> kWords{"CUDA out of memory",
                                                   "HIP out of memory",
                                                   "CUDA error: out of memory",
                                                   "CUDA_ERROR_OUT_OF_MEMORY",
                                                   "cudaErrorMemoryAllocation",
                                                   "RESOURCE_EXHAUSTED: Out of memory",
                                                   "OutOfMemoryError: Out of memory allocating",
                                                   "by allocator GPU_"};
  return has_any(telling, kWords);
}

[[nodiscard]] std::string gpu_step(const model::Circumstances& around, std::string_view telling,
                                   std::string_view host) {
  const std::string size = gpu_size(telling);
  const bool is_amd = telling.find("HIP out of memory") != std::string_view::npos;
  std::string which = printable(around.gpu);
  if (!which.empty() && !size.empty()) which += " with ";
  which += size;
  return fmt::format(
      "its GPU on {}{} is full: smaller batches, or see {} there for another process "
      "that holds its memory",
      host, which.empty() ? "" : fmt::format(" ({})", which), is_amd ? "rocm-smi" : "nvidia-smi");
}

[[nodiscard]] std::string signal_step(const model::RunReport& report, std::string_view host) {
  const model::RankExit& exit = report.first;
  if (exit.signal == SIGKILL) {
    const std::string peak =
        exit.max_rss_kib == 0 ? ""
                              : fmt::format("; it had used up to {} MiB", exit.max_rss_kib / 1024);
    return kill_step(report, host) + peak;
  }
  const auto* row = std::ranges::find(kBySignal, exit.signal, &SignalAdvice::signal);
  return row == kBySignal.end() ? std::string() : with_host(row->step, host);
}

[[nodiscard]] std::string code_step(const model::RunReport& report, std::string_view host) {
  const int code = report.first.code;
  if (code == kNotFound) {
    return with_host("shells report 127 for a command that was not found: check PATH on {}", host);
  }
  if (code == kNotExecutable) {
    return with_host("shells report 126 for a file that may not be executed: check it on {}", host);
  }
  if (code == kSignalBase + SIGKILL) {
    return "shells report 137 when SIGKILL ended the program below them; " +
           kill_step(report, host);
  }
  const SignalFacts facts = signal_facts(code - kSignalBase);
  if (facts.name.empty() || facts.meaning.empty()) return {};
  return fmt::format("shells report {} when {} ended the program below them: {}", code, facts.name,
                     facts.meaning);
}

[[nodiscard]] bool same_end(const model::RankExit& a, const model::RankExit& b) {
  return a.code == b.code && a.signal == b.signal;
}

}  // namespace

std::string end_of(const model::RankExit& exit) {
  if (exit.signal != 0) return "was killed by " + signal_label(exit.signal);
  return fmt::format("exited with code {}", exit.code);
}

std::string killer(const model::Circumstances& around) {
  if (!around.memory) return {};
  if (around.memory->killed == 0) {
    return "sent by some process, perhaps by the rank itself, not by the kernel's out-of-memory "
           "killer";
  }
  return around.memory->whole_machine
             ? "the kernel's out-of-memory killer was active, and has probably killed it"
             : "the kernel's out-of-memory killer killed it";
}

std::string next_step(const model::RunReport& report, std::string_view telling) {
  const model::RankExit& exit = report.first;
  const std::string_view host = report.host.empty() ? "its host" : std::string_view(report.host);
  const bool shares = exit.signal == SIGBUS || exit.code == kSignalBase + SIGBUS ||
                      report.aborted || tells_of_shared_memory(telling);
  if (std::string step = shares ? shared_step(report.around, host) : ""; !step.empty()) return step;
  const bool killed = exit.signal == SIGKILL || exit.code == kSignalBase + SIGKILL;
  if (!killed && starved(report.around) && !report.around.memory->whole_machine) {
    return "the kernel's out-of-memory killer was active: " +
           memory_step(*report.around.memory, host);
  }
  if (tells_of_full_gpu(telling)) return gpu_step(report.around, telling, host);
  if (telling.find(kNoInput) != std::string_view::npos) return report.input_step;
  for (const KnownMessage& known : known_messages()) {
    if (telling.find(known.words) != std::string_view::npos) return with_host(known.step, host);
  }
  return exit.signal != 0 ? signal_step(report, host) : code_step(report, host);
}

std::string ends_of(std::span<const model::RankExit> exits, std::span<const model::World> worlds) {
  std::string text;
  for (std::size_t i = 0; i < exits.size(); ++i) {
    const auto is_like = [&](const model::RankExit& other) { return same_end(exits[i], other); };
    if (std::ranges::any_of(exits.first(i), is_like)) continue;
    std::string ranks;
    for (const model::RankExit& exit : exits.subspan(i)) {
      if (!is_like(exit)) continue;
      ranks += (ranks.empty() ? "" : ", ") + rank_number(worlds, exit.rank);
    }
    const bool several = ranks.find(',') != std::string::npos;
    std::string end = end_of(exits[i]);
    if (several && end.starts_with("was ")) end.replace(0, 3, "were");
    text +=
        fmt::format("{}{} {} {}", text.empty() ? "" : "; ", several ? "ranks" : "rank", ranks, end);
  }
  return text;
}

}  // namespace muster::view
