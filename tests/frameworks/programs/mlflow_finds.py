"""Prints all that MLflow's own client finds in a folder: mlflow_finds.py FOLDER."""

import json
import os
import sys

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

from mlflow.tracking import MlflowClient  # pylint: disable=wrong-import-position

OWN = ("mlflow.source.", "mlflow.user", "mlflow.runColor", "mlflow.parentRunId")


def files_below(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return dict(sorted(found.items()))


def main():
    client = MlflowClient("file://" + sys.argv[1])
    experiments = {one.experiment_id: one.name for one in client.search_experiments()}
    runs = {run.info.run_id: run for run in client.search_runs(list(experiments))}
    for run in sorted(runs.values(), key=lambda one: one.info.run_name):
        parent = run.data.tags.get("mlflow.parentRunId")
        print(json.dumps({
            "name": run.info.run_name, "status": run.info.status, "params": run.data.params,
            "experiment": experiments[run.info.experiment_id],
            "parent": runs[parent].info.run_name if parent else None,
            "metrics": {key: [[one.step, one.value]
                              for one in client.get_metric_history(run.info.run_id, key)]
                        for key in sorted(run.data.metrics)},
            "tags": {key: value for key, value in sorted(run.data.tags.items())
                     if not key.startswith(OWN)},
            "files": files_below(run.info.artifact_uri[len("file://"):])}))


main()
