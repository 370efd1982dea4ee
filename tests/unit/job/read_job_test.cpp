// Job files in every dialect: what they say ends up in the JobFile.
#include "job/read_job.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "job/expression.hpp"
#include "job/tables.hpp"

namespace muster::job {
namespace {

namespace fs = std::filesystem;

JobFile good(const std::string& text) {
  JobReading reading = read_job(text, "j");
  for (const base::Error& error : reading.complaints) ADD_FAILURE() << to_string(error);
  return std::move(reading.job);
}

JobFile example(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/examples/jobs/" + name);
  return good({std::istreambuf_iterator<char>(file), {}});
}

TEST(ReadJob, EveryExampleIsFine) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(MUSTER_SOURCE_DIR "/examples/jobs")) {
    if (entry.path().extension() != ".yml" || entry.path().stem() == "muster") continue;
    EXPECT_TRUE(example(entry.path().filename()).frameworks.size() == 1) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 13);
}

TEST(ReadJob, CountsHaveOtherNamesInTheOtherSdk) {
  const JobReading reading = read_job(
      "type: command\ncommand: x\ndistribution: {type: mpi, process_count_per_node: 2}\n"
      "resources: {node_count: 2}\n",
      "j");
  ASSERT_EQ(reading.complaints.size(), 2U);
  EXPECT_EQ(reading.complaints[0].hint, "did you mean process_count_per_instance?");
  EXPECT_EQ(reading.complaints[1].hint, "did you mean instance_count?");
}

TEST(ReadJob, ListsTypesWhereNoneIsNear) {
  const auto reading =
      read_job("command: echo ${{inputs.a}}\ninputs: {a: {type: zzz, default: 1}}\n", "j");
  ASSERT_FALSE(reading.complaints.empty());
  const std::string& hint = reading.complaints.front().hint;
  EXPECT_TRUE(hint.starts_with("types that are allowed here: ")) << hint;
  EXPECT_EQ(hint.find("key"), std::string::npos) << hint;
}

TEST(ReadJob, Draft) {
  const JobFile job = example("mpirun.yml");
  EXPECT_EQ(job.dialect, Dialect::draft);
  EXPECT_EQ(job.command->text,
            "mpirun -np 16 --hostfile $AZUREML_MPI_HOSTFILE -bind-to none -map-by slot -x "
            "NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH -mca pml ob1 -mca btl ^openib python "
            "train.py");
  EXPECT_EQ(job.code->text, "./src");
  EXPECT_EQ(job.image->text, "docker.io/pytorch");
  EXPECT_EQ(job.nodes->number, 4U);
  EXPECT_EQ(job.slots->number, 4U);
  EXPECT_EQ(job.instance_type->text, "Standard_NC24");
  EXPECT_EQ(job.frameworks.front().framework, Framework::mpi);
}

TEST(ReadJob, LimitsOfWorkersCountThoseOfTheLauncherDoNot) {
  const JobReading reading = [] {
    std::ifstream file(MUSTER_SOURCE_DIR "/examples/jobs/mpirun_k8s.yml");
    return read_job(std::string(std::istreambuf_iterator<char>(file), {}), "j");
  }();
  EXPECT_EQ(reading.job.limits.gpu->number, 4U);
  EXPECT_FALSE(reading.job.limits.memory);
  EXPECT_EQ(reading.job.target->text, "my-aks-cluster");
  EXPECT_EQ(reading.job.launcher.cpu->text, "1");
  EXPECT_EQ(reading.job.launcher.memory->text, "2Gi");
  EXPECT_FALSE(reading.job.launcher.gpu);
  ASSERT_EQ(reading.job.infrastructure.size(), 1U);
  EXPECT_EQ(reading.job.infrastructure.front().value.text, "k8s");
  EXPECT_TRUE(reading.notices.empty()) << "whether they have an effect is the target's matter";
}

TEST(ReadJob, RolesHaveTheirOwnVariables) {
  const JobFile job = example("tensorflow_servers.yml");
  EXPECT_EQ(job.code->text, "./src");
  EXPECT_EQ(job.variables.front().value.text, "number");
  EXPECT_EQ(job.workers.count->number, 2U);
  EXPECT_EQ(job.workers.limits.cpu->text, "4");
  EXPECT_EQ(job.servers.count->number, 4U);
  EXPECT_EQ(job.servers.image->text, "docker.io/python");
  EXPECT_EQ(job.servers.limits.memory->text, "2Gi");
  EXPECT_EQ(job.servers.variables.front().name, "MAGIC");
  EXPECT_EQ(job.servers.variables.front().value.text, "newnumber");
}

TEST(ReadJob, Component) {
  const JobFile job = example("mpi_component.yml");
  EXPECT_EQ(job.dialect, Dialect::component);
  EXPECT_TRUE(job.command->text.starts_with("python mpi_train.py --training_data {inputs."));
  ASSERT_EQ(job.inputs.size(), 3U);
  EXPECT_EQ(job.inputs[1].least->text, "1");
  EXPECT_EQ(job.outputs.front().name, "model_output");
}

TEST(ReadJob, CommandJob) {
  const JobFile job = example("command_mpi.yml");
  EXPECT_EQ(job.dialect, Dialect::command);
  EXPECT_EQ(job.per_node->number, 2U);
  EXPECT_EQ(job.nodes->number, 2U);
  EXPECT_TRUE(job.inputs[0].is_path);
  EXPECT_EQ(job.inputs[1].value->text, "3");
  EXPECT_TRUE(job.inputs[2].optional);
  EXPECT_EQ(job.outputs.front().name, "model");
  EXPECT_EQ(job.target->text, "azureml:gpu-cluster");
}

TEST(ReadJob, NativeCommandsAreTextOrWords) {
  EXPECT_EQ(example("native.yml").words.size(), 6U);
  EXPECT_FALSE(example("native.yml").command);
  const JobFile job = good("muster: 1\ncommand: echo $RANK\n");
  EXPECT_EQ(job.command->text, "echo $RANK");
  EXPECT_TRUE(job.words.empty());
}

TEST(ReadJob, KeysDecideTheDialect) {
  EXPECT_EQ(good("command: x\ncode: {path: s}\n").dialect, Dialect::draft);
  EXPECT_EQ(good("command: x\ncompute: {target: t}\n").dialect, Dialect::draft);
  EXPECT_EQ(good("command: x\ncode: s\n").dialect, Dialect::command);
}

constexpr std::string_view kComponent = R"(
name: train
inputs: {n: {type: Integer, default: 3}, data: {type: path, optional: true}}
outputs: {out: {type: path}}
)";

TEST(ReadJob, CommandComponentsOfThePreviews) {
  const std::string command = "command: t --n {inputs.n} [--data {inputs.data}] {outputs.out}\n";
  const Values values{{{"n", "3"}, {"data", std::nullopt}}, {{"out", "/o"}}};
  for (const char* kind :
       {"type: CommandComponent\n", "type: commandcomponent@1-legacy\n",
        "$schema: http://azureml/sdk-2-0/CommandComponent.json\n",
        "$schema: http://azureml/sdk-2-0/CommandComponent.json\ntype: CommandComponent\n"}) {
    const JobFile job = good(kind + command + std::string(kComponent));
    EXPECT_EQ(job.dialect, Dialect::component) << kind;
    EXPECT_TRUE(job.frameworks.empty()) << kind;
    EXPECT_EQ(expand(job.command->text, job.dialect, values), "t --n 3  /o") << kind;
  }
  const JobFile torch =
      good("type: DistributedComponent\nlauncher: {type: PyTorch, additional_arguments: t}\n");
  EXPECT_EQ(torch.frameworks.front().framework, Framework::pytorch);
  EXPECT_EQ(
      to_string(read_job("type: CommandComponent\nname: x\n", "j").complaints.front()),
      "j: the component has nothing to run\n  hint: command: COMMAND, or launcher: {type: mpi, "
      "additional_arguments: COMMAND}");
}

// As the classes of azure-ml-component 0.9 take them: a command or a launcher, by the type.
TEST(ReadJob, ComponentsOfThePreviewsRunACommandOrALauncher) {
  const std::string command = "command: t\n";
  const std::string launcher = "launcher: {type: mpi, additional_arguments: t}\n";
  const auto told = [](const std::string& text) {
    const JobReading reading = read_job(text, "j");
    return reading.complaints.empty() ? "" : to_string(reading.complaints.front());
  };
  const std::string distributed = "type: DistributedComponent@1\n";
  const std::string plain = "type: CommandComponent\n";
  EXPECT_EQ(told(plain + command), "");
  EXPECT_EQ(told(distributed + launcher), "");
  EXPECT_EQ(told(launcher), "");
  EXPECT_EQ(told(distributed + command),
            "j:2:1: a DistributedComponent needs a launcher\n  hint: write launcher: {type: mpi, "
            "additional_arguments: COMMAND}, or type: CommandComponent for a command in one "
            "process");
  EXPECT_EQ(told(plain + launcher),
            "j:2:1: a CommandComponent has no launcher\n  hint: write type: DistributedComponent, "
            "or command: COMMAND");
  for (const std::string& text :
       {distributed + launcher + command, distributed + command + launcher,
        plain + command + launcher, command + launcher}) {
    EXPECT_NE(told(text).find(": command and launcher cannot be combined\n"), std::string::npos)
        << text << told(text);
  }
  EXPECT_EQ(told(distributed + launcher + command).substr(0, 6), "j:3:1:");
  EXPECT_EQ(told(plain + command + launcher).substr(0, 6), "j:3:1:");
}

TEST(ReadJob, AnExpressionThatNothingReplacesIsAnError) {
  const std::string command = "command: t --n {inputs.n} {outputs.out} {other} {inputs.}\n";
  for (const char* kind : {"type: command\n", "", "muster: 1\n"}) {
    const JobReading reading = read_job(kind + command + std::string(kComponent), "j");
    ASSERT_EQ(reading.complaints.size(), 2U) << kind;
    EXPECT_NE(to_string(reading.complaints[0]).find("write ${{inputs.n}}"), std::string::npos)
        << kind;
    EXPECT_NE(to_string(reading.complaints[1]).find("write ${{outputs.out}}"), std::string::npos)
        << kind;
  }
}

TEST(ReadJob, OtherComponentsOfThePreviewsAreToldByName) {
  for (const char* kind :
       {"ParallelComponent", "SweepComponent@1", "SparkComponent", "HDInsightComponent",
        "ScopeComponent", "DataTransferComponent", "PipelineComponent"}) {
    const JobReading reading = read_job(std::string("type: ") + kind + "\nname: x\n", "j");
    ASSERT_EQ(reading.complaints.size(), 1U) << kind;
    EXPECT_TRUE(
        to_string(reading.complaints[0]).starts_with("j:1:1: this is a ") ||
        to_string(reading.complaints[0]).starts_with("j:1:1: components of this older kind"))
        << to_string(reading.complaints[0]);
  }
}

TEST(ReadJob, KindJobsHaveALauncherAndWorkers) {
  const JobFile mpi = good(R"(
name: rings
type: MpiJob
launcher:
  spec:
    command: mpirun -np 8 --hostfile AZUREML_MPI_HOSTFILE python ring.py
    code: {path: ./src}
    environment: azureml:rings:1
    resource_limits: {cpu: 1, memory: 2Gi}
worker:
  spec: {environment: azureml:rings:1, resource_limits: {nvidia.com/gpu: 4}}
compute: {type: AmlCompute, target: big, instance_count: 2}
)");
  EXPECT_EQ(mpi.dialect, Dialect::draft);
  EXPECT_EQ(mpi.frameworks.front().framework, Framework::mpi);
  EXPECT_EQ(mpi.nodes->number, 2U);
  EXPECT_EQ(mpi.limits.gpu->number, 4U);
  EXPECT_EQ(mpi.code->text, "./src");
  EXPECT_EQ(mpi.target->text, "big");
  const JobFile torch = good(
      "type: PytorchJob\nworker: {spec: {command: python t.py}, num_replicas: 3, "
      "resource_limits: {gpu: 2}}\n");
  EXPECT_EQ(torch.frameworks.front().framework, Framework::pytorch);
  EXPECT_EQ(torch.nodes->number, 3U);
  EXPECT_EQ(torch.limits.gpu->number, 2U);
  const JobFile tensorflow = good(R"(
type: TensorflowJob
parameter_server: {num_replicas: 2, spec: {command: python t.py, code: {path: s}}}
worker: {num_replicas: 4, spec: {command: python t.py, code: {path: s}}}
compute: {type: AmlCompute, target: t, instance_count: 4}
)");
  EXPECT_EQ(tensorflow.workers.count->number, 4U);
  EXPECT_EQ(tensorflow.servers.count->number, 2U);
  EXPECT_EQ(tensorflow.instances->number, 4U);
}

TEST(ReadJob, KindJobsOftenForgetADollar) {
  const JobReading reading = read_job(
      "type: PytorchJob\nworker: {spec: {command: python -m l --node_rank NODE_RANK x}}\n", "j");
  EXPECT_EQ(reading.notices,
            std::vector<std::string>{
                "the command has the word NODE_RANK as it is; its value is $NODE_RANK"});
}

TEST(ReadJob, FilesOfThePreview) {
  const JobFile job = good(R"(
code: {directory: .}
command: python train.py {inputs.texts}/a.json ${{inputs.rate}} {other}
inputs: {texts: {data: texts, mode: mount}, rate: 1}
distribution: {type: mpi, process_count_per_instance: 2}
compute: {target: azureml:t, instance_count: 3}
)");
  EXPECT_EQ(job.dialect, Dialect::preview);
  EXPECT_EQ(job.code->text, ".");
  EXPECT_EQ(job.nodes->number, 3U);
  EXPECT_TRUE(job.inputs.front().is_path);
  EXPECT_EQ(job.inputs.front().mode->text, "mount");
  const Values values{{{"texts", "/t"}, {"rate", "1"}}, {}};
  EXPECT_EQ(expand(job.command->text, job.dialect, values), "python train.py /t/a.json 1 {other}");
}

TEST(ReadJob, GroupsOfDistributedComponents) {
  const auto expanded = [](const std::string& arguments) {
    const JobFile job = good("launcher: {type: mpi, additional_arguments: '" + arguments +
                             "'}\ninputs: {a: {default: 1}, b: {type: String, optional: true}}\n"
                             "successful_return_code: ZeroOrGreater\n");
    EXPECT_TRUE(job.any_code);
    const Values values{{{"a", "1"}, {"b", std::nullopt}}, {}};
    return expand(job.command->text, job.dialect, values).value_or("(nothing)");
  };
  EXPECT_EQ(expanded("x --a {inputs.a} [ --b {inputs.b} ] c"), "x --a 1  c");
  EXPECT_EQ(expanded("x [--a {inputs.a}] [y]"), "x --a 1 [y]");
  EXPECT_EQ(expanded("[ -f {inputs.a} ] && x"), "[ -f 1 ] && x");
  EXPECT_EQ(expanded("if [ {inputs.a} = 1 ]; then x; fi"), "if [ 1 = 1 ]; then x; fi");
}

TEST(ReadJob, ParallelComponents) {
  const JobReading reading = read_component(R"(
type: parallel
inputs: {rows: {type: mltable}, model: {type: uri_folder}}
outputs: {all: {type: uri_file}}
input_data: ${{inputs.rows}}
mini_batch_size: 10kb
partition_keys: [a, b]
max_concurrency_per_instance: 2
error_threshold: -1
mini_batch_error_threshold: 5
logging_level: DEBUG
retry_settings: {max_retries: 2, timeout: 60}
resources: {instance_count: 3}
task:
  type: run_function
  code: src
  entry_script: score.py
  program_arguments: --model ${{inputs.model}}
  append_row_to: ${{outputs.all}}
  environment: azureml:e:1
)",
                                            "j");
  ASSERT_EQ(reading.complaints.size(), 0U) << to_string(reading.complaints.front());
  const Parallel& parallel = *reading.job.parallel;
  EXPECT_EQ(parallel.data->text, "${{inputs.rows}}");
  EXPECT_EQ(parallel.batch_size->text, "10kb");
  EXPECT_EQ(parallel.partition_keys.size(), 2U);
  EXPECT_EQ(parallel.per_node->number, 2U);
  EXPECT_EQ(parallel.items_may_fail->text, "-1");
  EXPECT_EQ(parallel.batches_may_fail->text, "5");
  EXPECT_EQ(parallel.retries->text, "2");
  EXPECT_EQ(parallel.batch_timeout->text, "60");
  EXPECT_EQ(parallel.script->text, "score.py");
  EXPECT_EQ(parallel.arguments->text, "--model ${{inputs.model}}");
  EXPECT_EQ(parallel.append_to->text, "${{outputs.all}}");
  EXPECT_EQ(reading.job.nodes->number, 3U);
  EXPECT_EQ(reading.job.environment.front().text, "azureml:e:1");
}

TEST(ReadJob, NumbersAsTextAreAsWritten) {
  const JobFile job = good("command: x\nenvironment_variables: {A: 010, B: 1e3, C: yes, D: '~'}\n");
  std::string all;
  for (const Named& variable : job.variables) all += variable.value.text + " ";
  EXPECT_EQ(all, "010 1e3 yes ~ ");
}

// What muster has not, but files of Azure ML's may say, has an answer of its own.
TEST(ReadJob, WhatOnlyAzureMlHasIsNamed) {
  const JobReading reading = read_job(R"(
command: x
comment: of a person
environment: {image: i, datastore: d, inference_config: {}}
distribution: {type: mpi, port: 1, dashboard_port: 2}
resources: {max_instance_count: 3, properties: {a: b}}
inputs: {one: {type: uri_folder, path: p, path_on_compute: /a, datastore: d, mode: mount}}
outputs: {two: {mode: link, path_on_compute: /b}}
auto_delete_setting: {condition: created_greater_than, value: 1d}
parent_job_name: p
id: azureml:x:1
)",
                                      "j");
  EXPECT_TRUE(reading.complaints.empty());
  const std::string service = " has no effect here: it is for Azure ML's service";
  const std::string ray = " has no effect here: it is only for Ray";
  const std::string in_place =
      " has no effect here: the job sees inputs and outputs where they are";
  EXPECT_EQ(reading.notices,
            (std::vector<std::string>{
                "environment.datastore" + service,
                "environment.inference_config has no effect here: it is for servers, not for jobs",
                "distribution.port" + ray, "distribution.dashboard_port" + ray,
                "resources.max_instance_count has no effect here: instance_count says how many "
                "nodes the job has",
                "resources.properties" + service, "inputs.one.path_on_compute" + in_place,
                "inputs.one.datastore" + service, "outputs.two.mode" + in_place,
                "outputs.two.path_on_compute" + in_place, "auto_delete_setting" + service,
                "parent_job_name" + service, "id" + service}));
}

TEST(ReadJob, ChoicesThatAreNotHereAreRefusedByName) {
  const auto wrong = [](const std::string& text) {
    std::string said;
    for (const base::Error& error : read_component(text, "j").complaints) {
      said += to_string(error) + "\n";
    }
    return said;
  };
  EXPECT_EQ(wrong("command: x\ndistribution: {type: Ray, port: 1}\n"),
            "j:2:22: distribution.type cannot be ray: muster does not start Ray clusters\n  hint: "
            "use type: mpi, and start Ray in the command: its head where RANK is 0, else a "
            "worker\n");
  EXPECT_EQ(
      wrong(R"(
type: parallel
inputs: {rows: {type: mltable}}
input_data: ${{inputs.rows}}
mini_batch_size: 10
task: {type: model, entry_script: batch.py, code: .}
)"),
      "j:6:14: task.type cannot be model: a batch goes to a function, not to a model\n  hint: "
      "write type: run_function, and the script as entry_script\n");
}

// Processor time, since machines are busy; sanitizers take several times as long. The square of
// their number would take minutes.
TEST(ReadJob, ComplainsQuicklyOfVeryMuch) {
  std::string keys;
  std::string expressions = "command: a";
  std::string unknown = "command: a";
  std::string inputs = "\ninputs:\n";
  for (int i = 0; i < 30000; ++i) {
    keys += fmt::format("key_{}: 1\n", i);
    expressions += " ${{ ${{";
    unknown += " ${{inputs.k}}";
    inputs += fmt::format("  i{}: 1\n", i);
  }
  for (const std::string& text : {keys, expressions + "\n", unknown + inputs}) {
    const std::clock_t start = std::clock();
    EXPECT_FALSE(read_job(text, "j").complaints.empty());
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10);
  }
}

TEST(ReadJob, TablesOfKeysHaveNoTwins) {
  for (const Dialect dialect :
       {Dialect::native, Dialect::draft, Dialect::component, Dialect::command}) {
    std::vector<std::string_view> names;
    for (const JobKey& key : table_of(dialect)) names.push_back(key.text.name);
    std::ranges::sort(names);
    EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end()) << word(dialect);
  }
}

}  // namespace
}  // namespace muster::job
