// By the job file and what lies on this machine.
#include "front/job/run_folder.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "front/request.hpp"

namespace muster::front {

bool runs_in_copy(const JobDraft& draft, const job::JobFile& job) {
  const bool takes_part = !job.snapshot || job.snapshot->text != "false";
  return job.code && !draft.no_snapshot && takes_part;
}

bool lacks_code(const Call& call, const job::JobFile& job, const std::string& folder) {
  if (!job.code || !call.has_file || !call.is_file) return false;  // of a record, not all is shown
  const std::string& code = job.code->text;
  const bool is_path = code.find(':') == std::string::npos;  // and no address or name
  return is_path && !call.has_file(job::below(folder, code));
}

bool has_own_code(const job::Target& target) {
  const auto& cluster = target.kubernetes;
  return cluster && (cluster->code_folder || cluster->operator_kind);
}

std::string runs_in(const JobDraft& draft, const job::JobFile& job, const std::string& record) {
  const bool has_copy = job.dialect != job::Dialect::native && runs_in_copy(draft, job);
  return has_copy && !job.sweep && !record.empty() ? fmt::format("{}/{}", record, kCodeFolder) : "";
}

std::string told_empty_run_folder(const Call& call, const JobDraft& draft, const job::JobFile& job,
                                  const std::string& folder) {
  const auto output = std::ranges::find_if(job.outputs, job::is_run_folder);
  if (output == job.outputs.end() || runs_in(draft, job, "/").empty()) return "";
  if (!call.has_file || !call.is_file) return "";  // of a record, not all is shown
  const std::string code = job::below(folder, job.code->text);
  return call.has_file(code) ? "" : job::empty_run_folder(output->name, code);
}

}  // namespace muster::front
