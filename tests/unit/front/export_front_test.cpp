// muster export: what it takes, what it refuses, and where its text goes.
#include <gtest/gtest.h>
#include <map>

#include "front/front.hpp"

namespace muster::front {
namespace {

struct ExportFront : testing::Test {
  std::map<std::string, std::string> files = {
      {"mpi.yml",
       "name: My_Job\ncommand: mpirun -n 4 echo $$ $(hostname)\nenvironment: {image: i}\n"
       "distribution: {type: mpi, process_count_per_instance: 2}\n"
       "resources: {instance_count: 2}\nlimits: {timeout: 90}\n"},
      {"ranks.yml",
       "command: ./x ${{inputs.a}}\nenvironment: {image: i}\ninputs: {a: 1}\n"
       "environment_variables: {A: '1'}\ndistribution: {type: mpi, process_count_per_instance: 2}\n"
       "resources: {instance_count: 2}\n"},
      {"torch.yml",
       "command: python x.py --node $NODE_RANK\nenvironment: {image: i}\n"
       "distribution: {type: pytorch, process_count_per_instance: 4}\n"
       "resources: {instance_count: 3}\n"},
      {"hydra.yml",
       "command: mpirun -genv A 1 -n 4 ./x\nenvironment: {image: i}\ndistribution: {type: mpi}\n"},
      {"intel.yml",
       "command: I_MPI_DEBUG=5 mpirun -n 4 ./x\nenvironment: {image: i}\n"
       "distribution: {type: mpi}\n"},
      {"oneapi.yml",
       "command: ./x\nenvironment: {image: r/oneapi-hpckit}\nenvironment_variables: {A: '1'}\n"
       "distribution: {type: mpi, process_count_per_instance: 2}\n"
       "resources: {instance_count: 2}\n"},
      {"reserved.yml",
       "command: ./x\nenvironment: {image: i}\nenvironment_variables: {PET_NNODES: '1'}\n"
       "distribution: {type: pytorch}\n"},
      {"daily.yml",
       "name: daily\ntrigger: {type: cron, expression: '0 4 * * *', "
       "time_zone: Pacific Standard Time}\n"
       "create_job: {job: ./lr.yml, inputs: {a: 5}, experiment_name: e, compute: me,\n"
       "  tags: {when: 'at ${{creation_context.trigger_time}}'}}\n"},
      {"nightly.yml",
       "trigger: {type: recurrence, frequency: day, schedule: {hours: 2, minutes: 30}}\n"
       "create_job: single.yml\n"},
      {"nodes.yml", "trigger: {type: cron, expression: '0 4 * * *'}\ncreate_job: file:mpi.yml\n"},
      {"odd.yml",
       "trigger: {type: cron, expression: '0 4 * * *'}\n"
       "create_job: {job: single.yml, inputs: {a: '${{odd}}'}}\n"},
      {"of_bad.yml", "trigger: {type: cron, expression: '0 4 * * *'}\ncreate_job: bad.yml\n"},
      {"of_more.yml",
       "trigger: {type: cron, expression: '0 4 * * *'}\n"
       "create_job: {job: lr.yml, inputs: {b: '${{name}}'}}\n"},
      {"lr.yml", "command: x ${{inputs.a}}\nenvironment: {image: i}\ninputs: {a: 1}\n"},
      {"single.yml", "command: x\nenvironment: {image: i}\n"},
      {"bad.yml", "comand: x\n"},
      {"no_image.yml", "command: x\n"},
      {"secret.yml", "muster: 1\ncommand: x\nenvironment: {image: i}\nsecrets: [TOKEN]\n"},
      {"pipeline.yml", "type: pipeline\njobs: {a: {command: x}}\n"},
      {"/here/muster.yml",
       "targets: {hosts: {hosts: a}, lab: {kubernetes: {image: base, operator: mpijob}},\n"
       "  me: {kubernetes: {user: 4711, mpi: {implementation: MPICH, ssh_folder: "
       "/home/me/.ssh}}},\n"
       "  gang: {kubernetes: {gang: {by: volcano, queue: q}, priority_class: high}},\n"
       "  many: {kubernetes: {gang: {by: scheduler-plugins, min_available: 5}}},\n"
       "  plugins: {kubernetes: {gang: {by: scheduler-plugins, timeout: 60}, scheduler: other}},\n"
       "  train: {kubernetes: {runtime: TrainingRuntime/mine, ttl: 1, code: /c}}}\n"},
  };

  [[nodiscard]] base::Result<Reading> read(std::vector<std::string> words) const {
    Call call;
    call.called = "export";
    call.words = std::move(words);
    call.current_folder = "/here";
    call.has_file = [this](const std::string& path) { return files.contains(path); };
    call.read_file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
      return files.at(path.starts_with("/here/") && !files.contains(path) ? path.substr(6) : path);
    };
    return front_of("export")->read(call);
  }

  [[nodiscard]] std::string text(std::vector<std::string> words) const {
    const auto reading = read(std::move(words));
    if (!reading) return base::to_string(reading.error());
    std::string complaints;
    for (const base::Error& error : reading->complaints)
      complaints += base::to_string(error) + "\n";
    return complaints.empty() ? reading->text : complaints;
  }

  [[nodiscard]] bool has(const std::string& whole, const std::string& part) const {
    return whole.find(part) != std::string::npos;
  }
};

TEST_F(ExportFront, SaysWhichKindFits) {
  EXPECT_EQ(text({"kubernetes", "torch.yml", "--as", "mpijob"}),
            "a job of type pytorch cannot be an MPIJob\n"
            "  hint: --as pytorchjob or trainjob fits it, or --as job or jobset");
  EXPECT_EQ(text({"kubernetes", "single.yml", "--as", "tfjob"}),
            "a job without a distribution cannot be a TFJob\n"
            "  hint: --as job fits it");
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--as", "pytorchjob"}), "--as mpijob fits it"));
}

TEST_F(ExportFront, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(has(text({"kubernets", "mpi.yml"}), "did you mean kubernetes?"));
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--as", "mpijobs"}), "did you mean mpijob?"));
  EXPECT_TRUE(has(text({}), "no scheduler given"));
  EXPECT_TRUE(has(text({"kubernetes"}), "takes a scheduler and one job file"));
  EXPECT_TRUE(has(text({"kubernetes", "pipeline.yml"}), "a pipeline or a sweep"));
  EXPECT_TRUE(has(text({"kubernetes", "bad.yml"}), "did you mean command?"));
  EXPECT_TRUE(has(text({"kubernetes", "no_image.yml"}), "the job names no image"));
  EXPECT_TRUE(has(text({"kubernetes", "single.yml", "--target", "hosts"}),
                  "the target 'hosts' is not a Kubernetes cluster"));
  EXPECT_TRUE(has(text({"kubernetes", "single.yml", "--target", "lob"}),
                  "there is no compute target 'lob'"));
}

TEST_F(ExportFront, TargetsGiveImageAndKind) {
  const std::string made = text({"kubernetes", "mpi.yml", "--target", "lab"});
  EXPECT_TRUE(has(made, "kind: MPIJob\n")) << made;
  EXPECT_TRUE(
      has(text({"kubernetes", "no_image.yml", "--target", "lab", "--as", "job"}), "image: base\n"));
}

TEST_F(ExportFront, CommandsReachTheirShellAsTheyAre) {
  const std::string made = text({"kubernetes", "mpi.yml", "--as", "mpijob"});
  EXPECT_TRUE(has(made, "- mpirun -n 4 echo $$$ $$(hostname)\n")) << made;
  EXPECT_TRUE(has(made, "  name: my-job\n"));
  EXPECT_TRUE(has(made, "    activeDeadlineSeconds: 90\n"));
  EXPECT_TRUE(has(made, "  slotsPerWorker: 2\n"));
}

TEST_F(ExportFront, RanksWithoutALauncherGetTheOperators) {
  const std::string mpi =
      text({"kubernetes", "ranks.yml", "--as", "mpijob", "--set", "inputs.a=7"});
  EXPECT_TRUE(has(mpi, "            - mpirun\n            - -np\n            - '4'\n")) << mpi;
  EXPECT_TRUE(has(mpi, "            - -x\n            - A\n"));
  EXPECT_TRUE(has(mpi, "            - ./x 7\n"));
  const std::string torch = text({"kubernetes", "torch.yml", "--as", "pytorchjob"});
  EXPECT_TRUE(has(torch, "  nprocPerNode: '4'\n")) << torch;
  EXPECT_TRUE(has(torch, "            - torchrun\n            - --no-python\n"));
  EXPECT_TRUE(has(torch, "export NODE_RANK=\"$RANK\"\n"));
  EXPECT_TRUE(has(torch, "      replicas: 2\n"));
}

TEST_F(ExportFront, SettingsReachMusterInThePods) {
  const std::string made =
      text({"kubernetes", "ranks.yml", "--set", "inputs.a=7", "--nodes", "3", "--name", "n"});
  EXPECT_TRUE(has(made, "        - --set\n        - inputs.a=7\n        - --nodes\n")) << made;
  EXPECT_TRUE(has(made, "  completions: 3\n"));
  EXPECT_TRUE(has(made, "  name: n-worker\n"));
}

TEST_F(ExportFront, SecretsAreKeysOfASecretThatNobodyCommits) {
  const std::string made = text({"kubernetes", "secret.yml", "--as", "jobset"});
  EXPECT_TRUE(has(made,
                  "#   kubectl create secret generic secret --from-literal=secret=\"$(openssl "
                  "rand -hex 32)\" --from-literal=TOKEN=\"$TOKEN\"\n"))
      << made;
  EXPECT_TRUE(has(made, "secretKeyRef:\n"));
  EXPECT_FALSE(has(made, "kind: Secret"));
}

TEST_F(ExportFront, JsonIsOneObject) {
  EXPECT_TRUE(text({"kubernetes", "mpi.yml", "--as", "mpijob", "--json"})
                  .starts_with("{\n  \"apiVersion\": \"kubeflow.org/v2beta1\",\n"));
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--json"}), "\"kind\": \"List\""));
}

TEST_F(ExportFront, TheTextGoesToAFileThatIsNamed) {
  const auto reading = read({"-o", "out/x.yml", "kubernetes", "mpi.yml"});
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->text_file, "/here/out/x.yml");
}

// ---- MPIJobs ------------------------------------------------------------------------------------

TEST_F(ExportFront, OpenMpiMayRunAsRootWhereNobodyElseDoes) {
  const std::string root = text({"kubernetes", "mpi.yml", "--as", "mpijob"});
  EXPECT_TRUE(has(root, "- name: OMPI_ALLOW_RUN_AS_ROOT\n              value: '1'\n")) << root;
  EXPECT_TRUE(has(root, "- name: OMPI_ALLOW_RUN_AS_ROOT_CONFIRM\n              value: '1'\n"));
  EXPECT_FALSE(has(root, "runAsUser"));
  EXPECT_FALSE(has(root, "sshAuthMountPath"));
  EXPECT_FALSE(has(root, "mpiImplementation"));
}

TEST_F(ExportFront, AnotherUserHasASshdOfItsOwn) {
  const std::string made =
      text({"kubernetes", "mpi.yml", "--as", "mpijob", "--target", "me", "--mpi", "OpenMPI"});
  EXPECT_TRUE(has(made, "  sshAuthMountPath: /home/me/.ssh\n")) << made;
  EXPECT_TRUE(has(made,
                  "            - /usr/sbin/sshd\n            - -De\n            - -f\n"
                  "            - /home/me/.sshd_config\n"));
  EXPECT_TRUE(has(made, "runAsNonRoot: true\n            runAsUser: 4711\n"));
  EXPECT_TRUE(has(made, "                add:\n                - NET_BIND_SERVICE\n"));
  EXPECT_FALSE(has(made, "OMPI_ALLOW_RUN_AS_ROOT"));
  EXPECT_FALSE(has(made, "mpiImplementation"));  // what is typed wins
}

TEST_F(ExportFront, TheMpiIsThatOfCommandVariablesAndImage) {
  const auto mpi = [&](const std::string& file) {
    const std::string made = text({"kubernetes", file, "--as", "mpijob"});
    const std::size_t at = made.find("mpiImplementation: ");
    return at == std::string::npos ? "" : made.substr(at + 19, made.find('\n', at) - at - 19);
  };
  EXPECT_EQ(mpi("hydra.yml"), "MPICH");
  EXPECT_EQ(mpi("intel.yml"), "Intel");
  EXPECT_EQ(mpi("oneapi.yml"), "Intel");
  EXPECT_EQ(mpi("mpi.yml"), "");
  EXPECT_TRUE(
      has(text({"kubernetes", "hydra.yml", "--as", "mpijob"}), "HYDRA_LAUNCHER_EXTRA_ARGS"));
  const std::string own = text({"kubernetes", "oneapi.yml", "--as", "mpijob"});
  EXPECT_TRUE(
      has(own, "            - -n\n            - '4'\n            - -ppn\n            - '2'\n"))
      << own;
  EXPECT_FALSE(has(own, "- -x\n"));
}

TEST_F(ExportFront, WordsForAnotherKindAreRefused) {
  EXPECT_EQ(text({"kubernetes", "mpi.yml", "--mpi", "Intel"}),
            "--mpi is for MPIJobs\n  hint: leave it out, or write --as mpijob");
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--mpi", "IntelMPI"}),
                  "--mpi takes OpenMPI, Intel or MPICH, not 'IntelMPI'"));
  EXPECT_EQ(text({"kubernetes", "mpi.yml", "--as", "mpijob", "--runtime", "x"}),
            "--runtime is for TrainJobs\n  hint: leave it out, or write --as trainjob");
  EXPECT_TRUE(has(text({"kubernetes", "torch.yml", "--as", "trainjob", "--runtime", "a/b"}),
                  "--runtime cannot be 'a/b'"));
  EXPECT_EQ(text({"slurm", "mpi.yml", "--suspend"}),
            "--suspend is for kubernetes, not for slurm\n  hint: leave it out");
}

// ---- gangs --------------------------------------------------------------------------------------

TEST_F(ExportFront, GangsOfOperatorsAreTheirPolicy) {
  const std::string mpi = text({"kubernetes", "mpi.yml", "--as", "mpijob", "--target", "gang"});
  EXPECT_TRUE(has(mpi,
                  "    schedulingPolicy:\n      minAvailable: 3\n      queue: q\n"
                  "      priorityClass: high\n"))
      << mpi;
  EXPECT_TRUE(has(mpi, "          schedulerName: volcano\n"));
  EXPECT_TRUE(has(mpi, "# - gangs need mpi-operator started with --gang-scheduling=volcano\n"));
  EXPECT_FALSE(has(mpi, "kind: PodGroup"));
  const std::string torch =
      text({"kubernetes", "torch.yml", "--as", "pytorchjob", "--target", "plugins"});
  EXPECT_TRUE(has(torch, "      minAvailable: 3\n      scheduleTimeoutSeconds: 60\n")) << torch;
  EXPECT_TRUE(has(torch, "          schedulerName: other\n"));
  EXPECT_TRUE(has(torch, "training-operator started with --gang-scheduler-name=other\n"));
}

TEST_F(ExportFront, GangsOfMustersOwnPodsAreTheirWorkers) {
  const std::string job = text({"kubernetes", "mpi.yml", "--target", "gang"});
  EXPECT_TRUE(has(job, "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n")) << job;
  EXPECT_TRUE(has(job, "spec:\n  minMember: 2\n  queue: q\n  priorityClassName: high\n"));
  const std::string annotation =
      "      annotations:\n        scheduling.k8s.io/group-name: my-job\n";
  EXPECT_TRUE(has(job, annotation));
  EXPECT_EQ(job.find(annotation), job.rfind(annotation));  // the launcher's pod is not in it
  const std::string set = text({"kubernetes", "mpi.yml", "--as", "jobset", "--target", "plugins"});
  EXPECT_TRUE(has(set, "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\n")) << set;
  EXPECT_TRUE(has(set, "scheduling.x-k8s.io/pod-group: my-job\n"));
  EXPECT_TRUE(has(set, "spec:\n  minMember: 2\n  scheduleTimeoutSeconds: 60\n"));
}

TEST_F(ExportFront, AGangLargerThanTheJobWouldNeverStart) {
  EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--target", "many"}),
                  "the job has 3 pods at most, and gang: of the target 'many' waits for 5"));
}

// ---- TrainJobs ----------------------------------------------------------------------------------

TEST_F(ExportFront, TrainJobsRunTorchrunInARuntime) {
  const std::string made = text({"kubernetes", "torch.yml", "--as", "trainjob"});
  EXPECT_TRUE(has(made,
                  "  runtimeRef:\n    apiGroup: trainer.kubeflow.org\n"
                  "    kind: ClusterTrainingRuntime\n    name: torch-distributed\n"))
      << made;
  EXPECT_TRUE(has(made, "    command:\n    - torchrun\n    - --no-python\n    - bash\n"));
  EXPECT_TRUE(has(made, "export NODE_RANK=\"$GROUP_RANK\"\n"));
  EXPECT_TRUE(has(made, "    numNodes: 3\n    numProcPerNode: 4\n"));
}

TEST_F(ExportFront, WhatATrainJobCannotSayIsTold) {
  const auto read = [&](const std::string& target) {
    return text({"kubernetes", "torch.yml", "--as", "trainjob", "--target", target, "--suspend"});
  };
  EXPECT_TRUE(has(read("train"), "    kind: TrainingRuntime\n    name: mine\n"));
  EXPECT_TRUE(has(read("train"), "# - a TrainJob cannot say these, which the runtime must: ttl\n"));
  EXPECT_TRUE(has(read("train"), "  suspend: true\n"));
  EXPECT_TRUE(has(read("gang"), "priority_class, gang (podGroupPolicy there)\n"));
  EXPECT_TRUE(has(read("train"), "needs Kubeflow Trainer 2.2"));
}

TEST_F(ExportFront, WhatATrainJobCannotBeIsRefused) {
  const auto refused = [&](const std::string& file) {
    return text({"kubernetes", file, "--as", "trainjob"});
  };
  EXPECT_EQ(refused("mpi.yml"),
            "a TrainJob of type mpi needs a runtime, and no usual one is for any MPI job\n"
            "  hint: --runtime NAME names one of the cluster with mlPolicy.mpi; or --as mpijob");
  EXPECT_EQ(refused("hydra.yml"),
            "TrainJobs know no MPI but Open MPI\n  hint: --as mpijob fits it");
  EXPECT_EQ(refused("reserved.yml"),
            "a TrainJob cannot set PET_NNODES, which its runtime does\n"
            "  hint: remove it from the job");
  EXPECT_TRUE(has(refused("single.yml"), "a job without a distribution cannot be a TrainJob"));
  const std::string mpi = text(
      {"kubernetes", "ranks.yml", "--as", "trainjob", "--runtime", "mine", "--set", "inputs.a=7"});
  EXPECT_TRUE(has(mpi, "        - name: node\n")) << mpi;
  EXPECT_TRUE(has(mpi, "        - name: launcher\n"));
  EXPECT_TRUE(has(mpi, "'i' is the image of the launcher"));
}

TEST_F(ExportFront, AllKindsCanWaitUntilTheyAreResumed) {
  for (const char* kind : {"job", "jobset", "mpijob"}) {
    EXPECT_TRUE(has(text({"kubernetes", "mpi.yml", "--as", kind, "--suspend"}), "suspend: true\n"))
        << kind;
    EXPECT_FALSE(has(text({"kubernetes", "mpi.yml", "--as", kind}), "suspend")) << kind;
  }
}

// ---- schedules ----------------------------------------------------------------------------------

TEST_F(ExportFront, SchedulesAreLinesForCron) {
  EXPECT_EQ(text({"crontab", "daily.yml"}),
            "# daily.yml, written by muster export; cron mails what it prints\n"
            "CRON_TZ=America/Los_Angeles\n"
            "0 4 * * * 'muster' submit --set inputs.a=5 --set 'tags.when=at '\"$(date -u "
            "+\\%Y-\\%m-\\%dT\\%H:\\%M:\\%SZ)\" --experiment e --target me /here/lr.yml\n");
  const auto reading = read({"crontab", "daily.yml", "-o", "cron", "--set", "inputs.a=6"});
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->text_file, "/here/cron");
  EXPECT_FALSE(has(reading->text, "--set inputs.a=5")) << "the call comes before the schedule";
  EXPECT_TRUE(has(reading->text, "--set inputs.a=6"));
  ASSERT_EQ(reading->notices.size(), 1U);
  EXPECT_TRUE(has(reading->notices.front(), "Debian's does not know it"));
}

TEST_F(ExportFront, SchedulesOfOnePodAreCronJobs) {
  const std::string made = text({"kubernetes", "nightly.yml"});
  EXPECT_TRUE(has(made, "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: nightly\n"))
      << made;
  EXPECT_TRUE(has(made, "  schedule: 30 2 * * *\n  jobTemplate:\n"));
  EXPECT_TRUE(has(made,
                  "exec muster submit --target local --without environment --without gpus "
                  "--no-snapshot /run/muster-job/job.yml\n"));
  EXPECT_TRUE(has(made, "kind: ConfigMap\n"));
  EXPECT_FALSE(has(made, "kubectl create secret"));
  EXPECT_TRUE(has(text({"kubernetes", "daily.yml"}), "  timeZone: America/Los_Angeles\n"));
}

TEST_F(ExportFront, TheJobOfACrontabIsCheckedAsSubmitDoes) {
  EXPECT_TRUE(has(text({"crontab", "of_bad.yml"}), "/here/bad.yml:1:1: ")) << "the job's own line";
  EXPECT_TRUE(has(text({"crontab", "of_more.yml"}), "inputs.b"))
      << text({"crontab", "of_more.yml"});
  EXPECT_TRUE(
      has(text({"crontab", "nightly.yml", "--target", "lob"}), "there is no compute target 'lob'"));
}

TEST_F(ExportFront, SchedulesThatCannotBeAreRefused) {
  EXPECT_EQ(
      text({"crontab", "single.yml"}),
      "'single.yml' is not a schedule\n  hint: a schedule has the keys trigger and create_job");
  EXPECT_EQ(text({"slurm", "nightly.yml"}),
            "a schedule cannot be exported for slurm\n"
            "  hint: write: muster export crontab, or kubernetes");
  EXPECT_EQ(text({"kubernetes", "nightly.yml", "--as", "mpijob"}),
            "a schedule becomes a CronJob, and no other kind\n  hint: leave --as out");
  EXPECT_EQ(text({"kubernetes", "nodes.yml"}),
            "a CronJob has one pod, and the job needs 2 nodes\n"
            "  hint: muster export crontab writes a line for a machine that submits it");
  EXPECT_TRUE(has(text({"crontab", "odd.yml"}), "nothing replaces an expression in 'inputs.a="));
}

}  // namespace
}  // namespace muster::front
