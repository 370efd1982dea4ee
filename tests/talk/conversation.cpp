// Draws who talks to whom, starts them, and waits.
#include "talk/conversation.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "head/head.hpp"
#include "host/agent.hpp"
#include "model/carriers.hpp"
#include "talk/agent_part.hpp"
#include "talk/draws.hpp"
#include "talk/head_part.hpp"
#include "talk/subject.hpp"

namespace muster::talk {
namespace {

using process::UniqueFd;

constexpr int kPatience = 60;  // s; on a machine that is busy and under a sanitizer
constexpr const char* kSeed = "MUSTER_TALK_PART";

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

Pair socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd copy(const UniqueFd& fd) { return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3)); }
UniqueFd nothing() { return UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

// A part has no memory of ours to harm, and may be waited for by nobody.
void fork_part(const std::function<void()>& play) {
  if (::fork() != 0) return;
  play();
  std::_Exit(0);
}

std::vector<std::string> environment(std::uint64_t seed, const Folder& folder) {
  return {"PATH=/usr/bin:/bin", "HOME=" + folder.path(), "TMPDIR=" + folder.path(),
          fmt::format("{}={}", kSeed, seed)};
}

// ---- a real head --------------------------------------------------------------------------------

// A person, now and then: signals at any moment.
void disturb(Dice& dice, pid_t head) {
  constexpr std::array kSignals = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGTSTP, SIGQUIT};
  for (std::uint32_t i = dice.chance(0.2) ? dice.between(1, 3) : 0; i > 0; --i) {
    ::poll(nullptr, 0, static_cast<int>(dice.between(1, 200)));
    ::kill(head, kSignals[dice.between(0, kSignals.size() - 1)]);
    ::poll(nullptr, 0, static_cast<int>(dice.between(1, 50)));
    ::kill(head, SIGCONT);
  }
}

std::string with_head(std::uint64_t seed, Dice dice, const std::string& program) {
  const Folder folder;
  report_below(folder.path());
  head::HeadOptions options;
  options.input.spec = draw_spec(dice, program);
  options.input.plan = draw_plan(dice);
  options.input.kept = {{{}}, {{}}};
  options.input.job = "talk";
  options.environment = environment(seed, folder);
  options.program = program;
  options.version = "0";
  std::vector<UniqueFd> parts;
  for (std::uint32_t i = 0; i < options.input.plan.nodes.size(); ++i) {
    if (options.input.plan.nodes[i].host.carrier != model::kJoined) continue;
    Pair pair = socket_pair();
    options.joined.emplace(base::NodeIndex(i), std::move(pair.theirs));
    parts.push_back(std::move(pair.ours));
  }
  const bool reads_input = dice.chance(0.2);
  UniqueFd input(reads_input ? ::open(program.c_str(), O_RDONLY | O_CLOEXEC) : -1);
  Subject head(folder, reads_input ? std::move(input) : nothing(), {}, [&] {
    parts.clear();
    (void)head::run_head(std::move(options));
  });
  options.joined.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    fork_part([&] {
      UniqueFd own = std::move(parts[i]);
      parts.clear();
      SocketLine line(copy(own), std::move(own));
      AgentPart(line, Dice(seed * 31 + i)).play();
    });
  }
  parts.clear();
  disturb(dice, head.pid());
  const std::string verdict = head.verdict(kPatience);
  return verdict.empty() ? "" : "the head: " + verdict + "\n" + head.words();
}

// ---- a real agent -------------------------------------------------------------------------------

std::string with_agent(std::uint64_t seed, Dice dice) {
  const Folder folder;
  report_below(folder.path());
  Pair pair = socket_pair();
  UniqueFd in = copy(pair.theirs);
  Subject agent(folder, std::move(in), std::move(pair.theirs), [&] {
    pair.ours.reset();
    (void)host::run_agent(environment(seed, folder), "0");
  });
  SocketLine line(copy(pair.ours), std::move(pair.ours));
  HeadPart(line, dice, folder.path()).play();
  const std::string verdict = agent.verdict(kPatience);
  return verdict.empty() ? "" : "the agent: " + verdict + "\n" + agent.words();
}

}  // namespace

std::string converse(std::uint64_t seed, const std::string& program) {
  Dice dice(seed);
  return dice.chance(0.5) ? with_head(seed, dice, program) : with_agent(seed, dice);
}

void play_part(int count, char** words) {
  std::uint64_t seed = std::strtoull(std::getenv(kSeed), nullptr, 10);
  for (int i = 0; i < count; ++i) {
    for (const char* c = words[i]; *c != '\0'; ++c)
      seed = seed * 31 + static_cast<unsigned char>(*c);
  }
  Dice dice(seed);
  if (dice.chance(0.2)) {
    constexpr std::string_view kSays = "ssh: connect to host: Connection refused\n";
    (void)!::write(STDERR_FILENO, kSays.data(), kSays.size());
    if (dice.chance(0.5)) return;
  }
  SocketLine line(UniqueFd(STDIN_FILENO), UniqueFd(STDOUT_FILENO));
  AgentPart(line, dice).play();
}

}  // namespace muster::talk
