// carrier_words: the words that start the agent on a host.
#include <string_view>
#include <utility>

#include "base/shell_word.hpp"
#include "link/link.hpp"
#include "model/carrier_flags.hpp"

namespace muster::link {
namespace {

std::string_view basename(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
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

}  // namespace

base::Result<std::vector<std::string>> carrier_words(const model::CarrierSpec& carrier,
                                                     const model::Host& host,
                                                     const std::string& agent_path) {
  if (auto good = check_words(host, agent_path); !good) return tl::unexpected(good.error());
  std::vector<std::string> words = carrier.command;
  if (words.empty()) words.emplace_back("ssh");
  // -T no terminal, -x no X11; BatchMode: an ssh that would ask something fails instead of waiting.
  // Other commands need not know these.
  if (basename(words.front()) == "ssh") {
    words.insert(words.end(), {"-T", "-x", "-o", "BatchMode=yes"});
  }
  for (std::string& word : model::flag_words(carrier, host.port)) words.push_back(std::move(word));
  if (carrier.by_component && host.component) {
    words.push_back(std::to_string(*host.component));
  } else {
    words.push_back(host.user.empty() ? host.name : host.user + '@' + host.name);
  }
  std::string command = "exec ";
  for (const std::string& word : carrier.wrapper) command += base::shell_path(word) + ' ';
  words.push_back(command + base::shell_path(agent_path) + " agent");
  return words;
}

}  // namespace muster::link
