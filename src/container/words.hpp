// The command that starts a container: what is wanted, and what is known of the host, as the words
// of each runtime.
//
// The container's only process, at first, is muster itself: not what the image would run by itself.
// It shares the host's network, and sees those folders of the host that are named. Nothing is
// pulled: that has been done before.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/container.hpp"

namespace muster::container {

// Where a container finds muster, unless the host's facts say otherwise.
inline constexpr const char* kMusterInside = "/.muster/muster";

// What only the host knows.
struct Facts {
  std::string program;                 // the runtime's, as it is called
  std::string name;                    // of the container; no other one has it
  std::string muster;                  // path of this program on the host
  std::string inside = kMusterInside;  // and in the container; `muster`: it is seen there anyway
  std::string folder;                  // of the host, which is at the same path in there
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool own_daemon = false;           // docker's runs with the user's rights, who is root in there
  bool cdi = false;                  // descriptions of the host's GPUs (CDI) are there
  bool queues = true;                // /dev/mqueue is there
  bool nvidia = false;               // the host has such GPUs
  bool amd = false;                  // or such
  std::vector<std::string> devices;  // files of GPUs and fast networks that the container gets
  // Of this process's environment, which the container's agent needs.
  std::vector<std::pair<std::string, std::string>> variables;
  bool operator==(const Facts&) const = default;
};

struct Command {
  std::vector<std::string> words;
  // "NAME=VALUE", in addition to that of this process: values are no words, which others can see.
  std::vector<std::string> environment;
  bool operator==(const Command&) const = default;
};

// An error is what this runtime cannot do. `spec.runtime` must be a particular one.
[[nodiscard]] base::Result<Command> container_words(const model::ContainerSpec& spec,
                                                    const Facts& facts);

// Ends and forgets a container, whether or not it is there; none where a runtime keeps nothing
// beside the container's processes.
[[nodiscard]] std::vector<std::string> removal_words(const model::ContainerSpec& spec,
                                                     const Facts& facts);

}  // namespace muster::container
