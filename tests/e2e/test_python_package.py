"""The Python package: programs made for Azure ML's SDK, with their import lines changed."""

# rooms: front job cli

import os
import re
import subprocess
import sys
import unittest

from azure_programs import (COMPONENT, GLUE, LAUNCH, MPI, MPI_DEFAULTS, ONE_NODE, PYTORCH, SERVERS,
                            TENSORFLOW)
from python_case import PACKAGE, PythonCase
from support import PYTHON, run_tests

# What the programs take as given.
GIVEN = """
from muster import Workspace
ws = Workspace.from_config()
compute_target = cpu_compute_target = "gpu-cluster"
arg_0, arg_1 = 1, "two words"
"""

# Submits what a program has only described, then waits.
END = """
from muster import Experiment, Run
found = [globals().get(name) for name in ("run", "run_cf", "run_config")]
run = next((one for one in found if isinstance(one, Run)), None) or Experiment(ws, "e").submit(
    next(one for one in found if one is not None))
assert run.wait() == 0, run.details()
assert run.status == "completed" and run.exit_code == 0, run.details()
print(run.logs(), end="")
"""

IMPORTS = """
from muster import ScriptRunConfig, Environment, Experiment
from muster.runconfig import MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration
pytorch_env = tf_env = Environment.get(workspace=ws, name='AzureML-PyTorch-1.6-GPU')
"""


class Package(PythonCase):
    def prints(self, program):
        done = self.python(program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def ranks(self, program, words=""):
        lines = re.findall("rank .*$", self.prints(GIVEN + IMPORTS + program + END), re.MULTILINE)
        self.assertTrue(all(words in line for line in lines), lines)
        return [line.split(":")[0] for line in sorted(lines, key=lambda line: int(line.split()[1]))]

    def on_nodes(self, ranks, nodes):
        return [f"rank {rank} of {ranks} on node {rank * nodes // ranks}" for rank in range(ranks)]

    def test_mpi(self):
        self.assertEqual(self.ranks(MPI), self.on_nodes(8, 2))
        self.assertEqual(self.ranks(MPI_DEFAULTS, "--use_env example.py"), self.on_nodes(2, 2))

    def test_pytorch(self):
        self.assertEqual(self.ranks(PYTORCH, "--epochs 50 --local_rank "), self.on_nodes(8, 2))

    def test_launchers_in_the_command(self):
        self.assertEqual(self.ranks(LAUNCH, "--epochs 50"), self.on_nodes(8, 2))
        self.assertEqual(self.ranks(ONE_NODE, "--epochs 50"), self.on_nodes(4, 1))
        self.assertEqual(self.ranks(GLUE, "--task_name mnli"), self.on_nodes(8, 1))

    def test_tensorflow(self):
        self.assertEqual(self.ranks(TENSORFLOW), self.on_nodes(2, 2))
        self.assertEqual(self.ranks(SERVERS)[:2], self.on_nodes(3, 3)[:2])

    def test_component(self):
        program = COMPONENT.replace("azure.ml", "muster")
        self.assertEqual(self.ranks(program, "1 two words"), self.on_nodes(4, 2))

    def test_a_run_is_known_by_its_name(self):
        text = self.prints(GIVEN + IMPORTS + """
run = Experiment(ws, "e").submit(ScriptRunConfig(command="echo so $RANK; exit 3"))
code = run.wait()
from muster import Run, RunFailed
again = Run(run.name)
print(code, again.status, again.exit_code, again.logs(rank=0).strip())
print(again.details()["experiment"])
try:
    run.wait_for_completion()
except RunFailed as failed:
    print(failed.code)
""")
        self.assertEqual(text, "3 failed 3 so 0\ne\n3\n")

    def test_tags(self):
        text = self.prints(GIVEN + IMPORTS + """
run = Experiment(ws, "e").submit(ScriptRunConfig(command="true"), tags={"stage": "a=b", "n": 3})
run.wait()
print(run.tags, run.get_tags()["stage"])
""")
        self.assertEqual(text, "{'stage': 'a=b', 'n': '3'} a=b\n")

    def test_defaults_are_those_of_the_sdk(self):
        text = self.prints(IMPORTS.replace("pytorch_env =", "#") + """
for one in (MpiConfiguration(), PyTorchConfiguration(), TensorflowConfiguration()):
    print({key: value for key, value in sorted(vars(one).items())})
""")
        self.assertEqual(text, "{'node_count': 1, 'process_count_per_node': 1}\n"
                               "{'communication_backend': 'Nccl', 'node_count': 1, "
                               "'process_count': None}\n"
                               "{'parameter_server_count': 1, 'worker_count': 1}\n")

    def test_environments_are_those_of_job_files(self):
        self.write("Dockerfile", "FROM scratch\n")
        text = self.prints("""
import os
from muster.environment_v2 import BuildContext, EnvironmentEntity
from muster.environment import Environment
here = os.getcwd()
held = Environment.from_docker_image("held", "registry/train:2")
held.python.user_managed_dependencies = True
both = Environment.from_docker_image("both", "registry/train:2", conda_specification="conda.yml")
for one in (Environment("name"), held, both, Environment.from_dockerfile("own", "Dockerfile"),
            EnvironmentEntity(image="registry/train:2", conda_file={"dependencies": ["python"]}),
            EnvironmentEntity("built", build=BuildContext("."))):
    print(str(one.job_key()).replace(here, "HERE"))
try:
    Environment.from_dockerfile("text", "FROM scratch").job_key()
except ValueError as error:
    print(error)
""")
        self.assertEqual(text.splitlines(), [
            "name", "{'name': 'held', 'image': 'registry/train:2'}",
            "{'name': 'both', 'image': 'registry/train:2', 'conda_file': 'HERE/conda.yml'}",
            "{'name': 'own', 'build': {'path': 'HERE', 'dockerfile_path': 'Dockerfile'}}",
            "{'name': 'registry/train:2', 'image': 'registry/train:2', "
            "'conda_file': {'dependencies': ['python']}}",
            "{'name': 'built', 'build': {'path': 'HERE', 'dockerfile_path': 'Dockerfile'}}",
            "program.py:14: there is no Dockerfile 'FROM scratch'",
            "  hint: give its path; its text cannot be given in its place"])

    def test_a_run_can_be_stopped(self):
        text = self.prints(GIVEN + IMPORTS + f"""
run = Experiment(ws, "e").submit(ScriptRunConfig(command="exec sleep {self.mark}"))
print(run.status, run.exit_code)
run.stop()
run.wait()
print(run.status)
""")
        self.assertEqual(text, "running None\nstopped\n")

    def test_complaints_are_errors(self):
        self.write("bad.yml", "comand: x\n")
        text = self.prints(GIVEN + """
from muster import Component, MusterError, PyTorchConfiguration, ScriptRunConfig, Experiment
try:
    Component.from_yaml(ws, yaml_file="bad.yml")
except MusterError as error:
    print(error.code, "unknown key 'comand'" in str(error))
try:
    Experiment(ws, "e").submit(ScriptRunConfig(
        command="x", distributed_job_config=PyTorchConfiguration(process_count=3, node_count=2)))
except MusterError as error:
    print(error.code, "evenly" in str(error))
try:
    ScriptRunConfig(script="a.py", command="b")
except ValueError as error:
    print(error)
""")
        self.assertRegex(text, r"^241 True\n240 True\n"
                         r"\S+:\d+: give either script or command\n  hint: ")


class Typed(unittest.TestCase):
    def test_strictly(self):
        done = subprocess.run([PYTHON, "-m", "mypy", "--version"], capture_output=True, check=False)
        if done.returncode != 0:
            print("SKIPPED: no mypy here (tools/setup lint installs it)", file=sys.stderr)
            self.skipTest("no mypy")
        words = ["--strict", "--cache-dir", os.devnull, "muster"]
        done = subprocess.run([PYTHON, "-m", "mypy", *words], cwd=PACKAGE, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    run_tests()
