"""Logs one run with MLflow, or with muster in its place: mlflow_logs.py X."""

import sys

import mlflow

with mlflow.start_run(run_name="named", description="of a test", tags={"stage": "dev"}):
    mlflow.log_param("lr", 0.5)
    mlflow.log_params({"epochs": 3, "text": "x y"})
    for step in range(3):
        mlflow.log_metric("val/loss", float(sys.argv[1]) / (step + 1), step=step)
    mlflow.log_metrics({"accuracy": 0.9})
    mlflow.set_tag("note", "ü")
