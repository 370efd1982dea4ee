// Job files become specs: nodes, processes, commands, roles; what a target cannot give.
#include "job/job_spec.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "job/head_launcher.hpp"
#include "job/read_job.hpp"

namespace muster::job {
namespace {

struct Outcome {
  Made made;
  std::vector<std::string> complaints;  // without hints
};

Target fake(std::uint32_t nodes) {
  Target target;
  target.name = "t";
  target.fake_nodes = Count{nodes, {}};
  target.without = {{"environment", {}, {}, false}, {"gpus", {}, {}, false}};
  return target;
}

Outcome make(const std::string& text, Place place, const std::vector<Setting>& settings = {}) {
  const JobReading read = read_job(text, "j");
  for (const base::Error& error : read.complaints) ADD_FAILURE() << base::to_string(error);
  Complaints complaints("j");
  const Values values =
      values_of(read.job, settings, {"/jobs", "/here", "/record/outputs"}, complaints);
  Outcome outcome{make_spec(read.job, values, place, "/jobs", complaints), {}};
  for (const base::Error& error : std::move(complaints).take()) {
    outcome.complaints.push_back(
        base::to_string(base::Error{error.fault, error.what, "", error.place}));
  }
  return outcome;
}

Outcome make(const std::string& text, std::uint32_t fake_nodes) {
  return make(text, {fake(fake_nodes), {}});
}

using Words = std::vector<std::string>;

TEST(JobSpec, InputsThatAreDownloadedAreFoundInTheRecord) {
  const JobReading read = read_job(
      "command: x\ninputs:\n  all: {type: uri_folder, path: data/, mode: download}\n"
      "  one: {type: uri_file, path: /d/one.csv, mode: download}\n"
      "  any: {path: ./x.pt, mode: download}\n  none: {type: uri_file, path: y}\n"
      "  text: {type: string, default: /z, mode: download}\n",
      "j");
  Complaints complaints("j");
  const Values values =
      values_of(read.job, {}, {"/jobs", "/here", "/record/outputs", "/record/inputs"}, complaints);
  EXPECT_EQ(values.downloads, (std::vector<Download>{{"/record/inputs/all", "/jobs/data"},
                                                     {"/record/inputs/one/one.csv", "/d/one.csv"},
                                                     {"/record/inputs/any/x.pt", "/jobs/x.pt"}}));
  EXPECT_EQ(values.inputs.at("one"), "/record/inputs/one/one.csv");
  EXPECT_EQ(values.inputs.at("none"), "/jobs/y");
  EXPECT_EQ(values_of(read.job, {}, {"/jobs", "/here", "/outputs"}, complaints).downloads.size(),
            0U)
      << "there is no record";
}

TEST(JobSpec, AnyExitCodeMayBeASuccess) {
  const Words command = make(
                            "launcher: {type: mpi, additional_arguments: "
                            "./x}\nsuccessful_return_code: zeroOrGreater\n",
                            1)
                            .made.spec.apps.front()
                            .command;
  EXPECT_EQ(command,
            (Words{"bash", "-c", "trap 'code=$?; [ $code -gt 128 ] || exit 0' EXIT\n./x"}));
}

TEST(JobSpec, CommandJobsRunTheirCommandInAShellForEachProcess) {
  const auto [made, complaints] = make(
      "command: python a.py $RANK\ncode: src\nresources: {instance_count: 2}\n"
      "distribution: {type: mpi, process_count_per_instance: 4}\n"
      "environment_variables: {A: '1'}\nlimits: {timeout: 1.5}\n",
      8);
  EXPECT_EQ(complaints, Words{});
  EXPECT_EQ(made.spec.fake_nodes, 2U);
  EXPECT_EQ(made.spec.per_node, 4U);
  ASSERT_EQ(made.spec.apps.size(), 1U);
  const model::App& app = made.spec.apps.front();
  EXPECT_EQ(app.ranks, 8U);
  EXPECT_EQ(app.command, (Words{"bash", "-c", "python a.py $RANK"}));
  EXPECT_EQ(app.workdir, "/jobs/src");
  EXPECT_EQ(app.exports, (std::vector<model::EnvSetting>{{"A", "1"}}));
  EXPECT_EQ(made.spec.timeout, std::chrono::milliseconds(1500));
  EXPECT_FALSE(made.layout.launches);
}

TEST(JobSpec, NoticeOfTheTimeLimit) {
  const std::string job = "muster: 1\ncommand: x\n";
  const Outcome fine = make(job + "timeout: 60\nnotice: USR1@10\n", 1);
  EXPECT_EQ(fine.complaints, Words{});
  EXPECT_EQ(fine.made.spec.notice, (model::Notice{SIGUSR1, std::chrono::seconds(10)}));
  EXPECT_EQ(make(job + "timeout: 60\nnotice: USR1\n", 1).complaints,
            Words{"j:4:9: notice must be SIGNAL@SECONDS, not 'USR1'"});
  const auto complaints_at = [&](model::HostSource source, std::string_view batch) {
    Place place;
    place.found.source = source;
    if (!batch.empty()) place.target.batch.emplace().kind = batch;
    return make(job + "notice: USR1@10\n", place).complaints.size();
  };
  EXPECT_EQ(complaints_at(model::kHostsAllocated, ""), 0U);
  EXPECT_EQ(complaints_at(model::kHostsHere, "slurm"), 0U);
  EXPECT_EQ(complaints_at(model::kHostsGranted, ""), 1U);
  EXPECT_EQ(complaints_at(model::kHostsHere, "grid_engine"), 1U);
  EXPECT_EQ(make(job + "notice: USR1@10\n", 1).complaints,
            Words{"j:3:9: there is no time limit of which to give notice"});
}

TEST(JobSpec, OneProcessPerNodeUnlessMoreAreAskedFor) {
  for (const char* type : {"mpi", "pytorch"}) {
    const Outcome one = make(fmt::format("command: x\ndistribution: {{type: {}}}\n"
                                         "resources: {{instance_count: 3}}\n",
                                         type),
                             3);
    EXPECT_EQ(one.made.spec.per_node, 1U);
    EXPECT_EQ(one.made.spec.apps.front().ranks, 3U);
  }
  const Outcome total = make(
      "muster: 1\ncommand: x\ndistribution: {type: pytorch, process_count: 8, node_count: 2}\n", 2);
  EXPECT_EQ(total.made.spec.per_node, 4U);
  const Outcome none = make("command: x\n", 1);
  EXPECT_EQ(none.made.spec.apps.front().ranks, 1U);
}

TEST(JobSpec, AProcessThatIsAloneOnItsNodeMayStartWorkers) {
  const auto may = [](const std::string& distribution) {
    return make("command: x\n" + distribution, 2).made.spec.lone_ranks_start_workers;
  };
  EXPECT_TRUE(may(""));
  EXPECT_TRUE(may("distribution: {type: mpi}\n"));
  EXPECT_FALSE(may("distribution: {type: pytorch}\n"));
  EXPECT_FALSE(may("distribution: {type: tensorflow, worker_count: 2}\n"));
}

TEST(JobSpec, WordsAreStartedWithoutAShell) {
  const Outcome one =
      make("muster: 1\ncommand: [python, '${{inputs.a}}', '$X']\ninputs: {a: 'b c'}\n", 1);
  EXPECT_EQ(one.made.spec.apps.front().command, (Words{"python", "b c", "$X"}));
}

TEST(JobSpec, RolesAreAppsWithTheirOwnVariables) {
  const auto [made, complaints] = make(
      "command: x\nenvironment_variables: {M: a}\ndistributed:\n  tensorflow:\n"
      "    worker: {count: 2}\n"
      "    parameter_server: {count: 1, environment_variables: {M: b}}\n",
      3);
  EXPECT_EQ(complaints, Words{});
  ASSERT_EQ(made.spec.apps.size(), 2U);
  EXPECT_EQ(made.spec.apps[0].role, "worker");
  EXPECT_EQ(made.spec.apps[0].ranks, 2U);
  EXPECT_EQ(made.spec.apps[1].role, "ps");
  EXPECT_EQ(made.spec.apps[1].exports.back().value, "b");
  EXPECT_EQ(made.layout.nodes, 3U);
}

TEST(JobSpec, DraftsWithMpiRunTheirCommandOnce) {
  const char* text =
      "command: mpirun -np 16 x\ncompute: {instance_type: Standard_NC24}\n"
      "distributed: {mpi: {worker: {count: 4}}}\n";
  const Outcome one = make(text, 4);
  EXPECT_TRUE(one.made.layout.launches);
  EXPECT_EQ(one.made.layout.slots, 4U);
  EXPECT_EQ(one.made.spec.apps.front().ranks, 1U);
  EXPECT_EQ(one.made.notices, Words{});
}

TEST(JobSpec, SlotsOfANodeAreThoseThatTheJobSays) {
  const char* head = "command: mpirun x\ncompute: {instance_type: Standard_NC24}\n";
  const auto slots = [&](const std::string& rest) {
    return make(head + rest, 4).made.layout.slots;
  };
  EXPECT_EQ(slots("distributed: {mpi: {worker: {count: 4, slots_per: 2}}}\n"), 2U);
  EXPECT_EQ(slots("distributed: {mpi: {worker: {count: 4, resources: {limits: {gpu: 3}}}}}\n"), 3U);
  const Outcome command = make(
      "command: mpirun x\nresources: {instance_count: 2, instance_type: Standard_NC24}\n"
      "distribution: {type: mpi, process_count_per_instance: 2}\n",
      4);
  EXPECT_EQ(command.made.layout.slots, 2U);
}

TEST(GpusOf, KnowsAzuresSizesAndThoseThatAreDescribed) {
  EXPECT_EQ(gpus_of("Standard_ND40rs_v2"), 8U);
  EXPECT_EQ(gpus_of("STANDARD_NC6"), 1U);
  EXPECT_EQ(gpus_of("Standard_D2"), std::nullopt);
  const std::vector<InstanceType> known = {{"Standard_D2", 0}, {"NC6", 3}};
  EXPECT_EQ(gpus_of("standard_d2", known), 0U);
  EXPECT_EQ(gpus_of("Standard_NC6", known), 3U);
}

TEST(JobSpec, AMachineSizeThatNobodyKnowsIsTold) {
  const std::string text =
      "command: mpirun x\ncompute: {instance_type: Big_8}\n"
      "distributed: {mpi: {worker: {count: 2}}}\n";
  const Outcome guessed = make(text, 4);
  EXPECT_EQ(guessed.made.layout.slots, 1U);
  EXPECT_EQ(guessed.made.notices,
            Words{"instance_type 'Big_8' is not known: each node takes one process; to have more, "
                  "write slots_per: N in the job file, or instance_types: {Big_8: N} in "
                  "muster.yml"});
  Place place{fake(4), {}, {{"Big_8", 8}}};
  const Outcome described = make(text, place);
  EXPECT_EQ(described.made.layout.slots, 8U);
  EXPECT_EQ(described.made.notices, Words{});
}

TEST(JobSpec, RolesShareNodesWhenTheJobSaysHowManyThereAre) {
  const auto roles = [](const std::string& compute) {
    return "command: x\n" + compute +
           "distributed: {tensorflow: {worker: {count: 2}, parameter_server: {count: 4}}}\n";
  };
  const Outcome said = make(roles("compute: {instance_count: 2}\n"), 8);
  EXPECT_EQ(said.complaints, Words{});
  EXPECT_EQ(said.made.spec.fake_nodes, 2U);
  EXPECT_EQ(said.made.spec.per_node, 3U);
  EXPECT_EQ(said.made.spec.mapping.map_by, model::MapBy::node);
  const JobReading more = read_job(roles("compute: {instance_count: 7}\n"), "j");
  ASSERT_EQ(more.complaints.size(), 1U);
  EXPECT_EQ(more.complaints[0].what,
            "instance_count is 7, and the counts below distributed make 6");
  const Outcome own = make(roles(""), 8);
  EXPECT_EQ(own.made.spec.fake_nodes, 6U);
  EXPECT_EQ(own.made.notices, Words{});
}

TEST(JobSpec, ServersShareTheNodesThatATargetHas) {
  const std::string text =
      "muster: 1\ncommand: x\n"
      "distribution: {type: tensorflow, worker_count: 2, parameter_server_count: 1}\n";
  const Outcome shared = make(text, 2);
  EXPECT_EQ(shared.complaints, Words{});
  EXPECT_EQ(shared.made.spec.fake_nodes, 2U);
  EXPECT_EQ(shared.made.spec.per_node, 2U);
  EXPECT_EQ(shared.made.notices,
            Words{"parameter servers share the 2 nodes of target 't' with the workers"});
  EXPECT_EQ(make(text, 1).complaints, Words{"j:3:48: the job needs 3 nodes, and target 't' has 1"});
}

TEST(JobSpec, CommandJobsOfTheFirstPreviewAreReadToo) {
  const Outcome one = make(
      "command: x\ncode: {local_path: src}\ncompute: {target: 'azureml:t', instance_count: 2}\n"
      "distribution: {type: mpi, process_count_per_instance: 2}\n",
      4);
  EXPECT_EQ(one.complaints, Words{});
  EXPECT_EQ(one.made.spec.apps.front().ranks, 4U);
  EXPECT_EQ(one.made.spec.apps.front().workdir, "/jobs/src");
}

TEST(JobSpec, ACommandThatNamesALauncherOfAllRanksRunsOnce) {
  const char* text =
      "command: cd run && NCCL_DEBUG=INFO mpirun -np 8 x\nresources: {instance_count: 2}\n"
      "distribution: {type: mpi, process_count_per_instance: 4}\n";
  const Outcome one = make(text, 4);
  EXPECT_TRUE(one.made.layout.launches);
  EXPECT_EQ(one.made.layout.slots, 4U);
  EXPECT_EQ(one.made.spec.per_node, 1U);
  EXPECT_EQ(one.made.spec.apps.front().ranks, 1U);
  EXPECT_EQ(one.made.notices,
            Words{"the command runs once, on this machine: mpirun in it starts the ranks on the "
                  "job's nodes"});
}

TEST(HeadLauncher, IsTheFirstWordOfACommand) {
  const auto launcher = [](const std::string& command) {
    JobFile job;
    job.command = Text{command, {}, {}, true};
    return head_launcher(job);
  };
  EXPECT_EQ(launcher("mpirun -np 4 x"), "mpirun");
  EXPECT_EQ(launcher("pip install a; /opt/bin/horovodrun -np 2 x"), "horovodrun");
  EXPECT_EQ(launcher("A='b c' exec deepspeed x.py"), "deepspeed");
  EXPECT_EQ(launcher("if true\nthen mpiexec x; fi"), "mpiexec");
  EXPECT_EQ(launcher("echo mpirun; python mpirun.py"), "");
  EXPECT_EQ(launcher("echo 'a; mpirun b' \"; mpirun\""), "");
  EXPECT_EQ(launcher("torchrun --nproc_per_node 2 x.py"), "");
  EXPECT_EQ(launcher("' mpirun"), "");
  JobFile list;
  list.words = {{"mpirun", {}, {}, true}, {"x", {}, {}, true}};
  EXPECT_EQ(head_launcher(list), "mpirun");
}

TEST(JobSpec, ListedAgainAHostHasMoreSlotsUpToWhatTheJobNeeds) {
  Place place{fake(1), {model::kHostsListed, "-H", {}}};
  place.target.fake_nodes.reset();
  for (const std::uint32_t slots : {2U, 2U, 2U}) {
    place.found.hosts.emplace_back().name = "a";
    place.found.hosts.back().slots = slots;
  }
  const Outcome one =
      make("command: x\ndistribution: {type: mpi, process_count_per_instance: 3}\n", place);
  ASSERT_EQ(one.made.spec.hosts.size(), 2U);
  EXPECT_EQ(one.made.spec.hosts[0].slots, 2U);
  EXPECT_EQ(one.made.spec.hosts[1].slots, 1U);
}

TEST(JobSpec, HostsAreTheFirstOfTheList) {
  Place place{fake(1), {model::kHostsListed, "-H", {}}};
  place.target.fake_nodes.reset();
  for (const char* name : {"a", "b", "a", "c"}) {
    place.found.hosts.emplace_back().name = name;
  }
  place.found.hosts[1].slots = 7;
  const Outcome two = make(
      "command: x\nresources: {instance_count: 2}\n"
      "distribution: {type: mpi, process_count_per_instance: 3}\n",
      place);
  ASSERT_EQ(two.made.spec.hosts.size(), 2U);
  EXPECT_EQ(two.made.spec.hosts[0].slots, 3U);
  EXPECT_EQ(two.made.spec.hosts[1].slots, 3U);  // of 7: the others are not the job's
  const Outcome four = make(
      "command: x\nresources: {instance_count: 4}\n"
      "distribution: {type: mpi}\n",
      place);
  EXPECT_EQ(four.complaints, Words{"j:2:29: the job needs 4 nodes, and target 't' has 3"});
}

TEST(JobSpec, HostsMustHaveSlotsForAllProcesses) {
  Place place{fake(1), {model::kHostsListed, "m", {}}};
  place.target.fake_nodes.reset();
  for (const char* name : {"a", "b"}) {
    place.found.hosts.emplace_back().name = name;
    place.found.hosts.back().slots = 1;
  }
  const char* text =
      "command: x\nresources: {instance_count: 2}\n"
      "distribution: {type: mpi, process_count_per_instance: 3}\n";
  EXPECT_EQ(make(text, place).complaints,
            Words{"j:2:29: the job has 6 processes for 2 nodes, and those of target 't' have 2 "
                  "slots"});
  place.target.oversubscribe = true;
  EXPECT_EQ(make(text, place).complaints, Words{});
}

TEST(JobSpec, WhereTheJobSaysNothingTheSlotsAreThoseOfTheHosts) {
  Place place{fake(1), {model::kHostsListed, "m", {}}};
  place.target.fake_nodes.reset();
  place.found.hosts.resize(2);
  place.found.hosts[0].name = "a";
  place.found.hosts[0].slots = 4;
  place.found.hosts[1].name = "b";
  const std::string head = "command: mpirun x\n";
  const std::string rest = "distributed: {mpi: {worker: {count: 2}}}\n";
  const auto open = make(head + rest, place).made.spec.hosts;
  EXPECT_EQ(open[0].slots, 4U);
  EXPECT_EQ(open[1].slots, 1U);
  const auto said = make(head + "compute: {instance_type: NC12}\n" + rest, place).made.spec.hosts;
  EXPECT_EQ(said[0].slots, 2U);
  EXPECT_EQ(said[1].slots, 2U);
}

TEST(JobSpec, WhatATargetCannotGiveIsAComplaint) {
  Target bare;
  bare.name = "local";
  const Outcome one = make(
      "command: x\nenvironment: i\ndistributed:\n  pytorch:\n"
      "    worker: {count: 2}\n    resource_limits: {gpu: 4}\n",
      {bare, {}});
  EXPECT_EQ(
      one.complaints,
      (Words{"j:2:14: target 'local' cannot give the job its environment 'i': no image is "
             "known for it",
             "j:5:21: the job needs 2 nodes, and target 'local' has 1",
             "j:6:28: the job needs 4 GPUs on each node, and those of target 'local' have 0"}));
}

TEST(JobSpec, AnImageIsTheContainerOfItsProcesses) {
  Target target;
  target.name = "t";
  target.fake_nodes = Count{2, {}};
  target.container_runtime = Text{"docker", {}, {}, false};
  target.container_options = {{"--runtime=runc", {}, {}, false}};
  target.mounts = {{"/data:ro", {}, {}, false}};
  const Outcome one = make(
      "command: x\nenvironment: {name: n, image: i:1}\n"
      "resources: {shm_size: 2g, docker_args: --ulimit memlock=-1}\n",
      {target, {}});
  ASSERT_EQ(one.complaints, Words());
  ASSERT_TRUE(one.made.spec.container);
  const model::ContainerSpec& container = *one.made.spec.container;
  EXPECT_EQ(container.image, "i:1");
  EXPECT_EQ(container.runtime, model::ContainerRuntime::docker);
  EXPECT_EQ(container.options, (Words{"--runtime=runc", "--ulimit", "memlock=-1"}));
  EXPECT_EQ(container.mounts, (std::vector<model::ContainerMount>{{"/data", "/data", true}}));
  EXPECT_EQ(container.shared_memory, std::uint64_t{2} << 30);
}

TEST(JobSpec, WhoseImageCounts) {
  Target target;
  target.name = "t";
  const char* named = "command: x\nenvironment: {image: i}\n";
  EXPECT_EQ(make(named, {target, {}}).made.spec.container->image, "i");
  EXPECT_EQ(make(named, {target, {}, {}, "typed"}).made.spec.container->image, "typed");
  target.image = Text{"default", {}, {}, false};
  EXPECT_EQ(make(named, {target, {}}).made.spec.container->image, "i");
  EXPECT_EQ(make("command: x\nenvironment: azureml:e:1\n", {target, {}}).made.spec.container->image,
            "default");
  target.without = {{"environment", {}, {}, false}};
  EXPECT_FALSE(make(named, {target, {}}).made.spec.container);
}

TEST(JobSpec, InputsAndOutputsGetTheirValues) {
  const char* text =
      "command: x ${{inputs.data}} ${{inputs.lr}}$[[ --m ${{inputs.m}}]] ${{outputs.o}} "
      "${{ outputs.p }}\n"
      "inputs:\n  data: {type: uri_folder, path: ./d}\n  lr: 0.10\n"
      "  m: {type: integer, optional: true}\noutputs: {o: , p: {path: ./q}}\n";
  EXPECT_EQ(make(text, 1).made.spec.apps.front().command.back(),
            "x /jobs/d 0.10 /record/outputs/o /jobs/q");
  const Outcome set = make(text, 1);
  EXPECT_EQ(set.made.folders, (Words{"/record/outputs/o", "/jobs/q"}));
  const Place place{fake(1), {}};
  EXPECT_EQ(make(text, place, {{"inputs.m", "3"}, {"inputs.data", "e"}})
                .made.spec.apps.front()
                .command.back(),
            "x /here/e 0.10--m 3 /record/outputs/o /jobs/q");
  EXPECT_EQ(make(text, place, {{"inputs.m", "x"}, {"lr", "1"}, {"inputs.z", "1"}}).complaints,
            (Words{"j: --set inputs.m must be a whole number, not 'x'",
                   "j: --set 'lr': the job has no such input",
                   "j: --set 'inputs.z': the job has no such input"}));
}

TEST(JobSpec, InputsWithoutAValueOrOutOfReachAreComplaints) {
  EXPECT_EQ(make("command: ${{inputs.a}} ${{inputs.b}}\ninputs:\n  a: {type: number}\n"
                 "  b: {type: uri_folder, path: 'https://h/x'}\n  c: azureml:data:1\n",
                 1)
                .complaints,
            (Words{"j:3:3: the input a has no value",
                   "j:4:31: the input b is a folder, and an address holds one file: 'https://h/x'",
                   "j:5:6: the input c is where muster cannot reach it: 'azureml:data:1'"}));
}

TEST(JobSpec, InputsMayNameDatasetsAsOlderFilesDo) {
  const Outcome out = make(
      "command: x ${{inputs.a}} ${{inputs.b}}\ninputs:\n"
      "  a: {dataset: {local_path: ./d}, mode: download}\n  b: {dataset: e}\n",
      1);
  EXPECT_EQ(out.complaints, Words{});
  EXPECT_EQ(out.made.spec.apps.front().command.back(), "x /jobs/d /jobs/e");
  EXPECT_EQ(make("command: x\ninputs:\n  c: {dataset: 'azureml:rows:1'}\n", 1).complaints,
            Words{"j:3:16: the input c is where muster cannot reach it: 'azureml:rows:1'"});
}

TEST(JobSpec, AFolderOfAnOlderFileIsNotFetched) {
  const char* text =
      "command: x\ninputs:\n  a: {file: 'https://h/x'}\n  b: {folder: 'https://h/y'}\n";
  EXPECT_EQ(make(text, 1).complaints,
            Words{"j:4:15: the input b is a folder, and an address holds one file: 'https://h/y'"});
}

TEST(JobSpec, DataOfAzureIsReplacedByPaths) {
  const Place place{fake(1), {}};
  EXPECT_EQ(
      make("command: x ${{inputs.c}}\ninputs:\n  c: azureml:data:1\n", place, {{"inputs.c", "d"}})
          .made.spec.apps.front()
          .command.back(),
      "x /here/d");
  const Outcome out =
      make("command: x\noutputs: {o: {path: 'azureml://datastores/d/paths/o'}, p: }\n", 1);
  EXPECT_EQ(out.complaints, Words{});
  EXPECT_EQ(out.made.folders.front(), "/record/outputs/o");
  EXPECT_EQ(
      out.made.notices,
      Words{"outputs.o.path has no effect here: muster cannot reach "
            "'azureml://datastores/d/paths/o'; the output lies in /record/outputs/o (choose a "
            "place with data: {\"azureml://datastores/d/paths/\": PATH} in muster.yml)"});
}

TEST(JobSpec, KindsAreTakenInAnyCase) {
  const Outcome one =
      make("command: x\ndistribution: {type: PyTorch, process_count_per_instance: 2}\n", 1);
  EXPECT_EQ(one.made.spec.apps.front().ranks, 2U);
  const Outcome two = make("command: x\ndistribution: {type: TensorFlow, worker_count: 2}\n", 2);
  EXPECT_EQ(two.made.spec.apps.front().role, "worker");
}

TEST(JobSpec, CodeElsewhereIsAComplaint) {
  EXPECT_EQ(make("command: x\ncode: git+https://host/code\n", 1).complaints,
            Words{"j:2:7: the code is where muster cannot reach it: 'git+https://host/code'"});
}

TEST(JobSpec, FormsOfOlderFilesAndListsAreTaken) {
  const Outcome one = make(
      "command: x\nenvironment: {build: {local_path: context}}\n"
      "resources: {docker_args: [--ipc=host, --privileged]}\n",
      1);
  EXPECT_EQ(one.complaints, Words{});
}

TEST(JobSpec, DockersWordsWithoutAContainerAreTold) {
  const Outcome one = make("muster: 1\ncommand: x\nresources: {docker_args: [--ipc=host]}\n", 1);
  EXPECT_EQ(one.complaints, Words{});
  EXPECT_EQ(std::ranges::count(one.made.notices,
                               "the job's docker arguments have no effect here: it runs without a "
                               "container"),
            1);
}

TEST(Targets, DescribeMachineSizes) {
  const auto read =
      read_targets("targets: {a: {hosts: b}}\ninstance_types: {Big_8: 8, Small: 0, Odd: x}\n", "m");
  ASSERT_EQ(read.complaints.size(), 1U);
  EXPECT_NE(read.complaints[0].what.find("instance_types.Odd must be"), std::string::npos)
      << read.complaints[0].what;
  ASSERT_EQ(read.targets.instance_types.size(), 2U);
  EXPECT_EQ(read.targets.instance_types[0].name, "Big_8");
  EXPECT_EQ(read.targets.instance_types[0].gpus, 8U);
}

TEST(Targets, AreReadWithAllComplaints) {
  const auto read = read_targets(
      "default: big\ntargets:\n  big: {hosts: [a:2, b:2], gpus: 0, without: environment}\n"
      "  odd: {hosts: a, fake_nodes: 2, slts: 3}\n",
      "m");
  ASSERT_EQ(read.complaints.size(), 2U);
  EXPECT_EQ(base::to_string(read.complaints[0]),
            "m:4:3: targets.odd has more than one of hosts, hostfile, fake_nodes, kubernetes, "
            "slurm and grid_engine\n"
            "  hint: keep one of them");
  EXPECT_EQ(base::to_string(read.complaints[1]),
            "m:4:34: unknown key 'slts' in targets.odd\n  hint: did you mean slots?");
  const auto big = choose_target(read.targets, "");
  ASSERT_TRUE(big);
  EXPECT_EQ(big->hosts.size(), 2U);
  EXPECT_TRUE(goes_without(*big, "environment"));
  EXPECT_TRUE(choose_target(read.targets, "azureml:big"));
  EXPECT_TRUE(choose_target(read.targets, "local"));
  const auto none = choose_target(read.targets, "bigg");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "there is no compute target 'bigg'");
  EXPECT_EQ(none.error().hint, "did you mean big?");
}

}  // namespace
}  // namespace muster::job
