// The Secret of a run holds what its record began with.
#include "cli/adopt.hpp"

#include <filesystem>

#include "cli/scheduled.hpp"
#include "cluster/sight.hpp"
#include "store/folder.hpp"
#include "store/writer.hpp"
#include "view/record_json.hpp"

namespace muster::cli {
namespace {

using base::Result;

// By the way that this machine has to the cluster.
Result<void> make_record(const std::string& records, const model::Scheduler& place,
                         const std::string& spec) {
  auto record = view::read_record(spec);
  const auto asked = view::read_asked(spec);
  if (!record || !asked || !store::is_run_name(record->run)) return {};
  const std::string id = record->scheduler.id;
  record->folder = records + "/" + record->run;
  record->scheduler = place;
  record->scheduler.id = id;
  std::error_code ignored;
  if (id.empty() || std::filesystem::exists(record->folder, ignored)) return {};
  store::FirstFiles files;
  files.spec = view::spec_json(*record, *asked, MUSTER_VERSION);
  files.events = view::event_line(record->created.value_or(store::utc_now()), "created");
  return store::RecordWriter::create(record->folder, files).map([](const auto&) {});
}

}  // namespace

Result<void> adopt(const std::string& records, const model::Scheduler& place,
                   const Invocation& invocation) {
  model::RunRecord any;
  any.scheduler = place;
  const auto specs = cluster::list_specs(kubectl_of(any, invocation.environment));
  if (!specs) return tl::unexpected(specs.error().error);
  for (const std::string& spec : *specs) {
    if (auto made = make_record(records, place, spec); !made) return made;
  }
  return {};
}

}  // namespace muster::cli
