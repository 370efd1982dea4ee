"""MLflow's own client reads what trials and muster's stand-in have logged."""

# rooms: front sweep store
# needs: matrix frameworks-mlflow2 frameworks-mlflow3

import json
import os
import subprocess
import sys
import unittest

from framework_case import PROGRAMS, python_of
from python_case import PythonCase
from support import MUSTER, PYTHON, WAIT_SECONDS, run_tests

GROUPS = ("mlflow2", "mlflow3")
LOGS = os.path.join(PROGRAMS, "mlflow_logs.py")
CALLS = os.path.join(PROGRAMS, "mlflow_calls.py")
CLIENT = os.path.join(PROGRAMS, "mlflow_client.py")
MODELS = os.path.join(PROGRAMS, "mlflow_models.py")
LOADS = os.path.join(PROGRAMS, "mlflow_loads.py")
FINDS = os.path.join(PROGRAMS, "mlflow_finds.py")
READS = os.path.join(PROGRAMS, "mlflow_reads.py")
SWEEP = """
type: sweep
trial: {command: "COMMAND ${{search_space.x}}"}
search_space: {x: {type: choice, values: [3, 1, 2]}}
sampling_algorithm: grid
objective: {goal: minimize, primary_metric: val/loss}
limits: {max_concurrent_trials: 1}
"""

MISSING = [group for group in GROUPS if not python_of(group)]
REASON = f"`tools/frameworks {' '.join(MISSING)}` has not built its Python" if MISSING else None
if REASON:
    print(f"SKIPPED: MLflow cannot log here: {REASON}", file=sys.stderr)


@unittest.skipIf(REASON, REASON)
class MlFlow(PythonCase):
    maxDiff = None

    def output_of(self, *words):
        done = subprocess.run(words, cwd=self.folder, env=self.for_python(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def run_of(self, x, rank="0"):
        """What each program logs."""
        tags = {"mlflow.note.content": "of a test", "mlflow.runName": "named",
                "muster.rank": rank, "note": "ü", "stage": "dev"}
        losses = [[step, x / (step + 1)] for step in range(3)]
        return {"name": "named", "status": "FINISHED", "ended": True,
                "params": {"lr": "0.5", "epochs": "3", "text": "x y"},
                "metrics": {"accuracy": 0.9, "val/loss": losses[-1][1]}, "tags": tags,
                "losses": losses}

    def read_by(self, group, folder):
        text = self.output_of(python_of(group), READS, folder)
        return [json.loads(line) for line in text.splitlines()]

    def logs_and_is_read(self, *command):
        self.write("sweep.yml", SWEEP.replace("COMMAND", " ".join(command)))
        self.output_of(MUSTER, "submit", "sweep.yml")
        record = json.loads(self.output_of(MUSTER, "show", "last", "--json"))
        trials = {one["step"]: one for one in record["steps"]}
        self.assertEqual(len(trials), 3, record)
        for number, x in enumerate((3, 1, 2)):
            folder = os.path.join(record["folder"], "steps", f"trial_{number}", "mlruns")
            for group in GROUPS:
                self.assertEqual(self.read_by(group, folder), [self.run_of(x)])
        self.assertIn("trial_1", self.output_of(MUSTER, "show", "last"))

    def test_what_mlflow_3_logs_in_trials(self):
        self.logs_and_is_read(python_of("mlflow3"), LOGS)

    def test_what_mlflow_2_logs_in_trials(self):
        self.logs_and_is_read(python_of("mlflow2"), LOGS)

    def test_what_the_stand_in_logs_in_trials(self):
        self.logs_and_is_read(PYTHON, "-m", "muster", LOGS)

    def calls(self, name, *command):
        """What the program prints, and what MLflow finds afterwards."""
        folder = self.path(name)
        env = self.for_python(MLFLOW_TRACKING_URI="file://" + folder,
                              MLFLOW_ALLOW_FILE_STORE="true")
        done = subprocess.run([*command, CALLS], cwd=self.folder, env=env, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = self.output_of(python_of("mlflow3"), FINDS, folder)
        return done.stdout, [json.loads(line) for line in found.splitlines()]

    def test_the_stand_in_does_what_mlflow_does(self):
        said, kept = self.calls("real3", python_of("mlflow3"))
        self.assertEqual([one["name"] for one in kept],
                         ["by number", "files", "first", "left open", "within"])
        self.assertEqual(self.calls("real2", python_of("mlflow2")), (said, kept))
        self.assertEqual(self.calls("ours", PYTHON, "-m", "muster"), (said, kept))

    def asks(self, name, *command):
        """What the program prints that asks MLflow's client."""
        os.makedirs(self.path(name))
        env = self.for_python(MLFLOW_TRACKING_URI="file://" + self.path(name, "runs"),
                              MLFLOW_ALLOW_FILE_STORE="true")
        done = subprocess.run([*command, CLIENT], cwd=self.path(name), env=env, text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=WAIT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def test_the_stand_in_answers_as_mlflows_client_does(self):
        said = self.asks("real3", python_of("mlflow3"))
        self.assertEqual(len(said), 49)
        self.assertEqual(self.asks("real2", python_of("mlflow2")), said)
        self.assertEqual(self.asks("ours", PYTHON, "-m", "muster"), said)

    def without_mlflow(self, group):
        """Its packages, but for MLflow itself."""
        there = self.output_of(python_of(group), "-c", "import numpy, os\n"
                               "print(os.path.dirname(os.path.dirname(numpy.__file__)))").strip()
        os.makedirs(self.path("packages"))
        for name in os.listdir(there):
            if not name.startswith("mlflow"):
                os.symlink(os.path.join(there, name), self.path("packages", name))
        return self.path("packages")

    def test_models_of_the_stand_in_are_loaded_by_mlflow(self):
        uri = "file://" + self.path("runs")
        env = self.for_python(MLFLOW_TRACKING_URI=uri)
        env["PYTHONPATH"] += ":" + self.without_mlflow("mlflow2")
        done = subprocess.run([PYTHON, "-m", "muster", MODELS, self.path("kept")],
                              cwd=self.folder, env=env, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = done.stdout.splitlines()
        self.assertEqual(said[:-1], ["[5.] [7.]", "[5.] [7.]", "[8.0]"])
        for group in GROUPS:
            loaded = self.output_of("env", f"MLFLOW_TRACKING_URI={uri}", python_of(group), LOADS,
                                    self.path("kept"), said[-1])
            self.assertEqual(loaded.splitlines(), ["[5.] [7.]"] * 3 + ["[8.0]"])

    def test_what_a_rank_logs_in_a_folder_of_its_user(self):
        uri = "MLFLOW_TRACKING_URI=file://" + self.path("mlruns")
        self.output_of(MUSTER, "run", "-n", "2", "-x", uri, "-x", "MLFLOW_ALLOW_FILE_STORE=true",
                       python_of("mlflow3"), LOGS, "2")
        found = sorted(self.read_by("mlflow3", self.path("mlruns")),
                       key=lambda run: run["tags"]["muster.rank"])
        self.assertEqual(found, [self.run_of(2, "0"), self.run_of(2, "1")])


if __name__ == "__main__":
    run_tests()
