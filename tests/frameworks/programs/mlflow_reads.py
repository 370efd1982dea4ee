"""Prints what MLflow's own client finds in a folder of its file store: mlflow_reads.py FOLDER."""

import json
import os
import sys

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

from mlflow.tracking import MlflowClient  # pylint: disable=wrong-import-position

OWN = ("mlflow.source.", "mlflow.user", "mlflow.runColor")  # of the program that logged


def main():
    client = MlflowClient("file://" + sys.argv[1])
    experiments = [one.experiment_id for one in client.search_experiments()]
    for run in client.search_runs(experiments):
        print(json.dumps({
            "name": run.info.run_name, "status": run.info.status,
            "ended": run.info.end_time >= run.info.start_time,
            "params": run.data.params, "metrics": run.data.metrics,
            "tags": {key: value for key, value in sorted(run.data.tags.items())
                     if not key.startswith(OWN)},
            "losses": [[one.step, one.value]
                       for one in client.get_metric_history(run.info.run_id, "val/loss")]}))


main()
