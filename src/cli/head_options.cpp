// Environment, path and version of this program, and a random name.
#include "cli/head_options.hpp"

#include <array>
#include <climits>
#include <random>
#include <unistd.h>

namespace muster::cli {
namespace {

// 64 random bits: enough to tell the jobs of one machine apart.
std::string job_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

std::string own_path() {
  std::array<char, PATH_MAX> buffer;
  const ssize_t size = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : "muster";
}

app::HeadOptions head_options(const Invocation& invocation) {
  app::HeadOptions options;
  options.input.job = job_name();
  options.environment = invocation.environment;
  options.program = own_path();
  options.version = MUSTER_VERSION;
  return options;
}

}  // namespace muster::cli
