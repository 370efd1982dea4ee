// Carries out the requests of one host's tasks.
#include "pmi/pmi_world.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace muster::pmi {
namespace {

constexpr std::string_view kMapping = "PMI_process_mapping";
constexpr std::string_view kUniverse = "universeSize";

std::int64_t told_universe(std::int64_t universe) { return universe == 0 ? -1 : universe; }

}  // namespace

PmiWorld::PmiWorld(const WorldSpec& spec)
    : kvs_name_(spec.kvs_name),
      size_(spec.size),
      universe_(spec.universe),
      mapping_(spec.mapping),
      spawner_(spec.spawner),
      store_(kStoreMax),
      node_attributes_(kNodeAttributesMax) {
  CHECK(!spec.tasks.empty() && spec.kvs_name.size() <= kKvsNameMax);
  for (const LocalTask& task : spec.tasks) tasks_.emplace(task.rank, Task(task.appnum));
  // Bounded by the request that brought them; one that is too long is absent, as after a put.
  for (const KeyValue& pair : spec.preput) static_cast<void>(store_.put(pair.key, pair.value));
}

PmiWorld::Task& PmiWorld::task_of(base::Rank rank) {
  const auto found = tasks_.find(rank);
  CHECK(found != tasks_.end());
  return found->second;
}

void PmiWorld::answer(base::Rank rank, Reply reply, Effects& out) {
  if (!task_of(rank).gone) out.push_back(Answer{rank, std::move(reply)});
}

Reply PmiWorld::job_attribute(const Task& task, const std::string& key) const {
  if (key == kUniverse && universe_ > 0) return Text{std::to_string(universe_)};
  return get(task, {}, key);
}

Reply PmiWorld::put(Task& task, const Put& put) {
  if (!put.kvs.empty() && put.kvs != kvs_name_) return Failed{"kvs_not_found"};
  if (put_bytes_ > kHostPutsMax) return Failed{"no_room"};
  const std::size_t before = task.puts.bytes();
  if (!task.puts.put(put.key, put.value)) return Failed{"no_room"};
  put_bytes_ += task.puts.bytes() - before;
  return Done{};
}

// A task sees its own puts at once, those of others after the fence.
Reply PmiWorld::get(const Task& task, const std::string& kvs, const std::string& key) const {
  if (!kvs.empty() && kvs != kvs_name_) return Failed{"kvs_not_found"};
  // Too long a mapping cannot be told; without it MPICH exchanges host names instead.
  if (key == kMapping && !mapping_.empty() && mapping_.size() <= kValueMax) return Text{mapping_};
  const std::string* value = task.puts.find(key);
  if (!value) value = store_.find(key);
  if (!value) return NotFound{};
  return Text{*value};
}

void PmiWorld::enter_barrier(base::Rank rank, const Barrier& barrier, Effects& out) {
  if (!barrier.group.empty() && barrier.group != "WORLD")
    return answer(rank, Failed{"groups_are_not_supported"}, out);
  Task& task = task_of(rank);
  CHECK(!task.in_barrier);
  task.in_barrier = true;
  if (++in_barrier_ < tasks_.size()) return;
  fencing_ = true;
  out.push_back(FenceIn{sequence_, take_puts()});
}

std::string PmiWorld::take_puts() {
  std::string blob;
  for (auto& [rank, task] : tasks_) {
    task.puts.encode(blob);
    task.puts.clear();
  }
  put_bytes_ = 0;
  return blob;
}

base::Result<Effects> PmiWorld::fence_out(std::uint32_t sequence, std::string_view blob) {
  if (!fencing_ || sequence != sequence_)
    return base::fail(base::Fault::internal, "", "the end of fence {} came during fence {}{}",
                      sequence, sequence_, fencing_ ? "" : ", which is not complete");
  if (auto taken = store_.decode(blob); !taken) return tl::unexpected(std::move(taken.error()));
  fencing_ = false;
  in_barrier_ = 0;
  ++sequence_;
  Effects out;
  for (auto& [rank, task] : tasks_) {
    task.in_barrier = false;
    answer(rank, Done{}, out);
  }
  return out;
}

void PmiWorld::put_node(base::Rank rank, const PutNodeAttribute& put, Effects& out) {
  if (!node_attributes_.put(put.key, put.value)) return answer(rank, Failed{"no_room"}, out);
  answer(rank, Done{}, out);
  const auto known = [&](const Waiting& one) { return one.key == put.key; };
  for (const Waiting& one : waiting_)
    if (known(one)) answer(one.task, Text{put.value}, out);
  std::erase_if(waiting_, known);
}

void PmiWorld::get_node(base::Rank rank, const GetNodeAttribute& get, Effects& out) {
  if (const std::string* value = node_attributes_.find(get.key))
    return answer(rank, Text{*value}, out);
  if (get.wait)
    waiting_.push_back({rank, get.key});
  else
    answer(rank, NotFound{}, out);
}

std::uint64_t PmiWorld::ask(base::Rank rank) {
  asked_.emplace(next_id_, rank);
  return next_id_++;
}

// One request of one task; an overload for each kind.
struct PmiWorld::Step {
  PmiWorld& world;
  base::Rank rank;
  Task& task;
  Effects& out;

  void reply(Reply value) const { world.answer(rank, std::move(value), out); }
  [[nodiscard]] Identity identity() const {
    return {rank.value, world.size_, task.appnum, world.spawner_};
  }

  void operator()(const Init& init) const {
    if (init.version != 1 && init.version != 2) return reply(Failed{"version_not_supported"});
    task.stage = Stage::initialised;
    reply(Done{});
  }
  // The descriptor says who a task is, whatever it believes itself.
  void operator()(const PortInit&) const { reply(identity()); }
  void operator()(const FullInit&) const { reply(identity()); }
  void operator()(const SingletonInit&) const {
    task.stage = Stage::initialised;
    reply(Text{world.kvs_name_});
  }
  void operator()(const GetMaxes&) const { reply(Done{}); }
  void operator()(const GetAppnum&) const { reply(Number{task.appnum}); }
  void operator()(const GetKvsName&) const { reply(Text{world.kvs_name_}); }
  void operator()(const GetUniverseSize&) const { reply(Number{told_universe(world.universe_)}); }
  void operator()(const Put& put) const { reply(world.put(task, put)); }
  void operator()(const Get& get) const { reply(world.get(task, get.kvs, get.key)); }
  void operator()(const GetJobAttribute& get) const { reply(world.job_attribute(task, get.key)); }
  void operator()(const PutNodeAttribute& put) const { world.put_node(rank, put, out); }
  void operator()(const GetNodeAttribute& get) const { world.get_node(rank, get, out); }
  void operator()(const Barrier& barrier) const { world.enter_barrier(rank, barrier, out); }
  void operator()(const Finalize&) const {
    task.stage = Stage::finalised;
    reply(Done{});
  }
  void operator()(const Abort& abort) const {
    out.push_back(Aborted{rank, abort.code, abort.message});
  }
  void operator()(const Publish& what) const { out.push_back(Ask{world.ask(rank), rank, what}); }
  void operator()(const Lookup& what) const { out.push_back(Ask{world.ask(rank), rank, what}); }
  void operator()(const Unpublish& what) const { out.push_back(Ask{world.ask(rank), rank, what}); }
  void operator()(const Spawn& spawn) const {
    out.push_back(SpawnRequest{world.ask(rank), rank, spawn});
  }
  void operator()(const Unsupported&) const { reply(Failed{"not_supported"}); }
};

Effects PmiWorld::handle(base::Rank rank, const Request& request) {
  Effects out;
  std::visit(Step{*this, rank, task_of(rank), out}, request);
  return out;
}

// An id that is not known is one whose answer came already.
Effects PmiWorld::answered(std::uint64_t id, const Reply& reply) {
  Effects out;
  const auto found = asked_.find(id);
  if (found == asked_.end()) return out;
  answer(found->second, reply, out);
  asked_.erase(found);
  return out;
}

void PmiWorld::gone(base::Rank rank) { task_of(rank).gone = true; }

std::vector<TaskState> PmiWorld::states() const {
  std::vector<TaskState> out;
  for (const auto& [rank, task] : tasks_) out.push_back({rank, task.stage, task.in_barrier});
  return out;
}

Stage PmiWorld::stage(base::Rank rank) const { return tasks_.at(rank).stage; }

}  // namespace muster::pmi
