// Output by torchrun's rules.
#include "front/torch/output.hpp"

#include <algorithm>

#include "front/call.hpp"
#include "front/inherited.hpp"

namespace muster::front {
namespace {

bool any(const TorchStreams& streams) {
  return streams.others != 0 ||
         std::ranges::any_of(streams.chosen, [](const auto& one) { return one.second != 0; });
}

// As torchrun calls it (torch/distributed/elastic/agent/server/local_elastic_agent.py), but below
// the temporary folder it says where.
std::string folder_of(const TorchDraft& draft) {
  const Call& call = *draft.call;
  const std::string job = draft.meeting.id.value_or("none") + "_" + call.fresh;
  if (!draft.logs.log_dir.empty()) return absolute(call, draft.logs.log_dir) + "/" + job;
  const auto temporary = variable(call, "TMPDIR");
  const std::string base(temporary && !temporary->empty() ? *temporary : "/tmp");
  return base + "/torchelastic_" + call.fresh + "/" + job;
}

}  // namespace

void settle_torch_output(TorchDraft& draft) {
  TorchOutput output = draft.logs.output;
  const bool to_files = any(output.redirects) || any(output.tee);
  if (to_files) {
    output.folder = folder_of(draft);
    if (draft.logs.log_dir.empty()) {
      add_once(draft.notices, "the ranks' output is kept in " + output.folder);
    }
  }
  output.prefix_template =
      variable(*draft.call, "TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE").value_or("");
  output.in_job = variable(*draft.call, kLaunchers).has_value();
  draft.request.spec.output = torchrun_output(output);
}

}  // namespace muster::front
