// Lets the front end read its words, then launches what they ask for.
#include "cli/run.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <unistd.h>

#include "app/nonce.hpp"
#include "cli/launch.hpp"
#include "cli/read_file.hpp"
#include "cli/speak.hpp"
#include "probe/devices.hpp"
#include "probe/probe.hpp"
#include "view/complaints.hpp"

namespace muster::cli {
namespace {

std::string current_folder() {
  std::array<char, PATH_MAX> buffer;
  return ::getcwd(buffer.data(), buffer.size()) == nullptr ? "/" : buffer.data();
}

front::Counts counts(const std::vector<std::string>& environment) {
  const auto gpus = [&environment] {
    std::size_t most = 0;
    for (const model::Devices& one : probe::devices("", environment)) {
      most = std::max(most, one.ids.size());
    }
    return static_cast<std::uint32_t>(most);
  };
  return {probe::usable_cpus, gpus};
}

bool has_file(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

int complain_all(const std::vector<base::Error>& complaints) {
  int code = 0;
  for (const base::Error& error : complaints) code = complain(error);
  return code;
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
                          .counts = counts(invocation.environment),
                          .fresh = app::nonce().substr(0, 8),
                          .version = MUSTER_VERSION,
                          .has_file = has_file});
  if (!read) {
    const int code = complain(read.error());
    return front.usage_code != 0 ? front.usage_code : code;
  }
  if (!read->checked.empty()) {
    print(stdout, view::complaints_json(read->checked, read->complaints, read->notices));
    return read->complaints.empty() ? 0 : base::exit_code(read->complaints.front().fault);
  }
  if (!read->complaints.empty()) return complain_all(read->complaints);
  for (const std::string& notice : read->notices) print(stderr, "muster: " + notice + "\n");
  if (read->request) {
    read->request->refusal_code = front.usage_code;
    return launch(*read->request, invocation);
  }
  print(stdout, read->text);
  return 0;
}

}  // namespace muster::cli
