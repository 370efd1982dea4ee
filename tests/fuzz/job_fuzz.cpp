// Any bytes as a job file: a job, or complaints that each have their place.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "job/read_job.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto reading = muster::job::read_job(text, "job");
  for (const auto& complaint : reading.complaints) {
    CHECK(complaint.place.source == "job");
    CHECK(!complaint.what.empty() && complaint.what.find('\n') == std::string::npos);
  }
  const auto& job = reading.job;
  if (reading.complaints.empty()) CHECK(job.command.has_value() || !job.words.empty());
  return 0;
}
