// Resource pools as DeepSpeed filters them.
#include "front/deepspeed/hosts.hpp"

#include <algorithm>
#include <fmt/ranges.h>

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/hosts.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/limits.hpp"
#include "spec/number.hpp"
#include "spec/slurm_words.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using spec::in_quotes;

constexpr const char* kUsualHostfile = "/job/hostfile";
constexpr const char* kHere = "localhost";

using Devices = std::vector<std::string>;

// A host and those of its devices that are to be used.
struct Resource {
  model::HostEntry host;
  Devices devices;
  // --num_gpus: so many of `devices`, whichever no other job has. None: all of them.
  std::optional<std::uint32_t> count = {};
  // By which the user has chosen among this machine's devices: these are `devices`, and no others
  // are used. Empty: they are numbered.
  std::string_view limit = {};
  // By which ranks are told of them.
  std::string variable = "CUDA_VISIBLE_DEVICES";
  // By which the user has hidden all of them: `devices` are no more than a number of ranks.
  std::optional<model::EnvSetting> hides = {};
};
using Pool = std::vector<Resource>;

Devices first_devices(std::uint32_t count) {
  Devices devices;
  for (std::uint32_t i = 0; i < count; ++i) devices.push_back(std::to_string(i));
  return devices;
}

Pool pool_of(const std::vector<model::HostEntry>& hosts) {
  Pool pool;
  for (const model::HostEntry& host : hosts) pool.push_back({host, first_devices(*host.slots)});
  return pool;
}

bool is_filtered(const DeepspeedHosts& hosts) {
  return !hosts.include.empty() || !hosts.exclude.empty() || hosts.nodes || hosts.devices;
}

// The devices of this machine; one rank where there are none, so that a rehearsal is possible.
std::uint32_t devices_here(DeepspeedDraft& draft) {
  const auto& count = draft.call->counts.gpus;
  const std::uint32_t found = count ? count() : 0;
  if (found > 0) return found;
  if (!draft.hosts.devices) {
    add_once(draft.notices, "no device found on this machine: one rank; --num_gpus N starts more");
  }
  return 1;
}

// DeepSpeed warns, and trains on this machine alone.
base::Error about_hostfile(const DeepspeedDraft& draft, base::Error error) {
  const std::string& path = draft.hosts.named.file;
  const bool is_there = !draft.call->has_file || draft.call->has_file(path);
  if (is_there || error.place.source != path) return error;
  error.what = "there is no such hostfile; DeepSpeed would start on this machine alone";
  if (path.find('/') != std::string::npos) {
    error.hint = "correct the path, or leave out --hostfile to start on this machine alone";
  }
  return error;
}

// Nothing without a hostfile: this machine alone.
Result<std::optional<Pool>> listed(DeepspeedDraft& draft) {
  auto found = given_hosts(*draft.call, draft.request.spec, draft.hosts.named, kDeepspeedHostForm);
  if (found && !found->source.has_list) {
    if (!reads_found(*draft.call)(kUsualHostfile, spec::kHostTextMax)) return std::nullopt;
    found = named_hosts(*draft.call, {.file = kUsualHostfile}, kDeepspeedHostForm);
  }
  if (!found) return tl::unexpected(about_hostfile(draft, std::move(found.error())));
  draft.request.spec.source = found->source;
  draft.request.spec.source_name = found->name;
  // Slots of batch systems are processors.
  if (found->source == model::kHostsGranted) {
    for (model::HostEntry& host : found->hosts) host.slots = devices_here(draft);
  }
  return std::optional(pool_of(found->hosts));
}

// HIP numbers what ROCR leaves, so that it comes first.
constexpr std::string_view kLimits[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                        "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES",
                                        "ZE_AFFINITY_MASK"};

// CUDA takes a number that no device has for the list's end.
bool hides_all(std::string_view value) { return value.empty() || value.starts_with('-'); }

// What a variable says of one maker's devices does not count where another says of its own.
std::optional<model::EnvSetting> hidden_by(const Call& call) {
  for (const std::string_view limit : kLimits) {
    const auto value = variable(call, limit);
    if (value && hides_all(*value)) {
      return model::EnvSetting{std::string(limit), std::string(*value), true};
    }
  }
  return std::nullopt;
}

// That limits ranks to some of what is left, which is another maker's; empty: nothing is. AMD's
// libraries heed CUDA_VISIBLE_DEVICES, too.
std::string variable_of_others(const Counts& counts, const model::EnvSetting& hides) {
  const bool has_some = counts.gpus && counts.gpu_variable && counts.gpus() > 0;
  if (!has_some) return "";
  std::string other = counts.gpu_variable();
  const bool is_amd = other == "ROCR_VISIBLE_DEVICES" || other == "HIP_VISIBLE_DEVICES";
  return is_amd && hides.name == "CUDA_VISIBLE_DEVICES" ? "" : other;
}

// One rank, so that a rehearsal is possible, or as many as are asked for.
Resource without_devices(DeepspeedDraft& draft, Resource resource) {
  resource.devices = first_devices(1);
  if (!draft.hosts.devices) {
    add_once(draft.notices,
             fmt::format("{}={} hides all devices: one rank; --num_gpus N starts more",
                         resource.hides->name, *resource.hides->value));
  }
  return resource;
}

// DeepSpeed ignores the variable where devices are asked for, and says so; here a device that the
// user has excluded is never used.
Pool here(DeepspeedDraft& draft) {
  draft.request.spec.source = model::kHostsListed;
  draft.request.spec.source_name = kHere;
  Resource resource;
  resource.host.name = kHere;
  resource.host.place = {kHere, 0, 0};
  for (const std::string_view limit : kLimits) {
    const auto value = variable(*draft.call, limit);
    if (!value || hides_all(*value)) continue;
    resource.variable = resource.limit = limit;
    resource.devices = base::split(*value, ",");
    if (is_filtered(draft.hosts)) {
      add_once(draft.notices,
               fmt::format("{}={} says which devices there are; DeepSpeed would ignore it", limit,
                           *value));
    }
    return {resource};
  }
  resource.hides = hidden_by(*draft.call);
  if (resource.hides) {
    std::string other = variable_of_others(draft.call->counts, *resource.hides);
    if (other.empty()) return {without_devices(draft, std::move(resource))};
    resource.variable = std::move(other);
    resource.hides.reset();
  }
  resource.devices = first_devices(devices_here(draft));
  return {resource};
}

// "worker-1:0,2"
struct Part {
  Resource* resource = nullptr;
  Devices devices;  // of NAME alone: all of them
};

// A number is a device's own, or, where the user's list has none of that number, a place in it.
Result<std::string> read_device(const char* option, const Resource& resource,
                                const std::string& word) {
  const Devices& known = resource.devices;
  if (std::ranges::find(known, word) != known.end()) return word;
  const auto number = spec::read_number(option, word, {0, spec::kDevicesMax}, Fault::usage);
  if (!number) return tl::unexpected(number.error());
  if (!resource.limit.empty() && *number < known.size()) return known[*number];
  return fail(Fault::usage,
              fmt::format("{} {}", known.size() == 1 ? "its only slot is" : "its slots are",
                          fmt::join(known, ", ")),
              "{}: {} has no slot {}", option, resource.host.name, *number);
}

Result<Devices> read_devices(const char* option, const Resource& resource, std::string_view text) {
  Devices devices;
  for (const std::string& word : base::split(text, ",")) {
    auto device = read_device(option, resource, word);
    if (!device) return tl::unexpected(device.error());
    const bool again = std::ranges::find(devices, *device) != devices.end();
    if (!again) devices.push_back(std::move(*device));
  }
  return devices;
}

// The first of them.
std::string first_names(const Pool& pool) {
  constexpr std::size_t kMost = 3;
  const std::size_t shown = std::min(pool.size(), kMost);
  std::vector<std::string_view> names;
  names.reserve(shown);
  for (std::size_t i = 0; i < shown; ++i) names.push_back(pool[i].host.name);
  const std::string more =
      pool.size() > kMost ? fmt::format(" and {} more", pool.size() - kMost) : "";
  return fmt::format("{}{}", fmt::join(names, ", "), more);
}

base::Error no_host(const char* option, const Pool& pool, std::string_view name) {
  const std::string& source = pool.front().host.place.source;
  const bool is_here = source == kHere;
  return {Fault::usage,
          fmt::format("{}: there is no host {} {}", option, in_quotes(name),
                      is_here ? "without a hostfile" : "in " + source),
          fmt::format("{} {}; nodes are joined by @", is_here ? "there is" : "it lists",
                      first_names(pool)),
          {}};
}

Result<Part> read_part(const char* option, Pool& pool, std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const auto found = std::ranges::find_if(
      pool, [&](const Resource& resource) { return resource.host.name == name; });
  if (found == pool.end()) return tl::unexpected(no_host(option, pool, name));
  if (colon == text.size()) return Part{&*found, found->devices};
  auto devices = read_devices(option, *found, text.substr(colon + 1));
  if (!devices) return tl::unexpected(devices.error());
  if (devices->empty()) {
    return fail(Fault::usage, "", "{}: {} names no slot", option, in_quotes(text));
  }
  return Part{&*found, std::move(*devices)};
}

// "worker-[1-2]:0" is worker-1:0 and worker-2:0.
std::vector<std::string> parts_of(const std::string& text) {
  const std::size_t close = text.find(']');
  const std::size_t colon = text.find(':', close == std::string::npos ? 0 : close);
  const std::size_t end = std::min(colon, text.size());
  if (close == std::string::npos) return {text};
  auto names = spec::names_in_hostlist(text.substr(0, end), spec::Widths::of_each);
  if (!names) return {text};
  for (std::string& name : *names) name += text.substr(end);
  return std::move(*names);
}

Result<std::vector<Part>> read_parts(const char* option, Pool& pool, const std::string& text) {
  std::vector<Part> parts;
  for (const std::string& word : base::split(text, "@")) {
    for (const std::string& one : parts_of(word)) {
      auto part = read_part(option, pool, one);
      if (!part) return tl::unexpected(part.error());
      parts.push_back(std::move(*part));
    }
  }
  return parts;
}

Result<void> include(Pool& pool, const std::string& text) {
  const auto parts = read_parts("--include", pool, text);
  if (!parts) return tl::unexpected(parts.error());
  for (Resource& resource : pool) resource.devices.clear();
  for (const Part& part : *parts) part.resource->devices = part.devices;
  return {};
}

Result<void> exclude(Pool& pool, const std::string& text) {
  const auto parts = read_parts("--exclude", pool, text);
  if (!parts) return tl::unexpected(parts.error());
  for (const Part& part : *parts) {
    std::erase_if(part.resource->devices, [&](const std::string& device) {
      return std::ranges::find(part.devices, device) != part.devices.end();
    });
  }
  return {};
}

Result<void> filter(Pool& pool, const DeepspeedHosts& hosts) {
  if (!hosts.include.empty()) return include(pool, hosts.include);
  if (!hosts.exclude.empty()) return exclude(pool, hosts.exclude);
  return {};
}

// More than were found may be rehearsed, but not more than the user has chosen. All that the user
// has chosen are named, so that others may have them too. Claims know other makers' by numbers of
// their own: there the first are taken.
Result<void> take_some(Resource& resource, std::uint32_t count) {
  const bool is_chosen = !resource.limit.empty();
  const bool is_claimed = resource.variable == kLimits[0] && !resource.hides;
  if (!is_chosen && count > resource.devices.size()) resource.devices = first_devices(count);
  if (count > resource.devices.size()) {
    return fail(Fault::usage, fmt::format("ask for fewer, or change {}", resource.limit),
                "--num_gpus {}, but {} has {} device{}", count, resource.limit,
                resource.devices.size(), resource.devices.size() == 1 ? "" : "s");
  }
  if (is_claimed && (!is_chosen || count < resource.devices.size())) {
    resource.count = count;
  } else {
    resource.devices.resize(count);
  }
  return {};
}

Result<void> cut(Pool& pool, const DeepspeedHosts& hosts) {
  std::erase_if(pool, [](const Resource& resource) { return resource.devices.empty(); });
  if (pool.empty()) {
    return fail(Fault::usage, "leave some of them", "no slot is left of the hosts");
  }
  if (hosts.nodes && *hosts.nodes > pool.size()) {
    return fail(Fault::usage, "list more hosts, or ask for fewer",
                "--num_nodes {}, but {} {} known", *hosts.nodes, pool.size(),
                pool.size() == 1 ? "host is" : "hosts are");
  }
  if (hosts.nodes) pool.resize(*hosts.nodes);
  if (!hosts.devices) return {};
  for (Resource& resource : pool) {
    if (auto fine = take_some(resource, *hosts.devices); !fine) return fine;
  }
  return {};
}

// They choose among devices, and there are none.
Result<void> check_hidden(const Pool& pool, const DeepspeedHosts& hosts) {
  const std::string_view option = hosts.include.empty() ? "--exclude" : "--include";
  const bool is_listed = !hosts.include.empty() || !hosts.exclude.empty();
  const auto hidden = std::ranges::find_if(
      pool, [](const Resource& resource) { return resource.hides.has_value(); });
  if (hidden == pool.end() || !is_listed) return {};
  return fail(Fault::usage, fmt::format("unset {}, or leave out {}", hidden->hides->name, option),
              "{} chooses devices, and {}={} hides all of them", option, hidden->hides->name,
              *hidden->hides->value);
}

Result<void> check_filters(const DeepspeedHosts& hosts) {
  if (!hosts.include.empty() && !hosts.exclude.empty()) {
    return fail(Fault::usage, "keep one of them", "--include and --exclude cannot be combined");
  }
  const bool listed = !hosts.include.empty() || !hosts.exclude.empty();
  if (listed && (hosts.nodes || hosts.devices)) {
    return fail(Fault::usage, "keep one of them",
                "--num_nodes and --num_gpus go with neither --include nor --exclude");
  }
  return {};
}

void take(model::JobSpec& spec, Pool pool) {
  for (Resource& resource : pool) {
    model::HostEntry& host = spec.hosts.emplace_back(std::move(resource.host));
    host.slots = resource.count.value_or(static_cast<std::uint32_t>(resource.devices.size()));
    if (resource.count) spec.gpus_per_rank = 1;
    if (resource.hides) {
      spec.apps.front().exports.push_back(*std::move(resource.hides));
      continue;
    }
    std::string visible = fmt::format("{}", fmt::join(resource.devices, ","));
    if (resource.variable == kLimits[0]) {
      host.visible = std::move(visible);
    } else {
      spec.apps.front().exports.push_back({std::move(resource.variable), std::move(visible), true});
    }
  }
}

}  // namespace

Result<void> settle_deepspeed_hosts(DeepspeedDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  if (auto checked = check_filters(draft.hosts); !checked) return checked;
  if (spec.fake_nodes > 0) {
    spec.per_node = draft.hosts.devices.value_or(1);
    return {};
  }
  auto pool = listed(draft);
  if (!pool) return tl::unexpected(pool.error());
  if (!*pool) *pool = here(draft);
  Result<void> shown = check_hidden(**pool, draft.hosts);
  const auto chosen =
      filter(**pool, draft.hosts).and_then([&] { return cut(**pool, draft.hosts); });
  if (!chosen && !shown) return shown;  // why there is nothing to choose
  return chosen.map([&] { take(spec, std::move(**pool)); });
}

}  // namespace muster::front
