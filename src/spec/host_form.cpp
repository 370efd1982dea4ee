// Checks hosts by the form of a launcher.
#include "spec/host_form.hpp"

#include <set>

#include "spec/limits.hpp"

namespace muster::spec {
namespace {

using base::fail_at;
using base::Fault;
using base::Result;
using model::HostEntry;

Result<void> check_slots(const HostEntry& host, const HostForm& form, bool in_file) {
  const Fault fault = in_file ? Fault::bad_file : Fault::usage;
  if (form.slots == HostSlots::required && !host.slots) {
    return fail_at(
        host.place, fault,
        in_file ? fmt::format("write {} slots=N", host.name) : fmt::format("write {}:N", host.name),
        "{} does not tell its slots", host.name);
  }
  if (form.slots == HostSlots::devices && (!host.slots || *host.slots > kDevicesMax)) {
    return fail_at(host.place, fault,
                   fmt::format("write {} slots=N, N its number of devices", host.name),
                   "{} needs slots=1 to slots={}", host.name, kDevicesMax);
  }
  return {};
}

}  // namespace

Result<void> check_form(const std::vector<HostEntry>& hosts, const HostForm& form, bool in_file) {
  std::set<std::string_view> names;
  for (const HostEntry& host : hosts) {
    const bool again = !names.insert(host.name).second;
    if (again && form.each_once) {
      return fail_at(host.place, Fault::bad_file, "keep one line for each host",
                     "{} is listed twice", host.name);
    }
    if (auto fine = check_slots(host, form, in_file); !fine) return fine;
  }
  return {};
}

}  // namespace muster::spec
