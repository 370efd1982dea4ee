"""Azure ML's real SDKs judge muster's stand-ins: names, parameters, defaults, and what is dropped.

`UPDATE_GOLDEN=1` rewrites the table of all names and the list of those that can only be imported.
"""

# rooms: front job cli
# needs: frameworks-azure-ai-ml frameworks-azureml frameworks-azure-ml-component
# long

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
import unittest

import azure_programs
from framework_case import PROGRAMS, SECONDS, python_of
from python_case import PACKAGE, PythonCase
from support import MUSTER, PYTHON, ROOT, WAIT_SECONDS, Case, run_tests

TABLE = os.path.join(ROOT, "tests", "frameworks", "azure-sdks.table")
OTHERS = os.path.join(PACKAGE, "muster", "sdk_names.py")
MANUAL = os.path.join(ROOT, "docs", "manual", "from-azureml.md")
UPDATES = bool(os.environ.get("UPDATE_GOLDEN"))

GROUPS = {
    "azureml": """
        azureml.core azureml.core.authentication azureml.core.compute
        azureml.core.compute_target azureml.core.conda_dependencies azureml.core.container_registry
        azureml.core.dataset azureml.core.datastore azureml.core.environment
        azureml.core.experiment azureml.core.image azureml.core.model azureml.core.run
        azureml.core.runconfig azureml.core.script_run_config azureml.core.webservice
        azureml.core.workspace azureml.data azureml.data.data_reference azureml.data.datapath
        azureml.data.dataset_consumption_config azureml.data.dataset_factory azureml.exceptions
        azureml.pipeline.core azureml.pipeline.core.graph azureml.pipeline.core.module
        azureml.pipeline.steps azureml.telemetry
        azureml.train.dnn azureml.train.estimator azureml.train.hyperdrive
        azureml.train.hyperdrive.parameter_expressions azureml.train.hyperdrive.policy
        azureml.train.hyperdrive.run azureml.train.hyperdrive.runconfig
        azureml.train.hyperdrive.sampling azureml.train.sklearn""",
    "azure-ml-component": "azure.ml.component azure.ml.component.dsl",
    "azure-ai-ml": """
        azure.ai.ml azure.ai.ml.constants azure.ai.ml.dsl azure.ai.ml.entities
        azure.ai.ml.exceptions azure.ai.ml.operations azure.ai.ml.parallel azure.ai.ml.sweep
        azure.core.exceptions azure.identity mldesigner mldesigner.dsl""",
}
# Those that no SDK in GROUPS has, or that are only there so that others can lie below them.
UNCOMPARED = {"azureml", "azureml.contrib", "azureml.contrib.notebook", "azureml.contrib.pipeline",
              "azureml.contrib.pipeline.steps", "azureml.pipeline", "azureml.train",
              "azureml.widgets", "azure", "azure.core", "azure.ml", "azure.ai",
              "azure.ai.ml._version"}
HONOURED = ("same", "default", "without default", "taken", "like")

MISSING = [group for group in GROUPS if not python_of(group)]
REASON = f"`tools/frameworks {' '.join(MISSING)}` has not built its Python" if MISSING else None
if REASON:
    print(f"SKIPPED: no SDK can be compared here: {REASON}", file=sys.stderr)


def output_of(words, text="", **env):
    done = subprocess.run(words, input=text, env={**os.environ, **env}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise AssertionError(f"code {done.returncode} of {words}\n{done.stderr}")
    return done.stdout


def compared():
    """What tests/frameworks/programs/sdk_compare.py says of each group, as one."""
    whole = {"lines": [], "others": {}, "complaints": []}
    for group, modules in GROUPS.items():
        surface = output_of([python_of(group), os.path.join(PROGRAMS, "sdk_surface.py"),
                             *modules.split()])
        found = json.loads(output_of([PYTHON, os.path.join(PROGRAMS, "sdk_compare.py")], surface,
                                     PYTHONPATH=PACKAGE, PYTHONDONTWRITEBYTECODE="1"))
        whole["lines"] += found["lines"]
        whole["complaints"] += found["complaints"]
        whole["others"].update(found["others"])
    return whole


def text_of_others(others):
    """The source of muster/sdk_names.py."""
    text = ('"""What else the modules of the SDKs offer; "!": an exception.\n\n'
            '`UPDATE_GOLDEN=1 tests/e2e/test_frameworks_sdk.py` writes it.\n"""\n\n'
            "from typing import Dict\n\nOTHERS: Dict[str, str] = {\n")
    for module, names in sorted(others.items()):
        lines = textwrap.wrap(names, 88, break_long_words=False)
        quoted = [f'        "{line} "' for line in lines[:-1]] + [
            f'        "{line}"' for line in lines[-1:]]
        text += f'    "{module}":\n' + "\n".join(quoted) + ",\n" if names else ""
    return text + "}\n"


def keywords_in(program):
    """(name, keyword) of each call of a class or function that is called by its own name."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for keyword in node.keywords:
                yield node.func.id, keyword.arg


def calls_in_manual():
    """(name, word) of what its table's first column has in the form NAME(WORD, WORD=DEFAULT)."""
    with open(MANUAL, encoding="utf-8") as file:
        rows = re.findall(r"^\| (.*?) \|", file.read(), re.MULTILINE)
    for row in rows:
        for name, words in re.findall(r"`([A-Z]\w+|command)\(([\w, =]+)\)`", row):
            for word in words.split(","):
                yield name, word.split("=")[0].strip()


@unittest.skipIf(REASON, REASON)
class Sdk(Case):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.found = compared()
        cls.status = {}
        for line in cls.found["lines"]:
            name, part, status = line.split(" | ")
            cls.status.setdefault((name.rpartition(".")[2], part), []).append(status)

    def test_each_name_is_as_the_table_says(self):
        self.assert_golden(TABLE, self.found["lines"])

    def test_each_other_name_can_be_imported(self):
        self.assert_golden(OTHERS, text_of_others(self.found["others"]).splitlines())

    def test_nothing_is_swallowed(self):
        complaints = [one for one in self.found["complaints"]
                      if not UPDATES or not one.endswith("is missing")]
        self.assertEqual(complaints, [])

    def test_all_modules_are_compared(self):
        modules = output_of([PYTHON, "-c", "from muster.stand_ins import _MODULES\n"
                             "print(*_MODULES)"], PYTHONPATH=PACKAGE)
        compared_ones = {one for names in GROUPS.values() for one in names.split()}
        of_sdks = {one for one in modules.split() if not one.startswith(("mlflow", "IPython"))}
        self.assertEqual(of_sdks - compared_ones, UNCOMPARED)

    def assert_honoured(self, name, word):
        found = self.status.get((name, word), [])
        self.assertTrue(any(one.startswith(HONOURED) for one in found), (name, word, found))

    def test_the_words_of_documented_programs_are_honoured(self):
        programs = [text for name, text in vars(azure_programs).items() if name.isupper()]
        calls = {call for program in programs for call in keywords_in(program)}
        of_a_component = {call for call in calls if call[0] == "train_component_func"}
        self.assertGreater(len(calls), 10)
        for name, word in sorted(calls - of_a_component):
            self.assert_honoured(name, word)

    def test_the_words_of_the_manual_are_honoured(self):
        calls = sorted(set(calls_in_manual()))
        self.assertGreater(len(calls), 15)
        for name, word in calls:
            self.assert_honoured(name, word)


TARGETS = """
targets:
  gpu-cluster:
    fake_nodes: 4
    without: [environment, gpus]
"""


@unittest.skipIf(REASON, REASON)
class Jobs(PythonCase):
    """One program writes files of jobs with the SDK's classes, and with muster's."""

    def setUp(self):
        super().setUp()
        program = os.path.join(PROGRAMS, "sdk_jobs.py")
        output_of([python_of("azure-ai-ml"), program, self.folder_of("real")])
        output_of([PYTHON, "-m", "muster", program, self.folder_of("stand-ins")],
                  **self.for_python())

    def folder_of(self, name):
        os.makedirs(self.path(name))
        self.write(os.path.join(name, "muster.yml"), TARGETS)
        return self.path(name)

    def says(self, folder, *words):
        """What muster says of a file in the folder, without names that differ anyhow."""
        done = subprocess.run([MUSTER, *words], cwd=self.path(folder), env=self.for_python(),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=WAIT_SECONDS, check=False)
        text = re.sub(r"\d{8}-\d{6}\.\d{3}-[a-z]+", "RUN", done.stdout)
        # The SDK writes is_deterministic: true for each component, muster's classes what was said.
        text = re.sub(r"\n(\S+ is not reused: .*\n)+$", "", text)
        return done.returncode, text.replace(self.path(folder), "FOLDER")

    def test_muster_reads_both_in_the_same_way(self):
        files = sorted(name for name in os.listdir(self.path("real"))
                       if re.fullmatch(r"[a-z_]\w*\.yml", name) and name != "muster.yml")
        self.assertGreater(len(files), 12)
        for name in files:
            for words in (("explain", name), ("submit", "--dry-run", name)):
                code, text = self.says("real", *words)
                self.assertEqual(code, 0, text)
                self.assertEqual((code, text), self.says("stand-ins", *words))

    def test_a_written_job_runs(self):
        code, text = self.says("real", "submit", "mpi.yml")
        self.assertEqual(code, 0, text)
        self.assertEqual(sorted(re.findall(r"10 0\.5 two words FOLDER/src \S+ (\d)", text)),
                         ["0", "1", "2", "3"], text)

    def test_a_written_pipeline_runs_without_annotations(self):
        code, text = self.says("real", "submit", "without_annotations.yml")
        self.assertEqual(code, 0, text)
        said = sorted(re.findall(r"(?m)^\S+: (\d .*)", re.sub(r"\S+/outputs/kept", "KEPT", text)))
        self.assertEqual(said, ["0 True 1 1.5 KEPT", "1 False true KEPT",
                                "3 False x: y 0.5 FOLDER/src", "3 True 0 2",
                                "5 False a b 0", "5 True a b 0"], text)


@unittest.skipIf(REASON, REASON)
class RunConfigurations(PythonCase):
    """Files that SDK v1 has saved are job files."""

    def setUp(self):
        super().setUp()
        output_of([python_of("azureml"), os.path.join(PROGRAMS, "sdk_runconfigs.py"),
                   self.path("src")], AZUREML_LOG_DEPRECATION_WARNING_ENABLED="false")

    def muster(self, *words):
        return subprocess.run([MUSTER, *words], cwd=self.folder, env=self.for_python(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=WAIT_SECONDS, check=False)

    def prints(self, name, *words):
        done = self.muster("submit", f"src/.azureml/{name}", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return sorted(line.split("] ")[-1] for line in done.stdout.splitlines())

    def test_they_run_as_they_say(self):
        for name, ranks, nodes in (("single", 1, 1), ("mpi", 4, 2), ("pytorch", 4, 2),
                                   ("pytorch_default", 2, 2), ("tensorflow", 3, 3)):
            with self.subTest(name):
                self.assertEqual(self.prints(name), [
                    f"rank {rank} of {ranks} on node {rank * nodes // ranks}: --epochs 3 "
                    f"two words {rank} b! $5" for rank in range(ranks)])

    def test_they_are_loaded_by_the_stand_ins(self):
        done = self.runs("from azureml.core import RunConfiguration\n"
                         "for name in ('single', 'mpi', 'pytorch', 'tensorflow'):\n"
                         "    one = RunConfiguration.load('src', name)\n"
                         "    print(one.target, one.script, one.arguments, one.distribution(),\n"
                         "          one.environment.docker.base_image)\n")
        words = "['--epochs', 3, 'two words', '$RANK', '${A}!', '$5']"
        spread = ["None", "MpiConfiguration(process_count_per_node=2, node_count=2)",
                  "PyTorchConfiguration(communication_backend='nccl', process_count=4, "
                  "node_count=2)",
                  "TensorflowConfiguration(worker_count=2, parameter_server_count=1)"]
        self.assertEqual(done.stdout.splitlines(), [
            f"gpu-cluster train.py {words} {one} registry/train:2" for one in spread])

    def test_a_command(self):
        self.assertEqual(self.prints("command", "--without", "environment"),
                         ["rank EXAMPLE_VALUE"])

    def test_the_software_and_the_time_limit_are_kept(self):
        words = ("explain", "src/.azureml/mpi", "--fake-nodes", "2")
        told = self.muster(*words, "--without", "environment").stdout
        self.assertIn("MUSTER_DEADLINE=<start + 600 s>", told)
        told = self.muster(*words).stderr  # the SDK always has both
        self.assertRegex(told, r"^muster: error: src/\.azureml/mpi:\d+:5: muster adds no conda "
                               r"packages to an image\n")


if __name__ == "__main__":
    run_tests()
