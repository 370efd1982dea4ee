// ByHand: what a person types to reach a host in the way in which a run reaches it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/inventory.hpp"
#include "model/job_spec.hpp"

namespace muster::model {

// Commands with all that the user has said about the way: port, key, and words such as "-J jump".
// Every word is quoted for a shell where it needs that.
class ByHand {
 public:
  ByHand() = default;  // no command leads there: the host has come by itself, or is a fake one
  ByHand(const CarrierSpec& carrier, const Host& host);
  // By a step of the Slurm job around.
  [[nodiscard]] static ByHand step(const CarrierSpec& carrier, const Host& host);

  // A command is to follow: "ssh -p 2222 ana@node1". Empty: no command leads there.
  [[nodiscard]] const std::string& call() const { return call_; }
  // Prints the host's keys; empty where ssh-keyscan may not get there.
  [[nodiscard]] std::string scan() const;
  // As ssh files the host's key: "[node1]:2222".
  [[nodiscard]] std::string known_as() const;
  // Brings a file of this machine to the same path there, and makes it executable.
  [[nodiscard]] std::string copy(std::string_view path) const;
  // A path as a word of a command that follows call().
  [[nodiscard]] std::string path_there(std::string_view path) const;
  // Lets the user's key in. `login`: "ana@gate" where ssh has named another host than this, or
  // another user; empty: it has not.
  [[nodiscard]] std::string give_key(std::string_view login) const;

 private:
  // ssh alone, so that its kin (scp, ...) with the same port and key go the same way.
  bool is_plain_ssh_ = false;
  bool has_shell_ = true;  // reads a command there; srun and flux exec start a program
  std::string name_;
  std::string login_;  // "ana@node1"
  std::string port_;   // digits; empty: what ssh's configuration says
  std::string identity_;
  std::string call_;
};

}  // namespace muster::model
