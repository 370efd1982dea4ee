// The words of `muster run`, then the job itself.
#include "cli/run.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <unistd.h>

#include "cli/launch.hpp"
#include "cli/run_words.hpp"
#include "cli/speak.hpp"

namespace muster::cli {
namespace {

std::string current_folder() {
  std::array<char, PATH_MAX> buffer;
  return ::getcwd(buffer.data(), buffer.size()) == nullptr ? "/" : buffer.data();
}

}  // namespace

int run(const Invocation& invocation) {
  const std::vector<std::string> words(invocation.words.begin() + 2, invocation.words.end());
  auto read = read_run_words(words, current_folder());
  if (!read) return complain(read.error());
  if (!read->request) {
    print(stdout, read->help);
    return 0;
  }
  return launch(*read->request, invocation);
}

}  // namespace muster::cli
