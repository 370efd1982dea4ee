// Environment, path and version of this program, and a random name for the job.
#include "cli/head_options.hpp"

#include <array>
#include <climits>
#include <filesystem>
#include <unistd.h>

#include "base/variables.hpp"
#include "base/words.hpp"
#include "cli/speak.hpp"
#include "probe/random.hpp"

namespace muster::cli {

std::string own_path() {
  std::array<char, PATH_MAX> buffer;
  const ssize_t size = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : "muster";
}

std::string own_name(const std::vector<std::string>& environment) {
  std::string own = own_path();
  for (const std::string& folder : base::split(base::value_of(environment, "PATH"), ":")) {
    std::error_code wrong;
    const std::string found = folder + "/muster";
    if (!std::filesystem::exists(found, wrong)) continue;
    return std::filesystem::equivalent(found, own, wrong) ? "muster" : own;
  }
  return own;
}

head::HeadOptions head_options(const Invocation& invocation) {
  head::HeadOptions options;
  options.input.job = probe::random_digits(16);  // enough to tell jobs apart
  options.environment = invocation.environment;
  options.program = own_path();
  options.version = MUSTER_VERSION;
  options.holder = invocation.holder;
  options.links = invocation.links;
  options.quiet = is_quiet();
  options.tells_interruption = !invocation.is_step;
  options.input.keeps_links = options.links != nullptr;
  return options;
}

}  // namespace muster::cli
