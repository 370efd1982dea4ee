// One message of each kind with every field filled, for round trips and golden bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "wire/messages.hpp"

namespace muster::wire {

inline pmix::AddJob sample_job() {
  const pmix::Job job{.nspace = "muster-5f3a",
                      .nodes = {{"node1", {0, 1}}, {"node2", {2, 999'999}}, {"node3", {}}},
                      .universe = 8,
                      .apps = {{"program -v", "/tmp", 3}, {"other", "", 1}},
                      .parent = pmix::Proc{"muster-5f3a-2", 1},
                      .world = 3,
                      .offset = 7};
  return {std::make_shared<const pmix::Job>(job), 1, "/dev/shm/muster-1234"};
}

// Those that its agent answers, and those for the head.
inline std::vector<pmix::Upcall> sample_upcalls() {
  const std::string zeros("a\0b\n", 4);
  return {pmix::Ready{},
          pmix::Broken{"no library", "install it"},
          pmix::Connected{{"job", 3}},
          pmix::Finalized{11, {"job", 4}},
          pmix::Aborted{7, {"job", 1}, -42, "because", {{"job", pmix::kAllRanks}}},
          pmix::Fence{1, {{"job", 0}, {"other", 5}}, zeros},
          pmix::Modex{2, {"job", 9}},
          pmix::ModexFound{3, pmix::kNotFound, zeros},
          pmix::Publish{4, {{{"job", 1}, "key", zeros}}, true},
          pmix::Lookup{5, {"a", "b"}, true},
          pmix::Unpublish{6, {"job", 1}, {"a"}},
          pmix::Connect{7, {{"job", 1}}, true},
          pmix::Spawn{8,
                      {"job", 0},
                      {{"/bin/true", {"true", "x"}, {"A=1"}, 3, {{"host", "a,b"}, {"wdir", "/"}}}}},
          pmix::Event{-61, {"job", 2}, 5, zeros}};
}

inline std::vector<pmix::Command> sample_commands() {
  return {sample_job(),
          pmix::Reply{1, pmix::kTimeout, "all"},
          pmix::Found{2, pmix::kPartial, {{{"job", 1}, "key", "value"}}},
          pmix::Spawned{3, pmix::kSuccess, "child"},
          pmix::FetchModex{4, {"job", 9}},
          pmix::Event{-61, {"job", 2}, 255, "x"}};
}

inline Prepare sample_prepare() {
  return {.world = 2,
          .node = base::NodeIndex(1),
          .fed = {0, 300},
          .sets = {model::CpuSet::range(4, 6), model::CpuSet::of(0)},
          .bindings = {1, model::kUnbound, 0},
          .interface = "eth0",
          .cpus = {64, true},
          .rdma = true,
          .devices = {{"CUDA_VISIBLE_DEVICES", {"0", "GPU-5ab"}}, {"ZE_AFFINITY_MASK", {}}},
          .visible = "0,1",
          .held_port = 29'500,
          .claims = model::CpuSet::range(4, 6),
          .device_claims = {{"CUDA_VISIBLE_DEVICES", {"GPU-5ab"}}},
          .earlier = {sample_job()}};
}

inline model::JobSpec sample_spec() {
  model::JobSpec spec = without_apps();
  model::App& python = spec.apps.emplace_back();
  python.command = {"python3", "train.py", "--name=\xff\x01 odd"};
  python.workdir = "/data/work";
  python.path = "/opt/bin";
  python.python_path = "/opt/lib/python";
  python.exports = {{"EMPTY", {}}};
  python.tries_workdir = true;
  python.role = "worker";
  python.local_rank_words = {1, 2};
  python.python_program = "python3";
  python.python_environment = "/home/venv";
  python.clean = true;
  model::App& server = spec.apps.emplace_back();
  server.command = {"ps"};
  server.workdir = "/";
  spec.environment = {{"LOCAL_RANK", "NCCL_*"}, {{"jax"}}};
  spec.hostfile = "node1 slots=2\nnode2 slots=2\n";
  spec.launchers = {"mpirun", "torchrun"};
  spec.folders = {"/here/outputs/model"};
  spec.terminal = {{132, 65'535}};
  spec.gpus_per_rank = 2;
  spec.mapping.memory = {model::MemoryMode::interleave, model::CpuSet::range(0, 2), true,
                         model::IfRefused::tell};
  spec.deepspeed = true;
  spec.lone_ranks_start_workers = true;
  spec.max_restarts = 3;
  spec.roles = model::Roles::tensorflow;
  spec.wireup = model::Wireup::pmi2;
  spec.gloo = {"ib0", true};
  spec.torch = {"run-7", true, 4};
  return spec;
}

// Ranks 0, 1 and 3 on the first node, 2 on the second; 3 is of the second program.
inline model::Plan sample_plan() {
  model::Plan plan;
  plan.nodes.resize(2);
  plan.nodes[0].host.name = "node1";
  plan.nodes[0].host.slots = 2;
  plan.nodes[0].ranks = {base::Rank(0), base::Rank(1), base::Rank(3)};
  plan.nodes[1].host.name = "node2";
  plan.nodes[1].host.slots = 4;
  plan.nodes[1].ranks = {base::Rank(2)};
  const base::NodeIndex first(0), second(1);
  plan.ranks = {{first, 0, 0}, {first, 1, 0}, {second, 0, 0}, {first, 2, 1}};
  plan.universe = 6;
  return plan;
}

inline World sample_world() {
  World world;
  world.number = 2;
  world.first = base::Rank(5);
  world.job = "job-5f3a";
  world.spec = sample_spec();
  world.plan = sample_plan();
  world.variables = {{"A", "b"}, {"EMPTY", ""}, {"TMPDIR", "/tmp/\xff"}};
  world.kept = {{{0, 2}, {1}}, {{1}, {}}};
  world.point.addresses = {"10.0.0.1", "10.0.0.2"};
  world.rank_ports = {11'000, 11'001, 65'535, 11'002};
  world.point.address = "10.0.0.1";
  world.point.port = "29500";
  world.point.round = 1;
  world.point.among_hosts = true;
  world.point.deadline = "1700000000";
  world.point.gloo_address = "10.0.0.254";
  world.point.gloo_port = "4000";
  world.kvs = "muster_job";
  world.mapping = "(vector,(0,2,2))";
  world.nspace = "muster-5f3a";
  world.spawner = "muster_parent";
  world.preput = {{"PARENT_ROOT_PORT_NAME", "tag#0"}};
  world.window = 262'144;
  return world;
}

inline std::vector<ToAgent> samples_to_agent() {
  return {Hello{kProtocol, "job-5f3a", base::NodeIndex(7), 8000, 5000, false, 3},
          sample_prepare(),
          Start{3},
          Signal{15},
          Stop{2, 5000},
          Input{base::Rank(3), std::string("line\n\0raw", 9)},
          InputEnd{base::Rank(3)},
          Credit{base::Rank(4), Stream::err, 4'294'967'295},
          Suspend{true},
          FenceOut{3, std::string("k\0v", 3), 2},
          NameAnswer{77, NameVerdict::found, "port 5"},
          PmixDown{pmix::Reply{1, pmix::kSuccess, "down"}},
          Ping{},
          Bye{"muster: exit code 3\n", 3},
          Drop{2},
          Spawned{9, true, 2, "muster_job_2"},
          Trace{true},
          sample_world(),
          ToLauncher{5, std::string("fra\0me", 6)},
          Reach{"node9", "ada", 2222},
          Release{},
          Contain{{.image = "localhost/a:1",
                   .runtime = model::ContainerRuntime::docker,
                   .options = {"--runtime=runc"},
                   .mounts = {{"/data", "/in", true}, {"/home/a", "/home/a"}},
                   .devices = {"/dev/fuse"},
                   .shared_memory = std::uint64_t{1} << 33},
                  "muster-5f3a-1",
                  5000,
                  {"/home/a/outputs"}}};
}

inline Welcome sample_welcome() {
  return {kProtocol,
          "0.1.0",
          {.hostname = "node1",
           .cpus = {64, true},
           .interfaces = {{"eth0", "10.0.0.1"}, {"ib0", "fe80::1"}},
           .reached_at = "10.0.0.1",
           .head_address = "10.0.0.254",
           .port = 65'535,
           .rank_ports = {11'000, 65'535, 12'001},
           .rdma = true,
           .devices = {{"CUDA_VISIBLE_DEVICES", {"0", "GPU-5ab"}}, {"ZE_AFFINITY_MASK", {}}},
           .claimed = {{"CUDA_VISIBLE_DEVICES", {"0"}}},
           .identity = "4f1e pid:[1] net:[2] 0"},
          50'000'000,
          50'000'123,
          model::SharedMemory{1U << 30U, 1U << 20U, false},
          0x0123'4567'89ab'cdef};
}

inline Spawn sample_spawn() {
  return {9,
          base::Rank(6),
          true,
          {{{"child", "-v"}, {{"A", "b"}}, 3, {{"host", "node1"}}}, {{"other"}, {}, 1, {}}},
          {{"PARENT_ROOT_PORT_NAME", "tag#0"}}};
}

inline std::vector<ToHead> samples_to_head() {
  return {sample_welcome(),
          Prepared{3, "/usr/bin/python3", "Operation not permitted"},
          Refused{{base::Fault::cannot_start, "no folder /data", "create it", {"hosts", 3, 7}}},
          Started{base::Rank(5), 4711},
          Output{base::Rank(6), Stream::err, std::string("to\0rn\xff\n", 7)},
          OutputEnd{base::Rank(6), Stream::out},
          Exited{{base::Rank(6), 4711, 0, 11, true, 1'234'567'890'123},
                 "{\"message\":\"\"}",
                 90'000'000,
                 model::Circumstances{model::MemoryKills{2, "/sys/fs/cgroup/job", 1U << 29U, true},
                                      model::SharedMemory{1U << 26U, 4096, true}, "NVIDIA H200"},
                 89'000'000},
          InputCredit{base::Rank(3), 65'536},
          FenceIn{3, std::string("\xffkv", 3), 2},
          Aborted{base::Rank(6), -7, "application called MPI_Abort"},
          NameAsk{77, NameVerb::publish, "service", "port 5"},
          PmixUp{pmix::Fence{1, {{"job", pmix::kAllRanks}}, "up"}},
          Stopped{2, {"pid 42 (python3)", "pid 43 (sh)"}},
          Pong{77'000'000},
          Declined{2, {base::Fault::cannot_start, "no program child", "", {}}},
          sample_spawn(),
          Attendance{{base::Rank(0), base::Rank(999'999)}, "Open MPI 5.0.7"},
          Traced{base::Rank(6), "sleeping in do_wait", "#0 main ()\n"},
          Taken{model::CpuSet::range(0, 3), {{"ROCR_VISIBLE_DEVICES", {"1", "2"}}}},
          FromLauncher{5, std::string("fra\0me", 6)},
          Reached{},
          Unreached{{base::Fault::unreachable, "node9: no route", "is it up?", {}}}};
}

}  // namespace muster::wire
