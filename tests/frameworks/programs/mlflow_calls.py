"""What training scripts call of MLflow, with MLflow or with muster in its place."""

import os

import mlflow
from mlflow_refuses import refused

print("before", mlflow.active_run())
chosen = mlflow.set_experiment("mine")
print("experiment", chosen.name, mlflow.get_experiment(chosen.experiment_id).name,
      mlflow.get_experiment_by_name("mine").experiment_id == chosen.experiment_id,
      mlflow.get_experiment_by_name("nosuch"))
mlflow.log_metric("loss", 3)  # begins a run
first = mlflow.active_run()
mlflow.set_tag("mlflow.runName", "first")
mlflow.log_param("lr", 0.5)
mlflow.log_param("lr", 0.5)
refused("another value", mlflow.log_param, "lr", 0.6)
refused("another value of several", mlflow.log_params, {"epochs": 1, "lr": 1})
try:
    mlflow.start_run()
except Exception as error:  # pylint: disable=broad-except
    print("a second run is refused")
with mlflow.start_run(run_name="within", nested=True) as inner:
    print("innermost", mlflow.active_run().info.run_id == inner.info.run_id, inner.info.run_name)
    mlflow.log_metrics({"loss": 2, "accuracy": 0.5}, step=4)
    mlflow.set_tags({"a": 1, "b": None})
    mlflow.delete_tag("a")
print("outer", mlflow.active_run().info.run_id == first.info.run_id)
mlflow.end_run()
print("last", mlflow.last_active_run().info.run_id == first.info.run_id, mlflow.active_run())

os.makedirs("made/below", exist_ok=True)
for name, text in (("made/one.txt", "one"), ("made/below/two.txt", "two")):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
try:
    with mlflow.start_run(run_name="files", tags={"kind": "files"}):
        mlflow.log_artifact("made/one.txt")
        mlflow.log_artifact("made/one.txt", artifact_path="to/there")
        mlflow.log_artifact("made", "whole")
        mlflow.log_artifacts("made")
        mlflow.log_artifacts("made", artifact_path="copy")
        mlflow.log_text("a text\n", "notes/text.txt")
        mlflow.log_dict({"a": [1, {"b": True}], "c": "no"}, "data.json")
        mlflow.log_dict({"a": 1.5, "c": "x"}, "data.yml")
        refused("a file that is not there", mlflow.log_artifact, "nosuch")
        print("artifacts", mlflow.get_artifact_uri("x").endswith("/artifacts/x"))
        raise KeyError("on purpose")
except KeyError:
    failed = mlflow.last_active_run()
    print("failed", failed.info.run_name)
with mlflow.start_run(run_id=failed.info.run_id) as again:
    mlflow.log_metric("again", 1)
    print("resumed", again.info.run_id == failed.info.run_id)
refused("a run that is not there", mlflow.start_run, run_id="0" * 32)
with mlflow.start_run(experiment_id=chosen.experiment_id, run_name="by number"):
    print("data", mlflow.active_run().data.params)
mlflow.start_run(run_name="left open")
