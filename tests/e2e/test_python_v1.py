"""Azure ML's SDK v1 as notebooks write it: runs, metrics and sweeps through muster."""

# rooms: front job cli

import json
import os
import re
import signal
import subprocess

from python_case import PACKAGE
from support import MUSTER, PYTHON, USAGE, WAIT_SECONDS, run_tests
from v1_case import LOGS, SWEEP, V1, V1Case

SWEEP_FILE = """
type: sweep
trial: {code: src, command: "python3 train.py --lr ${{search_space.lr}}"}
search_space: {lr: {type: choice, values: [1, 3, 2]}}
sampling_algorithm: grid
objective:
  primary_metric: lr  # what it was given
  goal: minimize
limits: {max_concurrent_trials: 1}
"""
# What another program finds.
FOUND = """
import json, subprocess
from azureml.core import Experiment, Run, Workspace
from azureml.train.hyperdrive import HyperDriveRun
ws = Workspace.from_config()
name = json.loads(subprocess.run([__import__("os").environ["MUSTER"], "show", "last", "--json"],
                                 capture_output=True, check=True).stdout)["run"]
def show(run):
    best = run.get_best_run_by_primary_metric()
    print(type(run).__name__, best.get_metrics()["lr"], best.id in run.get_metrics())
    return best
swept = HyperDriveRun(Experiment(ws, "lines"), name, hyperdrive_run_config=None)
best = show(swept)
found = swept.get_children_sorted_by_primary_metric()
print([one["hyperparameters"] for one in found], [one["best_primary_metric"] for one in found])
show(Run.get(ws, name))
show(ws.get_run(name))
print(type(Run.get(ws, best.id)).__name__, best.id.split("/")[1])
"""

class Configurations(V1Case):
    def test_each_part_of_a_run_configuration_counts(self):
        four = self.spread(4, 2)
        for said in ("communicator = 'OpenMpi'\nsrc.run_config.node_count = 2\n"
                     "src.run_config.mpi.process_count_per_node = 2",
                     "mpi = MpiConfiguration(2, 2)",  # which says what the communicator is
                     "mpi.process_count_per_node = 2\nsrc.run_config.mpi.node_count = 2",
                     "pytorch.process_count = 4\nsrc.run_config.node_count = 2"):
            self.assertEqual(self.ranks(V1 + f"src.run_config.{said}\n"), four)

    def test_variables_targets_and_clones(self):
        program = V1 + """
config = RunConfiguration(framework="python")
config.target = "gpu-cluster"
config.environment = Environment("first").clone("second")
config.environment.environment_variables["EXAMPLE"] = "of the environment"
config.environment_variables = {"EXAMPLE": "of the run", "RANKS": "$RANK"}
config.history.output_collection = True
src = ScriptRunConfig("src", command="echo $EXAMPLE $RANKS", run_config=config)
experiment.submit(src).wait_for_completion(show_output=True)
"""
        self.assertEqual(self.runs(program).stdout, "of the run $RANK\n")

    def test_variables_of_a_run_configuration_reach_every_rank(self):
        done = self.runs(V1 + """
config = RunConfiguration()
config.target, config.environment_variables = "gpu-cluster", {"EXAMPLE": "of the run"}
config.node_count, config.communicator, config.mpi.process_count_per_node = 2, "OpenMpi", 1
src = ScriptRunConfig("src", command="echo $RANK: $EXAMPLE", run_config=config)
experiment.submit(src).wait_for_completion(show_output=True)
""")
        self.assertEqual(sorted(line.split("] ")[-1] for line in done.stdout.splitlines()),
                         ["0: of the run", "1: of the run"])

    def test_variables_that_ranks_shall_not_have_may_be_said_before_the_program(self):
        done = self.python(V1 + """
src = ScriptRunConfig("src", command="env")
experiment.submit(src).wait_for_completion(show_output=True)
""", "-m", "muster", "--unset", "LOCAL_RANK", "--unset", "HOROVOD_LOCAL_*", "--dialects", "^jax")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        names = {line.partition("=")[0] for line in done.stdout.splitlines()}
        self.assertLessEqual({"RANK", "HOROVOD_RANK"}, names)
        self.assertFalse({"LOCAL_RANK", "HOROVOD_LOCAL_RANK", "JAX_PROCESS_ID"} & names, names)

    SAVED = """
import os
config = RunConfiguration("train.py", ["--lr", 1, "two words"], communicator="OpenMpi")
config.target, config.node_count, config.mpi.process_count_per_node = "gpu-cluster", 2, 2
config.environment_variables = {"EXAMPLE": "a: b"}
config.save("src", "train")
"""

    def test_what_is_saved_is_loaded(self):
        done = self.runs(V1 + self.SAVED + """
same = RunConfiguration.load("src", "train")
print(same.target, same.script, same.arguments, same.environment_variables, same.distribution())
same.save("src/own.runconfig")
print(RunConfiguration.load("src/own.runconfig").node_count)
RunConfiguration.delete("src", "train")
print(os.listdir("src/.azureml"))
for wrong in (lambda: RunConfiguration.load("src", "train"), lambda: same.save("src"),
              lambda: RunConfiguration.load("src/train.py"),
              lambda: RunConfiguration.delete("src", "train.py"),
              lambda: RunConfiguration.delete("src/train.py", "train")):
    try:
        wrong()
    except Exception as error:
        print(str(error).splitlines()[0].partition(": ")[2])
""")
        self.assertEqual(done.stdout.splitlines(), [
            "gpu-cluster train.py ['--lr', 1, 'two words'] {'EXAMPLE': 'a: b'} "
            "MpiConfiguration(process_count_per_node=2, node_count=2)", "2", "[]",
            "there is no run configuration src/.azureml/train",
            "a run configuration is saved under a name",
            "src/train.py is not a run configuration that RunConfiguration.save() has written",
            "there is no run configuration src/.azureml/train.py",
            "src/train.py is not a run configuration that RunConfiguration.save() has written"])

    def test_each_keeps_its_own_packages(self):
        done = self.runs(V1 + """
import os
from azureml.core.conda_dependencies import CondaDependencies
for name in ("one", "two"):
    config = RunConfiguration("train.py")
    config.environment.python.conda_dependencies = CondaDependencies.create(
        pip_packages=[f"package-{name}"])
    config.save("src", name)
for name in ("one", "two"):
    same = RunConfiguration.load("src", name)
    with open(same.environment.python.conda_dependencies.conda_file()) as file:
        print(f"package-{name}" in file.read())
    RunConfiguration.delete("src", name)
print(os.listdir("src/.azureml"))
""")
        self.assertEqual(done.stdout.splitlines(), ["True", "True", "[]"])

    def test_the_target_that_was_saved_is_where_it_runs(self):
        """By its own file, and by a program that loads it."""
        program = self.SAVED.replace('"train.py", ["--lr", 1, "two words"]',
                                     'command="echo $RANK of $WORLD_SIZE"')
        self.runs(V1 + program)
        done = subprocess.run([MUSTER, "submit", "src/.azureml/train"], cwd=self.folder,
                              env=self.for_python(), capture_output=True, text=True,
                              timeout=WAIT_SECONDS, check=False)
        four = [f"{rank} of 4" for rank in range(4)]
        self.assertEqual(sorted(line.split("] ")[-1] for line in done.stdout.splitlines()), four)
        done = self.runs(V1 + """
src = ScriptRunConfig("src", run_config=RunConfiguration.load("src", "train"))
experiment.submit(src).wait_for_completion(show_output=True)
""")
        self.assertEqual(sorted(line.split("] ")[-1] for line in done.stdout.splitlines()), four)
        saved = self.path("src/.azureml/train")
        with open(saved, encoding="utf-8") as file:
            text = file.read().replace("gpu-cluster", "elsewhere")
        self.write("src/.azureml/train", text)
        done = self.python(V1 + """
src = ScriptRunConfig("src", run_config=RunConfiguration.load("src", "train"))
experiment.submit(src)
""", "-m", "muster")
        self.assertIn("'elsewhere'", done.stderr)

    def test_what_a_container_gets_is_handed_on(self):
        done = self.runs(V1 + """
docker = DockerConfiguration(use_docker=True, shm_size="2g", arguments=["--ipc=host"])
src = ScriptRunConfig("src", "train.py", docker_runtime_config=docker)
print(src.keys()["resources"])
environment = Environment("own")
environment.docker.arguments = ["--cap-add", "SYS_PTRACE"]
print(ScriptRunConfig("src", "train.py", environment=environment).keys()["resources"])
""")
        self.assertEqual(done.stdout,
                         "{'docker_args': '--ipc=host', 'shm_size': '2g'}\n"
                         "{'docker_args': '--cap-add SYS_PTRACE'}\n")

    def test_a_helper_that_makes_what_is_not_there(self):
        """A target, an environment of requirements and a container's settings, as scripts on the
        web put them together; the principal that signs in needs no cloud here."""
        self.write("config.json", '{"subscription_id": "s", "resource_group": "g", '
                   '"workspace_name": "w"}')
        self.write("requirements.txt", "")
        done = self.python("""
from pathlib import Path
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace
from azureml.core.authentication import ServicePrincipalAuthentication
from azureml.core.compute import AmlCompute, ComputeTarget
from azureml.core.runconfig import DockerConfiguration, MpiConfiguration
auth = ServicePrincipalAuthentication(tenant_id="t", service_principal_id="c",
                                      service_principal_password="p")
ws = Workspace.from_config("./config.json", auth=auth)
if "my-cluster" in ws.compute_targets:
    target = ComputeTarget(workspace=ws, name="my-cluster")
else:
    config = AmlCompute.provisioning_configuration(vm_size="Standard_NC6", max_nodes=2,
                                                   idle_seconds_before_scaledown=1200)
    target = ComputeTarget.create(ws, "my-cluster", config)
    target.wait_for_completion(show_output=True)
environment = Environment.from_pip_requirements("own", Path("requirements.txt"))
environment.docker.base_image = "mcr.example/openmpi:1"
script = Path("src/train.py")
config = ScriptRunConfig(source_directory=script.parent, script=script.name,
                         arguments=["--n", 3], compute_target=target, environment=environment,
                         distributed_job_config=MpiConfiguration(process_count_per_node=1,
                                                                 node_count=2),
                         docker_runtime_config=DockerConfiguration(use_docker=True))
run = Experiment(ws, "exp").submit(config)
run.wait_for_completion(show_output=True)
print("status", run.get_status())
""", "-m", "muster", "--fake-nodes", "2", "--without", "environment")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall(r"rank \d of \d on node \d: --n 3", done.stdout)),
                         ["rank 0 of 2 on node 0: --n 3", "rank 1 of 2 on node 1: --n 3"])
        self.assertEqual(done.stdout.splitlines()[-1], "status Completed")

    def test_an_image_of_a_registry(self):
        done = self.runs(V1 + """
from azureml.core import ContainerRegistry
from azureml.train.estimator import Estimator
registry = ContainerRegistry()
registry.address = "registry:5000"
registry.username = "me"
estimator = Estimator("src", entry_script="train.py", custom_docker_image="train:2",
                      image_registry_details=registry, user_managed=True)
print(estimator.keys()["environment"])
print(Environment.from_docker_image("own", "registry:5000/x", registry).software())
""")
        self.assertEqual(done.stdout,
                         "{'name': 'estimator', 'image': 'registry:5000/train:2'}\n"
                         "{'name': 'own', 'image': 'registry:5000/x'}\n")
        self.assertEqual(done.stderr, "muster: program.py:14: ContainerRegistry.username has no "
                                      "effect here\n")

    def test_code_that_is_not_here_is_told_before_a_host_is_asked(self):
        given = V1 + "experiment.submit(ScriptRunConfig("
        self.refused(given + "'elsewhere', 'train.py', compute_target='nowhere'))\n",
                     "there is no folder 'elsewhere' here")
        self.refused(given + "'src', 'trian.py', compute_target='nowhere'))\n",
                     "there is no script 'trian.py' in 'src'")

    def test_misspelt_words_are_told_with_near_ones(self):
        for line, *told in (
                ("src.run_config.mpi.process_count = 2", "did you mean process_count_per_node?"),
                ("src.run_config.history.colect = 2", "RunConfiguration.history has no setting"),
                ("Run(experiment, 'x').get_metricks()", "did you mean get_metrics?"),
                ("experiment.submit(src, continue_on_step_failure=True)", "is for pipelines"),
                ("experiment.submit(ScriptRunConfig('src'))", "has neither script nor command"),
                ("ws.get_default_datastore().upload('data')", "there is no folder 'data'"),
                ("src.run_config.mpi = MpiConfiguration(2); src.run_config.pytorch.process_count"
                 " = 4; experiment.submit(src)", "in 2 of its sections")):
            self.refused(V1 + line + "\n", *told)

    def test_what_does_nothing_is_told_once(self):
        done = self.runs("""
import azureml.core, azureml.core.dataset, azureml.core.model
from azureml.core import Dataset, VERSION
from azureml.core.dataset import Dataset as Same
from azureml.data.data_reference import DataReference
from azureml.telemetry import set_diagnostics_collection
for _ in range(2):
    set_diagnostics_collection(send_diagnostics=True)
print(azureml.core.VERSION == VERSION)
""")
        self.assertEqual(done.stdout, "True\n")
        self.assertEqual(done.stderr, "muster: program.py:8: set_diagnostics_collection() has no "
                                      "effect here: muster sends nothing\n")


class Runs(V1Case):
    def test_metrics_and_files_of_a_run(self):
        done = self.runs(V1 + """
import os, zipfile
src = ScriptRunConfig("src", "logs.py", arguments=["--lr", 2], compute_target="gpu-cluster")
run = experiment.submit(src, tags={"stage": "dev"})
RunDetails(run).show()
run.wait_for_completion()
print(run.get_metrics())
print(run.get_metrics("lr"), run.get_file_names())
run.download_file("outputs/model.pkl", "here/mine.pkl")
run.download_files("kept", "there")
print(open("here/mine.pkl").read(), open("there/kept/model.pkl").read())
print(sorted(run.get_details_with_logs()["logFiles"].values()))
snapshot = run.restore_snapshot(path="snapshots")
print(os.path.basename(snapshot) == run.id + ".zip",
      "logs.py" in zipfile.ZipFile(snapshot).namelist())
model = run.register_model("lines", "outputs/model.pkl")
print(model.name, open(model.url).read())
run.tag("quality", "good")
run.add_properties({"author": "me"})
print(run.get_tags(), run.get_properties(), run.status)
print(run.get_details()["runDefinition"]["arguments"],
      run.get_environment() is src.run_config.environment)
same = Run(experiment, run.id)
print(same.get_status(), list(experiment.get_runs(tags={"quality": "good"}))[0].id == run.id,
      list(experiment.get_runs(tags="other")), run.experiment is experiment)
""")
        self.assertEqual(done.stdout.splitlines(), [
            "{'accuracy': [0, 2, 4], 'lr': 2, 'note': 'good', "
            "'wave': {'angle': [0.5, 1.5], 'cos': [1, 2]}}",
            "{'lr': 2} ['kept/model.pkl', 'outputs/model.pkl', 'streams/rank.0/stderr', "
            "'streams/rank.0/stdout']",
            "weights weights", "['', '']", "True True", "lines weights",
            "{'stage': 'dev', 'quality': 'good'} {'author': 'me'} Completed",
            "['--lr', '2'] True",
            "Completed True [] True"])

    def test_metrics_of_all_ranks(self):
        done = self.runs(V1 + """
src = ScriptRunConfig("src", "logs.py", arguments=["--lr", "$RANK"], compute_target="gpu-cluster",
                      distributed_job_config=MpiConfiguration(2, 2))
run = experiment.submit(src)
run.wait_for_completion()
print(run.get_metrics()["lr"])
""")
        self.assertEqual(done.stdout, "[0, 1, 2, 3]\n")

    def test_one_process_on_each_node_may_start_workers(self):
        """Lightning's rule: under mpirun, it does so where nobody has said LOCAL_RANK."""
        self.write("src/local.py", "import os\nprint(os.environ.get('LOCAL_RANK'), 'RANK' in "
                                   "os.environ, flush=True)\n")
        for each, lines in ((1, ["None True"] * 2), (2, ["0 True", "0 True", "1 True", "1 True"])):
            done = self.runs(V1 + f"""
src = ScriptRunConfig("src", "local.py", compute_target="gpu-cluster",
                      distributed_job_config=MpiConfiguration({each}, 2))
experiment.submit(src).wait_for_completion(show_output=True)
""")
            self.assertEqual(sorted(line.split("] ")[-1] for line in done.stdout.splitlines()),
                             lines)

    def test_an_azureml_of_the_user_s_own_comes_first(self):
        os.makedirs(self.path("own/azureml/core"))
        self.write("own/azureml/__init__.py", "where = 'own'\n")
        self.write("own/azureml/core/__init__.py", "")
        self.write("own/azureml/core/run.py", "Run = 'the real one'\n")
        self.write("src/imports.py", "import sys, azureml\nfrom azureml.core.run import Run\n"
                                     "print(azureml.where, Run, sys.path.count(%r))\n"
                   % self.path("own"))
        done = self.runs(V1 + f"""
src = ScriptRunConfig("src", "imports.py", compute_target="gpu-cluster")
src.run_config.environment_variables["PYTHONPATH"] = {self.path("own")!r}
experiment.submit(src).wait_for_completion(show_output=True)
""")
        self.assertEqual(done.stdout, "own the real one 1\n")

    def test_a_program_logs_for_itself(self):
        done = self.runs(V1 + """
run = experiment.start_logging()
run.log("message", "hello")
run.log_table("sines", {"angle": [1, 2], "sine": [0.5, 0.25]})
print(run.get_status(), run.get_metrics())
with run.child_run() as child:
    child.log("n", 1)
run.complete()
print(run.get_status(), [one.get_status() for one in run.get_children()], child.get_metrics())
with experiment.start_logging() as other:
    other.upload_file("kept.txt", "muster.yml")
print(other.get_status(), other.get_file_names())
print(ws.experiments[experiment.name].name == experiment.name, len(Experiment.list(ws)))
import mlflow
mlflow.set_tracking_uri(ws.get_mlflow_tracking_uri())
mlflow.set_experiment("elsewhere")
with mlflow.start_run():
    mlflow.log_metric("n", 1)
mlflow.set_experiment("without runs")
print(sorted(set(ws.experiments) - {experiment.name}))
""")
        self.assertEqual(done.stdout.splitlines(), [
            "Running {'message': 'hello', 'sines': {'angle': [1, 2], 'sine': [0.5, 0.25]}}",
            "Completed ['Completed'] {'n': 1}", "Completed ['kept.txt']", "True 1",
            "['elsewhere']"])

    def test_the_record_of_a_run_that_was_removed_is_not_made_again(self):
        """By a program that has the variables of one of its ranks."""
        gone = self.path("records", "20260102-030405.678-kufari")
        for folder in (gone, gone + "/steps/train"):
            done = self.runs(f"""
import os
os.environ["MLFLOW_TRACKING_URI"] = "file://{folder}/mlruns"
from azureml.core import Run
Run.get_context().log("loss", 0.5)
""")
            self.assertEqual(done.stdout, "Attempted to log scalar metric loss:\n0.5\n")
            self.assertFalse(os.path.exists(gone))
        self.runs(f"""
import os
os.environ["MLFLOW_TRACKING_URI"] = "file://{gone}/mlruns"
os.environ["MUSTER_HEAD"] = "{self.write("socket", "")}"  # a rank on a host without the record
from azureml.core import Run
Run.get_context().log("loss", 0.5)
""")
        self.assertTrue(os.path.isdir(gone + "/mlruns"))

    def test_a_folder_that_begins_with_a_date_is_not_that_of_a_run(self):
        folder = self.path("20260102-first", "mlruns")
        self.runs(f"""
import os
os.environ["MLFLOW_TRACKING_URI"] = "file://{folder}"
from azureml.core import Run
Run.get_context().log("loss", 0.5)
""")
        self.assertTrue(os.path.isdir(folder))

    def test_runs_of_programs_are_found_with_their_files(self):
        done = self.runs(V1 + """
import os
os.makedirs("outputs")
open("outputs/old.txt", "w").close()
os.utime("outputs/old.txt", (1, 1))
for n in 3, 1, 2:
    with experiment.start_logging() as run:
        run.log("n", n)
        run.tag("last", n)
        open("outputs/model.pkl", "w").write(str(n))
with run.child_run() as child:
    child.log("n", 0)
Experiment(ws, "another").start_logging(outputs=False).complete()
done = experiment.submit(src)
done.wait_for_completion()
""")
        done = self.runs(V1 + """
found = {run.id: run.get_metrics()["n"] for run in experiment.get_runs() if run.get_metrics()}
print(list(found.values()), len(list(experiment.get_runs())),
      [run.get_metrics() for run in experiment.get_runs(tags={"last": "1"})])
best = next(run for run in experiment.get_runs() if run.get_metrics().get("n") == 1)
print(best.get_status(), best.get_file_names(), best.get_tags())
model = best.register_model("net", model_path="./outputs/model.pkl")
best.download_file("./outputs/model.pkl", "here.pkl")
print(open(model.url).read(), open("here.pkl").read())
other = next(Experiment(ws, "another").get_runs())
print(other.get_file_names(), other.get_status())
""")
        self.assertEqual(done.stdout.splitlines(), [
            "[2, 1, 3] 4 [{'n': 1}]", "Completed ['outputs/model.pkl'] {'last': '1'}", "1 1",
            "[] Completed"])

    def test_computes_do_what_can_be_done_without_them(self):
        done = self.runs("""
from azureml.core import Workspace
from azureml.core.compute import AmlCompute, ComputeInstance, ComputeTarget
ws = Workspace.from_config()
found = ComputeTarget(workspace=ws, name="gpu-cluster")
print(type(found) is AmlCompute, type(ws.compute_targets["x"]) is AmlCompute, found)
print(found.list_nodes(), list(found.get_active_runs()), ComputeTarget.list(ws))
found.refresh_state()
found.update(max_nodes=3)
said = ComputeInstance.provisioning_configuration(vm_size="D3", ssh_public_access=False)
one = ComputeTarget.create(ws, "mine", said)
one.wait_for_completion(show_output=True)
print(one.type, one.get_status().state, one.serialize())
print([(each.status.serialize(), each.status.state) for each in (found, one)])
one.stop(wait_for_completion=True, show_output=True)
one.delete()
""")
        self.assertEqual(done.stdout.splitlines(), [
            "True True AmlCompute(name='gpu-cluster')", "[] [] []",
            "ComputeInstance Running {'name': 'mine', 'type': 'ComputeInstance'}",
            "[({'name': 'gpu-cluster', 'type': 'AmlCompute'}, 'Running'), "
            "({'name': 'mine', 'type': 'ComputeInstance'}, 'Running')]"])
        for text in ("AmlCompute.update(max_nodes=...) has no effect here",
                     "ComputeInstance.stop() has no effect here: muster.yml says what hosts",
                     "ComputeInstance.delete() has no effect here"):
            self.assertIn(text, done.stderr)
        self.refused("from azureml.core.compute import AmlCompute\n"
                     "AmlCompute(None, 'x').list_nods()\n", "did you mean list_nodes?")

    def test_a_failure_is_one_line(self):
        self.write("src/fails.py", "raise RuntimeError('no such thing')\n")
        done = self.python(V1 + "src = ScriptRunConfig('src', 'fails.py')\n"
                                "experiment.submit(src).wait_for_completion()\n", "-m", "muster")
        self.assertEqual(done.returncode, 1, done.stderr)
        told = done.stderr.splitlines()[1:]  # after "has started"
        self.assertEqual(len(told), 1, told)
        self.assertRegex(told[0], r"muster: error: run \S+ failed: .*no such thing")

    def test_ctrl_c_leaves_the_run_alone(self):
        self.write("src/waits.py", "import time\nprint('waits', flush=True)\n"
                                   f"time.sleep(600)  # {self.mark}\n")
        path = self.write("program.py", V1 + """
run = experiment.submit(ScriptRunConfig("src", "waits.py", compute_target="gpu-cluster"))
run.wait_for_completion(show_output=True)
""")
        with subprocess.Popen([PYTHON, "-m", "muster", path], cwd=self.folder,
                              env=self.for_python(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as program:
            self.assertEqual(program.stdout.readline(), "waits\n")
            os.killpg(program.pid, signal.SIGINT)
            _, errors = program.communicate(timeout=WAIT_SECONDS)
        name = re.search(r"run (\S+) has started", errors)[1]
        self.assertEqual(program.returncode, 130, errors)
        self.assertEqual(errors.splitlines()[1:], [
            f"muster: run {name} goes on; to see it: muster logs -f {name}",
            f"muster: to stop it: muster stop {name}, or run.cancel()"])
        for words, state in ((["show", name], "running"), (["stop", name], ""),
                             (["show", name], "stopped")):
            done = subprocess.run([MUSTER, *words, *(["--json"] if state else [])],
                                  env=self.for_python(), capture_output=True, text=True,
                                  timeout=WAIT_SECONDS, check=False)
            if state:
                self.assertEqual(json.loads(done.stdout)["state"], state)


class Sweeps(V1Case):
    def test_hyperdrive(self):
        self.write("src/train.py", LOGS)
        done = self.runs(V1 + SWEEP.replace('src, hyper', 'ScriptRunConfig("src", "train.py", '
                                            'compute_target="gpu-cluster"), hyper'))
        self.assertEqual(done.stdout.splitlines()[-2:], [
            "Completed hyperdrive 3",
            "[{'lr': '3'}, {'lr': '2'}, {'lr': '1'}]"])
        self.assertEqual(self.runs(FOUND).stdout.splitlines(), [
            "HyperDriveRun 3 True", "[{'lr': '3'}, {'lr': '2'}, {'lr': '1'}] [6, 4, 2]",
            "HyperDriveRun 3 True", "HyperDriveRun 3 True", "Run trial_1"])

    def test_a_sweep_of_a_job_file_is_found_with_its_best_trial(self):
        self.write("src/train.py", LOGS)
        self.write("sweep.yml", SWEEP_FILE)
        done = subprocess.run([MUSTER, "submit", "--fake-nodes", "1", "--python-path",
                               os.path.join(PACKAGE, "muster", "in_ranks"), "sweep.yml"],
                              cwd=self.folder, env=self.for_python(), capture_output=True,
                              text=True, timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.runs(FOUND).stdout.splitlines()[:2], [
            "HyperDriveRun 1 True", "[{'lr': '1'}, {'lr': '2'}, {'lr': '3'}] [1, 2, 3]"])

    def test_values_come_after_those_of_the_script(self):
        done = self.runs(V1 + SWEEP.split("swept =")[0] + "print(sweep.keys())\n")
        self.assertIn('python3 train.py --lr 1 --lr "${{search_space.lr}}"', done.stdout)

    def test_runs_that_went_before_count_for_bayesian_sampling_alone(self):
        sweep = SWEEP.split("swept =")[0].replace("run_config=src", "run_config=src, "
                                                  "resume_from=[1], resume_child_runs=2")
        for grid in (sweep, sweep.replace("GridP", "RandomP")):
            done = self.runs(V1 + grid + "print(sweep.keys()['type'])\n")
            self.assertEqual(done.stdout, "sweep\n")
            for word in ("resume_from", "resume_child_runs"):
                self.assertIn(f"HyperDriveConfig({word}=...) has no effect here: with random or "
                              "grid sampling", done.stderr)
        done = self.python(V1 + sweep.replace("GridP", "BayesianP"), "-m", "muster")
        self.assertEqual(done.returncode, USAGE, done.stderr)
        self.assertIn("resume_from of HyperDriveConfig() is not supported with Bayesian sampling"
                      "\n  hint: ", done.stderr)
        self.assertNotIn("has no effect", done.stderr)

    def test_wrong_words(self):
        given = V1 + ("from azureml.train.hyperdrive import *\n"
                      "def sweep(space, goal=PrimaryMetricGoal.MINIMIZE): return HyperDriveConfig("
                      "RandomParameterSampling(space), 'loss', goal, 4, run_config=src)\n")
        for line, *told in (
                ("BanditPolicy(slack_faktor=1)", "did you mean slack_factor?"),
                ("experiment.submit(sweep({'lr': 0.1}))", "the parameter 'lr' is 0.1",
                 "it is choice(...), "),
                ("experiment.submit(sweep({'lr': choice(1)}, 'MAX'))",
                 "primary_metric_goal is 'MAX'"),
                ("HyperDriveConfig(RandomParameterSampling({}), 'loss', 'MINIMIZE', 4)",
                 "needs run_config")):
            done = self.python(given + line + "\n", "-m", "muster")
            self.assertEqual(done.returncode, USAGE, done.stderr)
            for text in told:
                self.assertIn(text, done.stderr)


class Options(V1Case):
    def variables(self, *words, job="", **more):
        """What muster submit gives a process."""
        self.write("job.yml", "muster: 1\ncommand: env\n" + job)
        done = subprocess.run([MUSTER, "submit", "job.yml", "--fake-nodes", "1", *words],
                              cwd=self.folder, capture_output=True, text=True,
                              env={**self.for_python(), "PYTHONPATH": "/own", **more},
                              timeout=WAIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    def test_metrics_lie_in_the_record_unless_they_have_a_place(self):
        found = self.variables()
        self.assertRegex(found["MLFLOW_TRACKING_URI"],
                         rf"^file://{self.path('records')}/[^/]+/mlruns$")
        self.assertNotIn("MLFLOW_TRACKING_URI", self.variables("--dialects", "^mlflow"))
        self.assertEqual("http://127.0.0.1:1", self.variables(
            MLFLOW_TRACKING_URI="http://127.0.0.1:1")["MLFLOW_TRACKING_URI"])
        job = "environment_variables: {MLFLOW_TRACKING_URI: file:///of/the/job}\n"
        self.assertEqual("file:///of/the/job",
                         self.variables(job=job)["MLFLOW_TRACKING_URI"])

    def test_a_folder_is_put_behind_the_others(self):
        given = ("--python-path", "behind")
        self.assertEqual(self.variables(*given)["PYTHONPATH"], f"/own:{self.path('behind')}")
        self.assertEqual(self.variables(*given, PYTHONPATH="")["PYTHONPATH"], self.path("behind"))
        self.assertEqual(self.variables(*given, job="environment_variables: {PYTHONPATH: /job}\n")[
            "PYTHONPATH"], f"/job:{self.path('behind')}")


if __name__ == "__main__":
    run_tests()
