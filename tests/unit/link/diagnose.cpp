// What carriers say, as recorded from OpenSSH 7 to 9 and shells, and what muster makes of it.
#include <gtest/gtest.h>
#include <ostream>

#include "link/link.hpp"

namespace muster::link {
namespace {

constexpr const char* kHost = "node1";
constexpr const char* kAgent = "/opt/muster/bin/muster";

struct Case {
  const char* name;
  CarrierEnd end;
  std::string what;  // without "node1: "
  std::string hint;  // a part of it
  model::Retry retry = model::Retry::no;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

CarrierEnd said(std::string errors, std::int32_t code = 255, std::string noise = {}) {
  return {code, 0, std::move(errors), std::move(noise)};
}

const std::string kBanner =
    "Warning: Permanently added 'node1,10.0.0.1' (ED25519) to the list of known hosts.\r\n"
    "***  Authorised use only. Connection refused to others, permission denied. ***\n"
    "bash: module: command not found\n";

const std::string kChangedKey =
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
    "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n"
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
    "IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\n"
    "Add correct host key in /h/.ssh/known_hosts to get rid of this message.\n"
    "Offending ED25519 key in /h/.ssh/known_hosts:1\n"
    "  remove with:\n"
    "  ssh-keygen -f \"/h/.ssh/known_hosts\" -R \"[node1]:2222\"\n";

std::vector<Case> connection_cases() {
  const std::string closed = "its sshd closed the connection before the login";
  return {
      {"Name", said("ssh: Could not resolve hostname node1: Name or service not known\r\n"),
       "the name cannot be resolved", "getent hosts node1"},
      {"JobThatIsOver",
       said("srun: error: Unable to confirm allocation for job 70: Invalid job id specified\n"
            "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 70\n",
            1),
       "Slurm job 70, in which this was called, has ended", "leave the shell"},
      {"NameOfJumpHost",
       said("ssh: Could not resolve hostname gate: Temporary failure in name resolution\n"
            "Connection closed by UNKNOWN port 65535\n"),
       "the name gate cannot be resolved", "getent hosts gate"},
      {"Refused", said("ssh: connect to host node1 port 22: Connection refused\r\n"),
       "it refuses ssh connections", "ssh node1 true", model::Retry::briefly},
      {"RefusedBehindJumpHost",
       said("channel 0: open failed: connect failed: Connection refused\n"
            "stdio forwarding failed\nConnection closed by UNKNOWN port 65535\n"),
       "it refuses ssh connections", "sshd", model::Retry::briefly},
      {"KexClosed",
       said("kex_exchange_identification: Connection closed by remote host\r\n"
            "Connection closed by 10.0.0.1 port 22\r\n"),
       closed, "MaxStartups", model::Retry::patiently},
      {"KexReset",
       said("kex_exchange_identification: read: Connection reset by peer\r\n"
            "Connection reset by 10.0.0.1 port 22\r\n"),
       closed, "MaxStartups", model::Retry::patiently},
      {"OldKexClosed", said("ssh_exchange_identification: Connection closed by remote host\n"),
       closed, "MaxStartups", model::Retry::patiently},
      {"ClosedLater", said("Connection closed by 10.0.0.1 port 22\n"), closed, "MaxStartups",
       model::Retry::patiently},
      {"BannerTimeout",
       said("Connection timed out during banner exchange\r\n"
            "Connection to 10.0.0.1 port 22 timed out\r\n"),
       "its sshd did not answer in time", "MaxStartups", model::Retry::patiently},
      {"NotSsh",
       said("kex_exchange_identification: banner line contains invalid characters\n"
            "banner exchange: Connection to 10.0.0.1 port 80: invalid format\n"),
       "what answers there is not an ssh server", "port"},
      {"NoRoute", said("ssh: connect to host node1 port 22: No route to host\n"),
       "it cannot be reached (no route to host)", "is it up"},
      {"Timeout", said("ssh: connect to host node1 port 22: Connection timed out\n"),
       "it cannot be reached (connection timed out)", "is it up"},
  };
}

std::vector<Case> login_cases() {
  return {
      {"UnknownKey", said("Host key verification failed.\r\n"), "ssh does not know its host key",
       "`ssh node1 true`"},
      {"UnknownKeyStrict",
       said("No ED25519 host key is known for node1 and you have requested strict checking.\r\n"
            "Host key verification failed.\r\n"),
       "ssh does not know its host key", "ssh-keyscan node1 >> ~/.ssh/known_hosts"},
      {"ChangedKey",
       said(kChangedKey +
            "Host key for [node1]:2222 has changed and you have requested strict checking.\r\n"
            "Host key verification failed.\r\n"),
       "its host key is not the one that ssh has on file",
       "`ssh-keygen -f \"/h/.ssh/known_hosts\" -R \"[node1]:2222\"`"},
      {"ChangedKeyWithoutCommand",
       said("RSA host key for node1 has changed and you have requested strict checking.\n"),
       "its host key is not the one that ssh has on file", "`ssh-keygen -R node1`"},
      {"Denied", said("worker@node1: Permission denied (publickey,keyboard-interactive).\r\n"),
       "ssh may not log in there (permission denied)", "ssh-copy-id worker@node1"},
      {"DeniedByOldSsh", said("Permission denied (publickey,password).\r\n"),
       "ssh may not log in there (permission denied)", "ssh-copy-id node1"},
      {"TooManyKeys",
       said("Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\r\n"
            "Disconnected from 10.0.0.1 port 22\n"),
       "ssh may not log in there (permission denied)", "ssh-copy-id node1"},
      {"OpenKey",
       said("Permissions 0644 for '/keys/id' are too open.\n"
            "Load key \"/keys/id\": bad permissions\n"
            "worker@node1: Permission denied (publickey).\n"),
       "ssh may not log in there (permission denied)", "chmod 600 /keys/id"},
      {"NoKeyFile",
       said("Warning: Identity file /keys/none not accessible: No such file or directory.\n"
            "worker@node1: Permission denied (publickey).\n"),
       "ssh may not log in there (permission denied)", "/keys/none not accessible"},
  };
}

std::vector<Case> absent_cases() {
  const std::string absent = "muster is not at /opt/muster/bin/muster there";
  return {
      {"AbsentBash", said("bash: line 1: /opt/muster/bin/muster: No such file or directory\n", 127),
       absent, "scp /opt/muster/bin/muster node1:/opt/muster/bin/muster"},
      {"AbsentDash", said("sh: 1: exec: /opt/muster/bin/muster: not found\n", 127), absent, "scp"},
      {"AbsentTcsh", said("/opt/muster/bin/muster: Command not found.\n", 1), absent,
       "--agent-path"},
      {"AbsentPod",
       said("error: Internal error occurred: exec failed: \"/opt/muster/bin/muster\": stat "
            "/opt/muster/bin/muster: no such file or directory: unknown\n"
            "command terminated with exit code 126\n",
            126),
       absent, "scp"},
      {"AbsentBehindBanner",
       said(kBanner + "bash: /opt/muster/bin/muster: No such file or directory\n", 127, "motd\n"),
       absent, "scp"},
  };
}

std::vector<Case> broken_cases() {
  const std::string not_run = "/opt/muster/bin/muster may not be executed there";
  const std::string other = "/opt/muster/bin/muster is built for another kind of machine";
  const std::string glibc =
      "/opt/muster/bin/muster: /lib64/libc.so.6: version `GLIBC_2.34' not found (required by "
      "/opt/muster/bin/muster)";
  return {
      {"NotExecutable",
       said("bash: line 1: /opt/muster/bin/muster: Permission denied\n"
            "bash: line 1: exec: /opt/muster/bin/muster: cannot execute: Permission denied\n",
            126),
       not_run, "ssh node1 chmod +x /opt/muster/bin/muster"},
      {"NotExecutableTcsh", said("/opt/muster/bin/muster: Permission denied.\n", 1), not_run, "ls"},
      {"Folder", said("bash: line 1: /opt/muster/bin/muster: Is a directory\n", 126), not_run,
       "ls -ld"},
      {"OtherMachineBash",
       said("bash: line 1: /opt/muster/bin/muster: cannot execute binary file: Exec format error\n"
            "bash: line 1: /opt/muster/bin/muster: Success\n",
            126),
       other, "ssh node1 uname -m"},
      {"OtherMachineZsh", said("zsh:1: exec format error: /opt/muster/bin/muster\n", 126), other,
       "uname"},
      {"NoLoader",
       said("bash: line 1: /opt/muster/bin/muster: cannot execute: required file not found\n", 127),
       other, "uname"},
      {"OldGlibc", said(glibc + "\n", 1),
       "its system cannot load muster (/lib64/libc.so.6: version `GLIBC_2.34' not found (required "
       "by /opt/muster/bin/muster))",
       "oldest of the hosts"},
      {"NoLibrary",
       said("/opt/muster/bin/muster: error while loading shared libraries: libz.so.1: cannot open "
            "shared object file: No such file or directory\n",
            127),
       "its system cannot load muster (error while loading shared libraries: libz.so.1: cannot "
       "open shared object file: No such file or directory)",
       "oldest of the hosts"},
  };
}

std::vector<Case> carrier_cases() {
  return {
      {"NoCarrierAtAll", said("", 127), "the command that should reach it, ssh, is not here",
       "--ssh-command"},
      {"NoCarrierSaysShell", said("sh: 1: ssh: not found\n", 127),
       "the command that should reach it, ssh, is not here", "install ssh"},
      {"NoCarrierSaysEnv",
       said("env: \xe2\x80\x98ssh\xe2\x80\x99: No such file or directory\n", 127),
       "the command that should reach it, ssh, is not here", "install ssh"},
      {"OtherProtocol", said("", 0, "motd\n\x1dmuster-agent 5\n"),
       "/opt/muster/bin/muster speaks protocol 5, this muster speaks 4", "same muster"},
      {"TakesFiles",
       said("ssh: node1: No such file or directory\n"
            "ssh: 'exec /opt/muster/bin/muster agent': No such file or directory\n",
            1),
       "ssh takes the host's name for a file: it starts nothing on other hosts", "--ssh-command"},
      {"AgentGaveUp", said("muster agent: cannot start the guard: no more; hint: raise it\n", 1),
       "its agent gave up: cannot start the guard: no more", "raise it"},
      {"AgentGaveUpShortly", said("muster agent: cannot become a subreaper: no\n", 1),
       "its agent gave up: cannot become a subreaper: no", "system log"},
      {"Noise", said(kBanner, 0, "\n\nThis account is currently \x07not available.\r\nbye\n"),
       "it answered \"This account is currently ?not available.\" instead of starting an agent",
       "ssh node1 true"},
      {"LongNoise", said("", 1, std::string(500, 'x')),
       "it answered \"" + std::string(120, 'x') + "...\" instead of starting an agent", "login"},
      {"Killed",
       {0, 9, "", ""},
       "ssh was killed by signal 9 before the agent answered",
       "ssh node1"},
      {"SilentEnd", said("", 0), "ssh ended with code 0 before an agent answered",
       "ssh node1 true"},
      {"OtherWords",
       said("Unable to negotiate with 10.0.0.1 port 22: no matching host key type found. Their "
            "offer: ssh-rsa\r\n"),
       "ssh ended with code 255 before an agent answered: Unable to negotiate with 10.0.0.1 port "
       "22: no matching host key type found. Their offer: ssh-rsa",
       "try `ssh node1 true`"},
      {"WarningsExplainNothing",
       said("command-line: line 0: Bad configuration option: nonsense\n"
            "** WARNING: connection is not using a post-quantum key exchange algorithm.\n"
            "Warning: Permanently added 'node1' (RSA) to the list of known hosts.\n"
            "Connection to node1 closed.\n",
            7),
       "ssh ended with code 7 before an agent answered: command-line: line 0: Bad configuration "
       "option: nonsense",
       "try"},
  };
}

class Diagnose : public ::testing::TestWithParam<Case> {};

model::Host host_called(const std::string& name) {
  model::Host host;
  host.name = name;
  return host;
}

// node1, and an agent, through a carrier with these words.
Reached through(const std::vector<std::string>& command) {
  model::CarrierSpec carrier;
  carrier.command = command;
  return {kHost, kAgent, command.front(), model::ByHand(carrier, host_called(kHost))};
}

void expect_case(const Case& one, const CarrierEnd& end) {
  Reached whom = through({"ssh"});
  whom.carrier = "/usr/bin/ssh";
  const Diagnosis diagnosis = diagnose(whom, end);
  EXPECT_EQ(diagnosis.error.what, "node1: " + one.what);
  EXPECT_NE(diagnosis.error.hint.find(one.hint), std::string::npos) << diagnosis.error.hint;
  EXPECT_EQ(diagnosis.retry, one.retry);
  EXPECT_EQ(diagnosis.error.fault, base::Fault::unreachable);
  EXPECT_FALSE(diagnosis.error.hint.empty());
  EXPECT_EQ((diagnosis.error.what + diagnosis.error.hint).find_first_of("\r\n"), std::string::npos);
}

TEST_P(Diagnose, SaysWhy) { expect_case(GetParam(), GetParam().end); }

// Where nothing is said the banner itself is what there is to show; other cases stay what they are.
class Bannered : public Diagnose {};

std::vector<Case> with_words(std::vector<Case> cases) {
  std::erase_if(cases, [](const Case& one) { return one.end.errors.empty(); });
  return cases;
}

TEST_P(Bannered, SaysTheSame) {
  CarrierEnd end = GetParam().end;
  end.errors.insert(0, kBanner);
  expect_case(GetParam(), end);
}

const auto name_of = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Connection, Diagnose, ::testing::ValuesIn(connection_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Login, Diagnose, ::testing::ValuesIn(login_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Absent, Diagnose, ::testing::ValuesIn(absent_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Broken, Diagnose, ::testing::ValuesIn(broken_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Carrier, Diagnose, ::testing::ValuesIn(carrier_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Connection, Bannered, ::testing::ValuesIn(with_words(connection_cases())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Login, Bannered, ::testing::ValuesIn(with_words(login_cases())), name_of);
INSTANTIATE_TEST_SUITE_P(Absent, Bannered, ::testing::ValuesIn(with_words(absent_cases())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Broken, Bannered, ::testing::ValuesIn(with_words(broken_cases())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Carrier, Bannered, ::testing::ValuesIn(with_words(carrier_cases())),
                         name_of);

// ---- the way there ------------------------------------------------------------------------------

// What stands between backticks and leads to the host; what is done on this machine stays as it is.
std::vector<std::string> commands_to_host(const std::string& hint) {
  std::vector<std::string> found;
  std::size_t at = hint.find('`');
  while (at != std::string::npos) {
    const std::size_t end = hint.find('`', at + 1);
    const std::string command = hint.substr(at + 1, end - at - 1);
    const bool is_here = command.starts_with("getent ") || command.starts_with("chmod ") ||
                         command.starts_with("ssh-add") || command.starts_with("ssh-keygen -f ") ||
                         command.starts_with("command -v ");
    if (!is_here) found.push_back(command);
    at = hint.find('`', end + 1);
  }
  return found;
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class WayThere : public Diagnose {};

TEST_P(WayThere, IsInEachCommandThatIsOffered) {
  model::CarrierSpec carrier;
  carrier.port = 2222;
  carrier.identity = "/keys/my key";
  Reached whom = {kHost, kAgent, "ssh", model::ByHand(carrier, host_called(kHost))};
  for (const auto& command : commands_to_host(diagnose(whom, GetParam().end).error.hint)) {
    EXPECT_TRUE(has_part(command, "2222")) << command;
    const bool is_about_hosts_key =
        command.starts_with("ssh-keyscan ") || command.starts_with("ssh-keygen ");
    EXPECT_TRUE(is_about_hosts_key || has_part(command, "-i '/keys/my key'")) << command;
  }
  carrier.command = {"ssh", "-J", "jump"};
  whom.by_hand = model::ByHand(carrier, host_called(kHost));
  for (const auto& command : commands_to_host(diagnose(whom, GetParam().end).error.hint)) {
    if (command.starts_with("ssh-keygen ")) continue;
    EXPECT_TRUE(command.starts_with("ssh -J jump -p 2222 -i '/keys/my key' node1 ")) << command;
  }
  carrier.command = {"./my ssh", "-J", "jump"};
  whom.by_hand = model::ByHand(carrier, host_called(kHost));
  for (const auto& command : commands_to_host(diagnose(whom, GetParam().end).error.hint)) {
    if (command.starts_with("ssh-keygen ")) continue;
    EXPECT_TRUE(command.starts_with("'./my ssh' -J jump -p 2222 -i '/keys/my key' node1 "))
        << command;
  }
}

TEST_P(WayThere, IsNotInventedWhereThereIsNone) {
  const std::string hint = diagnose({kHost, kAgent, "ssh"}, GetParam().end).error.hint;
  for (const auto& command : commands_to_host(hint)) {
    EXPECT_TRUE(command.starts_with("ssh-keygen -R node1")) << command;
  }
  EXPECT_FALSE(has_part(hint, " true")) << hint;
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& cases :
       {connection_cases(), login_cases(), absent_cases(), broken_cases(), carrier_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, WayThere, ::testing::ValuesIn(all_cases()), name_of);

TEST(DiagnoseMore, AStepGoesTheWayOfTheStep) {
  model::CarrierSpec carrier;
  carrier.step_words = {"--overlap", "--account=a b"};
  model::Host host = host_called(kHost);
  host.component = 1;
  const Reached whom = {kHost, kAgent, "srun", model::ByHand::step(carrier, host)};
  EXPECT_EQ(diagnose(whom, said("", 1)).error.hint,
            "try `srun --het-group=1 --nodelist=node1 --overlap '--account=a b' true`");
}

TEST(DiagnoseMore, AKeyThatIsDeniedOnTheWayIsGivenToThatHost) {
  const auto denied = said("ana@jump: Permission denied (publickey).\r\n");
  const std::string hint = diagnose(through({"ssh", "-J", "jump"}), denied).error.hint;
  EXPECT_TRUE(has_part(hint, "`ssh-copy-id ana@jump`")) << hint;
}

TEST(DiagnoseMore, OnlyOneAgentPathBeginsWithTilde) {
  const auto absent = said("bash: line 1: /home/worker/bin/muster: No such file or directory\n", 1);
  EXPECT_EQ(diagnose({kHost, "~/bin/muster", "ssh"}, absent).error.what,
            "node1: muster is not at ~/bin/muster there");
}

TEST(DiagnoseMore, OtherCarriersAreNamedInHints) {
  const auto gone = said("Error from server (NotFound): pods \"node1\" not found\n", 1);
  const Diagnosis diagnosis = diagnose(through({"/etc/mpi/kubexec.sh"}), gone);
  EXPECT_EQ(diagnosis.error.what,
            "node1: kubexec.sh ended with code 1 before an agent answered: Error from server "
            "(NotFound): pods \"node1\" not found");
  EXPECT_EQ(diagnosis.error.hint, "try `/etc/mpi/kubexec.sh node1 true`");
}

TEST(DiagnoseMore, AShellsMissingWordIsNotTheCarrier) {
  // From a start-up file there, through a carrier whose name is that of the shell.
  const auto noise = said("bash: module: command not found\n", 0, "hi\n");
  EXPECT_EQ(diagnose(through({"bash"}), noise).error.what,
            "node1: it answered \"hi\" instead of starting an agent");
}

}  // namespace
}  // namespace muster::link

namespace muster::link {
namespace {

TEST(Lost, NamesTheHostAndWhatIsKnown) {
  EXPECT_EQ(lost("node1", "ssh", {0, 9, "", ""}).what,
            "node1: the link to its agent broke: ssh was killed by signal 9");
  EXPECT_EQ(lost("node1", "ssh", {255, 0, "banner\nConnection to node1 closed.\r\n\n", ""}).what,
            "node1: the link to its agent broke: Connection to node1 closed.");
  EXPECT_EQ(lost("node1", "ssh", {255, 0, " \n", ""}).what,
            "node1: the link to its agent broke: ssh ended with code 255");
  EXPECT_EQ(lost("node1", "ssh", {}).what,
            "node1: the link to its agent broke: its agent was killed, or the connection was cut");
  EXPECT_EQ(lost("node1", "ssh", {}).fault, base::Fault::lost);
}

}  // namespace
}  // namespace muster::link
