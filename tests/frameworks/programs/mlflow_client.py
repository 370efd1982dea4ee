"""What programs ask MLflow's client, with MLflow or with muster in its place."""

import os

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag, ViewType
from mlflow_refuses import refused

client = mlflow.tracking.MlflowClient()
print("version", mlflow.__version__.split(".")[0] in "23", MlflowClient is type(client))
number = client.create_experiment("of a client", tags={"kind": "tests"})
refused("the same experiment", client.create_experiment, "of a client")
refused("an experiment that is not there", client.get_experiment, "404")
print("experiment", client.get_experiment(number).tags["kind"],
      client.get_experiment_by_name("of a client").experiment_id == number,
      client.get_experiment_by_name("nosuch"),
      "of a client" in [one.name for one in client.search_experiments()])

runs = {}
for name, loss, lr in (("first", 0.5, "0.1"), ("second", 0.25, "0.2"), ("third", 0.75, "0.1")):
    run = client.create_run(number, tags={"stage": "dev"}, run_name=name)
    runs[name] = run.info.run_id
    print("created", run.info.status, run.data.metrics, run.data.tags["stage"], run.info.run_name)
    client.log_metric(run.info.run_id, "loss", 3.0, step=1)
    client.log_metric(run.info.run_id, "loss", loss, timestamp=5, step=2)
    client.log_metric(run.info.run_id, "loss", 9, step=0)
    client.log_batch(run.info.run_id, [Metric("acc/val", 1 - loss, 7, 3)], [Param("lr", lr)],
                     [RunTag("note", f"it's {name}")])
client.log_param(runs["second"], "only here", "x y")
refused("another value", client.log_param, runs["second"], "lr", 1)
client.set_tag(runs["third"], "gone", 1)
client.delete_tag(runs["third"], "gone")
client.set_terminated(runs["second"])
client.set_terminated(runs["third"], "FAILED")
client.update_run(runs["third"], name="3rd")
refused("a run that is not there", client.get_run, "0" * 32)
refused("a metric of a run that is not there", client.log_metric, "0" * 32, "loss", 1)

second = client.get_run(runs["second"])
print("data", second.data.metrics, second.data.params, second.data.tags["note"])
print("info", second.info.status, second.info.end_time >= second.info.start_time,
      second.info.lifecycle_stage, second.info.artifact_uri.endswith("/artifacts"))
print("history", [(one.value, one.step) for one in client.get_metric_history(runs["first"],
                                                                             "loss")])
print("no history", len(client.get_metric_history(runs["first"], "nosuch")))
print("the same", mlflow.get_run(runs["second"]).data.params == second.data.params,
      sorted(second.to_dictionary()["data"]["metrics"]))

for text in ("", "metrics.loss < 0.6", "metrics.loss <= 0.5 and params.lr = '0.1'",
             "params.lr != '0.1'", "tags.note LIKE '%third'", "metrics.`acc/val` > 0.5",
             "attributes.status = 'FINISHED'", "status != 'RUNNING'", "run_name = 'first'",
             "attributes.run_name ILIKE 'F%'", 'params."only here" = "x y"',
             f"run_id IN ('{runs['first']}', '{runs['third']}')", "metrics.nosuch > 0"):
    found = client.search_runs([number], text, order_by=["attributes.run_name"])
    print("search", text.replace(runs["first"], "1").replace(runs["third"], "3"),
          [one.info.run_name for one in found])
for order in (["metrics.loss DESC"], ["params.lr ASC", "metrics.loss"],
              ["params.`only here`", "metrics.loss"], ["run_name DESC"]):
    print("order", order, [one.info.run_name for one in client.search_runs(
        [number], order_by=order)])
page = client.search_runs([number], max_results=2, order_by=["metrics.loss"])
rest = client.search_runs([number], max_results=2, order_by=["metrics.loss"],
                          page_token=page.token)
print("pages", [len(page), len(rest)], page.token is None, not rest.token)
for text in ("metrics.loss > 'x'", "params.lr > 1", "params.lr = 1", "nosuch.x = 1",
             "metrics.loss >", "metrics.loss ~ 1", "nosuch = 'x'", "metrics.loss LIKE 'x'"):
    refused(text, client.search_runs, [number], text)
client.delete_run(runs["third"])
print("deleted", [len(client.search_runs([number], "", view)) for view in (
    ViewType.ACTIVE_ONLY, ViewType.DELETED_ONLY, ViewType.ALL)])
table = mlflow.search_runs(experiment_names=["of a client"], order_by=["metrics.loss"])
print("table", sorted(table.columns), list(table["params.only here"].isna()),
      list(table["metrics.loss"]), str(table["start_time"].dtype).startswith("datetime64"))
print("list", [type(one).__name__ for one in mlflow.search_runs([number], output_format="list")])

with open("kept.txt", "w", encoding="utf-8") as file:
    file.write("kept")
client.log_artifact(runs["first"], "kept.txt", "below")
client.log_text(runs["first"], "text", "text.txt")
client.log_dict(runs["first"], {"a": 1}, "data.json")
print("artifacts", [(one.path, one.is_dir, one.file_size) for one in client.list_artifacts(
    runs["first"])], [one.path for one in client.list_artifacts(runs["first"], "below")])
os.makedirs("loaded", exist_ok=True)
path = client.download_artifacts(runs["first"], "below", "loaded")
with open(os.path.join(path, "kept.txt"), encoding="utf-8") as file:
    print("loaded", os.path.relpath(path), file.read())
print("text", mlflow.artifacts.load_text(f"runs:/{runs['first']}/text.txt"))
refused("an artifact that is not there", client.download_artifacts, runs["first"], "nosuch",
        "loaded")

mlflow.set_experiment("of a client")
with mlflow.start_run(run_name="active") as active:
    mlflow.log_metric("loss", 1, run_id=active.info.run_id)
    with mlflow.start_run(nested=True) as inner:
        mlflow.log_metric("inner", 2)
print("parent", mlflow.get_parent_run(inner.info.run_id).info.run_id == active.info.run_id,
      client.get_run(active.info.run_id).data.metrics)
