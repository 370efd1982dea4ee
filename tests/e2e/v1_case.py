"""Programs of Azure ML's SDK v1, and what their tests have in common."""

import re

from python_case import PythonCase
from support import USAGE

V1 = """
import azureml.core
from azureml.core import Environment, Experiment, Run, ScriptRunConfig, Workspace
from azureml.core.runconfig import DockerConfiguration, MpiConfiguration, RunConfiguration
from azureml.widgets import RunDetails
ws = Workspace.from_config()
experiment = Experiment(ws, "notebook")
src = ScriptRunConfig("src", "train.py", arguments=["--lr", 1], compute_target="gpu-cluster")
"""

# In the ranks: the SDK's package is not installed here.
LOGS = """
import argparse, os, sys
from azureml.core.run import Run
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
lr = parser.parse_args().lr
run = Run.get_context()
for epoch in range(3):
    run.log("accuracy", lr * epoch)
run.log("lr", lr)
run.log("note", "good")
run.log_row("wave", angle=0.5, cos=1)
run.log_row("wave", angle=1.5, cos=2)
os.makedirs("outputs", exist_ok=True)
with open("outputs/model.pkl", "w") as file:
    file.write("weights")
run.upload_file("kept/model.pkl", "outputs/model.pkl")
"""

SWEEP = """
from azureml.train.hyperdrive import (BanditPolicy, GridParameterSampling, HyperDriveConfig,
                                      PrimaryMetricGoal, choice)
sweep = HyperDriveConfig(
    run_config=src, hyperparameter_sampling=GridParameterSampling({"--lr": choice(1, 3, 2)}),
    policy=BanditPolicy(slack_factor=9, evaluation_interval=1, delay_evaluation=5),
    primary_metric_name="accuracy", primary_metric_goal=PrimaryMetricGoal.MAXIMIZE,
    max_total_runs=3, max_concurrent_runs=1)
swept = experiment.submit(sweep)
RunDetails(swept).show()
swept.wait_for_completion(show_output=True)
best = swept.get_best_run_by_primary_metric()
print(swept.get_status(), swept.type, best.get_metrics()["lr"])
print([one["hyperparameters"] for one in swept.get_children_sorted_by_primary_metric()])
"""


class V1Case(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("src/logs.py", LOGS)

    def refused(self, program, *told):
        """One complaint, about the program's last line."""
        done = self.python(program, "-m", "muster")
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        line = len(program.rstrip().splitlines())
        self.assertRegex(done.stderr, rf"\Amuster: error: program\.py:{line}: .*\n  hint: .*\n\Z")
        for text in told:
            self.assertIn(text, done.stderr)

    def ranks(self, program):
        text = self.runs(program + "run = experiment.submit(src)\n"
                                   "run.wait_for_completion(show_output=True)\n").stdout
        return sorted(re.findall(r"rank \d+ of \d+ on node \d+", text))

    def spread(self, ranks, nodes):
        return [f"rank {rank} of {ranks} on node {rank * nodes // ranks}" for rank in range(ranks)]
