"""Words of Azure ML's SDKs that muster does not honour are answered by name, and never dropped."""

# rooms: front job cli

import os
import re

from python_case import PythonCase
from support import USAGE, run_tests

V2 = """
from azure.ai.ml import MLClient, Input, MpiDistribution, Output, command, dsl, load_component
from azure.ai.ml.entities import QueueSettings, SshJobService, UserIdentityConfiguration
client = MLClient.from_config()
given = dict(command="echo rank $RANK of $WORLD_SIZE on node $NODE_RANK:")
"""
V1 = """
from azureml.core import Environment, Experiment, RunConfiguration, ScriptRunConfig, Workspace
from azureml.core.runconfig import MpiConfiguration, PyTorchConfiguration
from azureml.train.dnn import Mpi, PyTorch, TensorFlow
ws = Workspace.from_config()
def done(config):
    run = Experiment(ws, "words").submit(config, environment=False)
    run.wait_for_completion(show_output=True)
"""
SPEC = """
type: command
outputs: {model: {type: uri_folder}}
command: echo $GIVEN > ${{outputs.model}}/given
"""


class Words(PythonCase):
    def unchanged(self, program):
        return self.python(program, "-m", "muster", "--fake-nodes", "4")

    def runs(self, program):
        done = self.unchanged(program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def refused(self, program, place, *told):
        done = self.unchanged(program)
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        line = (program[:program.index(place)].count("\n")) + 1
        self.assertTrue(done.stderr.startswith(f"muster: error: program.py:{line}: "), done.stderr)
        for text in told:
            self.assertIn(text, done.stderr)

    def ranks(self, done):
        return sorted(set(re.findall(r"rank \d+ of \d+ on node \d+", done.stdout)))

    def test_misspelt_keywords(self):
        for program, *told in (
                (V2 + "command(**given, instance_cout=2)\n", "command() has no parameter "
                 "'instance_cout'\n  hint: did you mean instance_count? it has code, command, "),
                (V2 + "command(**given, distribution=MpiDistribution(process_count_per_node=2))\n",
                 "MpiDistribution() has no parameter 'process_count_per_node'",
                 "did you mean process_count_per_instance?"),
                (V1 + "MpiConfiguration(node_cont=2)\n", "MpiConfiguration() has no parameter "
                 "'node_cont'\n  hint: did you mean node_count?"),
                (V1 + "Experiment(ws, 'x').submit(ScriptRunConfig(command='true'), fake_node=2)\n",
                 "Experiment.submit() has no parameter 'fake_node'", "did you mean fake_nodes?"),
                (V2 + "client.jobs.create_or_update(command(**given), fake_node=2)\n",
                 ": create_or_update() has no parameter 'fake_node'", "did you mean fake_nodes?"),
                (V2 + "client.create_or_update(command(**given), experimentname='x')\n",
                 ": create_or_update() has no parameter 'experimentname'\n  hint: did you mean "
                 "experiment_name? it has compute, environment, experiment_name, "),
                (V2 + "command(**given).submit(experimentname='x')\n",
                 "CommandJob.submit() has no parameter 'experimentname'\n  hint: did you mean "
                 "experiment_name? "),
                (V1 + "ScriptRunConfig('.', telemetry_values=1)\n",
                 "hint: it has arguments, command, compute_target, "),
                (V2 + "command(**given)(epochs=2)\n", "command has no input 'epochs'")):
            self.refused(program, program.splitlines()[-1], *told)

    def test_misspelt_settings(self):
        for program, *told in (
                (V2 + "command(**given).resources.instance_cout = 2\n",
                 "JobResourceConfiguration has no setting 'instance_cout'",
                 "did you mean instance_count?"),
                (V2 + "command(**given).enviroment_variables = {}\n",
                 "Command has no setting 'enviroment_variables'",
                 "did you mean environment_variables?"),
                (V2 + "command(**given).distrbution = {}\n",
                 "Command has no setting 'distrbution'\n  hint: did you mean distribution? it has "
                 "code, command, compute, description, display_name, distribution, environment, "
                 "environment_variables, experiment_name, inputs, is_deterministic, limits, name, "
                 "outputs, resources, tags\n"),
                (V1 + "RunConfiguration().node_cont = 2\n",
                 "RunConfiguration has no setting 'node_cont'", "did you mean node_count?"),
                (V1 + "Environment('x').docker.base_imge = 'x'\n",
                 "Environment.docker has no setting 'base_imge'", "did you mean base_image?"),
                (V1 + "Environment('x').docker.build_context = 'x'\n",
                 "Environment.docker.build_context is not supported", "from_dockerfile"),
                (V1 + "print(ws.linked_services)\n", "Workspace has no 'linked_services'")):
            self.refused(program, program.splitlines()[-1], *told)

    def test_hints_are_in_python_s_words(self):
        os.mkdir(self.path("full"))
        self.write("full/file", "")
        for program, *told in (
                (V2 + "client.jobs.create_or_update(command(**given, compute='cpu'))\n",
                 "or choose another target: compute='local', create_or_update(..., hosts="),
                (V1 + "Experiment(ws, 'x').submit(ScriptRunConfig('.', command='true', "
                 "compute_target='cpu'))\n",
                 "or choose another target: compute_target='local', submit(..., hosts="),
                (V2 + "given['environment'] = 'nosuch@latest'\n"
                 "client.jobs.create_or_update(command(**given))\n",
                 "in muster.yml, or environment=Environment(image='IMAGE'); if its hosts hold that "
                 "software themselves: create_or_update(..., environment=False) or "),
                (V1 + "Experiment(ws, 'x').submit(ScriptRunConfig('.', command='true', "
                 "environment=Environment('nosuch')))\n",
                 "or environment=Environment.from_docker_image('NAME', 'IMAGE'); if its hosts"),
                (V2 + "given['command'] = 'true ${{outputs.o}}'\n"
                 "given['outputs'] = {'o': Output(path='full')}\n"
                 "client.jobs.create_or_update(command(**given))\n",
                 "hint: name another path, or allow it: Output(..., overwrite=True)\n"),
                (V2 + "client.jobs.create_or_update(command(**given, distribution="
                 "{'type': 'mpi', 'process_count_per_node': 2}))\n",
                 "unknown key 'process_count_per_node' in distribution\n  hint: did you mean "
                 "process_count_per_instance?\n")):
            done = self.python(program, "-m", "muster")
            line = program.count("\n")
            self.assertRegex(done.stderr, rf"^muster: error: program\.py:{line}: ", program)
            for text in told:
                self.assertIn(text, done.stderr)

    def test_what_the_sdk_has_and_muster_cannot_do(self):
        for program, *told in (
                (V2 + "load_component('x.yml', params_override=[{'x': 1}])\n",
                 "load_component(params_override=...) is not supported\n  hint: call"),
                (V1 + "ScriptRunConfig('.', 'train.py', arguments='--lr 0.1')\n",
                 "arguments of ScriptRunConfig() is '--lr 0.1', which is not a list\n"
                 "  hint: for example arguments=[\"--lr\", 0.1]"),
                (V1 + "ScriptRunConfig('.', 'train.py', resume_from='x')\n",
                 "resume_from of ScriptRunConfig() is 'x', which is not a DataPath\n"),
                (V1 + "PyTorch('src', entry_script='train.py', framework_version='1.13')\n",
                 "framework_version=...) is not supported\n  hint: name it in pip_packages"),
                (V1 + "PyTorch('src', entry_script='train.py', node_count=2)\n",
                 "an estimator with several nodes or processes needs distributed_training"),
                (V2 + "from azure.ai.ml.entities import SparkJob\nSparkJob(name='x')\n",
                 "muster does not support azure.ai.ml.entities.SparkJob"),
                (V2 + "from azure.ai.ml.entities import SparkJob\nclass Mine(SparkJob): pass\n",
                 "muster does not support azure.ai.ml.entities.SparkJob"),
                (V2 + "client.online_endpoints.get(name='x')\n",
                 "muster does not support client.online_endpoints.get\n  hint: it runs jobs"),
                (V2 + "client.datastores.get_default()\n", "client.datastores.get_default\n",
                 "name folders"),
                (V1 + "ws.datastores['x'].blob_service\n",
                 "Datastore.blob_service is not supported\n  hint: a datastore is a folder"),
                (V1 + "from azureml.core import Webservice\nWebservice.list(ws)\n",
                 "muster does not support azureml.core.Webservice", "it runs commands")):
            self.refused(program, program.splitlines()[-1], *told)

    def test_variables_that_are_changed_later_count_as_in_the_sdk(self):
        """Those of command(), not those of CommandJob(), which copies them."""
        done = self.runs(V2 + "from azure.ai.ml.entities import CommandJob\n"
                         "for make in command, CommandJob:\n"
                         "    variables = {'GIVEN': 'before'}\n"
                         "    job = make(command='echo $GIVEN', environment_variables=variables)\n"
                         "    variables['GIVEN'] = 'after'\n"
                         "    client.jobs.stream(client.jobs.create_or_update(job).name)\n")
        self.assertEqual(re.findall(r"before|after", done.stdout), ["after", "before"])

    def test_an_image_that_stands_for_a_name(self):
        program = (V2 + "print(client.environments.get('own', label='latest').image,\n"
                   "      client.environments.get('own', version='3').image,\n"
                   "      client.environments.get('nosuch').image)\n")
        done = self.python(program, "-m", "muster", "--set", "environments.own=debian:12")
        self.assertEqual(done.stdout, "debian:12 debian:12 None\n", done.stderr)

    def test_a_job_file_where_the_program_prints_to_leaves_what_it_has_said(self):
        for name in ("log", "/proc/self/fd/1"):
            self.runs(V2 + "import os\n"
                           "os.dup2(os.open('log', os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)\n"
                           f"print('before')\ncommand(command='true').dump({name!r})\n"
                           "print('after')\n")
            lines = self.read("log").splitlines()
            self.assertEqual((lines[0], lines[-1]), ("before", "after"), name)
            self.assertIn("command: 'true'", [line.replace('"', "'") for line in lines], name)

    def test_environments_are_found_by_name_and_clones_are_their_own(self):
        done = self.runs(V2 +
                         "known = client.environments.get('curated', version='1')\n"
                         "job = command(command='true', environment=known)\n"
                         "job.dump('job.yml')\nprint(open('job.yml').read())\n")
        self.assertIn('environment: curated', done.stdout)
        self.runs(V1 + "from azureml.core.conda_dependencies import CondaDependencies\n"
                  "first = Environment('a')\n"
                  "first.python.conda_dependencies = CondaDependencies()\n"
                  "other = first.clone('b')\n"
                  "other.python.conda_dependencies.add_pip_package('six')\n"
                  "assert first.python.conda_dependencies.is_empty()\n")

    def test_what_has_no_effect_is_told_with_its_line(self):
        done = self.runs(V2 + "job = command(**given, services={'ssh': SshJobService()},\n"
                         "              identity=UserIdentityConfiguration(),\n"
                         "              locations=['westus'])\n"
                         "job.queue_settings = QueueSettings(job_tier='Spot')\n"
                         "client.jobs.stream(client.jobs.create_or_update(job).name)\n")
        told = [line for line in done.stderr.splitlines() if "no effect" in line]
        self.assertEqual([re.sub(r":\d+:", ":", line) for line in told], [
            "muster: program.py: command(services=..., identity=...) has no effect here",
            "muster: program.py: Command.queue_settings has no effect here",
            "muster: program.py: resources.locations has no effect here: it is for Azure ML's "
            "service"])
        self.assertEqual(self.ranks(done), ["rank 0 of 1 on node 0"])

    def test_exceptions_can_be_caught(self):
        self.runs("from azure.core.exceptions import ResourceNotFoundError\n"
                  "from azure.ai.ml.exceptions import ValidationException\n"
                  "from azureml.exceptions import WebserviceException\n"
                  "from azure.ai.ml.entities import Data\n"
                  "try:\n    raise KeyError('x')\n"
                  "except (ResourceNotFoundError, ValidationException, WebserviceException):\n"
                  "    raise\nexcept KeyError:\n    pass\n"
                  "assert not isinstance(3, Data)\n")

    def test_values_without_names_reach_their_parameters(self):
        show = "'src', 'train.py', None, None, None, None, None, "
        self.assertEqual(self.ranks(self.runs(
            V1 + f"done(ScriptRunConfig({show} PyTorchConfiguration('Nccl', 4, 2)))\n")),
            [f"rank {rank} of 4 on node {rank // 2}" for rank in range(4)])

    def test_a_run_config_that_is_changed_later(self):
        program = V1 + ("config = ScriptRunConfig('src', 'train.py')\n"
                        "config.run_config.communicator = 'OpenMpi'\n"
                        "config.run_config.node_count = 2\n"
                        "config.run_config.mpi.process_count_per_node = 2\n"
                        "config.run_config.environment.python.user_managed_dependencies = True\n"
                        "config.run_config.environment_variables['GIVEN'] = 'x'\ndone(config)\n")
        self.assertEqual(self.ranks(self.runs(program)),
                         [f"rank {rank} of 4 on node {rank // 2}" for rank in range(4)])

    def test_estimators(self):
        program = V1 + ("done(TensorFlow('src', entry_script='train.py', node_count=3,\n"
                        "     distributed_backend='ps', worker_count=2))\n")
        self.assertEqual(len(self.ranks(self.runs(program))), 3)
        program = V1 + ("estimator = PyTorch('src', entry_script='train.py', node_count=2,\n"
                        "    distributed_training=MpiConfiguration(2), pip_packages=['six'],\n"
                        "    environment_variables={'A': 'b'})\n"
                        "print(estimator.job('x')['environment'])\ndone(estimator)\n")
        done = self.runs(program)
        self.assertIn("'dependencies': ['pip', {'pip': ['six']}]", done.stdout)
        self.assertEqual(len(self.ranks(done)), 4)
        done = self.runs(V1 + "from azureml.train.sklearn import SKLearn\n"
                         "done(SKLearn('src', entry_script='train.py', "
                         "pip_packages=['scikit-learn'], compute_target='gpu-cluster'))\n")
        self.assertEqual(len(self.ranks(done)), 1)

    def test_settings_of_a_step(self):
        self.write("train.yml", SPEC)
        wired = V2 + ("train = load_component('train.yml')\n@dsl.pipeline()\ndef whole():\n"
                      "    step = train()\n    step.environment_variables = {'GIVEN': 'seen'}\n"
                      "    step.outputs.model = Output(path='kept')\n")
        self.runs(wired + "client.jobs.stream(client.jobs.create_or_update(whole()).name)\n")
        self.assertEqual(self.read("kept/given"), "seen\n")
        alone = V2 + ("step = load_component('train.yml')()\n"
                      "step.environment_variables['GIVEN'] = 'lost'\n"
                      "client.jobs.create_or_update(step)\n")
        self.refused(alone, "client.jobs", "cannot be submitted by itself with "
                     "environment variables of its own")

    def test_parts_of_a_step_given_as_dictionaries(self):
        self.write("train.yml", SPEC)
        done = self.runs(V2 + "train = load_component('train.yml')\n@dsl.pipeline()\ndef whole():\n"
                         "    step = train()\n    step.distribution = {'type': 'mpi'}\n"
                         "    step.resources = {'instance_count': 2}\n"
                         "    step.limits = {'timeout': 100}\nwhole().dump('whole.yml')\n"
                         "print(open('whole.yml').read())\n")
        for said in ("type: mpi", "instance_count: 2", "timeout: 100"):
            self.assertIn(said, done.stdout)

    def test_what_a_sweep_of_a_step_cannot_have(self):
        self.write("train.yml", SPEC.replace("outputs:", "inputs: {lr: {type: number}}\noutputs:"))
        made = V2 + ("from azure.ai.ml.sweep import Choice\n"
                     "step = load_component('train.yml')(lr=Choice([1, 2]))\n")
        swept = "step.sweep(primary_metric='loss', goal='minimize').dump('sweep.yml')\n"
        for said, told in (("step.outputs.model = Output(path='kept')\n", "a path for an output"),
                           ("step.distribution = {'type': 'mpi'}\n", "another distribution"),
                           ("step.environment_variables['A'] = 'b'\n",
                            "environment variables of its own")):
            self.refused(made + said + swept, "step.sweep", f"cannot be swept with {told}")
        command = (V2 + "from azure.ai.ml.sweep import Choice\n"
                   "step = command(**given, inputs={'lr': Choice([1])})\n")
        for kind, job in (("step", made), ("job", command)):
            with self.subTest(kind):
                done = self.runs(job + "step.limits = {'timeout': 100}\n" + swept)
                self.assertRegex(done.stderr, r"do not hold for the trials of a sweep: use "
                                              r"sweep\(trial_timeout=\.\.\.\)")

    def test_a_sweep_runs_where_its_step_was_to_run(self):
        self.write("train.yml", SPEC.replace("outputs:", "inputs: {lr: {type: number}}\noutputs:"))
        swept = "sweep = step.sweep(primary_metric='x', goal='minimize')"
        for said in ("step.compute = 'there'\n" + swept,
                     "step.runsettings.configure(target='there')\n" + swept,
                     "step.compute = 'there'\nsweep = SweepJob(trial=step, search_space="
                     "{'lr': Choice([1])}, objective=Objective('minimize', 'x'))"):
            done = self.runs(V2 + "from azure.ai.ml.sweep import Choice, Objective, SweepJob\n"
                             "step = load_component('train.yml')(lr=Choice([1, 2]))\n" + said +
                             "\nsweep.dump('sweep.yml')\nprint(open('sweep.yml').read())\n")
            self.assertIn('compute: there\n', done.stdout)

    def test_an_environment_that_is_changed_later(self):
        done = self.runs(V2 + "from azure.ai.ml.entities import Environment\n"
                         "known = Environment(name='x')\nknown.image = 'busybox'\n"
                         "known.conda_file = {'dependencies': ['pip']}\n"
                         "command(**given, environment=known).dump('job.yml')\n"
                         "print(open('job.yml').read())\n")
        self.assertIn('image: busybox\n', done.stdout)
        self.assertIn('dependencies:\n', done.stdout)

    def test_what_begins_can_be_waited_for(self):
        self.runs(V2 + "job = client.jobs.create_or_update(command(command='sleep 600'))\n"
                  "poller = client.jobs.begin_cancel(job.name)\n"
                  "poller.wait()\nassert poller.done() and poller.result() is None\n"
                  "assert job.get_status() == 'Canceled', job.get_status()\n")

    def test_components_that_nobody_registered_are_not_found(self):
        program = V2 + "known = client.components.get('known', version='1')\nknown(lr=1)\n"
        self.refused(program, "known =", "no component 'known' of version '1' is known here")

    def test_hints_say_by_which_variable_hosts_are_reached(self):
        """The program has no option for it."""
        done = self.runs("from muster.spelling import Spelling, python_words\n"
                         "for option in ('ssh-command', 'ssh-port', 'ssh-identity', 'agent-path',\n"
                         "               'start-timeout', 'max-open', 'lease'):\n"
                         "    print(python_words(f'or give --{option} (now x)', Spelling()))\n"
                         "print(python_words('--start-timeout SECONDS longer', Spelling()))\n")
        told = done.stdout.splitlines()
        self.assertEqual(told[:7], [f"or give the variable MUSTER_{name} (now x)" for name in (
            "SSH_COMMAND", "SSH_PORT", "SSH_IDENTITY", "AGENT_PATH", "START_TIMEOUT", "MAX_OPEN",
            "LEASE")])
        self.assertEqual(told[7], "the variable MUSTER_START_TIMEOUT=SECONDS longer")

    def test_names_that_are_only_asked_for(self):
        done = self.runs("import mlflow\nfrom azure.ai.ml.entities import Data\n"
                         "assert not hasattr(mlflow, 'nosuch')\n"
                         "assert getattr(mlflow, 'nosuch', None) is None\n"
                         "def load(data: Data | None = None, other: None | Data = None): pass\n"
                         "try:\n    from mlflow import nosuch\n"
                         "except ImportError as error:\n    print(error)\n")
        self.assertIn("muster's stand-in for mlflow has no nosuch; it has ", done.stdout)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    run_tests()
