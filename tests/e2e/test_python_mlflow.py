"""MLflow's stand-in: a job's metrics by its name, models, and what muster keeps nothing of."""

# rooms: front job cli

import os
import unittest

from python_case import PythonCase
from support import USAGE, run_tests

TORCH = os.path.isdir("/usr/lib/python3/dist-packages/torch")

JOB = """
import mlflow
from azure.ai.ml import MLClient, command
from mlflow.tracking import MlflowClient
job = command(command="python3 -m muster ./log.py", code="src", compute="gpu-cluster",
              distribution={"type": "pytorch", "process_count_per_instance": 2})
client = MLClient()
job = client.jobs.create_or_update(job)
client.jobs.stream(job.name)
mlflow.set_tracking_uri("azureml://nowhere")
run = mlflow.get_run(job.name)
print(run.info.run_id == job.name, run.info.status, run.data.metrics, run.data.params)
print([one.value for one in MlflowClient().get_metric_history(job.name, "loss")])
print(mlflow.artifacts.load_text(f"runs:/{job.name}/said.txt"))
"""
LOG = """
import os
import mlflow
with mlflow.start_run():
    for step in range(2):
        mlflow.log_metric("loss", int(os.environ["RANK"]) + step, step=step)
    mlflow.log_param("rank", os.environ["RANK"])
    mlflow.log_text("rank " + os.environ["RANK"], "said.txt")
"""
TORCH_MODEL = """
import mlflow, torch
class Net(torch.nn.Linear): pass
model = Net(1, 1)
with mlflow.start_run():
    kept = mlflow.pytorch.log_model(model, "model", registered_model_name="mine")
again = mlflow.pytorch.load_model(kept.model_uri)
print(torch.equal(again.weight, model.weight), kept.artifact_path)
print(mlflow.pyfunc.load_model(kept.model_uri).predict(torch.ones(1)).shape)
"""


class MlFlow(PythonCase):
    def kept(self, program, **more):
        return self.python(f"import os\nos.environ['MLFLOW_TRACKING_URI'] = 'runs'\n{program}",
                           "-m", "muster", **more)

    def test_what_a_job_has_logged_is_found_by_its_name(self):
        self.write("src/log.py", LOG)
        done = self.runs(JOB)
        self.assertEqual(done.stdout.splitlines()[-3:], [
            "True FINISHED {'loss': 1.0} {'rank': '0'}", "[0.0, 1.0]", "rank 0"])

    @unittest.skipUnless(TORCH, "there is no torch here")
    def test_a_model_of_torch(self):
        done = self.kept(TORCH_MODEL)
        self.assertEqual(done.stdout, "True model\ntorch.Size([1])\n", done.stderr)
        self.assertIn("the model names its class Net, and does not hold it", done.stderr)
        self.assertIn("registered_model_name=...) has no effect here", done.stderr)

    def test_what_is_no_file_is_not_kept(self):
        """Of a folder all else is."""
        done = self.kept("""
import mlflow, shutil
os.makedirs("data")
os.mkfifo("data/pipe")
with open("data/file", "w") as file:
    file.write("x")
with mlflow.start_run() as run:
    for call in (lambda: mlflow.log_artifact("/dev/zero"), lambda: mlflow.log_artifact("data/pipe"),
                 lambda: mlflow.log_artifacts("data", "kept"),
                 lambda: mlflow.pyfunc.save_model("model", python_model=len,
                                                  artifacts={"all": "data"}),
                 lambda: mlflow.pyfunc.save_model("other", python_model=len,
                                                  artifacts={"one": "data/pipe"})):
        try:
            call()
        except OSError as error:
            print(error if isinstance(error, shutil.SpecialFileError) else error.args[0][0][2])
print(os.listdir(mlflow.artifacts.download_artifacts(f"runs:/{run.info.run_id}/kept")))
print(os.path.exists("model"))
""")
        pipe = "'data/pipe' is a named pipe"
        self.assertEqual(done.stdout.splitlines(), ["'/dev/zero' is a device", *4 * [pipe],
                                                    "['file']", "False"], done.stderr)

    def test_what_cannot_be_done_is_told(self):
        for call, told in (
                ("mlflow.tensorflow.log_model(1, 'x')", "muster keeps no models of "
                 "mlflow.tensorflow"),
                ("mlflow.pytorch.log_model(1, artfact_path='x')",
                 "mlflow.pytorch.log_model() has no parameter 'artfact_path'"),
                ("mlflow.pyfunc.load_model('nosuch')", "nosuch holds no model: it has no file "
                 "MLmodel"),
                ("mlflow.MlflowClient().get_run('nosuch')", "there is no run 'nosuch' in runs"),
                ("mlflow.MlflowClient().search_runs(['0'], \"loss < 1\")",
                 "'loss' is no attribute of a run"),
                ("mlflow.register_model('runs:/x/y', 'z')",
                 "muster's stand-in for mlflow has no register_model")):
            done = self.kept(f"import mlflow\n{call}")
            self.assertIn(told, done.stderr)
            self.assertIn(done.returncode, (1, USAGE))
            self.assertIn("program.py", done.stderr)
            self.assertNotRegex(done.stderr, r"(mlflow_\w+|stand_ins)\.py")  # muster's own files

    def test_a_workspace_knows_where_metrics_are(self):
        done = self.runs("""
import mlflow
from azure.ai.ml import MLClient
from azureml.core import Workspace
for uri in (Workspace.from_config().get_mlflow_tracking_uri(),
            MLClient(None).workspaces.get("x").mlflow_tracking_uri):
    mlflow.set_tracking_uri(uri)
    with mlflow.start_run():
        mlflow.log_metric("loss", 1)
    print(uri == mlflow.get_tracking_uri(), len(mlflow.search_runs(output_format="list")))
print(mlflow.version.VERSION == mlflow.__version__)
""")
        self.assertEqual(done.stdout.splitlines(), ["True 1", "True 2", "True"])

    def test_whoever_names_a_run_that_was_removed_is_told_once(self):
        gone = self.path("20260101-000000.000-aaaaaa", "mlruns")
        done = self.python(f"import os, mlflow\nos.environ['MLFLOW_TRACKING_URI'] = {gone!r}\n"
                           "for one in range(2):\n    mlflow.log_metric('loss', one)\n"
                           "mlflow.set_tag('a', 'b')\n", "-m", "muster")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stderr.count(f"muster: MLFLOW_TRACKING_URI names {gone}, in the "
                                           "record of a run that was removed: "), 1, done.stderr)
        self.assertFalse(os.path.exists(gone))

    def test_a_model_that_cannot_be_saved_leaves_nothing(self):
        done = self.kept("""
import mlflow
os.mkfifo("pipe")
os.mkdir("there")
for place in ("new/model", "there"):
    for artifacts in ({"a": "program.py", "b": "pipe"}, {"a": "program.py"}):
        try:
            mlflow.pyfunc.save_model(place, python_model=len, artifacts=artifacts)
        except OSError:
            print(os.path.exists("new"), os.listdir("there"))
    print(mlflow.pyfunc.load_model(place).predict([1, 2]), sorted(os.listdir(place)))
""")
        saved = ("2 ['MLmodel', 'artifacts', 'conda.yaml', 'python_env.yaml', 'python_model.pkl', "
                 "'requirements.txt']")
        self.assertEqual(done.stdout.splitlines(), ["False []", saved, "True []", saved], done)

    def test_a_model_that_cannot_be_moved_leaves_nothing(self):
        done = self.kept("""
import mlflow
real, names = os.replace, []
def replace(source, target):
    names.append(os.path.basename(target))
    if names[-1] == "MLmodel":
        raise OSError("full")
    real(source, target)
os.replace = replace
try:
    mlflow.pyfunc.save_model("model", python_model=len, artifacts={"a": "program.py"})
except OSError as error:
    print(error, os.path.exists("model"), len(names))
""")
        self.assertEqual(done.stdout, "full False 6\n", done)

    def test_without_a_folder_nothing_is_kept_and_the_program_goes_on(self):
        done = self.python("import mlflow\nwith mlflow.start_run() as run:\n"
                           "    mlflow.log_metric('loss', 1)\nprint(run.info.run_id == '')\n"
                           "print(mlflow.__version__)\nmlflow.search_runs()\n", "-m", "muster")
        self.assertEqual(done.stdout.splitlines()[2:], ["True", "2.22.5+muster"], done.stderr)
        self.assertIn("MLFLOW_TRACKING_URI names no folder", done.stderr)


if __name__ == "__main__":
    run_tests()
