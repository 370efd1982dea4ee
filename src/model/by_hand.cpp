// Puts the words together.
#include "model/by_hand.hpp"

#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "model/carrier_flags.hpp"

namespace muster::model {
namespace {

using base::shell_path;
using base::shell_word;
using base::shell_words;

// " -p 2222"; empty without a value.
std::string flag(std::string_view name, const std::string& value) {
  return value.empty() ? std::string() : fmt::format(" {} {}", name, shell_path(value));
}

// Such scripts hold options of their own: what is typed instead is what they are named for.
std::string call_of_script(const std::string& name, const Host& host) {
  if (name == "srun") return "srun --nodelist=" + shell_word(host.name);
  if (name == "flux exec" && host.component)
    return fmt::format("{} --rank={}", name, *host.component);
  return name + ' ' + shell_word(host.name);
}

}  // namespace

ByHand::ByHand(const CarrierSpec& carrier, const Host& host)
    : name_(host.name), login_(host.user.empty() ? host.name : host.user + '@' + host.name) {
  const std::vector<std::string> words =
      carrier.command.empty() ? std::vector<std::string>{"ssh"} : carrier.command;
  const std::string name = carrier_name(words);
  if (name != words.front()) {
    call_ = call_of_script(name, host);
    has_shell_ = false;
    return;
  }
  call_ = shell_words(words);
  const CarrierFlags flags = carrier_flags(words);
  const std::uint32_t port = host.port != 0 ? host.port : carrier.port;
  if (port != 0 && !flags.port.empty()) port_ = std::to_string(port);
  if (!flags.identity.empty()) identity_ = carrier.identity;
  is_plain_ssh_ = words.size() == 1 && name.substr(name.find_last_of('/') + 1) == "ssh";
  call_ += flag(flags.port, port_) + flag(flags.identity, identity_);
  const bool by_component = carrier.by_component && host.component;
  call_ += ' ' + shell_word(by_component ? std::to_string(*host.component) : login_);
}

ByHand ByHand::step(const CarrierSpec& carrier, const Host& host) {
  ByHand out;
  out.name_ = host.name;
  out.login_ = host.name;
  out.has_shell_ = false;
  out.call_ = "srun";
  if (host.component) out.call_ += fmt::format(" --het-group={}", *host.component);
  out.call_ += " --nodelist=" + shell_word(host.name);
  if (!carrier.step_words.empty()) out.call_ += ' ' + shell_words(carrier.step_words);
  return out;
}

std::string ByHand::scan() const {
  if (!is_plain_ssh_) return {};
  return fmt::format("ssh-keyscan{} {}", flag("-p", port_), shell_word(name_));
}

std::string ByHand::known_as() const {
  return port_.empty() || port_ == "22" ? name_ : fmt::format("[{}]:{}", name_, port_);
}

std::string ByHand::copy(std::string_view path) const {
  const std::string here = shell_path(path);
  if (!is_plain_ssh_) {
    const std::string there = shell_word(fmt::format("cat > {0} && chmod +x {0}", here));
    return fmt::format("{}{} {} < {}", call_, has_shell_ ? "" : " sh -c", there, here);
  }
  // scp starts in the home folder, and takes a colon for the end of the host's name.
  const bool has_colon = name_.find(':') != std::string::npos;
  const std::string user = login_.substr(0, login_.size() - name_.size());
  const std::string host = has_colon ? user + '[' + name_ + ']' : login_;
  const std::string_view there = path.starts_with("~/") ? path.substr(2) : path;
  return fmt::format("scp{}{} {} {}", flag("-P", port_), flag("-i", identity_), here,
                     shell_word(fmt::format("{}:{}", host, there)));
}

std::string ByHand::path_there(std::string_view path) const {
  return has_shell_ ? shell_word(shell_path(path))
                    : shell_path(path);  // two shells read it, or one
}

std::string ByHand::give_key(std::string_view login) const {
  const std::string whom = login.empty() ? login_ : std::string(login);
  const std::string host = whom.substr(whom.rfind('@') + 1);
  if (is_plain_ssh_) {
    return fmt::format("ssh-copy-id{}{} {}", flag("-p", port_), flag("-i", identity_),
                       shell_word(whom));
  }
  // A jump host between here and there.
  if (host != name_) return "ssh-copy-id " + shell_word(whom);
  const std::string key = identity_.empty() ? "KEY" : shell_path(identity_);
  return fmt::format("{} 'cat >> ~/.ssh/authorized_keys' < {}.pub", call_, key);
}

}  // namespace muster::model
