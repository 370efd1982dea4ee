// Host lists by horovodrun's rules (horovod/runner/common/util/hosts.py).
#include "front/horovod/hosts.hpp"

#include "front/asked.hpp"
#include "front/given_hosts.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

Result<void> check_slots(const spec::HostsFound& found) {
  const bool in_file = found.source.is_file;
  for (const model::HostEntry& host : found.hosts) {
    if (host.slots) continue;
    return base::fail_at(
        host.place, in_file ? Fault::bad_file : Fault::usage,
        in_file ? fmt::format("write {} slots=N", host.name) : fmt::format("write {}:N", host.name),
        "{} does not tell its slots", host.name);
  }
  return {};
}

}  // namespace

Result<void> settle_horovod_hosts(HorovodDraft& draft) {
  if (draft.host_list && !draft.hostfile.empty()) {
    return fail(Fault::usage, "drop one of them", "-H and --hostfile exclude each other");
  }
  model::JobSpec& spec = draft.request.spec;
  auto found = given_hosts(*draft.asked, draft.host_list, draft.hostfile, spec.fake_nodes > 0);
  if (!found) return tl::unexpected(found.error());
  return check_slots(*found).map([&] { spec::take_hosts(spec, std::move(*found)); });
}

}  // namespace muster::front
