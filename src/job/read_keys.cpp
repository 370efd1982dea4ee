// Reads a job along the table of its dialect.
#include "job/read_keys.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "job/check_component.hpp"
#include "job/kind_jobs.hpp"
#include "job/pipeline_keys.hpp"
#include "job/table_reader.hpp"
#include "job/tables.hpp"

namespace muster::job {
namespace {

// Files of the first preview of CLI v2 have maps where later ones have text.
bool is_preview(const Node& root) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"code", "compute"},
                             [&](std::string_view key) {
                               const Entry* entry = find(root, key);
                               return entry != nullptr && entry->value->kind == Kind::map;
                             });
}

JobTable table_for(const Node& root, Dialect dialect) {
  if (is_kind_job(root)) return kind_keys();
  return is_parallel(root) ? parallel_keys() : table_of(dialect);
}

}  // namespace

bool is_parallel(const Node& root) {
  const Entry* type = find(root, "type");
  return type != nullptr && base::lower(type->value->text) == "parallel";
}

std::vector<std::string> read_keys(const Node& root, JobFile& job, Complaints& complaints,
                                   std::vector<Later<JobFile>>* later) {
  job.dialect = dialect_of(root);
  if (job.dialect == Dialect::command && is_preview(root)) job.dialect = Dialect::preview;
  TableReader<JobFile> reader(job, complaints, elsewhere, later);
  reader.read(root, table_for(root, job.dialect));
  std::vector<std::string> notices = std::move(reader).notices();
  if (job.dialect == Dialect::component) check_component(root, complaints);
  if (!is_kind_job(root)) return notices;
  settle_kind_job(root, job, complaints);
  const std::string bare = bare_variable(job);
  if (!bare.empty()) {
    notices.push_back("the command has the word " + bare + " as it is; its value is $" + bare);
  }
  return notices;
}

}  // namespace muster::job
