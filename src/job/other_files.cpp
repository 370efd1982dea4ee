// How files that hold no job are recognised: by a key, by its value, or by all of their keys.
#include "job/other_files.hpp"

#include <algorithm>
#include <functional>

#include "base/words.hpp"
#include "job/shared_keys.hpp"

namespace muster::job {
namespace {

constexpr std::string_view kCommands = "muster runs commands: jobs, pipelines and sweeps of them";

struct Other {
  std::string_view key;
  std::string_view value;  // empty: any; "/data.schema.json": whatever ends so; in lower case
  std::string_view what;
  std::string_view hint = kCommands;
};

constexpr std::string_view kSteps = "each of its steps is a job of its own: muster submit STEP.yml";
constexpr std::string_view kOlder = "components of this older kind are not read";
constexpr std::string_view kAsset = "this is a data asset, not a job";
constexpr std::string_view kModel = "this is a model, not a job";
constexpr std::string_view kStore = "this is a datastore, not a job";
constexpr std::string_view kIntoData =
    "say in muster.yml where it is here: data: {\"azureml://datastores/NAME/paths/\": FOLDER}";
constexpr std::string_view kEndpoint = "this is an endpoint, not a job";
constexpr std::string_view kDeployment = "this is a deployment, not a job";
constexpr std::string_view kSchedule = "this is a schedule, not a job";
constexpr std::string_view kToCron = "muster export crontab FILE writes a line for cron";
constexpr std::string_view kCompute = "this is a compute target, not a job";
constexpr std::string_view kIntoTargets =
    "define it in muster.yml: targets: {NAME: {hosts: [...]}}";
constexpr std::string_view kEnvironmentFile = "this is an environment, not a job";
constexpr std::string_view kIntoJob =
    "put it into a job file, as environment: {image: ..., conda_file: ...}";

constexpr std::string_view kPromptFlow = "this is a prompt flow, which Azure ML carries out";
constexpr std::string_view kFeatureSet = "this is a feature set, not a job";
constexpr std::string_view kFeatureStore = "this is a feature store, not a job";
constexpr std::string_view kFeatureEntity = "this is an entity of a feature store, not a job";

// Types and schemas as in azure-ai-ml 1.35 (its folder _schema).
constexpr Other kOthers[] = {
    {"jobs", "", "this is a pipeline", kSteps},
    {"type", "pipeline", "this is a pipeline", kSteps},
    {"type", "sweep", "this is a sweep over many jobs"},
    {"type", "parallel", "this is a parallel component, which has no command of its own",
     "make it a step of a pipeline: jobs: {NAME: {type: parallel, component: FILE}}"},
    {"type", "spark", "this is a Spark job"},
    {"type", "automl", "this is an AutoML job"},
    {"type", "data_transfer", "this is a data transfer, which Azure ML carries out"},
    {"type", "import", "this is an import of data, which Azure ML carries out"},
    {"type", "finetuning", "this is a fine-tuning job, which Azure ML carries out"},
    {"type", "distillation", "this is a distillation job, which Azure ML carries out"},
    {"type", "promptflow_parallel", "this is a prompt flow, which Azure ML carries out"},
    {"type", "parallelcomponent", kOlder, "write it anew as a step with type: parallel"},
    {"type", "sweepcomponent", kOlder, "write it anew as a job with type: sweep"},
    {"type", "pipelinecomponent", kOlder, "write it anew as a job with type: pipeline"},
    {"type", "sparkcomponent", "this is a Spark job"},
    {"type", "hdinsightcomponent", "this is a Spark job for HDInsight"},
    {"type", "scopecomponent", "this is a job for Scope"},
    {"type", "datatransfercomponent", "this is a data transfer, which Azure ML carries out"},
    {"type", "uri_file", kAsset},
    {"type", "uri_folder", kAsset},
    {"type", "mltable", kAsset},
    {"type", "custom_model", kModel},
    {"type", "mlflow_model", kModel},
    {"type", "triton_model", kModel},
    {"type", "azure_blob", kStore, kIntoData},
    {"type", "azure_file", kStore, kIntoData},
    {"type", "azure_data_lake_gen1", kStore, kIntoData},
    {"type", "azure_data_lake_gen2", kStore, kIntoData},
    {"type", "one_lake", kStore, kIntoData},
    {"type", "amlcompute", kCompute, kIntoTargets},
    {"type", "computeinstance", kCompute, kIntoTargets},
    {"type", "virtualmachine", kCompute, kIntoTargets},
    {"type", "kubernetes", kCompute, "define it in muster.yml: targets: {NAME: {kubernetes: {}}}"},
    {"type", "synapsespark", kCompute, "muster does not run Spark jobs"},
    {"$schema", "/data.schema.json", kAsset},
    {"$schema", "/model.schema.json", kModel},
    {"$schema", "/environment.schema.json", kEnvironmentFile, kIntoJob},
    {"$schema", "/compute.schema.json", kCompute, kIntoTargets},
    {"$schema", "/schedule.schema.json", kSchedule, kToCron},
    {"$schema", "/azureblob.schema.json", kStore, kIntoData},
    {"$schema", "/azurefile.schema.json", kStore, kIntoData},
    {"$schema", "/azuredatalakegen1.schema.json", kStore, kIntoData},
    {"$schema", "/azuredatalakegen2.schema.json", kStore, kIntoData},
    {"$schema", "/onelake.schema.json", kStore, kIntoData},
    {"$schema", "/registry.schema.json", "this is a registry, not a job"},
    {"$schema", "/workspaceconnection.schema.json", "this is a connection, not a job"},
    {"$schema", "/featureset.schema.json", kFeatureSet},
    {"$schema", "/featureset.json", kFeatureSet},
    {"$schema", "/featurestore.schema.json", kFeatureStore},
    {"$schema", "/featurestore.json", kFeatureStore},
    {"$schema", "/featurestoreentity.schema.json", kFeatureEntity},
    {"$schema", "/featurestoreentity.json", kFeatureEntity},
    {"$schema", "/flow.schema.json", kPromptFlow},
    {"$schema", "/run.schema.json", "this is a run of a prompt flow"},
    {"training_data", "", "this is a fine-tuning job, which Azure ML carries out"},
    {"$schema", "/workspace.schema.json", "this is a workspace, not a job"},
    {"$schema", "endpoint.schema.json", kEndpoint},
    {"$schema", "deployment.schema.json", kDeployment},
    {"trigger", "", kSchedule, kToCron},
    {"auth_mode", "", kEndpoint},
    {"endpoint_name", "", kDeployment},
    {"component", "", "this is a job whose command is in a component",
     "muster submit takes the component's own file, and its inputs as --set inputs.NAME=VALUE"},
    {"targets", "", "these are compute targets, not a job"},
};

bool is_other(const Node& root, const Other& other) {
  const Entry* entry = find(root, other.key);
  if (entry == nullptr) return false;
  const std::string& text = entry->value->text;
  return other.value.ends_with(".json")
             ? base::lower(text).ends_with(other.value)
             : other.value.empty() || base::lower(text.substr(0, text.find('@'))) == other.value;
}

constexpr std::string_view kOfAssets[] = {"$schema",     "name", "version", "type",
                                          "description", "tags", "path",    "properties"};

// Whether the file has nothing but what such a file may have.
bool is_only(const Node& root, const std::function<bool(std::string_view)>& is_its) {
  return std::ranges::all_of(root.entries, is_its, &Entry::key);
}

bool is_data(const Node& root) {
  return find(root, "path") != nullptr && is_only(root, [](std::string_view key) {
           return std::ranges::find(kOfAssets, key) != std::end(kOfAssets);
         });
}

// Such a file often has neither a type nor a schema.
bool is_environment(const Node& root) {
  const auto has = [&](std::string_view key) { return find(root, key) != nullptr; };
  return (has("image") || has("build") || has("conda_file")) &&
         is_only(root, [](std::string_view key) {
           return key == "$schema" || key == "properties" ||
                  std::ranges::find(kEnvironmentKeys, key, [](const JobKey& one) {
                    return one.text.name;
                  }) != std::end(kEnvironmentKeys);
         });
}

// promptflow's flow.dag.yaml, or flow.flex.yaml: they need no schema.
bool is_flow(const Node& root) {
  const auto has = [&](std::string_view key) { return find(root, key) != nullptr; };
  if (has("command")) return false;
  return has("entry") || (has("nodes") && (has("inputs") || has("outputs")));
}

}  // namespace

bool refuse_others(const Node& root, Complaints& complaints) {
  const auto refuse = [&](Mark place, std::string_view what, std::string_view hint) {
    complaints.add(place, std::string(what), std::string(hint));
    return true;
  };
  const auto* other =
      std::ranges::find_if(kOthers, [&](const Other& one) { return is_other(root, one); });
  if (other != std::end(kOthers))
    return refuse(find(root, other->key)->mark, other->what, other->hint);
  if (is_flow(root)) return refuse(root.begin, kPromptFlow, kCommands);
  if (is_environment(root)) return refuse(root.begin, kEnvironmentFile, kIntoJob);
  return is_data(root) && refuse(root.begin, kAsset, kCommands);
}

}  // namespace muster::job
