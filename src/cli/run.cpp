// Lets the front end read its words, then launches what they ask for.
#include "cli/run.hpp"

#include <array>
#include <climits>
#include <cstdio>
#include <unistd.h>

#include "cli/launch.hpp"
#include "cli/read_file.hpp"
#include "cli/speak.hpp"

namespace muster::cli {
namespace {

std::string current_folder() {
  std::array<char, PATH_MAX> buffer;
  return ::getcwd(buffer.data(), buffer.size()) == nullptr ? "/" : buffer.data();
}

}  // namespace

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int run(const front::Front& front, const Invocation& invocation, std::size_t name) {
  const auto& words = invocation.words;
  const auto first = words.begin() + static_cast<std::ptrdiff_t>(name);
  auto read = front.read({.called = base_name(words[name]),
                          .words = {first + 1, words.end()},
                          .environment = invocation.environment,
                          .current_folder = current_folder(),
                          .read_file = read_input_file,
                          .version = MUSTER_VERSION});
  if (!read) {
    const int code = complain(read.error());
    return front.usage_code != 0 ? front.usage_code : code;
  }
  for (const std::string& notice : read->notices) print(stderr, "muster: " + notice + "\n");
  if (read->request) {
    read->request->refusal_code = front.usage_code;
    return launch(*read->request, invocation);
  }
  print(stdout, read->text);
  return 0;
}

}  // namespace muster::cli
