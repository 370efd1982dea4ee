// Host lists by horovodrun's rules (horovod/runner/common/util/hosts.py).
#include "front/horovod/hosts.hpp"

#include <vector>

#include "front/asked.hpp"
#include "front/standing.hpp"
#include "spec/hosts.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Hosts = std::vector<model::HostEntry>;

Result<Hosts> check_slots(Hosts hosts, Fault fault) {
  for (const model::HostEntry& host : hosts) {
    if (host.slots) continue;
    return base::fail_at(host.place, fault,
                         fault == Fault::usage ? fmt::format("write {}:N", host.name)
                                               : fmt::format("write {} slots=N", host.name),
                         "{} does not tell its slots", host.name);
  }
  return hosts;
}

Result<Hosts> read_hosts(HorovodDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  if (draft.host_list) {
    spec.source = model::HostSource::list;
    spec.source_name = "-H";
    return spec::read_host_list(*draft.host_list).and_then([](Hosts hosts) {
      return check_slots(std::move(hosts), Fault::usage);
    });
  }
  if (draft.hostfile.empty())
    draft.hostfile = standing_hostfile(*draft.asked, draft.request.spec).value_or("");
  if (draft.hostfile.empty()) return Hosts();
  spec.source = model::HostSource::file;
  spec.source_name = draft.hostfile;
  return draft.asked->read_file(draft.hostfile, spec::kHostTextMax)
      .and_then([&](const std::string& text) { return spec::read_hostfile(text, draft.hostfile); })
      .and_then([](Hosts hosts) { return check_slots(std::move(hosts), Fault::bad_file); });
}

}  // namespace

Result<void> settle_horovod_hosts(HorovodDraft& draft) {
  if (draft.host_list && !draft.hostfile.empty()) {
    return fail(Fault::usage, "drop one of them", "-H and --hostfile exclude each other");
  }
  return read_hosts(draft).map([&](Hosts hosts) { draft.request.spec.hosts = std::move(hosts); });
}

}  // namespace muster::front
