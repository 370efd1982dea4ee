"""What notebooks of Azure ML's SDK v2 do: jobs that are read, kept things, nested pipelines."""

# rooms: front job cli

import json
import os
import subprocess

from python_case import PythonCase
from support import MUSTER, USAGE, WAIT_SECONDS, run_tests

TARGETS = """
targets:
  cpu-cluster: {fake_nodes: 4, without: [environment, gpus]}
  gpu-cluster: {fake_nodes: 4, without: [environment, gpus]}
"""

CLIENT = """
from azure.ai.ml import Input, MLClient, Output, command, dsl, load_component
from azure.ai.ml.constants import AssetTypes, InputOutputModes
from azure.ai.ml.dsl import pipeline
from azure.identity import DefaultAzureCredential
client = MLClient(DefaultAzureCredential(), "one", "group", "space")
"""

ECHO = """
name: echo_it
version: 2
type: command
inputs:
  n: {type: integer, default: 3}
  data: {type: uri_folder, optional: true}
outputs:
  kept: {type: uri_folder}
  number: {type: integer}
command: >-
  echo ${{inputs.n}} $[[${{inputs.data}}]] > ${{outputs.kept}}/said;
  expr ${{inputs.n}} + 1 > ${{outputs.number}}
"""

READ = CLIENT + """
job = command(command="echo $RANK; echo ${{inputs.n}} > ${{outputs.made}}/n; mkdir -p outputs; "
              "echo log > outputs/log", code="src", display_name="reader", compute="cpu-cluster",
              inputs={"n": 4}, outputs={"made": Output(type=AssetTypes.URI_FOLDER)},
              environment="AzureML-acme@latest", tags={"stage": "dev"},
              distribution={"type": "PyTorch", "process_count_per_instance": 2})
job.resources = {"instance_count": 1}
job.set_resources(instance_count=2)
job.limits = {"timeout": 60}
job.distribution["process_count_per_instance"] = 1
print(job)
job = client.create_or_update(job, experiment_name="reading")
client.jobs.stream(job.name)
job = client.jobs.get(job.name)
assert (job.status, job.display_name, job.experiment_name) == ("Completed", "reader", "reading")
assert job.outputs["made"]["path"] == job.outputs.made.path == job.outputs["made"].path
assert open(job.outputs.made.path + "/n").read() == "4\\n"
assert job.services["Studio"].endpoint == job.studio_url
assert (job.type, job.tags, job.compute) == ("command", {"stage": "dev"}, "cpu-cluster")
assert getattr(job.outputs.made, "uri", None) is None and job.error is None
client.jobs.download(job.name, download_path="loaded", all=True)
client.jobs.download(name=job.name, output_name="made", download_path="one")
print("listed:", [one.name for one in client.jobs.list()] == [job.name])
print("shown:", job)
"""

SWEEP = CLIENT + """
from azure.ai.ml.sweep import Choice
job = command(command="echo loss=${{inputs.x}}; echo ${{inputs.x}} > ${{outputs.model}}/x",
              inputs={"x": 1}, outputs={"model": Output()})
sweep = job(x=Choice([3, 2, 4])).sweep(primary_metric="loss", goal="minimize",
                                       sampling_algorithm="grid", compute="cpu-cluster")
sweep.metrics_from = "output"
sweep.limits = {"max_total_trials": 3}
print(sweep)
sweep = client.jobs.create_or_update(sweep)
client.jobs.stream(sweep.name)
sweep = client.jobs.get(sweep.name)
best = sweep.properties["best_child_run_id"]
print(client.jobs.get(best).status, len(list(client.jobs.list(parent_job_name=sweep.name))))
client.jobs.download(sweep.name, output_name="model")
from azure.ai.ml.entities import Model
model = client.models.create_or_update(Model(
    path=f"azureml://jobs/{best}/outputs/model/paths/x", name="best", type="custom_model"))
print(open(model.path).read(), open("named-outputs/model/x").read())
"""

NESTED = CLIENT + """
echo = load_component(source="echo.yml")
print(echo.name, echo.version)
help(echo._func)
print(echo)

@pipeline(display_name="part", tags={"a": "b"})
def part(data: Input, n: int = 5):
    \"\"\"Two steps.\"\"\"
    first = echo(n=n, data=data)
    first.outputs.kept.mode = "upload"
    second = echo(n=first.outputs.number)
    second.compute = "gpu-cluster"
    return {"kept": second.outputs.kept, "number": second.outputs.number}

@pipeline
def whole(data, start=7):
    one = part(data=data)
    two = part(one.outputs.kept, n=start)
    last = echo(n=two.outputs.number, data=two.outputs.kept)
    last.inputs.data.mode = InputOutputModes.DOWNLOAD
    return {"kept": last.outputs.kept, "from_one": one.outputs.kept}

job = whole(Input(type="uri_folder", path="src"))
job.settings.default_compute = "cpu-cluster"
job.outputs.kept = Output(type="uri_folder", mode="rw_mount", path="kept")
print(job)
job = client.jobs.create_or_update(job, experiment_name="nested")
client.jobs.stream(job.name)
print(sorted(job.jobs), open("kept/said").read())
for name, step in client.jobs.get(job.name).jobs.items():
    assert client.jobs.get(step.job).status == step.status == "Completed"
"""

PARALLEL = CLIENT + """
from azure.ai.ml.entities import Environment
from azure.ai.ml.parallel import RunFunction, parallel_run_function
score = parallel_run_function(
    name="score_files", display_name="Score", description="some at a time",
    inputs=dict(data=Input(type=AssetTypes.MLTABLE, description="to be split"),
                word=Input(type="string")),
    outputs=dict(rows=Output(type=AssetTypes.URI_FILE)),
    input_data="${{inputs.data}}", instance_count=2, max_concurrency_per_instance=1,
    mini_batch_size="1", mini_batch_error_threshold=1, logging_level="DEBUG",
    retry_settings=dict(max_retries=2, timeout=60),
    task=RunFunction(code="./batch", entry_script="score.py",
                     program_arguments="--word ${{inputs.word}}", environment="azureml:acme:1",
                     append_row_to="${{outputs.rows}}"))
by_shop = parallel_run_function(task=score.task, input_data="x", partition_keys=["shop"])
assert by_shop.step_keys()["component"]["partition_keys"] == ["shop"]

@pipeline()
def scored(data):
    scored_files = score(data=data, word="seen")
    scored_files.inputs.data.mode = InputOutputModes.EVAL_MOUNT
    scored_files.outputs.rows.type = AssetTypes.URI_FILE
    return {"rows": scored_files.outputs.rows}

job = scored(data=Input(path="./src", type=AssetTypes.MLTABLE, mode=InputOutputModes.RO_MOUNT))
job.outputs.rows.type = AssetTypes.URI_FILE
job.settings.default_compute = "cpu-cluster"
assert client.jobs.validate(job).passed
print(job)
job = client.jobs.create_or_update(job)
client.jobs.stream(job.name)
print("rows:", sorted(open(job.outputs.rows.path).read().split()))
"""

SCORE = """
import os, sys
def init(): pass
def run(batch): return [os.path.basename(one) + sys.argv[2] for one in batch]
"""

KEPT = CLIENT + """
from azure.ai.ml.entities import (AmlCompute, BuildContext, CommandComponent, Data, Environment,
                                  JobSchedule, ManagedOnlineEndpoint, Model, RecurrencePattern,
                                  RecurrenceTrigger, Workspace)
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
assert client.workspaces.get(client.workspace_name).id.split("/")[2] == "one"
assert client.workspaces.get("space").resource_group == "group"
print(client.compute.get("cpu-cluster"))
made = client.begin_create_or_update(AmlCompute(name="gpu", size="STANDARD_NC6", tier="Dedicated",
                                                type="amlcompute", max_instances=4)).result()
assert client.compute.get("gpu").size == made.size == "STANDARD_NC6"
for version in "1", "2":
    data = client.data.create_or_update(Data(name="mine", path="./src", type="uri_folder"))
    assert data.version == version, data.version
assert client.data.get("mine", label="latest").path == client.data.get("mine", "1").path
try:
    client.data.get(name="mine", version="7")
except HttpResponseError as error:
    assert isinstance(error, ResourceNotFoundError) and not isinstance(error, TypeError)
    print(error)
env = client.environments.create_or_update(Environment(name="own", image="busybox"))
assert env.version == "1"
job = command(command="ls ${{inputs.data}} ${{inputs.same}}",
              environment=f"{env.name}:{env.version}",
              inputs={"data": Input(path="azureml:mine:2"), "same": Input(path=data.id)})
print(job)
dummy = CommandComponent(name="dummy", command="echo ${{inputs.n}} > ${{outputs.made}}/n",
                         inputs={"n": Input(type="integer")},
                         outputs={"made": {"type": "uri_folder"}})
client.components.create_or_update(dummy)
echo = client.components.create_or_update(load_component(path="echo.yml"))
assert [one.name for one in client.components.list()] == ["dummy", "echo_it"]
assert client.components.get("echo_it", version="2").input_names == ["n", "data"]
step = client.components.get("dummy")(n=6)
done = client.jobs.create_or_update(step, compute="cpu-cluster")
client.jobs.stream(done.name)
assert open(done.outputs.made.path + "/n").read() == "6\\n"
trigger = RecurrenceTrigger(frequency="day", interval=1,
                            schedule=RecurrencePattern(hours=10, minutes=[0]))
client.schedules.begin_create_or_update(JobSchedule(name="daily", trigger=trigger,
                                                    create_job=job)).result()
assert client.schedules.begin_disable("daily").result().is_enabled is False
print([one.name for one in client.schedules.list()])
ManagedOnlineEndpoint(name="x", auth_mode="key")
"""


class Notebooks(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("muster.yml", TARGETS)
        self.write("echo.yml", ECHO)
        self.write("src/data.txt", "one\n")
        os.mkdir(self.path("batch"))
        self.write("batch/score.py", SCORE)

    def refused(self, program, *told):
        done = self.python(program, "-m", "muster")
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        line = program.rstrip("\n").count("\n") + 1
        self.assertTrue(done.stderr.startswith(f"muster: error: program.py:{line}: "), done.stderr)
        for text in told:
            self.assertIn(text, done.stderr)

    def read_json(self, text):
        """YAML that a program printed, as muster reads it."""
        done = subprocess.run([MUSTER, "validate", "-", "--json"], input=text, cwd=self.folder,
                              env=self.for_python(), capture_output=True, text=True,
                              timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + text)
        return json.loads(done.stdout)

    def test_a_job_can_be_read(self):
        done = self.runs(READ)
        said = done.stdout[:done.stdout.index("\n\n") + 1]
        self.assertEqual(self.read_json(said)["outputs"], ["made"])
        for text in ("type: pytorch\n  process_count_per_instance: 1\n", "timeout: 60\n",
                     "instance_count: 2\n"):
            self.assertIn(text, said)
        self.assertIn("[1] 1\n", done.stdout)
        self.assertIn("listed: True", done.stdout)
        shown = done.stdout[done.stdout.index("shown: "):]
        for text in ("display_name: reader\n", "status: Completed\n", "experiment_name: reading\n",
                     "  stage: dev\n", f"    path: {self.path('records')}"):
            self.assertIn(text, shown)
        for path in ("loaded/named-outputs/made/n", "loaded/artifacts/outputs/log",
                     "loaded/artifacts/user_logs/rank.0/stdout", "one/named-outputs/made/n"):
            self.assertTrue(os.path.isfile(self.path(path)), path)

    def test_what_cannot_be_read_is_told_with_what_can(self):
        self.runs(CLIENT + "job = client.jobs.create_or_update(command(\n"
                  "    command='true', outputs={'made': Output()}, compute='cpu-cluster'))\n"
                  "client.jobs.stream(job.name)\nopen('name', 'w').write(job.name)\n")
        known = CLIENT + "job = client.jobs.get(open('name').read())\n"
        self.refused(known + "job.outputs.mad\n", "there is no output of run",
                     "did you mean made?")
        self.refused(known + "job.outputs['mad']\n",
                     "'mad'\n  hint: did you mean made? it has made")
        self.refused(known + "client.jobs.download(job.name, output_name='mad')\n",
                     "has no output 'mad'\n  hint: did you mean made?")
        self.refused(known + "job.displayname\n", "Job has no 'displayname'",
                     "did you mean display_name?")
        self.refused(CLIENT + "client.jobs.get('nosuch')\n", "no run nosuch\n  hint: `muster ps`")

    def test_what_lies_in_an_output_named_artifacts_can_be_registered(self):
        """Of a job without code it is one like others."""
        done = self.runs(CLIENT + "from azure.ai.ml.entities import Model\n"
                         "job = client.jobs.create_or_update(command(\n"
                         "    command='echo made > ${{outputs.artifacts}}/x',\n"
                         "    outputs={'artifacts': Output()}, compute='cpu-cluster'))\n"
                         "client.jobs.stream(job.name)\n"
                         "model = client.models.create_or_update(Model(name='kept', path=\n"
                         "    f'azureml://jobs/{job.name}/outputs/artifacts/paths/x'))\n"
                         "print(open(model.path).read())\n")
        self.assertIn("made\n", done.stdout)

    def test_sweeps_know_their_best_trial(self):
        done = self.runs(SWEEP)
        self.assertEqual(self.read_json(done.stdout[:done.stdout.index("\n\n") + 1])["outputs"],
                         ["model"])
        self.assertIn("Completed 3\n2\n 2\n", done.stdout)

    def test_nested_pipelines_have_the_names_of_job_files(self):
        done = self.runs(NESTED)
        self.assertIn("echo_it 2\n", done.stdout)
        self.assertIn("\necho_it(n=None, data=None)\n", done.stdout)
        self.assertIn("['last', 'one.first', 'one.second', 'two.first', 'two.second'] 9 ",
                      done.stdout)
        shown = done.stdout[done.stdout.index("type: pipeline"):]
        self.read_json(shown[:shown.index("\n\n") + 1])

    def test_complaints_about_steps_within_name_their_lines(self):
        program = NESTED.replace("    second.compute", "    second.limits.timeout = 'long'\n"
                                 "    second.compute")
        done = self.python(program, "-m", "muster")
        line = program[:program.index("second = echo")].count("\n") + 1
        self.assertRegex(done.stderr, rf"program\.py:{line}: .*timeout.*long")

    def test_parallel_steps(self):
        self.write("src/MLTable", '{"paths": [{"pattern": "./**/*.*"}]}\n')
        done = self.runs(PARALLEL)
        self.assertIn("rows: ['data.txtseen', 'launch.pyseen', 'run_glue.pyseen', 'train.pyseen']",
                      done.stdout)

    def test_what_is_registered_is_kept(self):
        done = self.runs(KEPT)
        self.assertIn("no data 'mine' of version '7' is known here\n  hint: muster.yml and --set "
                      "data.mine=... can say what it is; this machine's programs have registered: "
                      "mine", done.stdout)
        self.assertIn("environment:\n  name: own\n  image: busybox\n", done.stdout)
        self.assertEqual(done.stdout.count(f"path: {self.path('src')}\n"), 2, done.stdout)
        self.assertIn("['daily']\n", done.stdout)
        tidied = subprocess.run([MUSTER, "gc"], env=self.for_python(), capture_output=True,
                                text=True, check=False)
        self.assertEqual((tidied.stdout, tidied.stderr), ("nothing to remove\n", ""))
        for text in ("gpu is not made: muster.yml has the hosts\n", "the schedule daily is kept, "
                     "but muster starts no jobs by itself", "ManagedOnlineEndpoint(...) describes "
                     "a service of Azure ML, and has no effect here\n"):
            self.assertEqual(done.stderr.count(text), 1, done.stderr)

    def test_misspelt_words_of_parts_given_as_dictionaries(self):
        made = CLIENT + "job = command(command='true', compute='cpu-cluster')\n"
        self.refused(made + "job.resources = {'instance_cout': 2}\n",
                     "JobResourceConfiguration() has no parameter 'instance_cout'",
                     "did you mean instance_count?")
        self.refused(made + "job.limits = {'timout': 2}\n", "did you mean timeout?")
        step = CLIENT + "step = load_component('echo.yml')()\n"
        self.refused(step + "step.resources = {'instance_cout': 2}\n",
                     "JobResourceConfiguration() has no parameter 'instance_cout'")
        self.runs(step + "step.resources = {'instance_count': 2}\n"
                  "step.resources.instance_count += 1\nstep.limits = {'timeout': 5}\n"
                  "step.distribution = {'type': 'mpi'}\n"
                  "step.distribution.process_count_per_instance = 2\nprint(step)\n")
        self.refused(made + "job.inputs.x = 1\n", "command has no input 'x'\n  hint: it has none")
        self.refused(CLIENT + "echo = load_component('echo.yml')\n@pipeline\ndef whole(n):\n"
                     "    echo(n=n)\njob = whole(3)\njob.inputs.n = 4\n", "the input 'n' of the "
                     "pipeline cannot be changed to 4\n  hint: call the pipeline's function with")
        self.refused(CLIENT + "@pipeline\ndef whole(rate):\n    pass\nwhole(rat=1)\n",
                     "whole() has no parameter 'rat'\n  hint: did you mean rate?")
        done = self.python(made + "job.distribution = {'type': 'PyTorch', 'count': 2}\n"
                           "client.jobs.create_or_update(job)\n", "-m", "muster")
        self.assertIn("unknown key 'count'", done.stderr.replace("distribution.", ""))
        self.assertRegex(done.stderr, r"^muster: error: program\.py:7: ")


if __name__ == "__main__":
    run_tests()
