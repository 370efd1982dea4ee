// The limits of what PMIx servers say and are told, and of the worlds that they hear of.
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "golden/limits.hpp"
#include "golden/limits_parts.hpp"
#include "golden/raw_frames.hpp"
#include "model/job_spec.hpp"

namespace muster::wire {
namespace {

// So many empty entries of the list that `path` leads to.
Limit of_list(const std::string& name, const std::vector<int>& path) {
  return around(name, model::kRanksMax, [&path](std::int64_t count) {
    const std::string list = repeated(path.back(), std::string_view(), count);
    return raw_frame(kControlKind, in_message(path, list));
  });
}

Limit of_range(const std::string& frame, const std::vector<int>& path) {
  return around("range", 255, [&](auto value) { return with_field(frame, path, value); });
}

// ---- up -----------------------------------------------------------------------------------------

Limits upcall_limits(const pmix::Aborted&) { return {of_list("processes", {14, 6, 5})}; }
Limits upcall_limits(const pmix::Fence&) { return {of_list("processes", {14, 8, 2})}; }
Limits upcall_limits(const pmix::Connect&) { return {of_list("processes", {14, 14, 2})}; }
Limits upcall_limits(const pmix::Publish&) { return {of_list("values", {14, 11, 2})}; }

Limits upcall_limits(const pmix::Spawn& sample) {
  return {limit("ranks of an app", model::kRanksMax, sample, [](pmix::Spawn& one, auto value) {
    one.apps[0].count = static_cast<std::uint32_t>(value);
  })};
}

Limits upcall_limits(const pmix::Event& event) {
  return {of_range(framed(ToHead{PmixUp{event}}), {14, 15, 3})};
}

Limits upcall_limits(const pmix::Ready&) { return {}; }
Limits upcall_limits(const pmix::Broken&) { return {}; }
Limits upcall_limits(const pmix::Connected&) { return {}; }
Limits upcall_limits(const pmix::Finalized&) { return {}; }
Limits upcall_limits(const pmix::Modex&) { return {}; }
Limits upcall_limits(const pmix::ModexFound&) { return {}; }
Limits upcall_limits(const pmix::Lookup&) { return {}; }
Limits upcall_limits(const pmix::Unpublish&) { return {}; }

// ---- down ---------------------------------------------------------------------------------------

Limits command_limits(const pmix::AddJob&) {
  return limits_of_job([](const pmix::AddJob& add) { return framed(add); });
}

Limits command_limits(const pmix::Found&) { return {of_list("values", {14, 4, 3})}; }

Limits command_limits(const pmix::Event& event) {
  return {of_range(framed(ToAgent{PmixDown{event}}), {14, 7, 3})};
}

Limits command_limits(const pmix::Reply&) { return {}; }
Limits command_limits(const pmix::Spawned&) { return {}; }
Limits command_limits(const pmix::FetchModex&) { return {}; }

pmix::Job small_job() {
  return {.nspace = "job",
          .nodes = {{"node1", {0}}, {"node2", {1}}},
          .universe = 2,
          .apps = {{"program", "/", 2}},
          .parent = {}};
}

}  // namespace

Limits limits_of_upcall(const pmix::Upcall& sample) {
  return std::visit([](const auto& one) { return upcall_limits(one); }, sample);
}

Limits limits_of_command(const pmix::Command& sample) {
  return std::visit([](const auto& one) { return command_limits(one); }, sample);
}

Limits limits_of_job(const std::function<std::string(const pmix::AddJob&)>& framed) {
  // The node that a host is: the first, unless it is what is tried.
  const auto job_limit = [&](const char* name, std::int64_t limit, auto set) {
    return around(name, limit, [&](std::int64_t value) {
      pmix::Job job = small_job();
      set(job, value);
      return framed({std::make_shared<const pmix::Job>(std::move(job)), 0, ""});
    });
  };
  using pmix::Job;
  const auto number = [](auto value) { return static_cast<std::uint32_t>(value); };
  return {around("job: node, of two", 1,
                 [&](auto value) {
                   return framed({std::make_shared<const Job>(small_job()), number(value), ""});
                 }),
          job_limit("job: fewest nodes", 1, [](Job& job, auto value) { job.nodes.resize(value); }),
          job_limit("job: most nodes", model::kRanksMax,
                    [](Job& job, auto value) { job.nodes.resize(value); }),
          job_limit("job: rank", model::kRanksMax - 1,
                    [&](Job& job, auto value) { job.nodes[0].ranks = {number(value)}; }),
          job_limit("job: ranks, with one of another node", model::kRanksMax - 1,
                    [](Job& job, auto value) { job.nodes[0].ranks.assign(value, 0); }),
          job_limit("job: fewest apps", 1, [](Job& job, auto value) { job.apps.resize(value); }),
          job_limit("job: ranks of an app", model::kRanksMax,
                    [&](Job& job, auto value) { job.apps[0].size = number(value); }),
          job_limit("job: number of the world", model::kRanksMax,
                    [&](Job& job, auto value) { job.world = number(value); }),
          job_limit("job: first rank", model::kRanksMax - 1,
                    [&](Job& job, auto value) { job.offset = number(value); })};
}

}  // namespace muster::wire
