// Any bytes as what a batch system tells of its job's hosts: hosts with slots, or one complaint.
#include <array>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "spec/sources.hpp"

namespace {

using namespace std::string_view_literals;

// The variable that tells the hosts, and what else has to be set.
constexpr std::array<std::array<std::string_view, 3>, 4> kJobs = {
    {{"PBS_NODEFILE", "PBS_JOBID", ""},
     {"PE_HOSTFILE", "JOB_ID", "SGE_ROOT"},
     {"LSB_MCPU_HOSTS", "LSB_JOBID", ""},
     {"OAR_NODEFILE", "OAR_JOB_ID", ""}}};

void check(const muster::base::Result<std::optional<muster::spec::HostsFound>>& found) {
  if (!found) {
    CHECK(found.error().what.find('\n') == std::string::npos);
    return;
  }
  if (!*found) return;
  CHECK(!(*found)->hosts.empty());
  for (const auto& one : (*found)->hosts) CHECK(!one.name.empty() && *one.slots > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& job : kJobs) {
    const auto variable = [&](std::string_view name) -> std::optional<std::string_view> {
      if (name == job[0]) return text;
      if (name == job[1] || name == job[2]) return "7"sv;
      return std::nullopt;
    };
    const auto read_file = [&](const std::string&, std::size_t) {
      return muster::base::Result<std::string>(text);
    };
    check(muster::spec::batch_job_around({.read_file = read_file, .variable = variable}));
  }
  return 0;
}
