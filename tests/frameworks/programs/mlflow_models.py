"""Keeps models, with MLflow or with muster in its place; mlflow_loads.py loads them."""

import sys

import mlflow
import mlflow.pyfunc
import mlflow.sklearn
from sklearn.linear_model import LinearRegression


class Twice(mlflow.pyfunc.PythonModel):
    """A class of this program, which the model has to hold."""

    def load_context(self, context):
        with open(context.artifacts["factor"], encoding="utf-8") as file:
            self.factor = float(file.read())  # pylint: disable=attribute-defined-outside-init

    def predict(self, context, model_input, params=None):
        return [self.factor * one for one in model_input]


folder = sys.argv[1]
line = LinearRegression().fit([[0], [1]], [1, 3])
with open("factor.txt", "w", encoding="utf-8") as text:
    text.write("2")
with mlflow.start_run(run_name="models") as run:
    mlflow.sklearn.log_model(line, artifact_path="line")
    mlflow.sklearn.log_model(sk_model=line, artifact_path="deep/line",
                             registered_model_name=None)
mlflow.sklearn.save_model(line, f"{folder}/saved")
mlflow.pyfunc.save_model(path=f"{folder}/twice", python_model=Twice(),
                         artifacts={"factor": "factor.txt"})
for uri in (f"runs:/{run.info.run_id}/line", f"{folder}/saved"):
    print(mlflow.sklearn.load_model(uri).predict([[2]]), mlflow.pyfunc.load_model(uri).predict(
        [[3]]))
print(mlflow.pyfunc.load_model(f"{folder}/twice").predict([4]))
print(run.info.run_id)
