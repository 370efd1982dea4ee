// What is wrong with a job that has been read, as far as that does not depend on where it will run:
// its code and script, the launchers in its command, its names of data, its environment's files.
// For validate. Fake hosts stand in for the job's; its secrets and the values that inputs lack may
// come with its submission.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/call.hpp"
#include "front/job/options.hpp"
#include "job/job_file.hpp"
#include "job/pipeline_file.hpp"
#include "job/target.hpp"
#include "model/record.hpp"

namespace muster::front {

class KnownNames;

struct Rehearsal {
  std::vector<base::Error> complaints;
  std::vector<std::string> notices;  // what the place where it runs has to know or to give
  std::vector<model::NamedPath> outputs = {};  // and where they would lie: in the record "/<run>"
};

[[nodiscard]] Rehearsal rehearse(const Call& call, const JobDraft& draft, const std::string& file,
                                 job::JobFile job);

// The same of each step.
[[nodiscard]] Rehearsal rehearse(const Call& call, const JobDraft& draft, const std::string& folder,
                                 job::PipelineFile pipeline, const job::Targets& known,
                                 KnownNames& names);

}  // namespace muster::front
