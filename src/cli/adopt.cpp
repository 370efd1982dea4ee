// The Secret of a run holds what its record began with.
#include "cli/adopt.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "cli/own_user.hpp"
#include "cli/scheduled.hpp"
#include "cli/speak.hpp"
#include "cluster/operated.hpp"
#include "cluster/sight.hpp"
#include "kubernetes/run.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/foreign.hpp"
#include "store/writer.hpp"
#include "view/first_few.hpp"
#include "view/record_json.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

using base::Result;

class Adoption {
 public:
  Adoption(const std::string& records, const front::RecordRequest& request,
           const Invocation& invocation)
      : records_(records), request_(request), own_(user_everywhere(invocation.environment)) {}

  // Nothing is made of what is no record, or that of a run which is known.
  Result<void> take(const std::string& spec) {
    auto record = view::read_record(spec);
    const auto asked = view::read_asked(spec);
    if (!record || !asked || !is_by_muster(*record)) return {};
    record->folder = records_ + "/" + record->run;
    std::error_code ignored;
    if (std::filesystem::exists(record->folder, ignored)) return {};
    const std::string owner = owner_of(*record);
    if (!owner.empty() && !request_.foreign) {
      ++left_out_;
      owners_.insert(owner);
      return {};
    }
    return make(std::move(*record), *asked, owner);
  }

  void tell() const {
    if (left_out_ == 0) return;
    const std::vector<std::string> owners(owners_.begin(), owners_.end());
    const std::string names =
        view::first_few(owners.size(), [&](std::size_t i) { return owners[i]; });
    note(fmt::format("target {} also has {} of {} ({}), left out without --foreign",
                     request_.scheduler.target,
                     left_out_ == 1 ? "a run" : fmt::format("{} runs", left_out_),
                     owners.size() == 1 ? "another user" : "other users", names));
  }

 private:
  // All its objects have the name that its muster has made of its own.
  static bool is_by_muster(const model::RunRecord& record) {
    return store::is_run_name(record.run) &&
           cluster::name_in(record.scheduler.id) ==
               kubernetes::object_name(kubernetes::name_of_record(record.run));
  }

  // Empty: this user began it.
  [[nodiscard]] std::string owner_of(const model::RunRecord& record) const {
    constexpr std::size_t kNameMax = 64;
    const std::string& user = record.scheduler.user;
    if (user == own_) return {};
    return user.empty() ? "unknown" : view::one_line(user.substr(0, kNameMax));
  }

  // By the way that this machine has to the cluster. Nobody sees it as a run of this user's before
  // it is marked.
  Result<void> make(model::RunRecord record, const model::TypedCommand& asked,
                    const std::string& owner) const {
    model::Scheduler place = request_.scheduler;
    place.id = record.scheduler.id;
    place.user = record.scheduler.user;
    record.scheduler = std::move(place);
    store::FirstFiles files;
    files.spec = view::spec_json(record, asked, MUSTER_VERSION);
    files.events = view::event_line(record.created.value_or(store::utc_now()), "created");
    files.fill = [&](const std::string&) -> Result<void> {
      if (owner.empty() || store::mark_foreign(records_, record.run, owner)) return {};
      return store::cannot_write(base::Fault::output, records_);
    };
    return store::RecordWriter::create(record.folder, files).map([](const auto&) {});
  }

  const std::string& records_;
  const front::RecordRequest& request_;
  std::string own_;
  std::size_t left_out_ = 0;
  std::set<std::string> owners_;  // of these
};

}  // namespace

Result<void> adopt(const std::string& records, const front::RecordRequest& request,
                   const Invocation& invocation) {
  model::RunRecord any;
  any.scheduler = request.scheduler;
  const auto specs = cluster::list_specs(kubectl_of(any, invocation.environment));
  if (!specs) return tl::unexpected(specs.error().error);
  Adoption adoption(records, request, invocation);
  for (const std::string& spec : *specs) {
    if (auto taken = adoption.take(spec); !taken) return taken;
  }
  adoption.tell();
  return {};
}

}  // namespace muster::cli
