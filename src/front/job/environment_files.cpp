// Finds environments' files beside the job.
#include "front/job/environment_files.hpp"

#include <algorithm>

#include "front/job/place.hpp"
#include "job/environment_file.hpp"
#include "job/source.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {

void take_environment_files(const Call& call, const JobDraft& draft, const std::string& folder,
                            job::JobFile& job, job::Complaints& complaints) {
  if (draft.target == kAllocation) return;
  for (const job::Text& one : job.environment) {
    const auto path = job::environment_file(one);
    if (!path) continue;
    const auto text = call.read_file(job::below(folder, *path), job::kFileMax);
    if (text) {
      job::take_environment(*text, *path, job, complaints);
    } else {
      complaints.add(
          one.begin,
          fmt::format("the environment {}: {}", spec::in_quotes(*path), text.error().what),
          text.error().hint);
    }
  }
  std::erase_if(job.environment,
                [](const job::Text& one) { return job::environment_file(one).has_value(); });
}

}  // namespace muster::front
