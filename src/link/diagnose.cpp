// diagnose: why a carrier ended without an agent, read from its stderr, stdout and exit code.
//
// Each reader looks for one cause and says it in one line, with the command to type next. They are
// asked in order, the first that knows wins: ssh's own words before the remote shell's, and these
// before bare exit codes. Patterns are anchored to the form of ssh's messages, since banners and
// start-up files may print anything on stderr.
#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "base/shell_word.hpp"
#include "base/words.hpp"
#include "link/link.hpp"
#include "link/noise.hpp"

namespace muster::link {
namespace {

constexpr std::int32_t kNotFound = 127;       // of a shell, for a command that is not there
constexpr std::int32_t kNotExecutable = 126;  // of a shell, for one that it may not or cannot run

struct Scene {
  const std::string& host;
  const std::string& agent;
  std::string carrier;  // without its folder
  const model::ByHand& by_hand;
  const CarrierEnd& end;
  std::vector<std::string_view> lines;  // of the carrier's stderr, without blank ones
};

using Answer = std::optional<Diagnosis>;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    if (text.find_first_not_of(" \t") < end) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The first line with one of the parts; null when there is none.
const std::string_view* line_with(const Scene& scene,
                                  std::initializer_list<std::string_view> parts) {
  for (const std::string_view& line : scene.lines)
    if (std::ranges::any_of(parts, [&](std::string_view part) { return has(line, part); }))
      return &line;
  return nullptr;
}

Diagnosis say(const Scene& scene, std::string what, std::string hint) {
  return {{base::Fault::unreachable, fmt::format("{}: {}", scene.host, what), std::move(hint), {}},
          model::Retry::no};
}

Diagnosis try_again(Diagnosis diagnosis, model::Retry retry) {
  diagnosis.retry = retry;
  return diagnosis;
}

// Lines of ssh that come with every or any connection and explain nothing.
bool says_nothing(std::string_view line) {
  return line.starts_with("Warning: ") || line.starts_with("** ") || line.starts_with("@") ||
         line.starts_with("debug") || line.starts_with("Authorized ") ||
         (line.starts_with("Connection to ") && line.ends_with(" closed."));
}

// The last line that may explain something; empty when there is none.
std::string last_words(const Scene& scene) {
  for (std::size_t i = scene.lines.size(); i-- > 0;)
    if (!says_nothing(scene.lines[i])) return first_line(scene.lines[i]);
  return {};
}

// A hint with one command that runs there, or two: `words` hold a {} for each. Without a way there,
// it says where else to look.
std::string try_there(const Scene& scene, std::string_view words, std::string_view command,
                      std::string_view second = {}) {
  const std::string& call = scene.by_hand.call();
  if (call.empty()) return fmt::format("look into the system log of {}", scene.host);
  return fmt::format(fmt::runtime(words), fmt::format("`{} {}`", call, command),
                     fmt::format("`{} {}`", call, second));
}

// ---- ssh's own words ----------------------------------------------------------------------------

Answer unknown_name(const Scene& scene) {
  constexpr std::string_view kWords = "Could not resolve hostname ";
  const auto* line = line_with(scene, {kWords});
  if (!line) return std::nullopt;
  // The name may be that of a jump host, or of HostName in the user's configuration.
  const std::string_view after = line->substr(line->find(kWords) + kWords.size());
  const std::string name = first_line(after.substr(0, after.rfind(": ")));
  return say(scene,
             name == scene.host ? "the name cannot be resolved"
                                : fmt::format("the name {} cannot be resolved", name),
             fmt::format("is it spelled right? see `getent hosts {}`, or give it a HostName in "
                         "~/.ssh/config",
                         name));
}

Answer changed_key(const Scene& scene) {
  // The large warning alone also comes when ssh goes on (StrictHostKeyChecking no).
  if (!line_with(scene, {"has changed and you have requested strict checking"}))
    return std::nullopt;
  const std::string known = scene.by_hand.known_as();
  std::string command = "ssh-keygen -R " + base::shell_word(known.empty() ? scene.host : known);
  if (const auto* line = line_with(scene, {"ssh-keygen -f "}))
    command = first_line(line->substr(line->find("ssh-keygen")));
  const std::string first = fmt::format("if the host was reinstalled: `{}`", command);
  return say(scene, "its host key is not the one that ssh has on file",
             fmt::format("{}, then {}", first, try_there(scene, "{}", "true")));
}

Answer unknown_key(const Scene& scene) {
  if (!line_with(scene, {"Host key verification failed", "host key is known for "}))
    return std::nullopt;
  std::string hint = try_there(scene, "accept the key once: {}", "true");
  const std::string scan = scene.by_hand.scan();
  if (!scan.empty()) {
    hint += fmt::format("; for many hosts: `{} >> ~/.ssh/known_hosts`", scan);
  }
  return say(scene, "ssh does not know its host key", std::move(hint));
}

std::string login_hint(const Scene& scene, std::string_view login) {
  if (const auto* line = line_with(scene, {"are too open."}); line && has(*line, " for '")) {
    const std::string_view file = line->substr(line->find(" for '") + 6);
    return fmt::format("ssh ignores a key that others may read: `chmod 600 {}`",
                       first_line(file.substr(0, file.find('\''))));
  }
  if (const auto* line = line_with(scene, {"Identity file "}); line && has(*line, " not acc"))
    return fmt::format("the key is not there: {}", first_line(line->substr(line->find("Ident"))));
  if (scene.by_hand.call().empty()) return "muster needs a login without a password";
  return fmt::format(
      "muster needs a login without a password: `{}` once, or load the key with `ssh-add`",
      scene.by_hand.give_key(login));
}

Answer no_login(const Scene& scene) {
  // "user@host: Permission denied (publickey,password)."; without the list it is the shell's.
  const auto* denied = line_with(scene, {"Permission denied (", "Too many authentication fail"});
  if (!denied) return std::nullopt;
  std::string login;
  const std::size_t end = denied->find(": Permission denied (");
  if (end != std::string_view::npos && has(denied->substr(0, end), "@"))
    login = first_line(denied->substr(0, end));
  return say(scene, "ssh may not log in there (permission denied)", login_hint(scene, login));
}

Answer not_ssh(const Scene& scene) {
  if (!line_with(scene, {"banner line contains invalid characters", ": invalid format",
                         "Bad remote protocol version identification"}))
    return std::nullopt;
  return say(scene, "what answers there is not an ssh server",
             try_there(scene, "is the port right? try {}, --ssh-port sets it", "true"));
}

Answer refused(const Scene& scene) {
  if (!line_with(scene, {": Connection refused", "connect failed: Connection refused"}))
    return std::nullopt;
  return try_again(say(scene, "it refuses ssh connections",
                       try_there(scene, "does sshd run there, on this port? try {}", "true")),
                   model::Retry::briefly);
}

Answer dropped(const Scene& scene) {
  // An sshd with many logins at a time drops some (MaxStartups): worth another attempt.
  const bool early = line_with(scene, {"kex_exchange_identification:", "banner exchange",
                                       "ssh_exchange_identification:"}) != nullptr;
  const bool closed = std::ranges::any_of(scene.lines, [](std::string_view line) {
    return (line.starts_with("Connection closed by ") || line.starts_with("Connection reset by ") ||
            line.starts_with("ssh_dispatch_run_fatal: ")) &&
           has(line, " port ");
  });
  if (!early && !closed) return std::nullopt;
  const bool late = line_with(scene, {"timed out during banner exchange"}) != nullptr;
  return try_again(say(scene,
                       late ? "its sshd did not answer in time"
                            : "its sshd closed the connection before the login",
                       "too many logins at once? raise MaxStartups in its sshd_config, or open "
                       "fewer at a time"),
                   model::Retry::patiently);
}

Answer no_way(const Scene& scene) {
  const auto* line =
      line_with(scene, {": No route to host", ": Network is unreachable", ": Connection timed out",
                        ": Operation timed out", ": Host is down", ": Connection reset by peer"});
  if (!line || !has(*line, "connect")) return std::nullopt;
  return say(scene,
             fmt::format("it cannot be reached ({})",
                         base::lower(first_line(line->substr(line->rfind(": ") + 2)))),
             try_there(scene, "is it up, and may this machine reach it? try {}", "true"));
}

// ---- the remote side's words --------------------------------------------------------------------

// Whether a line names the agent and says one of these (lower case).
bool about_agent(const Scene& scene, std::initializer_list<std::string_view> parts) {
  const std::string_view path = scene.agent;
  const std::string_view seen = path.starts_with("~/") ? path.substr(1) : path;  // shells expand it
  return std::ranges::any_of(scene.lines, [&](std::string_view line) {
    const std::string low = has(line, seen) ? base::lower(line) : std::string();
    return std::ranges::any_of(parts, [&](std::string_view part) { return has(low, part); });
  });
}

Answer old_libraries(const Scene& scene) {
  const auto* line = line_with(scene, {"version `GLIBC", "error while loading shared libraries"});
  if (!line) return std::nullopt;
  const std::string path = scene.agent + ": ";
  const std::string why = first_line(line->substr(line->starts_with(path) ? path.size() : 0));
  return say(scene, fmt::format("its system cannot load muster ({})", why),
             fmt::format("build muster on the oldest of the hosts, copy it there, and give "
                         "--agent-path (now {})",
                         scene.agent));
}

Answer other_machine(const Scene& scene) {
  if (!about_agent(scene, {"exec format error", "cannot execute binary file",
                           "required file not found", "could not be run by the operating"}))
    return std::nullopt;
  return say(
      scene, fmt::format("{} is built for another kind of machine", scene.agent),
      try_there(scene, "see {}; put a muster for it there and give --agent-path", "uname -m"));
}

Answer not_executable(const Scene& scene) {
  if (scene.end.code != kNotExecutable &&
      !about_agent(scene, {"permission denied", "is a directory", "not executable"}))
    return std::nullopt;
  const std::string agent = scene.by_hand.path_there(scene.agent);
  return say(
      scene, fmt::format("{} may not be executed there", scene.agent),
      try_there(scene, "is it a program? {}, then {}", "ls -ld " + agent, "chmod +x " + agent));
}

// "sh: 1: kubexec: not found", "env: 'kubexec': No such file or directory".
bool says_absent(std::string_view line, const std::string& program) {
  const std::string low = base::lower(line);
  const std::size_t end = low.rfind(base::lower(program));
  if (end == std::string::npos || (end > 0 && !has(" /'\"`\x98", low.substr(end - 1, 1))))
    return false;
  const std::string_view rest = std::string_view(low).substr(end + program.size());
  const std::size_t colon = rest.find(": ");
  // Between name and colon there is at most a closing quote, of three bytes in UTF-8.
  if (colon > 3) return false;
  const std::string_view why = rest.substr(colon + 2);
  return why == "no such file or directory" || why == "not found" || why == "command not found";
}

bool carrier_absent(const Scene& scene) {
  // Nobody said a word: not even a shell has run.
  if (scene.lines.empty() && scene.end.noise.empty()) return scene.end.code == kNotFound;
  return std::ranges::any_of(scene.lines, [&](std::string_view line) {
    return !has(line, scene.agent) && says_absent(line, scene.carrier);
  });
}

Answer no_carrier(const Scene& scene) {
  if (scene.carrier.empty() || !carrier_absent(scene)) return std::nullopt;
  return say(scene, fmt::format("the command that should reach it, {}, is not here", scene.carrier),
             fmt::format("install {0}, or name another one with --ssh-command (`command -v {0}` "
                         "finds none)",
                         scene.carrier));
}

// A part of a hint; empty where no command leads there.
std::string copy_there(const Scene& scene) {
  if (scene.by_hand.call().empty()) return {};
  return fmt::format("copy it there: `{}`, or ", scene.by_hand.copy(scene.agent));
}

Answer no_agent(const Scene& scene) {
  if (scene.end.code != kNotFound &&
      !about_agent(scene, {"no such file", "not found", "unknown command", "does not exist"}))
    return std::nullopt;
  return say(scene, fmt::format("muster is not at {} there", scene.agent),
             fmt::format("{}give --agent-path; if it is there, that system lacks its loader "
                         "(another C library)",
                         copy_there(scene)));
}

// Of srun, in a shell that has outlived its job (slurm: src/srun/libsrun/allocate.c).
Answer job_is_over(const Scene& scene) {
  constexpr std::string_view kWords = "Expired or invalid job ";
  const auto* line = line_with(scene, {kWords});
  if (!line) return std::nullopt;
  const std::string job = first_line(line->substr(line->find(kWords) + kWords.size()));
  return say(scene, fmt::format("Slurm job {}, in which this was called, has ended", job),
             "leave the shell of that job, and ask for hosts anew");
}

// ---- the agent's own words ----------------------------------------------------------------------

// It was started, and could not go on: host/agent.cpp writes this line.
Answer agent_gave_up(const Scene& scene) {
  constexpr std::string_view kBegin = "muster agent: ";
  constexpr std::string_view kHint = "; hint: ";
  const auto line = std::ranges::find_if(
      scene.lines, [&](std::string_view one) { return one.starts_with(kBegin); });
  if (line == scene.lines.end()) return std::nullopt;
  const std::string_view words = line->substr(kBegin.size());
  const std::size_t hint = words.find(kHint);
  Diagnosis diagnosis =
      say(scene, fmt::format("its agent gave up: {}", first_line(words.substr(0, hint))),
          hint == words.npos ? "see what that host says in its system log"
                             : std::string(words.substr(hint + kHint.size())));
  if (scene.end.code == base::exit_code(base::Fault::internal)) {
    diagnosis.error.fault = base::Fault::internal;
  }
  return diagnosis;
}

// ---- what is left -------------------------------------------------------------------------------

// "cat: node1: No such file or directory": it takes hosts and commands for files.
Answer takes_files(const Scene& scene) {
  const std::string begin = scene.carrier + ": ";
  const bool found = std::ranges::any_of(scene.lines, [&](std::string_view line) {
    return line.starts_with(begin) && line.ends_with(": No such file or directory") &&
           has(line.substr(begin.size()), scene.host);
  });
  if (!found) return std::nullopt;
  return say(scene,
             fmt::format("{} takes the host's name for a file: it starts nothing on other hosts",
                         scene.carrier),
             "--ssh-command names a program that is called as ssh is: PROGRAM HOST COMMAND");
}

Answer other_muster(const Scene& scene) {
  const auto other = other_protocol(scene.end.noise);
  if (!other) return std::nullopt;
  base::Error error = other_protocol_error(scene.agent, *other);
  return say(scene, std::move(error.what), std::move(error.hint));
}

Answer noise(const Scene& scene) {
  const std::string line = first_line(scene.end.noise);
  if (line.empty() || (scene.end.code != 0 && !last_words(scene).empty())) return std::nullopt;
  return say(scene, fmt::format("it answered \"{}\" instead of starting an agent", line),
             fmt::format("{}; is {} a muster?",
                         try_there(scene, "check what a login prints: {}", "true"), scene.agent));
}

Answer killed(const Scene& scene) {
  if (scene.end.signal == 0) return std::nullopt;
  return say(scene,
             fmt::format("{} was killed by signal {} before the agent answered", scene.carrier,
                         scene.end.signal),
             try_there(scene, "does {} end by itself?", "true"));
}

Diagnosis anything_else(const Scene& scene) {
  const std::string words = last_words(scene);
  return say(scene,
             fmt::format("{} ended with code {} before an agent answered{}{}", scene.carrier,
                         scene.end.code, words.empty() ? "" : ": ", words),
             try_there(scene, "try {}", "true"));
}

constexpr std::array kReaders = {changed_key,   unknown_key, unknown_name,  no_login,
                                 not_ssh,       refused,     no_way,        dropped,
                                 agent_gave_up, takes_files, old_libraries, other_machine,
                                 no_carrier,    job_is_over, no_agent,      not_executable,
                                 other_muster,  noise,       killed};

}  // namespace

Diagnosis diagnose(const Reached& whom, const CarrierEnd& end) {
  const Scene scene{
      whom.host,    whom.agent, whom.carrier.substr(whom.carrier.find_last_of('/') + 1),
      whom.by_hand, end,        lines_of(end.errors)};
  for (const auto reader : kReaders)
    if (Answer answer = reader(scene)) return *std::move(answer);
  return anything_else(scene);
}

}  // namespace muster::link
