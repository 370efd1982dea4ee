// Files that hold no job are told what they are.
#include <gtest/gtest.h>

#include "job/read_job.hpp"

namespace muster::job {
namespace {

std::string told(const std::string& text) {
  const JobReading reading = read_job(text, "j");
  return reading.complaints.size() == 1 ? to_string(reading.complaints.front()) : "not one";
}

void expect_is(const std::string& what, const std::string& text) {
  EXPECT_TRUE(told(text).find(": this is " + what) != std::string::npos) << text << told(text);
}

TEST(OtherFiles, ByType) {
  for (const char* type : {"amlcompute", "AmlCompute", "computeinstance", "virtualmachine",
                           "kubernetes", "synapsespark"}) {
    expect_is("a compute target, not a job", std::string("name: a\ntype: ") + type + "\n");
  }
  for (const char* type : {"uri_file", "uri_folder", "mltable"}) {
    expect_is("a data asset, not a job", std::string("path: a\ntype: ") + type + "\n");
  }
  for (const char* type : {"custom_model", "mlflow_model", "triton_model"}) {
    expect_is("a model, not a job", std::string("path: a\ntype: ") + type + "\n");
  }
  for (const char* type : {"azure_blob", "azure_file", "azure_data_lake_gen2", "one_lake"}) {
    expect_is("a datastore, not a job", std::string("name: a\ntype: ") + type + "\n");
  }
  expect_is("a fine-tuning job", "type: finetuning\n");
  expect_is("a prompt flow", "type: promptflow_parallel\n");
}

TEST(OtherFiles, BySchema) {
  const auto schema = [](const std::string& name) {
    return "$schema: https://azuremlschemas.azureedge.net/latest/" + name +
           ".schema.json\nname: a\n";
  };
  expect_is("a data asset, not a job", schema("data"));
  expect_is("a model, not a job", schema("model"));
  expect_is("an environment, not a job", schema("environment"));
  expect_is("a schedule, not a job", schema("schedule"));
  expect_is("a datastore, not a job", schema("azureBlob"));
  expect_is("a datastore, not a job", schema("azureDataLakeGen2"));
  expect_is("a registry, not a job", schema("registry"));
  expect_is("a prompt flow",
            "$schema: https://azuremlschemas.azureedge.net/promptflow/latest/"
            "Flow.schema.json\ninputs: {}\n");
  expect_is("a prompt flow",
            "$schema: https://azuremlschemas.azureedge.net/promptflow/latest/"
            "flow.schema.json\nentry: flow:chat\n");
  expect_is("a feature set, not a job", schema("featureSet"));
  expect_is("a feature set, not a job", "$schema: http://azureml/sdk-2-0/Featureset.json\n");
  expect_is("a feature store, not a job", schema("featureStore"));
  expect_is("an entity of a feature store, not a job", schema("featureStoreEntity"));
  expect_is("an entity of a feature store, not a job",
            "$schema: http://azureml/sdk-2-0/FeatureStoreEntity.json\nname: account\n");
  expect_is("a fine-tuning job", "model: {path: m}\ntraining_data: a.jsonl\n");
  expect_is("an endpoint, not a job", schema("managedOnlineEndpoint"));
  expect_is("a deployment, not a job", schema("kubernetesOnlineDeployment"));
}

TEST(OtherFiles, ByKeys) {
  EXPECT_EQ(told("name: a\nimage: ubuntu\nconda_file: conda.yml\n"),
            "j:1:1: this is an environment, not a job\n  hint: put it into a job file, as "
            "environment: {image: ..., conda_file: ...}");
  expect_is("an environment, not a job", "version: 1\nbuild: {path: .}\ntags: {a: b}\n");
  expect_is("a data asset, not a job", "name: a\npath: ./rows\n");
  expect_is("an endpoint, not a job", "name: a\nauth_mode: key\n");
  expect_is("a prompt flow", "entry: flow:chat\n");
  expect_is("a prompt flow", "inputs: {a: {type: string}}\nnodes: [{name: a, type: llm}]\n");
  expect_is("a prompt flow", "outputs: {}\nnode_variants: {}\nnodes: []\n");
  expect_is("a deployment, not a job", "name: blue\nendpoint_name: a\nmodel: azureml:m:1\n");
}

TEST(OtherFiles, AJobWhoseKeysAreInTheWrongPlaceIsStillAJob) {
  EXPECT_EQ(told("command: x\nimage: ubuntu\n").find("this is"), std::string::npos);
  EXPECT_EQ(told("image: ubuntu\ncompute: t\n").find("this is"), std::string::npos);
  EXPECT_EQ(told("command: x\npath: y\n").find("this is"), std::string::npos);
  EXPECT_EQ(told("command: x\nentry: y\n").find("this is"), std::string::npos);
  EXPECT_EQ(told("command: x\nnodes: 2\ninputs: {}\n").find("this is"), std::string::npos);
  EXPECT_EQ(told("name: a\ndescription: b\n").find("this is"), std::string::npos);
}

}  // namespace
}  // namespace muster::job
