"""Programs made for Azure ML's SDKs run unchanged: `python3 -m muster PROGRAM`."""

# rooms: front job cli

import json
import os
import re
import subprocess
import unittest

from azure_programs import COMPONENT, LAUNCH, MPI, MPI_DEFAULTS, PYTORCH, TENSORFLOW
from python_case import PACKAGE, PythonCase
from support import (BAD_FILE, MUSTER, PYTHON, USAGE, WAIT_SECONDS, LabCase, lab_or_skip,
                     run_tests)

V1 = """
from azureml.core import Workspace, ScriptRunConfig, Environment, Experiment
from azureml.core.runconfig import MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration
ws = Workspace.from_config()
compute_target = "gpu-cluster"
pytorch_env = tf_env = Environment.get(workspace=ws, name='AzureML-PyTorch-1.6-GPU')
"""

COMPUTE = """
from azureml.core.compute import AmlCompute, ComputeTarget
from azureml.core.compute_target import ComputeTargetException
try:
    compute_target = ComputeTarget(workspace=ws, name="gpu-cluster")
except ComputeTargetException:
    compute_target = ComputeTarget.create(ws, "x", AmlCompute.provisioning_configuration())
assert "gpu-cluster" in ws.compute_targets and ws.compute_targets["gpu-cluster"].name
"""

ESTIMATOR = """
from azureml.core import Experiment, Workspace
from azureml.train.dnn import Mpi, PyTorch
ws = Workspace.get("mine")
estimator = PyTorch("./src", compute_target=ws.compute_targets["gpu-cluster"],
                    entry_script="train.py", script_params={"--epochs": 3, "--quiet": ""},
                    node_count=2, distributed_training=Mpi(process_count_per_node=2), use_gpu=True)
run = Experiment(ws, "estimators").submit(estimator)
run.wait_for_completion(show_output=True)
assert run.get_status() == run.get_details()["status"] == "Completed"
"""

V2 = """
from azure.ai.ml import MLClient, MpiDistribution, Input, Output, command
from azure.ai.ml.constants import AssetTypes
from azure.identity import DefaultAzureCredential
client = MLClient(DefaultAzureCredential(), "subscription", "group", "workspace")
job = command(code="./src", command="python train.py --epochs ${{inputs.epochs}} ${{inputs.data}}",
              inputs={"epochs": 10, "data": Input(type=AssetTypes.URI_FOLDER, path="./src")},
              outputs={"model": Output(type=AssetTypes.URI_FOLDER)},
              environment="AzureML-pytorch-1.9@latest", compute="gpu-cluster", instance_count=2,
              distribution=MpiDistribution(process_count_per_instance=2), display_name="lines")
returned = client.jobs.create_or_update(job, experiment_name="v2")
client.jobs.stream(returned.name)
assert client.jobs.get(returned.name).status == "Completed", returned.studio_url
"""

V2_PIPELINE = """
from azure.ai.ml import MLClient, dsl, load_component
train = load_component(source="components/imagecnn-train/entry.spec.yaml")
@dsl.pipeline(default_compute="gpu-cluster")
def training(first):
    step = train(script_arg_0=first, script_arg_1="two words")
    step.resources.instance_count = 2
    step.distribution.process_count_per_instance = 2
client = MLClient.from_config()
client.jobs.stream(client.jobs.create_or_update(training(1)).name)
"""

V2_SWEEP = """
from azure.ai.ml import Input, MLClient, Output, command
from azure.ai.ml.sweep import BanditPolicy, Choice, Uniform
job = command(command="python3 -m muster $DIR/tried.py ${{inputs.x}} ${{ inputs.centre }} "
                      "${{inputs.rate}} ${{outputs.model}}",
              inputs={"x": 1, "centre": 3, "rate": 0.5}, outputs={"model": Output()})
sweep = job(x=Choice(values=[1, 2, 3, 4]), rate=Uniform(min_value=0, max_value=1)).sweep(
    compute="gpu-cluster", sampling_algorithm="random", primary_metric="loss", goal="Minimize")
sweep.set_limits(max_total_trials=6, max_concurrent_trials=2, timeout=600)
sweep.early_termination = BanditPolicy(slack_factor=9, evaluation_interval=1)
sweep.experiment_name = "tried"
client = MLClient.from_config()
client.jobs.stream(client.jobs.create_or_update(sweep).name)
"""

V2_SWEEP_STEP = """
from azure.ai.ml import MLClient, command, dsl, load_component
from azure.ai.ml.sweep import Choice, GridSamplingAlgorithm, Objective, SweepJob, SweepJobLimits
tried = load_component("tried.yml")
look = command(command="ls ${{inputs.model}}", inputs={"model": ""})

@dsl.pipeline(default_compute="gpu-cluster")
def tuned(centre):
    trial = tried(x=Choice([2, 3, 4]), centre=centre, rate=0.5)
    tune = trial.sweep(primary_metric="loss", goal="minimize",
                       sampling_algorithm=GridSamplingAlgorithm())
    last = look(model=tune.outputs.model)
    return {"model": tune.outputs.model}
client = MLClient.from_config()
client.jobs.stream(client.jobs.create_or_update(tuned(2)).name)
"""

TRIED = """
import os, sys, mlflow
x, centre, rate, model = sys.argv[1:]
mlflow.log_metric("loss", (float(x) - float(centre)) ** 2)
open(os.path.join(model, "x" + x), "w").close()
"""

TRIED_SPEC = """
type: command
inputs:
  x: {type: integer, max: 4}
  centre: {type: integer}
  rate: {type: number}
outputs: {model: {type: uri_folder}}
command: >-
  python3 -m muster $DIR/tried.py ${{inputs.x}} ${{inputs.centre}} ${{inputs.rate}}
  ${{outputs.model}}
"""

STEPS = """
from azure.ml.component import Component, dsl
func = Component.from_yaml(None, yaml_file="components/imagecnn-train/entry.spec.yaml")
"""

WIRED = """
from azure.ai.ml import MLClient, command, dsl, load_component
from azureml.core import Run
prepare, train_on = load_component("prepare.yml"), load_component("train.yml")
look = command(command="echo seen; ls ${{inputs.model}}", inputs={"model": ""})

@dsl.pipeline()
def inner(n):
    prepared = prepare(n=n)
    return {"data": prepared.outputs.data}

@dsl.pipeline(experiment_name="wired", description="with another within")
def whole(n):
    data = inner(n).outputs.data
    train = train_on(data=data)
    train.resources.instance_count = 2
    train.distribution.process_count_per_instance = 2
    again = train_on(data=data)
    last = look(model=train.outputs.model)
    return {"model": train.outputs.model}
"""


NAMED = """
from azure.ai.ml import Input, MLClient, command, load_job

client = MLClient(None, "s", "g", "w")
job = command(command="cat ${{inputs.rows}}/word", compute="gpu-cluster",
              inputs={"rows": Input(type="uri_folder", path="azureml:rows@latest")})
for one in (job, load_job("named.yml")):
    run = client.jobs.create_or_update(one)
    client.jobs.stream(run.name)
"""


class Programs(PythonCase):
    def unchanged(self, program, *words):
        return self.python(program, "-m", "muster", *words)

    def test_names_in_a_cloud_mean_what_the_command_line_says(self):
        os.makedirs(self.path("here/rows"))
        self.write("here/rows/word", "rows\n")
        self.write("part.yml", "type: command\ncommand: echo part\n")
        self.write("named.yml", "type: pipeline\nsettings: {default_compute: gpu-cluster}\n"
                   "jobs: {a: {component: 'azureml:part:1'}}\n")
        done = self.python(NAMED, "-m", "muster", "--set", "data.rows=here/rows", "--set",
                           "components.part=part.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if line.endswith(
            ("rows", "part"))], ["rows", "a: part"], done.stdout + done.stderr)
        done = self.python(NAMED, "-m", "muster", "--set", "inputs.rows=here/rows")
        self.assertIn("takes data.NAME=PATH, components.NAME=FILE or environments.NAME=IMAGE, not "
                      "'inputs.rows=here/rows'", done.stderr)

    def runs(self, program, *words):
        done = self.unchanged(program, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def fails(self, code, program, *words):
        done = self.unchanged(program, *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("/tmp/muster-job", done.stderr)
        return done.stderr

    def muster(self, *words):
        done = subprocess.run([MUSTER, *words], env=self.for_python(), cwd=self.folder,
                              capture_output=True, text=True, timeout=WAIT_SECONDS,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ranks(self, text, words=""):
        lines = re.findall("rank .*$", text, re.MULTILINE)
        self.assertTrue(all(words in line for line in lines), lines)
        return [line.split(":")[0] for line in sorted(lines, key=lambda line: int(line.split()[1]))]

    def submits(self, program, ranks, nodes, words=""):
        """It says on stderr what it has started; the job goes on when the program has ended."""
        told = self.runs(program).stderr
        found = re.fullmatch(r"muster: program\.py:\d+: run (\S+) has started: muster logs -f \1\n",
                             told)
        self.assertTrue(found, told)
        self.muster("wait", found[1])
        self.check(self.muster("logs", found[1]), ranks, nodes, words)

    def check(self, text, ranks, nodes, words):
        self.assertEqual(self.ranks(text, words), [f"rank {rank} of {ranks} on node "
                                                   f"{rank * nodes // ranks}"
                                                   for rank in range(ranks)])

    def test_script_run_configs(self):
        self.submits(V1 + COMPUTE + MPI, 8, 2)
        self.submits(V1 + MPI_DEFAULTS, 2, 2, "--use_env example.py")
        self.submits(V1 + PYTORCH, 8, 2, "--epochs 50 --local_rank ")
        self.submits(V1 + LAUNCH, 8, 2, "--epochs 50")
        self.submits(V1 + TENSORFLOW, 2, 2)

    def test_mpi_with_nodes_alone_runs_one_process_on_each(self):
        config = "MpiConfiguration(node_count=2)"
        self.submits(V1 + MPI.replace("MpiConfiguration(process_count_per_node=4, node_count=2)",
                                      config), 2, 2)

    def test_components(self):
        given = "ws = None\ncpu_compute_target = 'gpu-cluster'\narg_0, arg_1 = 1, 'two words'\n"
        self.submits(given + COMPONENT, 4, 2, "1 two words")

    def test_estimators(self):
        self.check(self.runs(ESTIMATOR).stdout, 4, 2, "--epochs 3 --quiet")

    def test_sdk_v2(self):
        self.check(self.runs(V2).stdout, 4, 2, f"--epochs 10 {self.path('src')}")
        self.check(self.runs(V2_PIPELINE).stdout, 4, 2, "1 two words")

    def test_sweeps_of_sdk_v2(self):
        self.write("tried.py", TRIED)
        done = self.runs(V2_SWEEP)
        run = json.loads(self.muster("show", "last", "--json"))
        self.assertEqual((run["state"], run["experiment"]), ("completed", "tried"), done)
        values = [step["values"] for step in run["steps"]]
        self.assertEqual(len(values), 6)
        self.assertTrue(all(set(one) == {"x", "rate"} for one in values), values)
        self.assertIn("the best of 6 trials is trial_", self.muster("report", "last"))

    def test_a_sweep_of_sdk_v2_is_a_step(self):
        self.write("tried.py", TRIED)
        self.write("tried.yml", TRIED_SPEC)
        done = self.runs(V2_SWEEP_STEP)
        run = json.loads(self.muster("show", "last", "--json"))
        self.assertEqual({step["step"]: step["state"] for step in run["steps"]},
                         {"tune": "completed", "last": "completed"}, done)
        self.assertEqual(os.listdir(run["outputs"]["model"]), ["x2"])

    def test_wrong_sweeps_are_told_with_their_lines(self):
        given = ("from azure.ai.ml import command\nfrom azure.ai.ml.sweep import Choice\n"
                 "job = command(command='echo ${{inputs.x}}', inputs={'x': 1})\n")
        told = self.fails(USAGE, given + "job.sweep(primary_metric='a', goal='minimize')\n")
        self.assertRegex(told, r"program\.py:4: command has no input that varies\n  hint: call it")
        told = self.fails(USAGE, given + "job(x=Choice([1])).submit()\n")
        self.assertRegex(told, r"program\.py:4: the input x of command has no value")
        told = self.fails(BAD_FILE, given + "job(x=Choice([])).sweep(primary_metric='a',\n"
                                            "    goal='up').submit()\n")
        self.assertRegex(told, r"program\.py:4: .*objective\.goal must be one of")
        self.assertIn("must be a list with at least one value", told)

    def test_where_to_run_may_be_said_before_the_program(self):
        program = V1 + MPI.replace("compute_target=compute_target,", "")
        done = self.runs(program, "--fake-nodes", "2", "--without", "environment")
        self.muster("wait", "last")
        self.check(self.muster("logs", "last"), 8, 2, "")
        self.assertIn("has started", done.stderr)

    def test_how_hosts_are_reached_may_be_said_before_the_program(self):
        program = V1 + MPI.replace("compute_target=compute_target,", "")
        place = ("--fake-nodes", "2", "--without", "environment")
        self.runs(program, *place, "--start-timeout", "30", "--lease", "9")
        self.muster("wait", "last")
        for option in ("--start-timeout", "--lease", "--ssh-port", "--max-open"):
            self.assertIn(" must be ", self.fails(USAGE, program, *place, option, "no"))

    def test_a_program_is_called_as_python_calls_it(self):
        self.write("beside.py", "found = 'beside the program'\n")
        path = self.write("program.py", "import sys, beside\nprint(sys.argv[1:], beside.found)\n"
                                        "print(__name__, sys.argv[0])\nsys.exit(7)\n")
        done = subprocess.run([PYTHON, "-m", "muster", path, "-n", "--help"], cwd="/",
                              env=self.for_python(), capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout),
                         (7, f"['-n', '--help'] beside the program\n__main__ {path}\n"))

    def test_complaints_name_the_line_and_python_s_words(self):
        told = self.fails(BAD_FILE, "from azureml.core import Environment, Experiment, "
                                    "ScriptRunConfig\n"
                                    "from azureml.core.runconfig import MpiConfiguration\n"
                                    "config = ScriptRunConfig('src', 'train.py',\n"
                                    "    environment=Environment('conda'),\n"
                                    "    distributed_job_config=MpiConfiguration(node_count=2))\n"
                                    "Experiment(None, 'e').submit(config)\n")
        self.assertRegex(told, r"^muster: error: program\.py:3: target 'local' cannot give the job "
                         r"its environment 'conda': .*\n  hint: .*environment=False")
        self.assertRegex(told, r"\nmuster: error: program\.py:3: the job needs 2 nodes, .*\n"
                         r"  hint: "
                               r".*fake_nodes=2")
        for option in ("job.yml", "Traceback"):
            self.assertNotIn(option, told)

    def test_python_s_words_do_what_the_complaints_say(self):
        done = self.runs(V1 + MPI.replace("compute_target=compute_target,", "").replace(
            "submit(run_config)", "submit(run_config, environment=False, fake_nodes=2)") +
            "run.wait_for_completion(show_output=True)\n")
        self.check(done.stdout, 8, 2, "")

    def test_wrong_names_of_inputs_are_answered_with_the_right_ones(self):
        told = self.fails(USAGE, STEPS + "func(script_arg_0=1, scrpt_arg_1=2)\n")
        self.assertEqual(told, "muster: error: program.py:4: entry.spec.yaml has no input "
                               "'scrpt_arg_1'\n  hint: did you mean script_arg_1? its inputs are "
                               "script_arg_0, script_arg_1\n")
        told = self.fails(USAGE, STEPS + "func(3)\n")
        self.assertIn("program.py:4: entry.spec.yaml needs a value for 'script_arg_1'\n", told)
        told = self.fails(USAGE, STEPS + "func(1, 2, 3)\n")
        self.assertIn("has 2 inputs, and 3 values were given", told)

    def test_values_of_the_wrong_type_are_refused(self):
        """As a job file's are, wherever the type is said."""
        top = ("from azure.ai.ml import Input, MLClient, command, dsl\n"
               "n = command(command='echo ${{inputs.n}}', inputs={'n': Input(type='integer')})\n"
               "k = command(command='echo ${{inputs.n}}', inputs={'n': 4, 'b': True})\n")
        ways = (("m", "n(n=m)", "'four'", "inputs.n must be a whole number, not 'four'"),
                ("m", "n(n=1).inputs.n = m", "'four'",
                 "inputs.n must be a whole number, not 'four'"),
                ("m", "k(n=m)", "'four'", "inputs.n must be a number, not 'four'"),
                ("m", "k(b=m)", "'maybe'", "inputs.b must be true or false, not 'maybe'"))
        for parameters, body, value, told in ways:
            program = (f"{top}@dsl.pipeline()\ndef whole({parameters}):\n    {body}\n"
                       f"MLClient.from_config().create_or_update(whole({value}))\n")
            self.assertIn(f"program.py:6: {told}\n", self.fails(BAD_FILE, program))
        for value, told in (("'four'", "n of whole() is 'four', which is not a whole number"),
                            ("1, b='x'", "b of whole() is 'x', which is not True or False"),
                            ("l=0.3", "whole() has no parameter 'l'\n  hint: did you mean lr?")):
            program = (f"{top}@dsl.pipeline()\ndef whole(n: int, lr: float = 1, b: bool = True):\n"
                       f"    k(n=n)\nwhole({value})\n")
            self.assertIn(f"program.py:7: {told}", self.fails(USAGE, program))

    def test_steps_hand_on_what_they_make(self):
        self.write("prepare.yml", "command: echo $((${{inputs.n}} + 1)) > ${{outputs.data}}/n\n"
                                  "inputs: {n: {type: integer}}\n"
                                  "outputs: {data: {type: uri_folder}}\n"
                                  "$schema: commandComponent\n")
        self.write("train.yml",
                   "command: echo rank $RANK of $WORLD_SIZE got $(cat ${{inputs.data}}/n)\n"
                   "inputs: {data: {type: uri_folder}}\noutputs: {model: {}}\n"
                   "distribution: {type: pytorch}\n")
        program = WIRED + (
            "client = MLClient.from_config()\njob = client.jobs.create_or_update(whole(3), "
            "tags={'stage': 'dev'})\n"
            "client.jobs.stream(job.name)\n"
            "print(sorted(child.name.split('/')[1] for child in Run(job.name).get_children()))\n")
        done = self.runs(program, "--fake-nodes", "2")
        self.assertEqual(sorted(done.stdout.splitlines()), [
            "['again', 'inner.prepared', 'last', 'train']", "again: rank 0 of 1 got 4",
            "last: seen",
            *(f"train: [{i}] rank {i} of 4 got 4" for i in range(4))])
        run = json.loads(self.muster("show", "last", "--json"))
        self.assertEqual(run["experiment"], "wired")
        self.assertEqual(run["tags"], {"stage": "dev"})
        self.assertTrue(run["outputs"]["model"].endswith("/steps/train/outputs/model"))

    def test_pipelines_called_twice_are_steps_as_in_a_job_file(self):
        self.write("prepare.yml", "command: echo ${{inputs.n}}\ninputs: {n: {type: integer}}\n")
        self.write("inner.yml", "type: pipeline\ninputs: {n: {type: integer}}\njobs:\n"
                   "  prepared: {component: ./prepare.yml, "
                   "inputs: {n: '${{parent.inputs.n}}'}}\n")
        self.write("twice.yml", "type: pipeline\njobs:\n"
                   "  first: {type: pipeline, component: ./inner.yml, inputs: {n: 1}}\n"
                   "  second: {type: pipeline, component: ./inner.yml, inputs: {n: 2}}\n")
        program = (
            "from azure.ai.ml import MLClient, dsl, load_component\n"
            "prepare = load_component('prepare.yml')\n"
            "@dsl.pipeline()\ndef inner(n: int):\n    prepared = prepare(n=n)\n"
            "@dsl.pipeline()\ndef whole():\n    first = inner(1)\n    second = inner(2)\n%s"
            "client = MLClient.from_config()\n"
            "client.jobs.stream(client.jobs.create_or_update(whole()).name)\n")
        self.muster("submit", "twice.yml")
        of_file = self.names_of_steps()
        self.assertEqual(of_file, ["first.prepared", "second.prepared"])
        self.runs(program % "")
        self.assertEqual(self.names_of_steps(), of_file)
        self.runs(program % "    inner(3)\n    for n in range(4, 6):\n        inner(n)\n")
        self.assertEqual(self.names_of_steps(), [*of_file, "inner.prepared", "inner_1.prepared",
                                                 "inner_2.prepared"])

    def names_of_steps(self):
        return [step["step"] for step in json.loads(self.muster("show", "last", "--json"))["steps"]]

    def test_every_step_has_the_folder_in_which_it_ran(self):
        os.makedirs(self.path("code"))
        self.write("code/a.txt", "then\n")
        program = (
            "from azure.ai.ml import MLClient, Input, command, dsl\n"
            "make = command(command='echo made > outputs/x', code='./code')\n"
            "use = command(command='cat ${{inputs.run}}/outputs/x ${{inputs.run}}/a.txt',\n"
            "              inputs={'run': Input(type='custom_model')})\n"
            "@dsl.pipeline()\ndef whole():\n    made = make()\n"
            "    used = use(run=made.outputs.artifacts)\n"
            "client = MLClient.from_config()\n"
            "client.jobs.stream(client.jobs.create_or_update(whole()).name)\n")
        self.assertEqual(self.runs(program, "--fake-nodes", "1").stdout,
                         "used: made\nused: then\n")

    def test_only_a_command_with_code_has_it_undeclared(self):
        os.makedirs(self.path("code"))
        self.write("bare.yml", "type: command\nname: bare\ncommand: 'true'\n")
        self.write("coded.yml", "type: command\nname: coded\ncommand: echo made > outputs/x\n"
                   "code: ./code\n")
        self.write("score.py", "")
        given = ("from azure.ai.ml import Input, Output, command, dsl, load_component\n"
                 "from azure.ai.ml.parallel import RunFunction, parallel_run_function\n"
                 "from azure.ai.ml.sweep import Choice\n"
                 "coded = load_component(source='coded.yml')\n"
                 "bare = load_component(source='bare.yml')\n")
        hint = "; undeclared, only a command with code has this one\n"
        swept = ("command(command='echo loss=${{inputs.x}}', code='./code', inputs={'x': 1})"
                 "(x=Choice([1, 2])).sweep(primary_metric='loss', goal='minimize', "
                 "sampling_algorithm='grid')")
        parallel = ("parallel_run_function(name='score', input_data='${{inputs.data}}', "
                    "inputs={'data': Input(path='.')}, outputs={'scores': Output()}, "
                    "mini_batch_size='1', task=RunFunction(code='.', entry_script='score.py'))")
        for made, why in (("bare()", "bare.yml has no output 'artifacts'\n  hint: it has none"),
                          ("command(command='true')", "'artifacts'\n  hint: it has none"),
                          (swept, "'artifacts'\n  hint: it has none"),
                          (parallel, "'artifacts'\n  hint: it has scores")):
            with self.subTest(made):
                self.assertIn(why + hint, self.fails(USAGE, given + made + ".outputs.artifacts\n"))
        self.runs(given + "coded().outputs.artifacts\n"
                  "command(command='true', outputs={'artifacts': {}}).outputs.artifacts\n"
                  "command(command='true', code='./code').outputs['artifacts']\n")

    def test_mistakes_in_wiring_name_the_line(self):
        wired = ("@dsl.pipeline()\ndef both():\n    first = func(1, 2)\n"
                 "    func(first.outputs.model, 2)\nboth().submit()\n")
        told = self.fails(USAGE, STEPS + wired)
        self.assertIn("entry.spec.yaml has no output 'model'\n  hint: it has none\n", told)
        with open(self.path("components/imagecnn-train/entry.spec.yaml"), "a",
                  encoding="utf-8") as file:
            file.write("outputs: {model: {type: path}}\n")
        told = self.fails(USAGE, STEPS + "first = func(1, 2)\n"
                                         "func(first.outputs.model, 2).submit()\n")
        self.assertIn("cannot be submitted by itself: its script_arg_0 is the output 'model' of ",
                      told)
        outside = wired.replace("    first = func(1, 2)\n", "")
        outside = outside.replace("@dsl", "first = func(1, 2)\n@dsl")
        told = self.fails(USAGE, STEPS + outside)
        self.assertIn("is not a step of this pipeline\n", told)
        told = self.fails(USAGE, STEPS + wired.replace(", 2)\nboth", ", 2)\n    return 3\nboth"))
        self.assertIn("the pipeline's function returns 3\n", told)
        bad = wired.replace("func(1, 2)\n", "func(1, 2)\n    first.distribution."
                                             "process_count_per_instance = 'many'\n", 1)
        told = self.fails(BAD_FILE, STEPS + bad)
        self.assertRegex(told, r"program\.py:6: .*process_count_per_instance.*many")

    def test_a_component_file_s_own_complaints(self):
        self.write("bad.yml", "comand: x\n")
        told = self.fails(BAD_FILE, STEPS + "Component.from_yaml(None, yaml_file='bad.yml')\n")
        self.assertIn("program.py:4: bad.yml:1:1: unknown key 'comand'\n  hint: ", told)

    def test_an_exception_is_told_from_the_program_s_first_line_on(self):
        told = self.fails(1, "def inner():\n    raise KeyError('x')\ninner()\n")
        self.assertEqual(re.findall(r'File "(.*)", line (\d+)', told),
                         [(self.path("program.py"), "3"), (self.path("program.py"), "2")])

    def test_names_that_muster_has_not(self):
        told = self.fails(1, "from azureml.core import Nonsense\n")
        self.assertRegex(told, r"ImportError: muster's stand-in for azureml\.core has no Nonsense; "
                               r"it has .*Workspace")
        told = self.fails(1, "import azureml.opendatasets\n")
        self.assertRegex(told, r"No module named 'azureml\.opendatasets': .*azureml\.core")
        told = self.fails(USAGE, "from azureml.core import Keyvault\nKeyvault.get_secret('x')\n")
        self.assertIn("program.py:2: muster does not support azureml.core.Keyvault", told)

    def test_an_sdk_that_is_installed_is_used(self):
        os.makedirs(self.path("azureml", "core"))
        self.write("azureml/__init__.py", "")
        self.write("azureml/core/__init__.py", "Workspace = 'the real one'\n")
        done = self.runs("from azureml.core import Workspace\nprint(Workspace)\n")
        self.assertEqual(done.stdout, "the real one\n")
        self.assertEqual(done.stderr, "muster: azureml.core is installed here and is used as it "
                                      "is: what it submits does not run through muster\n")


REASON = lab_or_skip()


@unittest.skipIf(REASON, REASON)
class OnHosts(LabCase):
    """The same over ssh, on hosts with more slots than the program asks for."""

    @classmethod
    def setUpClass(cls):
        cls.lab_of(2)

    def ranks(self, program):
        self.write("show.py", "import os, socket\n"
                   "print(os.environ['RANK'], os.environ['WORLD_SIZE'], socket.gethostname())\n")
        self.write("muster.yml", "targets:\n  cluster:\n    hosts: [node1:4, node2:4]\n"
                                 "    without: environment\n")
        env = self.environment(MUSTER=MUSTER, PYTHONPATH=PACKAGE,
                               MUSTER_RECORDS=self.path("records"),
                               MUSTER_SSH_COMMAND=self.lab.ssh_command)
        done = self.launches(self.write("program.py", program), env=env,
                             command=[PYTHON, "-m", "muster"])
        return sorted(line.split("] ")[-1] for line in done.text.splitlines())

    def program(self, config):
        return (V1.replace("gpu-cluster", "cluster") +
                MPI.replace("MpiConfiguration(process_count_per_node=4, node_count=2)", config)
                .replace("./src", ".").replace("train.py", "show.py") +
                "run.wait_for_completion(show_output=True)\n")

    def test_one_process_on_each_of_two_nodes(self):
        self.assertEqual(self.ranks(self.program("MpiConfiguration(node_count=2)")),
                         ["0 2 node1", "1 2 node2"])

    def test_several_on_each_node(self):
        config = "MpiConfiguration(process_count_per_node=3, node_count=2)"
        self.assertEqual(self.ranks(self.program(config)),
                         [f"{rank} 6 node{1 + rank // 3}" for rank in range(6)])


if __name__ == "__main__":
    run_tests()
