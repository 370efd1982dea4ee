// The words of submit, explain, validate and schema.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "front/inherited.hpp"
#include "front/job/front.hpp"
#include "front/pipeline_request.hpp"
#include "unit/front/submit_call.hpp"

namespace muster::front {
namespace {

std::string export_of(const Reading& read, std::string_view name) {
  for (const model::EnvSetting& one : read.request->spec.apps.front().exports) {
    if (one.name == name) return one.value.value_or("");
  }
  return {};
}

using Words = std::vector<std::string>;

class JobFront : public SubmitCall {
 protected:
  JobFront() {
    files_ = {
        {"job.yml",
         "command: x ${{inputs.a}}\ninputs: {a: 1}\nresources: {instance_count: 2}\n"
         "distribution: {type: mpi}\n"},
        {"bad.yml", "comand: x\ncode: [1]\n"},
    };
  }

  // It finds files by their names, too.
  Call asked_with_files(Words words) {
    Call call = asked(std::move(words));
    call.record_folder = "/records/1";
    call.look_into = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
      return files_.at(path);
    };
    call.list_files = [this](const std::string& folder, const auto& endings) {
      FilesBelow found;
      for (const auto& file : files_) {
        const std::string& path = file.first;
        const bool fits =
            std::ranges::any_of(endings, [&](auto one) { return path.ends_with(one); });
        if (path.starts_with(folder + "/") && fits) found.paths.push_back(path);
      }
      return found;
    };
    return call;
  }

  std::string refusal(const base::Result<Reading>& reading) {
    return reading ? "" : reading.error().what;
  }
};

TEST_F(JobFront, OptionsMayStandOnBothSidesOfTheFile) {
  const auto read = read_submit(asked({"--fake-nodes", "2", "job.yml", "--set", "inputs.a=7"}));
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_TRUE(read->request);
  EXPECT_EQ(read->request->spec.fake_nodes, 2U);
  EXPECT_EQ(read->request->spec.apps.front().command.back(), "x 7");
  EXPECT_EQ(read->request->spec.apps.front().workdir, "/here");
  EXPECT_FALSE(read->request->dry_run);
}

TEST_F(JobFront, AnEnvironmentMayLieInAFileOfItsOwn) {
  files_["job.yml"] = "command: x\nenvironment: file:./envs/a/env.yml\n";
  files_["/here/envs/a/env.yml"] = "$schema: s\nname: n\nimage: registry/x:1\n";
  const auto read = read_submit(asked({"job.yml"}));
  ASSERT_TRUE(read && read->request) << (read ? "" : to_string(read.error()));
  ASSERT_TRUE(read->request->spec.container);
  EXPECT_EQ(read->request->spec.container->image, "registry/x:1");
  files_["/here/envs/a/env.yml"] = "image: x\nimagge: y\n";
  auto complaints = read_submit(asked({"job.yml"}))->complaints;
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints.front().place, (base::Place{"./envs/a/env.yml", 2, 1}));
  files_.erase("/here/envs/a/env.yml");
  complaints = read_submit(asked({"job.yml"}))->complaints;
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints.front().place, (base::Place{"job.yml", 2, 14}));
  EXPECT_TRUE(complaints.front().what.starts_with("the environment './envs/a/env.yml': "));
}

TEST_F(JobFront, AStepsEnvironmentMayLieBesideItsComponent) {
  files_["p.yml"] = "type: pipeline\njobs:\n  a: {component: file:./c/c.yml}\n";
  files_["c/c.yml"] = "type: command\ncommand: x\nenvironment: file:env.yml\n";
  files_["/here/c/env.yml"] = "image: registry/y\n";
  Call call = asked({"p.yml"});
  call.record_folder = "/records/1";
  const auto read = read_submit(call);
  ASSERT_TRUE(read && read->pipeline) << (read ? "" : to_string(read.error()));
  EXPECT_TRUE(read->complaints.empty());
}

TEST_F(JobFront, AnUnknownTargetIsToldWhereTheFileSaysIt) {
  files_["c.yml"] = "type: command\ncommand: x\n";
  const auto told = [&](const char* text) {
    files_["p.yml"] = text;
    Call call = asked({"p.yml"});
    call.record_folder = "/records/1";
    const auto read = read_submit(call);
    return read ? std::string("read") : to_string(read.error().place);
  };
  EXPECT_EQ(told("type: pipeline\nsettings: {default_compute: azureml:far}\njobs:\n"
                 "  a: {component: c.yml}\n"),
            "p.yml:2:29");
  EXPECT_EQ(told("type: pipeline\njobs:\n  a: {component: c.yml, compute: azureml:far}\n"),
            "p.yml:3:34");
  files_["c.yml"] = "type: command\ncommand: x\ncompute: azureml:far\n";
  EXPECT_EQ(told("type: pipeline\njobs:\n  a: {component: c.yml}\n"), "c.yml:3:10");
}

TEST_F(JobFront, ANoticeOfSeveralStepsIsToldOnce) {
  std::string steps = "type: pipeline\njobs:\n";
  const auto told = [&](const char* more) {
    steps += fmt::format("  {}: {{command: x, resources: {{instance_count: 2}}}}\n", more);
    files_["p.yml"] = steps;
    Call call = asked({"p.yml", "--fake-nodes", "2"});
    call.record_folder = "/records/1";
    const auto read = read_submit(call);
    EXPECT_TRUE(read && read->notices.size() == 1);
    return read->notices.front().substr(0, read->notices.front().find(':'));
  };
  EXPECT_EQ(told("a"), "a");
  EXPECT_EQ(told("b"), "a, b");
  EXPECT_EQ(told("c"), "a, b, c");
  EXPECT_EQ(told("d"), "a, b and 2 more steps");
}

TEST_F(JobFront, AVariableOfAzureThatNothingSetsIsTold) {
  const auto told = [&](const std::string& more, Words words = {}) {
    files_["/here/job.yml"] = files_["job.yml"] =
        "type: command\ncommand: >\n  python t.py\n  --hosts $AZ_BATCHAI_WORKER_HOSTS --rank "
        "$AZ_BATCHAI_TASK_INDEX\n" +
        more;
    words.insert(words.begin(), "job.yml");
    const auto read = read_submit(asked_with_files(words));
    return read ? read->notices : Words{refusal(read)};
  };
  const std::string line =
      "nothing sets $AZ_BATCHAI_WORKER_HOSTS for this job, so it is empty in the command";
  EXPECT_EQ(told(""), Words{"job.yml:4:11: " + line});
  EXPECT_EQ(told("environment_variables: {AZ_BATCHAI_WORKER_HOSTS: a}\n"), Words{});
  const Words two =
      told("environment_variables: {AZ_BATCHAI_WORKER_HOSTS: a}\n", {"--dialects", "^azureml"});
  EXPECT_EQ(two, Words{"job.yml:4:43: nothing sets $AZ_BATCHAI_TASK_INDEX for this job, so it is "
                       "empty in the command"});
  const auto is_told_in = [&](const std::string& batch) {
    files_["/here/muster.yml"] = "targets: {q: {slurm: " + batch + "}}\n";
    return std::ranges::count(told("", {"--target", "q"}), "job.yml:4:11: " + line) > 0;
  };
  EXPECT_TRUE(is_told_in("{}"));
  EXPECT_FALSE(is_told_in("{setup: [. ./env.sh]}")) << "which may set it";
}

TEST_F(JobFront, AnImageMayHaveVariablesOfAzuresOwn) {
  const auto told = [&](const std::string& name) {
    files_["job.yml"] = "type: command\nenvironment: {image: registry/x:1}\ncommand: a $" + name;
    return read_submit(asked({"job.yml"}))->notices.size();
  };
  EXPECT_EQ(told("AZUREML_CONDA_ENVIRONMENT_PATH"), 0U);
  EXPECT_EQ(told("AZ_BATCHAI_WORKER_HOSTS"), 1U);
}

TEST_F(JobFront, PackagesBelowAnImageOfAzureAreForTheHosts) {
  const auto read = [&](const std::string& image, Words words = {}) {
    files_["job.yml"] = "type: command\ncommand: x\nenvironment: {image: " + image +
                        ", conda_file: {dependencies: [{pip: [numpy]}]}}\n";
    words.insert(words.begin(), "job.yml");
    return read_submit(asked(std::move(words)));
  };
  const char* base = "mcr.microsoft.com/azureml/openmpi4.1.0-ubuntu20.04:latest";
  auto job = read(base);
  ASSERT_TRUE(job && job->request) << (job ? to_string(job->complaints.front()) : "");
  EXPECT_FALSE(job->request->spec.container);
  EXPECT_NE(job->request->packages.find("numpy"), std::string::npos);
  EXPECT_EQ(job->notices.front(),
            "the image '" + std::string(base) +
                "' is not used: it is only what Azure ML installs "
                "packages on, and the hosts get those of conda_file themselves");
  EXPECT_TRUE(read(base, {"--without", "environment"})->notices.empty());
  for (const char* other : {"registry/x", "mcr.microsoft.com/azureml/curated/sklearn-1.0:5",
                            "mcr.microsoft.com/azureml/promptflow/promptflow-runtime:1"}) {
    job = read(other);
    ASSERT_EQ(job->complaints.size(), 1U);
    EXPECT_EQ(job->complaints.front().what, "muster adds no conda packages to an image");
  }
}

TEST_F(JobFront, TargetsAreFoundNearTheJobThenAtHome) {
  files_["/home/u/.config/muster/muster.yml"] = "targets: {t: {hosts: 'a:1,b:1'}}";
  auto read = read_submit(asked({"job.yml", "--target", "t"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hosts.size(), 2U);
  files_["/here/muster.yml"] = "targets: {t: {hostfile: hosts}}";
  files_["/here/hosts"] = "c slots=1\nd slots=1\n";
  read = read_submit(asked({"job.yml", "--target", "t"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hosts.front().name, "c");
  files_["/here/muster.yml"] = "targets: []";
  read = read_submit(asked({"job.yml"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->complaints.size(), 1U);
}

TEST_F(JobFront, NamesOfACloudLeadWhereMusterYmlSays) {
  files_["p.yml"] =
      "type: pipeline\ninputs: {d: {type: uri_folder, path: 'azureml:mnist@latest'}}\njobs:\n"
      "  a: {component: 'azureml:train:2', inputs: {x: '${{parent.inputs.d}}'}}\n";
  files_["/conf/c/train.yml"] =
      "type: command\nname: train\ncommand: x\ninputs: {x: {type: uri_folder}}\n"
      "environment: azureml:sklearn:1\n";
  files_["/home/u/.config/muster/muster.yml"] =
      "components: {train: /conf/c/train.yml}\ndata: {mnist: ./mnist}\n"
      "environments: {sklearn: registry/sklearn}\n";
  Call call = asked({"p.yml", "--dry-run"});
  call.record_folder = "/records/1";
  auto read = read_submit(call);
  ASSERT_TRUE(read && read->pipeline) << (read ? to_string(read->complaints.front()) : "");
  EXPECT_EQ(read->notices,
            (Words{"azureml:train:2 is /conf/c/train.yml (components.train, "
                   "/home/u/.config/muster/muster.yml:1:14)",
                   "azureml:mnist@latest is /home/u/.config/muster/mnist (data.mnist, "
                   "/home/u/.config/muster/muster.yml:2:8)",
                   "azureml:sklearn:1 is registry/sklearn (environments.sklearn, "
                   "/home/u/.config/muster/muster.yml:3:16)"}));
  EXPECT_EQ(read->pipeline->steps.front().data, Words{"/home/u/.config/muster/mnist"});
  call.words = {"p.yml", "--set", "data.mnist=m", "--set", "data.minst=m"};
  read = read_submit(call);
  ASSERT_TRUE(read && read->pipeline) << (read ? to_string(read->complaints.front()) : "");
  EXPECT_EQ(read->pipeline->steps.front().data, Words{"/here/m"});
  EXPECT_EQ(read->notices,
            Words{"--set data.minst has no effect here: the job names no such data"});
}

TEST_F(JobFront, NamesThatNobodyKnowsAreToldWithNearOnes) {
  files_["job.yml"] =
      "command: x ${{inputs.a}}\ninputs: {a: {type: uri_folder, path: 'azureml:mnist:1'}}\n";
  files_["/here/muster.yml"] = "data: {minst: ./m, store: 'azureml://datastores/x/paths/'}\n";
  auto complaints = read_submit(asked({"job.yml"}))->complaints;
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(to_string(complaints.front()),
            "job.yml:2:38: the input a is where muster cannot reach it: 'azureml:mnist:1'\n"
            "  hint: did you mean minst? If not, name a file or folder of the hosts: --set "
            "inputs.a=PATH, or data: {mnist: PATH} in muster.yml");
  complaints = read_submit(asked({"job.yml", "--set", "inputs.a=azureml:store"}))->complaints;
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints.front().what,
            "the input a: azureml:store leads to where muster cannot reach it: "
            "'azureml://datastores/x/paths/' (data.store, /here/muster.yml:1:20)");
  files_["p.yml"] = "type: pipeline\njobs:\n  a: {component: 'azureml:train'}\n";
  files_["/here/muster.yml"] = "components: {tran: x.yml}\n";
  complaints = read_validate(asked({"p.yml"}))->complaints;
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(to_string(complaints.front()),
            "p.yml:3:18: the component 'azureml:train' is registered in Azure ML, where muster "
            "cannot reach it\n  hint: did you mean tran? If not, name its file: component: "
            "./FILE.yml, or components: {train: ./FILE.yml} in muster.yml");
  files_["/here/muster.yml"] = "compnents: {}\n";
  complaints = read_validate(asked({"p.yml"}))->complaints;
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints.front().what, "/here/muster.yml:1:1: unknown key 'compnents'");
}

TEST_F(JobFront, NamesOfEnvironmentsAreImagesOrFiles) {
  files_["job.yml"] = "command: x\nenvironment: azureml:AzureML-sklearn@latest\n";
  files_["/here/envs/e.yml"] = "image: registry/of-file\n";
  const auto image = [&](const std::string& setting) {
    const auto read = read_submit(asked({"job.yml", "--set", setting}));
    return read && read->request && read->request->spec.container
               ? read->request->spec.container->image
               : "(none)";
  };
  EXPECT_EQ(image("environments.AzureML-sklearn=registry/named:1"), "registry/named:1");
  EXPECT_EQ(image("environments.AzureML-sklearn=envs/e.yml"), "registry/of-file");
  EXPECT_EQ(image("environments.AzureML-sklearn@latest=file:./envs/e.yml"), "registry/of-file");
  files_["job.yml"] = "command: x\nenvironment: {name: AzureML-sklearn}\n";
  EXPECT_EQ(image("environments.AzureML-sklearn=registry/named:1"), "registry/named:1");
}

TEST_F(JobFront, FilesBesideAJobAreFoundByTheirNames) {
  files_["p.yml"] =
      "type: pipeline\njobs:\n  a: {component: 'azureml:train:2', inputs: {x: {path: "
      "'azureml:mnist:1'}}}\n";
  files_["/here/parts/a.yml"] =
      "type: command\nname: train\nversion: 2\ncommand: x\ninputs: {x: {type: uri_folder}}\n"
      "environment: azureml:sklearn@latest\n";
  files_["/here/parts/b.yml"] = "type: command\nname: train\nversion: 1\ncommand: y\n";
  files_["/here/data/mnist.yml"] = "name: mnist\ntype: uri_folder\npath: ./files\n";
  files_["/here/env.yml"] = "name: sklearn\nimage: registry/sklearn\n";
  files_["/here/broken.yml"] = "name: [\n";
  Call call = asked_with_files({"p.yml", "--dry-run"});
  const auto read = read_submit(call);
  ASSERT_TRUE(read && read->pipeline) << (read ? to_string(read->complaints.front()) : "");
  EXPECT_EQ(read->notices,
            (Words{"azureml:train:2 is /here/parts/a.yml (name: in /here/parts/a.yml)",
                   "azureml:mnist:1 is /here/data/files (name: in /here/data/mnist.yml)",
                   "azureml:sklearn@latest is /here/env.yml (name: in /here/env.yml)"}));
  EXPECT_EQ(read->pipeline->steps.front().data, Words{"/here/data/files"});
  files_["/here/parts/b.yml"] = "type: command\nname: train\ncommand: y\n";
  EXPECT_EQ(first_complaint(call), "") << "the one of that version";
  files_["p.yml"] = "type: pipeline\njobs:\n  a: {component: 'azureml:train@latest'}\n";
  EXPECT_EQ(first_complaint(call),
            "p.yml:3:18: two files are called 'train': /here/parts/a.yml and /here/parts/b.yml\n"
            "  hint: say which: components: {train: ./FILE.yml} in muster.yml");
  files_["/here/muster.yml"] = "components: {train: parts/b.yml}\n";
  EXPECT_EQ(first_complaint(call), "");
  files_["p.yml"] = "type: pipeline\njobs:\n  a: {component: 'azureml:trian@latest'}\n";
  EXPECT_NE(first_complaint(call).find("did you mean train?"), std::string::npos);
}

TEST_F(JobFront, WhatAProgramHasRegisteredIsFound) {
  files_["p.yml"] =
      "type: pipeline\njobs:\n  a: {component: 'azureml:my train', inputs: {x: {path: "
      "'azureml:mnist'}}}\n  b: {component: 'azureml:other:1'}\n";
  files_["/records/.registered/components/my_train/9.json"] = R"({"file": "/src/nine.yml"})";
  files_["/records/.registered/components/my_train/10.json"] = R"({"file": "/src/ten.yml"})";
  files_["/records/.registered/components/other/1.json"] =
      R"({"keys": {"type": "command", "command": "z", "environment": "e:1"}})";
  files_["/records/.registered/environments/e/1.json"] = R"({"name": "e", "image": "registry/e"})";
  files_["/records/.registered/data/mnist/1.json"] = R"({"path": "/data/mnist"})";
  files_["/src/ten.yml"] =
      "type: command\ncommand: x\ninputs: {x: {type: uri_folder}}\nenvironment: {image: y}\n";
  const auto read = read_submit(asked_with_files({"p.yml", "--dry-run"}));
  ASSERT_TRUE(read && read->pipeline) << (read ? to_string(read->complaints.front()) : "");
  const std::string folder = "/records/.registered/";
  EXPECT_EQ(read->notices,
            (Words{"azureml:my train is /src/ten.yml (registered, " + folder +
                       "components/my_train/10.json)",
                   "azureml:other:1 is " + folder + "components/other/1.json (registered, " +
                       folder + "components/other/1.json)",
                   "azureml:mnist is /data/mnist (registered, " + folder + "data/mnist/1.json)",
                   "e:1 is registry/e (registered, " + folder + "environments/e/1.json)"}));
}

TEST_F(JobFront, OutputsOfRunsAreInputs) {
  files_["job.yml"] =
      "command: x ${{inputs.a}}\ninputs: {a: {type: uri_folder, path: "
      "'azureml://jobs/kufa/train/outputs/model/paths/best'}}\n";
  Call call = asked({"job.yml"});
  call.find_output = [](const job::RunOutput& output) -> base::Result<std::string> {
    if (output.run != "kufa/train") return base::fail(base::Fault::usage, "h", "no such run");
    return "/records/kufa/" + output.output + "/" + output.below;
  };
  const auto read = read_submit(call);
  ASSERT_TRUE(read && read->request) << (read ? to_string(read->complaints.front()) : "");
  EXPECT_EQ(read->request->spec.apps.front().command.back(), "x /records/kufa/model/best");
  call.words = {"job.yml", "--set", "inputs.a=azureml://jobs/gone/outputs/model"};
  EXPECT_EQ(first_complaint(call), "job.yml: the input a: no such run\n  hint: h");
}

TEST_F(JobFront, RefusesWordsThatMakeNoSense) {
  EXPECT_EQ(refusal(read_submit(asked({}))), "no job file given");
  EXPECT_EQ(refusal(read_submit(asked({"a.yml", "b.yml"}))),
            "one job file at a time, not also 'b.yml'");
  for (const std::string key : {"inputs.a", "tags.b", "data.c", "jobs.d.inputs.e"}) {
    const auto twice = [&](const std::string& value) {
      return read_submit(asked({"job.yml", "--set", key + "=1", "--set", key + "=" + value}));
    };
    EXPECT_EQ(refusal(twice("2"))
                  .find("--set '" + key + "=2' and --set '" + key + "=1' cannot be combined"),
              0U)
        << refusal(twice("2"));
    EXPECT_EQ(refusal(twice("1")).find("cannot be combined"), std::string::npos) << key;
  }
  EXPECT_EQ(refusal(read_submit(asked({"job.yml", "--set", "x"}))),
            "--set takes inputs.NAME=VALUE, tags.NAME=VALUE, data.NAME=PATH, "
            "components.NAME=FILE or environments.NAME=IMAGE, not 'x'");
  EXPECT_EQ(refusal(read_submit(asked({"job.yml", "--target", "t", "-H", "a"}))),
            "-H, --hostfile, --fake-nodes and --target cannot be combined");
  EXPECT_EQ(refusal(read_submit(asked({"job.yml", "--target", "cloud"}))),
            "there is no compute target 'cloud'");
  EXPECT_EQ(refusal(read_submit(asked({"no.yml"}))), "no no.yml");
  EXPECT_EQ(refusal(read_schema(asked({"x"}))), "muster schema takes no words, such as 'x'");
}

TEST_F(JobFront, ValidateGathersComplaints) {
  const auto bad = read_validate(asked({"bad.yml", "--json"}));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->complaints.size(), 2U);
  ASSERT_TRUE(bad->checked);
  EXPECT_EQ(bad->checked->path, "bad.yml");
  const auto good = read_validate(asked({"job.yml"}));
  ASSERT_TRUE(good);
  EXPECT_FALSE(good->checked);
  EXPECT_EQ(good->text, "job.yml: a command job, nothing wrong; it asks for 2 nodes\n");
}

TEST_F(JobFront, ValidateTellsOfEnvironmentsThatNobodyKnows) {
  files_["job.yml"] = "command: echo\nenvironment: azureml:nosuch@latest\n";
  files_["p.yml"] =
      "type: pipeline\njobs:\n"
      "  a: {command: echo, environment: azureml:nosuch:1}\n"
      "  b: {command: echo, environment: azureml:nosuch:1}\n";
  const auto notices = [&](const char* file) {
    const auto read = read_validate(asked({file}));
    EXPECT_TRUE(read && read->complaints.empty());
    return read ? read->notices : std::vector<std::string>();
  };
  for (const char* file : {"job.yml", "p.yml"}) {
    ASSERT_EQ(notices(file).size(), 1U) << file;
    EXPECT_TRUE(
        notices(file).front().starts_with("no image is known for the environment 'azureml:nosuch"))
        << notices(file).front();
  }
  files_["/here/muster.yml"] = "environments: {nosuch: 'debian:12'}";
  for (const char* file : {"job.yml", "p.yml"}) EXPECT_TRUE(notices(file).empty()) << file;
  files_["/here/muster.yml"] = "targets: {t: {hosts: a, without: environment}}\ndefault: t";
  for (const char* file : {"job.yml", "p.yml"}) EXPECT_TRUE(notices(file).empty()) << file;
}

TEST_F(JobFront, ValidateTellsWhatAFileDeclares) {
  files_["declares.yml"] =
      "command: echo ${{inputs.a}} $[[${{inputs.b}}]] ${{outputs.o}}\n"
      "inputs: {a: {type: number}, b: {type: number, optional: true}, c: 3}\n"
      "outputs: {o: {type: uri_folder}}\n";
  const auto read = read_validate(asked({"declares.yml", "--json"}));
  ASSERT_TRUE(read && read->checked);
  const std::vector<model::DeclaredInput> inputs = {{"a", true}, {"b", false}, {"c", false}};
  EXPECT_EQ(read->checked->inputs, inputs);
  EXPECT_EQ(read->checked->outputs, std::vector<std::string>{"o"});
}

TEST_F(JobFront, TheScriptOfABatchSystemIsNoJson) {
  files_["/here/muster.yml"] =
      "targets: {s: {slurm: {}}, g: {grid_engine: {pe: mpi}}, h: {hosts: 'a,b'}}";
  const auto dry = [&](const char* target, const char* json = "--json") {
    return read_submit(asked({"job.yml", "--target", target, json, "--dry-run"}));
  };
  EXPECT_EQ(refusal(dry("s")), "there is no plan before Slurm has given hosts");
  EXPECT_EQ(refusal(dry("g")), "there is no plan before Grid Engine has given hosts");
  EXPECT_TRUE(dry("s", "--without=gpus")->request->dry_run);
  EXPECT_TRUE(dry("h")->request->json);
}

TEST_F(JobFront, ExplainTakesFilesAndCommandLines) {
  const auto file = read_explain(asked({"job.yml", "--fake-nodes", "2", "--json"}));
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_TRUE(file->request->dry_run && file->request->show_environment && file->request->json);
  const auto words = read_explain(asked({"--", "muster", "run", "-n", "3", "x"}));
  ASSERT_TRUE(words) << words.error().what;
  EXPECT_TRUE(words->request->dry_run);
  EXPECT_EQ(words->request->spec.apps.front().ranks, 3U);
  EXPECT_TRUE(read_explain(asked({"--", "mpirun", "-np", "3", "x"})));
  EXPECT_EQ(refusal(read_explain(asked({"--", "ls"}))),
            "'ls' is not a command that muster can explain");
  EXPECT_EQ(refusal(read_explain(asked({"--"}))), "nothing to explain");
}

TEST_F(JobFront, ExplainShowsTheVariablesOfOneRankUnlessAskedForAll) {
  const auto shows_one = [&](Words words) {
    const auto read = read_explain(asked(std::move(words)));
    EXPECT_TRUE(read && read->request);
    return read && read->request && read->request->shows_one_rank;
  };
  EXPECT_TRUE(shows_one({"job.yml", "--fake-nodes", "2"}));
  EXPECT_TRUE(shows_one({"--", "mpirun", "-np", "2", "x"}));
  EXPECT_FALSE(shows_one({"job.yml", "--fake-nodes", "2", "--all-ranks"}));
  EXPECT_FALSE(shows_one({"--all-ranks", "--", "mpirun", "-np", "2", "x"}));
}

TEST_F(JobFront, DraftsThatLaunchGetTheHostsOfTheJob) {
  files_["d.yml"] = "command: mpirun x\ndistributed: {mpi: {worker: {count: 2, slots_per: 3}}}\n";
  auto read = read_submit(asked({"d.yml", "--fake-nodes", "2"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hostfile, "fake-0 slots=3\nfake-1 slots=3\n");
  EXPECT_EQ(read->request->spec.fake_nodes, 0U);
  EXPECT_EQ(export_of(*read, "MUSTER_STARTS_RANKS"), "1");
  EXPECT_EQ(export_of(*read, "MUSTER_FAKE_HOSTS"), "1");
  read = read_submit(asked({"d.yml", "-H", "a:4,b"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hostfile, "a slots=3\nb slots=3\n");
  EXPECT_EQ(export_of(*read, "MUSTER_FAKE_HOSTS"), "");
  EXPECT_TRUE(read->request->spec.hosts.empty());
  read = read_submit(asked({"d.yml", "-H", "a:2,b:2,a:2"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hostfile, "a slots=3\nb slots=2\n");
}

TEST_F(JobFront, CountsOfTheLineWin) {
  const auto read =
      read_submit(asked({"job.yml", "--nodes", "3", "--per-node", "4", "--fake-nodes", "3"}));
  ASSERT_TRUE(read && read->request) << read.error().what;
  EXPECT_EQ(read->request->spec.apps.front().ranks, 12U);
  files_["once.yml"] = "command: x\n";
  const auto once = read_submit(asked({"once.yml", "--nodes", "2"}));
  ASSERT_TRUE(once);
  ASSERT_EQ(once->complaints.size(), 1U);
  EXPECT_EQ(once->complaints[0].what, "--nodes and --per-node are for jobs of type mpi or pytorch");
}

TEST_F(JobFront, WhateverLauncherACommandNamesIsMuster) {
  const auto read = read_submit(asked({"job.yml", "--fake-nodes", "2"}));
  ASSERT_TRUE(read) << read.error().what;
  const auto& names = read->request->spec.launchers;
  for (const char* name : {"muster", "mpirun", "mpiexec", "horovodrun", "torchrun", "deepspeed"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  EXPECT_EQ(read->request->spec.hostfile, "");
  EXPECT_EQ(export_of(*read, "MUSTER_STARTS_RANKS"), "");
}

TEST_F(JobFront, HostsOfATargetAreThoseOfItsFile) {
  files_["/here/muster.yml"] =
      "targets:\n  c: {hosts: [node1, 'node2:2']}\n  bad: {hosts: [a, 'b c']}\n";
  const auto read = read_submit(asked({"job.yml", "--target", "c"}));
  ASSERT_TRUE(read && read->request) << refusal(read);
  EXPECT_EQ(read->request->spec.source_name, "/here/muster.yml");
  EXPECT_EQ(read->request->spec.hosts[1].place, (base::Place{"/here/muster.yml", 2, 22}));
  const auto bad = read_submit(asked({"job.yml", "--target", "bad"}));
  ASSERT_FALSE(bad);
  EXPECT_EQ(
      base::to_string(bad.error()).find("/here/muster.yml:3:20: 'b c': not a valid host name"), 0U)
      << base::to_string(bad.error());
  const auto typed = read_submit(asked({"job.yml", "-H", "a,b"}));
  ASSERT_TRUE(typed && typed->request) << refusal(typed);
  EXPECT_EQ(typed->request->spec.source_name, "-H");
}

TEST_F(JobFront, BracketsInATargetsHostsAreRangesOfThem) {
  const auto hosts_of = [this](int nodes, const std::string& list) {
    files_["job.yml"] = fmt::format(
        "command: x\nresources: {{instance_count: {}}}\n"
        "distribution: {{type: mpi, process_count_per_instance: 2}}\n",
        nodes);
    files_["/here/muster.yml"] = "targets:\n  c: {hosts: " + list + "}\n";
    const auto read = read_submit(asked({"job.yml", "--target", "c"}));
    EXPECT_TRUE(read && read->request) << list << ": " << refusal(read);
    std::string hosts;
    for (const auto& host :
         read && read->request ? read->request->spec.hosts : std::vector<model::HostEntry>()) {
      EXPECT_EQ(host.place.source, "/here/muster.yml") << list;
      hosts += fmt::format("{}:{} ", host.name, host.slots.value_or(0));
    }
    return hosts;
  };
  EXPECT_EQ(hosts_of(4, "'node[1-3,7]:2'"), "node1:2 node2:2 node3:2 node7:2 ");
  EXPECT_EQ(hosts_of(5, "['node[1-3,7]:2', other]"), "node1:2 node2:2 node3:2 node7:2 other:2 ");
  EXPECT_EQ(hosts_of(3, "['a:2', 'n[09-10]:2']"), "a:2 n09:2 n10:2 ");
  files_["/here/muster.yml"] = "targets:\n  c: {hosts: [a, 'node[3-1]']}\n";
  const auto bad = read_submit(asked({"job.yml", "--target", "c"}));
  ASSERT_FALSE(bad);
  EXPECT_EQ(base::to_string(bad.error()).find("/here/muster.yml:2:18: 'node[3-1]'"), 0U)
      << base::to_string(bad.error());
}

TEST_F(JobFront, LaunchersInsideAJobStartOnItsHosts) {
  files_["/proc/1/fd/9"] = "a slots=2\nb slots=2\n";
  Call inside = asked({"-np", "4", "x"});
  inside.environment = {"AZUREML_MPI_HOSTFILE=/proc/1/fd/9", "MUSTER_STARTS_RANKS=1",
                        "MUSTER_SSH_COMMAND=my-ssh -v"};
  for (const char* name : {"run", "mpirun", "mpiexec.hydra", "horovodrun", "deepspeed"}) {
    Call one = inside;
    if (name == std::string_view("run")) one.words = {"-n", "4", "x"};
    if (name == std::string_view("deepspeed")) one.words = {"x.py"};
    auto read = front_of(name)->read(one);
    ASSERT_TRUE(read) << name << ": " << read.error().what;
    ASSERT_EQ(read->request->spec.hosts.size(), 2U) << name;
    EXPECT_EQ(read->request->spec.hosts[1].name, "b") << name;
    ASSERT_TRUE(take_inherited_settings(one, {}, read->request->spec));
    EXPECT_FALSE(read->request->spec.fake_hosts);
    EXPECT_EQ(read->request->spec.source_name, "$AZUREML_MPI_HOSTFILE") << name;
    if (name != std::string_view("deepspeed")) {  // it makes its own list
      EXPECT_EQ(read->request->spec.hosts[1].place.source, "$AZUREML_MPI_HOSTFILE") << name;
    }
    EXPECT_EQ(read->request->spec.carrier.command, (std::vector<std::string>{"my-ssh", "-v"}));
  }
  files_["/proc/1/fd/9"] = "fake-0 slots=4\n";
  inside.environment.emplace_back("MUSTER_FAKE_HOSTS=1");
  auto fake = front_of("mpirun")->read(inside);
  ASSERT_TRUE(fake && take_inherited_settings(inside, {}, fake->request->spec));
  EXPECT_TRUE(fake->request->spec.fake_hosts);
  inside.environment.erase(inside.environment.begin() + 1);
  const auto alone = front_of("mpirun")->read(inside);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->request->spec.hosts.empty());
}

}  // namespace
}  // namespace muster::front
