// One message of each kind with every field filled, for round trips and golden bytes.
#pragma once

#include <string>
#include <vector>

#include "wire/messages.hpp"

namespace muster::wire {

inline Prepare sample_prepare() {
  return {
      .apps = {{{"python3", "train.py", "--name=\xff\x01 odd"},
                "/data/work",
                "/opt/bin",
                {{"WORLD_SIZE", "4"}, {"EMPTY", ""}},
                true},
               {{"ps"}, "/", "", {}}},
      .clean = true,
      .hostfile = "node1 slots=2\nnode2 slots=2\n",
      .tasks = {{base::Rank(2), 0, {{"RANK", "2"}}, true, model::CpuSet::range(4, 6), {"p", "2"}},
                {base::Rank(999'999), 1, {{"RANK", "3"}}, false}},
      .window = 262'144,
      .wireup = {true,
                 "muster_job",
                 4,
                 8,
                 "(vector,(0,2,2))",
                 "job",
                 2,
                 base::Rank(5),
                 "muster_parent",
                 {{"PARENT_ROOT_PORT_NAME", "tag#0"}}},
      .error_files = true,
      .python_hook = true,
      .launchers = {"mpirun", "torchrun"},
      .folders = {"/here/outputs/model"},
      .held_port = 29'500,
      .terminal = {{132, 65'535}},
      .claims = model::CpuSet::range(4, 6)};
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
          PmixDown{"down"},
          Ping{},
          Bye{"muster: exit code 3\n", 3},
          Drop{2},
          Spawned{9, true, 2, "muster_job_2"},
          Trace{true}};
}

inline Welcome sample_welcome() {
  return {kProtocol,
          "0.1.0",
          {.hostname = "node1",
           .cpus = 64,
           .interfaces = {{"eth0", "10.0.0.1"}, {"ib0", "fe80::1"}},
           .reached_at = "10.0.0.1",
           .head_address = "10.0.0.254",
           .port = 65'535,
           .rank_ports = {11'000, 65'535, 12'001},
           .rdma = true,
           .devices = {{"CUDA_VISIBLE_DEVICES", {"0", "GPU-5ab"}}, {"ZE_AFFINITY_MASK", {}}},
           .identity = "4f1e pid:[1] net:[2] 0",
           .cpus_limited = true},
          50'000'000,
          50'000'123,
          model::SharedMemory{1U << 30U, 1U << 20U, false}};
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
          Prepared{3},
          Refused{{base::Fault::cannot_start, "no folder /data", "create it", {"hosts", 3, 7}}},
          Started{base::Rank(5), 4711},
          Output{base::Rank(6), Stream::err, std::string("to\0rn\xff\n", 7)},
          OutputEnd{base::Rank(6), Stream::out},
          Exited{{base::Rank(6), 4711, 0, 11, true, 1'234'567'890'123},
                 "{\"message\":\"\"}",
                 90'000'000,
                 model::Circumstances{model::MemoryKills{2, "/sys/fs/cgroup/job", 1U << 29U, true},
                                      model::SharedMemory{1U << 26U, 4096, true}}},
          InputCredit{base::Rank(3), 65'536},
          FenceIn{3, std::string("\xffkv", 3), 2},
          Aborted{base::Rank(6), -7, "application called MPI_Abort"},
          NameAsk{77, NameVerb::publish, "service", "port 5"},
          PmixUp{"up"},
          Stopped{2, {"pid 42 (python3)", "pid 43 (sh)"}},
          Pong{77'000'000},
          Declined{2, {base::Fault::cannot_start, "no program child", "", {}}},
          sample_spawn(),
          Attendance{{base::Rank(0), base::Rank(999'999)}},
          Traced{base::Rank(6), "sleeping in do_wait", "#0 main ()\n"},
          Taken{model::CpuSet::range(0, 3)}};
}

}  // namespace muster::wire
