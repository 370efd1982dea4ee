// Reads whom to call, calls, and lets the connection stand for stdin and stdout.
#include "cli/step_agent.hpp"

#include <cerrno>
#include <charconv>
#include <unistd.h>

#include "base/variables.hpp"
#include "cli/speak.hpp"
#include "head/meeting.hpp"
#include "host/agent.hpp"
#include "link/shared_step.hpp"

namespace muster::cli {
namespace {

using base::Result;

Result<link::HeadCall> call_on_stdin() {
  std::string line;
  for (char one = 0; line.size() <= link::kCallMax;) {
    const ssize_t count = ::read(STDIN_FILENO, &one, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || one == '\n') break;
    line += one;
  }
  const auto call = link::read_call(line);
  if (call) return *call;
  return base::fail(base::Fault::usage, {}, "srun's stdin does not say where the head is");
}

std::uint32_t number_of_task(const std::vector<std::string>& environment) {
  const std::string text = base::value_of(environment, "SLURM_PROCID");
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<process::UniqueFd> connect(const std::vector<std::string>& environment,
                                  const std::string& host) {
  const std::string address = base::value_of(environment, "SLURM_LAUNCH_NODE_IPADDR");
  if (address.empty()) {
    return base::fail(base::Fault::unreachable, {}, "SLURM_LAUNCH_NODE_IPADDR is not set");
  }
  return call_on_stdin().and_then([&](const link::HeadCall& call) {
    const model::Meeting meeting{.host = address,
                                 .port = call.port,
                                 .nodes = 0,
                                 .node = {},
                                 .secret = call.secret,
                                 .limit = call.patience};
    const wire::Join introduction{.version = MUSTER_VERSION,
                                  .node = number_of_task(environment),
                                  .hostname = host,
                                  .called = true};
    return head::join_meeting(meeting, introduction, {[](const std::string&) {}},
                              machine::kAgentsOfAStep);
  });
}

}  // namespace

int step_agent(const Invocation& invocation) {
  const std::string host = base::value_of(invocation.environment, "SLURMD_NODENAME");
  auto connection = connect(invocation.environment, host);
  if (!connection) {
    say(link::uncalled_line(host, connection.error().what) + "\n");
    return base::exit_code(base::Fault::unreachable);
  }
  if (::dup2(connection->get(), STDIN_FILENO) < 0 || ::dup2(connection->get(), STDOUT_FILENO) < 0) {
    return base::exit_code(base::Fault::internal);
  }
  *connection = process::UniqueFd();
  return host::run_agent(invocation.environment, MUSTER_VERSION);
}

}  // namespace muster::cli
