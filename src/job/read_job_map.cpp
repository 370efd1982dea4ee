// Files of jobs are read as maps, then freed of what only SDKs write.
#include "job/read_job_map.hpp"

#include <utility>

#include "job/runconfig.hpp"
#include "job/unfolded.hpp"

namespace muster::job {

SharedNode read_job_map(std::string_view text, const FileKind& kind, Complaints& complaints,
                        std::uint32_t file) {
  SharedNode root = read_map(text, kind, complaints, file);
  if (!root) return nullptr;
  if (is_runconfig(*root)) return from_runconfig(*root, complaints.source(file), complaints);
  return unfolded(std::move(root));
}

}  // namespace muster::job
