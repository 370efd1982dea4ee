// carrier_words: the words that start the agent on a host.
#include <algorithm>
#include <string_view>
#include <utility>

#include "link/link.hpp"

namespace muster::link {
namespace {

std::string_view basename(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
}

bool plain(char byte) {
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  return letter || (byte >= '0' && byte <= '9') ||
         std::string_view("/._-+,:@%").find(byte) != std::string_view::npos;
}

// Single quotes mean the same to sh, csh, fish and their kin. "~/" is left to the remote shell.
std::string quoted(std::string_view path) {
  const std::string_view rest = path.starts_with("~/") ? path.substr(2) : path;
  if (!path.empty() && std::ranges::all_of(rest, plain)) return std::string(path);
  std::string out(path.substr(0, path.size() - rest.size()));
  out += '\'';
  for (const char byte : rest) out += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return out + '\'';
}

// ssh would take a word with a dash for an option, and options can run local commands.
base::Result<void> check_word(std::string_view what, std::string_view word) {
  if (word.starts_with('-'))
    return base::fail(base::Fault::usage, "write the name without the dash",
                      "{} '{}' starts with a dash", what, word);
  if (word.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos) return {};
  return base::fail(base::Fault::usage, {}, "a {} holds a line break or a zero byte", what);
}

base::Result<void> check_words(const model::Host& host, const std::string& agent_path) {
  if (host.name.empty())
    return base::fail(base::Fault::usage, "give every host a name", "a host has no name");
  if (auto good = check_word("host name", host.name); !good) return good;
  if (auto good = check_word("user name", host.user); !good) return good;
  return check_word("agent path", agent_path);
}

// -T no terminal, -x no X11; BatchMode: an ssh that would ask something fails instead of waiting.
void add_ssh_options(std::vector<std::string>& words, const model::CarrierSpec& carrier,
                     const model::Host& host) {
  words.insert(words.end(), {"-T", "-x", "-o", "BatchMode=yes"});
  const std::uint32_t port = host.port != 0 ? host.port : carrier.port;
  if (port != 0) words.insert(words.end(), {"-p", std::to_string(port)});
  if (!carrier.identity.empty()) words.insert(words.end(), {"-i", carrier.identity});
}

}  // namespace

base::Result<std::vector<std::string>> carrier_words(const model::CarrierSpec& carrier,
                                                     const model::Host& host,
                                                     const std::string& agent_path) {
  if (auto good = check_words(host, agent_path); !good) return tl::unexpected(good.error());
  std::vector<std::string> words = carrier.command;
  if (words.empty()) words.emplace_back("ssh");
  // Other commands, such as Kubernetes' kubexec.sh, know HOST and COMMAND and no option of ssh.
  if (basename(words.front()) == "ssh") add_ssh_options(words, carrier, host);
  words.push_back(host.user.empty() ? host.name : host.user + '@' + host.name);
  std::string command = "exec ";
  for (const std::string& word : carrier.wrapper) command += quoted(word) + ' ';
  words.push_back(command + quoted(agent_path) + " agent");
  return words;
}

}  // namespace muster::link
