// Reads command lines on record once more, for how they have hosts reached.
#include "cli/ways.hpp"

#include <algorithm>
#include <utility>

#include "cli/asked_files.hpp"
#include "front/front.hpp"
#include "front/pipeline_request.hpp"
#include "front/reach_options.hpp"
#include "store/owner.hpp"
#include "store/reader.hpp"

namespace muster::cli {
namespace {

using base::Result;

// What the words ask for, with the files that the record holds and without the variables of now:
// a command that is typed now takes these itself.
Result<front::Reading> read_again(const model::TypedCommand& asked, const std::string& record) {
  const front::Front* front = asked.words.empty() ? nullptr : front::front_of(asked.words.front());
  if (front == nullptr) return base::fail(base::Fault::usage, "", "no command line");
  const auto one = [] { return 1U; };
  return front->read(
      {.called = asked.words.front(),
       .words = {asked.words.begin() + 1, asked.words.end()},
       .current_folder = asked.folder,
       .read_file = read_remembered(asked),
       .counts = {one, one, one, [] { return std::string(); }},
       .record_folder = record,
       .has_file = has_remembered(asked),
       .list_files = lists_remembered(asked),
       .look_into = read_remembered(asked),
       .find_output = [](const auto&) -> Result<std::string> { return std::string("/"); }});
}

// As many hosts as the step takes, of those that it may have; none where `left` names none of
// these.
std::vector<front::PoolShare> shares_of(const front::PipelineRequest& pipeline, std::size_t step,
                                        const std::set<std::string>& left) {
  const model::PlannedStep& plan = pipeline.plan[step];
  std::vector<front::PoolShare> first;
  std::vector<front::PoolShare> others;
  for (std::size_t i = 0; i < pipeline.hosts.size(); ++i) {
    // A sweep's trials may have all of them.
    if (!plan.hosts.empty() && std::ranges::count(plan.hosts, i) == 0) continue;
    const front::PoolHost& host = pipeline.hosts[i];
    (left.contains(host.name) ? first : others).push_back({host.name, host.slots});
  }
  if (first.empty()) return first;
  first.insert(first.end(), others.begin(), others.end());
  first.resize(std::min<std::size_t>(first.size(), std::max(1U, plan.nodes)));
  return first;
}

// Hands over what steps ask for until no host is `left`, from which `take` removes those it finds.
// Trials of a sweep differ in their values alone.
template <class Take>
void ask_steps(const front::PipelineRequest& pipeline, const std::set<std::string>& left,
               const Take& take) {
  front::StepStart start;
  start.read = [](const std::string& path) -> Result<std::string> {
    return base::fail(base::Fault::bad_file, "", "{} is not looked at", path);
  };
  const std::size_t count = pipeline.sweep ? 1 : pipeline.steps.size();
  for (std::size_t i = 0; i < std::min(count, pipeline.plan.size()); ++i) {
    std::size_t before = left.size() + 1;
    while (left.size() < before) {
      before = left.size();
      start.hosts = shares_of(pipeline, i, left);
      if (start.hosts.empty()) break;
      const auto step =
          pipeline.sweep ? pipeline.sweep->request(0, start.hosts, {}) : pipeline.request(i, start);
      if (step) take(step->spec);
    }
  }
}

// As -H takes it.
std::string typed_host(const std::string& user, const std::string& name) {
  const std::string host = name.find(':') == std::string::npos ? name : '[' + name + ']';
  return user.empty() ? host : user + '@' + host;
}

// A path that was typed in another folder than this may be.
void make_absolute(std::string& path, const std::string& folder) {
  const bool is_relative = !path.empty() && std::string_view("/~%").find(path[0]) == path.npos;
  if (is_relative) path = folder + '/' + path;
}

}  // namespace

void add_ways(const std::set<std::string>& hosts, const model::RunRecord& record, Ways& ways) {
  if (hosts.empty()) return;
  std::set<std::string> left = hosts;
  std::vector<std::string> usual;  // of hosts that no list names, as those of a batch job
  const auto asked = store::read_asked(record.folder);
  const std::string records = record.folder.substr(0, record.folder.rfind('/'));
  if (asked && store::other_owner(records, record.folder).empty()) {
    const auto take = [&](const model::JobSpec& spec) {
      model::CarrierSpec carrier = spec.carrier;
      make_absolute(carrier.identity, asked->folder);
      if (usual.empty()) usual = front::reach_words(carrier);
      for (const model::HostEntry& entry : spec.hosts) {
        if (left.erase(entry.name) == 0) continue;
        carrier.port = entry.port != 0 ? entry.port : spec.carrier.port;
        ways[front::reach_words(carrier)].insert(typed_host(entry.user, entry.name));
      }
    };
    const auto read = read_again(*asked, record.folder);
    if (read && read->request) take(read->request->spec);
    const bool has_steps = read && read->pipeline && !read->cluster;  // -H takes no pods
    if (has_steps) ask_steps(*read->pipeline, left, take);
  }
  for (const std::string& host : left) ways[usual].insert(typed_host("", host));
}

}  // namespace muster::cli
