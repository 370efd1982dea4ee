"""Loads with MLflow itself what mlflow_models.py has kept: mlflow_loads.py FOLDER RUN."""

import os
import sys

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
os.environ["MLFLOW_ALLOW_PICKLE_DESERIALIZATION"] = "true"

import mlflow  # pylint: disable=wrong-import-position

folder, run = sys.argv[1:]
for uri in (f"runs:/{run}/line", f"runs:/{run}/deep/line", f"{folder}/saved"):
    print(mlflow.sklearn.load_model(uri).predict([[2]]), mlflow.pyfunc.load_model(uri).predict(
        [[3]]))
print(mlflow.pyfunc.load_model(f"{folder}/twice").predict([4]))
