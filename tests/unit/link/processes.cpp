// Ends of a link in real processes: an agent on its own stdin and stdout, and this machine's ssh.
#include <arpa/inet.h>
#include <filesystem>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "unit/link/pair.hpp"

namespace muster::link {
namespace {

// Starts body() in a child whose 0, 1 and 2 are the pipes' far ends.
template <class Body>
pid_t start_child(Pipe& in, Pipe& out, Pipe& errors, Body body) {
  const pid_t child = ::fork();
  if (child != 0) {
    in.read.reset(), out.write.reset(), errors.write.reset();
    return child;
  }
  ::dup2(in.read.get(), STDIN_FILENO);
  ::dup2(out.write.get(), STDOUT_FILENO);
  ::dup2(errors.write.get(), STDERR_FILENO);
  in = {}, out = {}, errors = {};
  body();
  ::_exit(120);
}

int exit_code(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// An agent that answers every ping and ends with 7 when its stdin ends.
void run_agent() {
  asio::io_context loop;
  std::unique_ptr<AgentLink> agent;
  agent = std::make_unique<AgentLink>(
      loop, AgentLinkEvents{[&](base::RunIndex run, const wire::ToAgent&) {
                              agent->send(run, wire::ToHead{wire::Pong{}});
                            },
                            nullptr, [](const base::Error&) { ::_exit(1); },
                            [&] { agent->drain([] { ::_exit(7); }); }});
  loop.run();
}

TEST_F(LinkTest, AnAgentOnItsStdinAndStdout) {
  const pid_t child = start_child(to_agent, from_agent, errors, run_agent);
  open_head();
  for (int i = 0; i < 1000; ++i) link->send(kRun, wire::ToAgent{wire::Ping{}});
  run_until([&] { return heard.size() == 1000; });
  link->close();
  EXPECT_EQ(exit_code(child), 7);
}

TEST_F(LinkTest, AnAgentWhoseStdinIsNoPipe) {
  to_agent.read = process::UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t child = start_child(to_agent, from_agent, errors, run_agent);
  open_head();
  run_until([&] { return closes == 1; });
  EXPECT_EQ(ups, 1);
  EXPECT_EQ(exit_code(child), 7);
}

// A port on this machine that nobody else gets while the socket lives.
struct Port {
  process::UniqueFd socket;
  std::uint16_t number = 0;
};

Port take_port() {
  Port port{process::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(port.socket.get(), any, size), 0);
  EXPECT_EQ(::getsockname(port.socket.get(), any, &size), 0);
  port.number = ntohs(address.sin_port);
  return port;
}

class SshTest : public LinkTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/ssh")) GTEST_SKIP() << "there is no ssh";
  }

  // Runs ssh as muster does, until it ends without an agent.
  Diagnosis try_ssh(std::uint16_t port) {
    model::CarrierSpec carrier;
    carrier.command = {"/usr/bin/ssh", "-F", "none"};
    carrier.port = port;
    // The words' own check of the name "ssh" needs the plain path.
    model::Host host;
    host.name = "127.0.0.1";
    std::vector<std::string> words = carrier_words(carrier, host, "/no/muster").value();
    const pid_t child = start_child(to_agent, from_agent, errors, [&] {
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execv(arguments[0], arguments.data());
    });
    open_head();
    run_until([&] { return closes == 1; });
    const int code = exit_code(child);
    return diagnose({"127.0.0.1", "/no/muster", "ssh", model::ByHand(carrier, host)},
                    {code, 0, link->errors(), link->noise()});
  }
};

TEST_F(SshTest, RefusedConnection) {
  const Port port = take_port();  // bound, but nobody listens
  const Diagnosis diagnosis = try_ssh(port.number);
  EXPECT_EQ(diagnosis.error.what, "127.0.0.1: it refuses ssh connections");
  EXPECT_EQ(diagnosis.retry, model::Retry::briefly);
}

TEST_F(SshTest, AServerThatIsNotSsh) {
  const Port port = take_port();
  ASSERT_EQ(::listen(port.socket.get(), 1), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    const process::UniqueFd peer(::accept(port.socket.get(), nullptr, nullptr));
    const std::string_view words("HTTP/1.1 400 Bad\x01 Request\r\n\r\n");
    ::_exit(::write(peer.get(), words.data(), words.size()) > 0 ? 0 : 1);
  }
  const Diagnosis diagnosis = try_ssh(port.number);
  EXPECT_EQ(exit_code(server), 0);
  EXPECT_FALSE(diagnosis.error.hint.empty());
  EXPECT_EQ(diagnosis.error.what.find("ended with code"), std::string::npos)
      << diagnosis.error.what;
}

TEST_F(SshTest, AServerThatHangsUp) {
  const Port port = take_port();
  ASSERT_EQ(::listen(port.socket.get(), 1), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    const process::UniqueFd peer(::accept(port.socket.get(), nullptr, nullptr));
    ::_exit(peer ? 0 : 1);
  }
  const Diagnosis diagnosis = try_ssh(port.number);
  EXPECT_EQ(exit_code(server), 0);
  EXPECT_EQ(diagnosis.error.what, "127.0.0.1: its sshd closed the connection before the login");
  EXPECT_EQ(diagnosis.retry, model::Retry::patiently);
}

}  // namespace
}  // namespace muster::link
