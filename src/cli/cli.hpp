// The commands of muster: words in, exit code out.
#pragma once

#include <string>
#include <vector>

namespace muster::cli {

struct Invocation {
  std::vector<std::string> words;        // argv, with argv[0]
  std::vector<std::string> environment;  // "NAME=VALUE"
  int parent = -1;  // a pipe to the process that was typed, when this one goes on detached
};

[[nodiscard]] int main(const Invocation& invocation);

}  // namespace muster::cli
